"""Roles in every file of the benchmark datasets and of `disjoin generate`: no miss, at most one question per file."""

import csv
import gzip

import pytest

from disjoin.cli.main import run
from disjoin.model.column_roles import Stop, roles_of
from disjoin.model.input_checks import looks_personal

HIERARCHIES = "age education marital-status native-country occupation race salary-class sex workclass".split()  # noqa: SIM905
TABLES = {  # file: what asks the data owner; goods and the leaves of hierarchies are false alarms
    "adult.data": [],
    "adult_arx.csv": [],
    "groceries_items.csv": ["id"],
    "online-retail_items.csv": ["id"],
    "wv2_hierarchy.csv": [],
    **{f"adult_hierarchy_{name}.csv": [] for name in HIERARCHIES},
    **{f"adult_hierarchy_{name}.csv": ["c1"] for name in ("age", "education", "native-country", "occupation")},
}
BASKET_FILES = ("wv1", "wv2", "retail", "online-retail", "groceries", "mushroom", "t10i4d100k")
BASKETS = ["groceries_named.csv", *(f"{name}.dat" for name in BASKET_FILES)]
MADE = {"visits": ["patient_id"], "stays": ["patient"], "census": []}
MADE_HIERARCHIES = {"age": [], "postcode": ["c1"], "diagnosis": [], "occupation": [], "education": [], "hours": []}


def columns_of(lines, mark, has_header):
    rows = [row for row in csv.reader(lines, delimiter=mark, skipinitialspace=True) if row]
    names = rows.pop(0) if has_header else [f"c{place}" for place in range(1, len(rows[0]) + 1)]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def asked(columns):
    """Return the columns that ask the data owner; every person is among them, and is published in no role."""
    roles = roles_of(columns)
    found = [column.name for column in roles.columns if column.asks]
    assert len(found) <= 1
    assert all(roles[name].stops is Stop.ALWAYS for name in found)
    return found


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_the_benchmark_ask_at_most_once(name, datasets):
    has_header = "hierarchy" not in name and name != "adult.data"
    with gzip.open(datasets / f"{name}.gz", "rt", encoding="utf-8") as lines:
        columns = columns_of(lines, "," if name == "adult.data" else ";", has_header)
    assert asked(columns) == TABLES[name]


@pytest.mark.parametrize("name", BASKETS)
def test_terms_of_the_benchmark_do_not_look_personal(name, datasets):
    with gzip.open(datasets / f"{name}.gz", "rt", encoding="utf-8") as lines:
        terms = {term for line in lines for term in line.strip().split("," if name.endswith("csv") else " ")}
    assert looks_personal(sorted(terms), [1] * len(terms)) is None


@pytest.mark.parametrize("many", [300, 2000])
@pytest.mark.parametrize("kind", MADE)
def test_generated_tables_ask_about_patients_only(kind, many, tmp_path):
    assert run(["generate", kind, "-n", str(many), "-o", str(tmp_path / "made.csv")]) == 0
    columns = columns_of((tmp_path / "made.csv").read_text().splitlines(), ",", True)
    assert asked(columns) == MADE[kind]
    bare = {f"c{place}": values for place, values in enumerate(columns.values(), 1)}
    assert asked(bare) == (["c3"] if kind == "census" else ["c1"])  # without a header, postcodes may be people


def test_generated_hierarchies_ask_at_most_once(tmp_path):
    assert run(["generate", "census", "-o", str(tmp_path / "made.csv"), "--hierarchies", str(tmp_path / "up")]) == 0
    for name, expected in MADE_HIERARCHIES.items():
        assert asked(columns_of((tmp_path / "up" / f"{name}.csv").read_text().splitlines(), ";", False)) == expected


@pytest.mark.parametrize("kind", ["baskets", "quest"])
def test_generated_baskets_do_not_look_personal(kind, tmp_path):
    assert run(["generate", kind, "-n", "500", "-o", str(tmp_path / "made.csv")]) == 0
    lines = (tmp_path / "made.csv").read_text().splitlines()
    terms = {term for line in lines for term in line.split("," if kind == "baskets" else " ")}
    assert looks_personal(sorted(terms), [1] * len(terms)) is None
