"""Golden hashes: sixteen commands publish the same files as before.

`release_hashes.json` stores a SHA-256 per file in three groups. A change that is meant to keep releases as they are
must not touch any of them; one that changes releases on purpose stores them anew, and its diff shows which files:

    python tests/contract/test_release_hashes.py

data     Texts as bytes, tables as values and types. Compared with every version of pyarrow.
parquet  Tables as bytes. pyarrow writes its version into them, so they are compared only if it has not changed.
charts   Pages with drawings, as bytes.

In `datapackage.json` the version of disjoin, and size and hash of files of the two other groups, do not count.
"""

import csv
import json
import sys
import tempfile
from collections import Counter
from contextlib import chdir
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq
import pytest

STORED = Path(__file__).with_name("release_hashes.json")
WRITER = "pyarrow"  # its version shapes the bytes of the group parquet
CHARTS = (".svg", ".html")

GENERATED = [
    "baskets --records 240 --seed 3 --hierarchy departments.csv --output baskets.csv",
    "quest --records 300 --terms 60 --length 5 --patterns 30 --seed 5 --output quest.dat",
    "visits --records 150 --seed 2 --output visits.csv",
    "stays --records 150 --seed 2 --output stays.csv",
    "census --records 160 --seed 4 --hierarchies trees --output census.csv",
]
BASKETS = "disassociate baskets.csv -k 3"
CENSUS = "generalize census.csv -k 4 --quasi age,sex,education --hierarchies trees --drop-unassigned"
COMMANDS = {
    "horpart, paper": f"{BASKETS} --refine-mode paper --refine-builder pairs",
    "horpart, large k": "disassociate quest.dat -k 40 -m 3 --ties first --strategy adding",
    "core": f"{BASKETS} -m 3 --clustering core",
    "core-horpart, sensitive, people": (
        "disassociate visits.csv -k 3 --clustering core-horpart --id patient_id --terms diagnosis"
        " --sensitive I1* -l 2 --min-people 3 --rare other"
    ),
    "pruned": f"{BASKETS} --clustering pruned --no-refine",
    "auto": f"{BASKETS} --clustering auto --cover-aware 1",
    "bounded": f"{BASKETS} --clustering bounded --max-exposed 0.05 --min-people 2",
    "cahd blind": "cahd baskets.csv -p 4 --sensitive SENSITIVE",
    "cahd paper": "cahd baskets.csv -p 4 --sensitive SENSITIVE --grouping paper --order aat",
    "local-search, people": (
        "generalize visits.csv -k 3 --person patient_id --quasi age,sex,postcode --sensitive diagnosis -l 2"
    ),
    "kaca": f"{CENSUS} --method kaca --min-people 3",
    "top-down": f"{CENSUS} --method top-down --sensitive income --t 0.4",
    "top-down-kaca, sensitive": f"{CENSUS} --method top-down-kaca --sensitive diagnosis --alpha 0.5 --others hours",
    "generalize-items": "generalize-items baskets.csv -k 3 --hierarchy departments.csv",
    # Each run draws other noise. Here 10 counts get noise of scale 0.06, and the last ones of scale 0.015: the
    # probability that any of it is not 0 is about one in a million.
    "diffpart": (
        "diffpart baskets.csv --epsilon 100 --domain bread,butter,coffee,eggs,milk,pasta --fan-out 3"
        " --format basket --separator ,"
    ),
    "mixed": (
        "mixed --people people.csv --items items.csv --id patient --terms code --quasi age,sex -k 3"
        " --sensitive I1* -l 2 --method two-level"
    ),
}


def run(arguments: list[str]) -> None:
    """Run a command in this process."""
    from disjoin.cli.main import run

    assert run(arguments) == 0, arguments


def write_inputs() -> None:
    """Write the files that the commands publish into the current folder."""
    for line in GENERATED:
        run(["generate", *line.split()])
    with Path("stays.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name, columns in {"people.csv": ("patient", "age", "sex"), "items.csv": ("patient", "code")}.items():
        lines = dict.fromkeys(",".join(row[column] for column in columns) for row in rows)
        Path(name).write_text("\n".join([",".join(columns), *lines]) + "\n", encoding="utf-8")


def rare_items() -> str:
    """Return two items of the baskets that few enough have to be hidden one in four."""
    records = Path("baskets.csv").read_text(encoding="utf-8").splitlines()
    counts = Counter(item for record in records for item in record.split(","))
    return ",".join(sorted(item for item, count in counts.items() if count == 12)[:2])


def hashed(content: bytes) -> str:
    return sha256(content).hexdigest()


def values_of(file: Path) -> str:
    """Return the hash of what a Parquet file contains, whatever version of pyarrow wrote it."""
    table = pq.read_table(file)
    columns = [(field.name, str(field.type), field.nullable) for field in table.schema]
    return hashed(json.dumps([columns, table.to_pylist()], default=str).encode())


def descriptor_of(file: Path) -> str:
    """Return the hash of a descriptor without what depends on versions and charts."""
    package = json.loads(file.read_bytes())
    del package["disjoin"]["version"]
    for resource in package["resources"]:
        if resource["path"].endswith((*CHARTS, ".parquet")):
            del resource["bytes"], resource["hash"]
    return hashed(json.dumps(package).encode())


def hashes_of(folder: Path) -> dict[str, dict[str, str]]:
    """Return the hashes of a folder's files by group."""
    groups: dict[str, dict[str, str]] = {"data": {}, "parquet": {}, "charts": {}}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        if file.suffix == ".parquet":
            groups["data"][name], groups["parquet"][name] = values_of(file), hashed(file.read_bytes())
        elif name == "datapackage.json":
            groups["data"][name] = descriptor_of(file)
        else:
            groups["charts" if file.suffix in CHARTS else "data"][name] = hashed(file.read_bytes())
    return groups


def published(command: str, inputs: Path, output: Path) -> dict[str, dict[str, str]]:
    """Run a command in the folder of inputs, and return the hashes of what it publishes."""
    with chdir(inputs):
        words = [word.replace("SENSITIVE", rare_items()) for word in command.split()]
        run([*words, "--no-ledger", "--quiet", "--output", str(output)])
    return hashes_of(output)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    with chdir(folder):
        write_inputs()
    return folder


@pytest.fixture(scope="module")
def stored():
    return json.loads(STORED.read_text(encoding="utf-8"))


def test_the_inputs_are_the_stored_ones(inputs, stored):
    """If this fails, `disjoin generate` has changed, and the releases below differ for that reason."""
    assert hashes_of(inputs)["data"] == stored["inputs"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_release_is_byte_for_byte_the_stored_one(name, inputs, stored, tmp_path):
    if name == "diffpart":
        pytest.importorskip("opendp")
    found, expected = published(COMMANDS[name], inputs, tmp_path / "release"), stored["releases"][name]
    assert found["parquet"].keys() == expected["parquet"].keys()
    if version(WRITER) != stored["versions"][WRITER]:
        found["parquet"] = expected["parquet"]
    assert found == expected


def test_every_stored_release_is_compared(stored):
    assert stored["releases"].keys() == COMMANDS.keys()


def main() -> None:
    """Run every command and store the hashes."""
    with tempfile.TemporaryDirectory() as name:
        inputs = Path(name, "inputs")
        inputs.mkdir()
        with chdir(inputs):
            write_inputs()
        known = {
            "versions": {WRITER: version(WRITER)},
            "inputs": hashes_of(inputs)["data"],
            "releases": {title: published(command, inputs, Path(name, title)) for title, command in COMMANDS.items()},
        }
    STORED.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
