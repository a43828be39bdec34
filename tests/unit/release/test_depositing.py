"""A release ready to upload: it verifies, and has what the data owner stated and nothing that was guessed."""

from __future__ import annotations

import filecmp
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

import disjoin
from disjoin.api import Deposit, deposit
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter, OutputExists
from disjoin.parquet.tables import files_in
from disjoin.release.deposit import DEPOSIT_FILES
from disjoin.release.destination import fingerprint

FACTS = Deposit('Baskets: "2026"', ("Curie, Marie", "Institute"), "CC-BY-4.0", "data@example.org", "2026-01-31")


@pytest.fixture
def release(tmp_path):
    return disjoin.disassociate([{"tea", "milk"}, {"tea"}, {"milk"}] * 4, k=3).write(tmp_path / "release")


def test_croissant_names_the_tables_their_columns_and_checksums(release, tmp_path):
    deposit(release, FACTS, tmp_path / "deposit")
    found = json.loads((tmp_path / "deposit" / "croissant.json").read_text())
    assert found["name"] == FACTS.title
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    for file in found["distribution"]:
        assert file["sha256"] == hashlib.sha256((release / file["contentUrl"]).read_bytes()).hexdigest()
    fields = {field["@id"]: field for one in found["recordSet"] for field in one["field"]}
    assert fields["subrecords/terms"]["dataType"] == "sc:Text"
    assert fields["subrecords/terms"]["repeated"] is True
    assert fields["subrecords/count"]["dataType"] == "sc:Integer"
    assert "finds at least 3 candidates" in found["rai:personalSensitiveInformation"]


def test_the_other_files_have_what_the_owner_stated(release, tmp_path):
    deposit(release, FACTS, tmp_path / "deposit")
    citation = (tmp_path / "deposit" / "CITATION.cff").read_text()
    assert 'title: "Baskets: \\"2026\\""\n' in citation and 'date-released: "2026-01-31"\n' in citation
    zenodo = json.loads((tmp_path / "deposit" / "zenodo.json").read_text())["metadata"]
    assert [one["name"] for one in zenodo["creators"]] == ["Curie, Marie", "Institute"]
    assert "access_right" not in zenodo, "nobody said it"
    dataverse = json.loads((tmp_path / "deposit" / "dataverse.json").read_text())["datasetVersion"]
    assert dataverse["license"] == {"name": "CC-BY-4.0"}


def test_the_release_stays_as_it_is_and_must_hold(release, tmp_path, capsys):
    before = {path.name: path.read_bytes() for path in release.iterdir()}
    said = ["--title", "T", "--author", "A", "--licence", "MIT", "--contact", "a@b.org", "--date", "2026-01-31"]
    assert run(["deposit", str(release), *said, "-o", str(tmp_path / "deposit")]) == 0
    assert {path.name: path.read_bytes() for path in release.iterdir()} == before
    with pytest.raises(OutputExists):
        deposit(release, FACTS, tmp_path / "deposit")
    descriptor = release / "datapackage.json"
    descriptor.write_text(descriptor.read_text().replace('"k": 3', '"k": 30'))
    assert run(["deposit", str(release), *said, "-o", str(tmp_path / "more")]) == 3
    assert not (tmp_path / "more").exists()
    capsys.readouterr()


def test_a_deposit_is_not_written_into_the_release(release, capsys):
    assert run(["deposit", str(release), *STATED, "-o", str(release / "more" / "deposit")]) == 2
    assert "expected a place outside the release" in capsys.readouterr().err
    assert run(["verify", str(release)]) == 0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"title": " "}, "title must be a text"),
        ({"authors": ()}, "at least one person"),
        ({"contact": "nobody"}, "e-mail address"),
        ({"date": "31.1.2026"}, "written as 2026-01-31"),
        ({"date": "20260131"}, "written as 2026-01-31"),
    ],
)
def test_what_is_missing_or_wrong_is_one_sentence(changed, words):
    given = {"title": "T", "authors": ("A",), "licence": "MIT", "contact": "a@b.org", "date": "2026-01-31"}
    with pytest.raises(InvalidParameter, match=words):
        Deposit(**given | changed)


def test_there_is_one_descriptor_with_what_the_owner_stated(release, tmp_path):
    deposit(release, replace(FACTS, citation="Curie 2026"), tmp_path / "deposit")
    found = json.loads((tmp_path / "deposit" / "datapackage.json").read_text())
    stated = json.loads((release / "datapackage.json").read_text())
    assert found["$schema"] == stated["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert found["disjoin"] == stated["disjoin"]
    assert found["resources"][: len(stated["resources"])] == stated["resources"]
    assert [one["path"] for one in found["resources"][len(stated["resources"]) :]] == sorted(DEPOSIT_FILES)
    assert (found["title"], found["created"], found["citation"]) == (FACTS.title, "2026-01-31T00:00:00Z", "Curie 2026")
    assert found["licenses"] == [{"name": "CC-BY-4.0"}]
    assert [one.get("email") for one in found["contributors"]] == ["data@example.org", None]
    assert "licenses" not in stated, "nobody stated it of the release"
    assert [*(tmp_path / "deposit").rglob("datapackage.json")] == [tmp_path / "deposit" / "datapackage.json"]


SETS = "visit,code\n" + "".join(f"{n},{code}\n" for n in range(24) for code in ("a", "bcd"[n % 3]))
SETS += "0,B20\n8,B20\n"
ROWS = "age,sex,ward,income\n" + "".join(f"{20 + n},{'fm'[n % 2]},{'xy'[n % 2]},{'lmh'[n % 3]}\n" for n in range(24))
PEOPLE = "age,sex,codes\n" + "".join(f"{20 + n % 6},{'fm'[n % 2]},{'a b' if n % 2 else 'a c'}\n" for n in range(24))
TREE = "a;one;*\nb;one;*\nc;one;*\nd;two;*\nB20;two;*\n"
LONG = ["--format", "long", "--id", "visit", "--terms", "code"]
TABLE = ["--original", "rows.csv"]
KINDS = {
    "clusters": (["disassociate", "sets.csv", "-k", "3", *LONG], ["--original", "sets.csv", *LONG]),
    "groups": (["cahd", "sets.csv", "-p", "3", "--sensitive", "B20", *LONG], ["--original", "sets.csv", *LONG]),
    "items": (
        ["generalize-items", "sets.csv", "-k", "3", "--hierarchy", "tree.csv", *LONG],
        ["--original", "sets.csv", *LONG],
    ),
    "table": (
        ["generalize", "rows.csv", "--quasi", "age,sex", "--sensitive", "income", "--drop-unassigned", "-k", "3"],
        TABLE,
    ),
    "mixed": (
        ["mixed", "people.csv", "--terms", "codes", "--split", " ", "--quasi", "age,sex", "-k", "3"],
        ["--original", "people.csv", "--terms", "codes", "--split", " "],
    ),
    "noisy": (
        ["diffpart", "sets.csv", "--domain", "a,b,c,d,B20", "--epsilon", "9", *LONG],
        ["--original", "sets.csv", *LONG],
    ),
}
STATED = ["--title", "T", "--author", "A", "--licence", "MIT", "--contact", "a@b.org", "--date", "2026-01-31"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_uploaded_verifies(kind, tmp_path, monkeypatch, capsys):
    """P15: the folder that `deposit` says to upload holds, alone and with the original, for every kind of release."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("sets", SETS), ("rows", ROWS), ("people", PEOPLE), ("tree", TREE)):
        Path(f"{name}.csv").write_text(text)
    publish, with_original = KINDS[kind]
    assert run([*publish, "-q", "-o", "release"]) == 0
    assert run(["deposit", "release", *STATED, "-o", "deposit"]) == 0
    assert run(["verify", "deposit"]) == 0
    assert "Not checked: title, authors" in capsys.readouterr().out
    assert run(["verify", "deposit", *with_original]) == 0
    assert disjoin.load("deposit").published.form == disjoin.load("release").published.form == kind
    assert set(files_in(Path("deposit"))) == set(files_in(Path("release"))) | set(DEPOSIT_FILES)
    assert run(["deposit", "deposit", *STATED, "-o", "again"]) == 0, "of a deposit, too"
    assert all(filecmp.cmp(file, Path("again") / path, False) for path, file in files_in(Path("deposit")).items())


@pytest.mark.parametrize("name", [*DEPOSIT_FILES, "datapackage.json", "remark.txt"])
def test_nothing_is_hidden_in_a_deposit(name, release, tmp_path, capsys):
    """P15: the verifier makes the added files again, so a remark in one of them is found."""
    deposit(release, FACTS, tmp_path / "deposit")
    assert run(["verify", str(tmp_path / "deposit")]) == 0
    with (tmp_path / "deposit" / name).open("a") as file:
        file.write(" \n")
    if name != "datapackage.json":
        declare(tmp_path / "deposit")
    assert run(["verify", str(tmp_path / "deposit")]) == 3
    assert f"F1 at {name}" in capsys.readouterr().out


def declare(folder):
    """State sizes and hashes as they are."""
    place = folder / "datapackage.json"
    package = json.loads(place.read_text())
    for one in package["resources"]:
        one |= fingerprint(folder / one["path"])
    place.write_text(json.dumps(package, indent=2, sort_keys=True) + "\n")


@pytest.mark.parametrize(
    "changed", [{"contributors": []}, {"contributors": [{"title": 1}]}, {"licenses": None}, {"created": "today"}]
)
def test_damaged_facts_of_a_deposit_are_one_sentence(changed, release, tmp_path, capsys):
    deposit(release, FACTS, tmp_path / "deposit")
    place = tmp_path / "deposit" / "datapackage.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | changed))
    assert run(["verify", str(tmp_path / "deposit")]) == 2
    assert "the facts of a deposit are not complete" in capsys.readouterr().err


def test_a_deposit_can_be_overwritten_by_a_release(release, tmp_path):
    deposit(release, FACTS, tmp_path / "deposit")
    disjoin.load(tmp_path / "deposit").write(tmp_path / "deposit", overwrite=True)
    assert set(files_in(tmp_path / "deposit")) == set(files_in(release))


WHY = "a reference validator, heavy: pip install 'disjoin[validators]'"


def test_mlcroissant_accepts_the_croissant_file(release, tmp_path):
    mlcroissant = pytest.importorskip("mlcroissant", reason=WHY)
    deposit(release, FACTS, tmp_path / "deposit")
    found = mlcroissant.Dataset(jsonld=str(tmp_path / "deposit" / "croissant.json"))
    assert not found.metadata.ctx.issues.errors


def test_cffconvert_accepts_the_citation_file(release, tmp_path):
    cffconvert = pytest.importorskip("cffconvert", reason=WHY.replace("validators", "validators-citation"))
    deposit(release, FACTS, tmp_path / "deposit")
    cffconvert.Citation((tmp_path / "deposit" / "CITATION.cff").read_text()).validate()


@pytest.mark.parametrize("where", ["release", "deposit"])
def test_frictionless_accepts_the_descriptor(release, tmp_path, where):
    frictionless = pytest.importorskip("frictionless", reason=WHY)
    deposit(release, FACTS, tmp_path / "deposit")
    stated = json.loads((tmp_path / where / "datapackage.json").read_text())
    assert frictionless.Package.validate_descriptor(stated).valid
