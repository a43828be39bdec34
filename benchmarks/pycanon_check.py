"""What tables keep, by our inspector and by pycanon, another library, which lives in an environment of its own.

python -m benchmarks.pycanon_check                    makes the environment in a temporary folder (needs a registry)
python -m benchmarks.pycanon_check --python PATH      uses a Python that has pycanon
python -m benchmarks.pycanon_check --adult FILE       also tables made from Adult (adult_arx.csv.gz)
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import venv
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from disjoin.model import KAnonymity, Table
from disjoin.verify.table.inspection import judge

SEEDS = range(40)
QUASI = ("age", "sex", "town")
SENSITIVE = ("disease", "ward")
THEIRS = """
import json, sys
import pandas as pd
from pycanon import anonymity
found = []
for case in json.load(sys.stdin):
    data, quasi, sensitive = pd.DataFrame(case["columns"]), case["quasi"], case["sensitive"]
    alpha, k = anonymity.alpha_k_anonymity(data, quasi, sensitive)
    found.append({
        "k": int(k),
        "alpha": float(alpha),
        "l": int(anonymity.l_diversity(data, quasi, sensitive)),
        "entropy_l": int(anonymity.entropy_l_diversity(data, quasi, sensitive)),
    })
json.dump(found, sys.stdout)
"""


def generated(seed: int) -> dict[str, Any]:
    """Return a table of a few classes: the same one for the same seed, on every machine."""
    random = Random(seed)
    columns: dict[str, list[str]] = {name: [] for name in (*QUASI, *SENSITIVE)}
    for _ in range(random.randint(1, 8)):
        shared = {"age": f"[{random.randint(0, 4)}0, 99]", "sex": random.choice("fm*"), "town": random.choice("ABC")}
        diseases = random.sample(["flu", "cold", "gout", "HIV", "measles"], random.randint(2, 5))
        for _ in range(random.randint(2, 30)):
            row = {**shared, "disease": random.choice(diseases), "ward": random.choice("1234")}
            for name, value in row.items():
                columns[name].append(value)
    return {"columns": columns, "quasi": list(QUASI), "sensitive": list(SENSITIVE)}


def of_adult(path: Path) -> list[dict[str, Any]]:
    """Return tables with some columns of Adult, ages rounded down to tens or twenties."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    cases = []
    for width, quasi in ((10, ["sex", "age"]), (20, ["sex", "race", "age"]), (20, ["sex", "marital-status", "age"])):
        columns = {name: [row[name] for row in rows] for name in (*quasi, "occupation", "salary-class")}
        columns["age"] = [str(int(age) // width * width) for age in columns["age"]]
        cases.append({"columns": columns, "quasi": quasi, "sensitive": ["occupation", "salary-class"]})
    return cases


def ours(case: dict[str, Any]) -> dict[str, Any]:
    """Return what our inspector measures of a table."""
    facts = judge(Table.from_columns(case["columns"]), KAnonymity(2, case["quasi"], case["sensitive"])).facts
    alpha = max(Fraction(*share) for share in facts["smallest_alpha"].values())
    return {"k": facts["largest_k"], "alpha": alpha, "l": facts["largest_l"], "entropy_l": facts["largest_entropy_l"]}


def agree(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Tell whether both say the same, as exactly as pycanon does.

    It cuts the l of the entropy down to a whole number, in floating point: where l is whole it may be one less.
    """
    whole = int(mine["entropy_l"])
    allowed = {whole, whole - 1} if whole == mine["entropy_l"] else {whole}
    return (
        (mine["k"], mine["l"]) == (theirs["k"], theirs["l"])
        and abs(float(mine["alpha"]) - theirs["alpha"]) < 1e-12
        and theirs["entropy_l"] in allowed
    )


def measured_by(python: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Let pycanon measure the tables in its own process."""
    done = subprocess.run([python, "-c", THEIRS], input=json.dumps(cases), capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def environment_in(folder: str) -> str:
    """Make an environment with pycanon and return its Python."""
    venv.create(folder, with_pip=True)
    python = str(Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "pycanon"], check=True, capture_output=True)
    return python


def main() -> int:
    """Compare, say how many tables were compared and which differ; 1 if any does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--python", help="a Python that has pycanon")
    parser.add_argument("--adult", type=Path, help="adult_arx.csv.gz")
    wanted = parser.parse_args()
    cases = [generated(seed) for seed in SEEDS] + (of_adult(wanted.adult) if wanted.adult else [])
    with tempfile.TemporaryDirectory() as folder:
        theirs = measured_by(wanted.python or environment_in(folder), cases)
    different = 0
    for number, (case, other) in enumerate(zip(cases, theirs, strict=True)):
        mine = ours(case)
        if not agree(mine, other):
            different += 1
            print(f"table {number} differs: ours {mine}, pycanon's {other}")
    print(f"{len(cases)} tables, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
