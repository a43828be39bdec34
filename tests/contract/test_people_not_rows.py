"""The story of the hospital file: rows are not people, and what protects nobody is refused."""

from __future__ import annotations

import json

import pytest

import disjoin
from disjoin.attack.table_risk import table_risk
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.readers.tables import as_table
from helpers.hospital_rows import hospital_rows, write_hospital

QUASI = ("age", "sex", "postcode")
NAMED = ["--quasi", "age,sex,postcode", "--sensitive", "diagnosis", "-k", "5", "-l", "3"]


@pytest.fixture(scope="module")
def rows():
    return hospital_rows(1600, 303)


@pytest.fixture
def story(tmp_path, rows):
    """The file, and what sex generalises to; ages and postcodes are numbers."""
    write_hospital(tmp_path / "hospital.csv", rows)
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "sex.csv").write_text("f;*\nm;*\n")
    return tmp_path


def command(story, *more):
    return run(["generalize", f"{story}/hospital.csv", *NAMED, "--hierarchies", f"{story}/trees", *more])


@pytest.mark.parametrize("named", [["--identifiers", "patient_id"], []])
def test_a_file_with_several_rows_per_patient_is_refused_with_both_ways_out(story, capsys, named):
    assert command(story, *named, "-o", f"{story}/release") == 2
    said = capsys.readouterr().err
    assert "'patient_id'" in said
    assert "1,600 rows" in said
    assert "303 " in said
    assert "--person patient_id" in said
    assert not (story / "release").exists()


@pytest.mark.slow
def test_with_the_patients_named_every_class_has_five_of_them(story, rows, capsys):
    assert command(story, "--person", "patient_id", "-o", f"{story}/release") == 0
    assert "5 different people" in " ".join(capsys.readouterr().out.split())
    table = disjoin.load(story / "release").published.table
    assert "patient_id" not in table.schema.names
    assert run(["verify", f"{story}/release", "--original", f"{story}/hospital.csv"]) == 0
    fewest = min(len(patients) for patients in fitting(table, rows).values())
    assert fewest >= 5
    assert "P00" not in "".join(p.read_text(errors="ignore") for p in (story / "release").rglob("*") if p.is_file())


def fitting(table, rows):
    """All patients with a row that the values of a class include."""
    found = {}
    for age, sex, postcode in set(zip(*(table.column(name).to_pylist() for name in QUASI), strict=True)):
        found[age, sex, postcode] = {
            row["patient_id"]
            for row in rows
            if within(row["age"], age) and within(row["postcode"], postcode) and sex in ("*", row["sex"])
        }
    return found


def within(value, published):
    low, _, high = published.strip("[]").partition(", ")
    return int(low) <= int(value) <= int(high or low)


@pytest.mark.slow
def test_rows_that_are_said_to_be_people_are_taken_for_people(story, capsys):
    assert command(story, "--identifiers", "patient_id", "--one-row-per-person", "-o", f"{story}/release") == 0
    assert "every row has the same age, sex and postcode as at least 4 others" in " ".join(
        capsys.readouterr().out.split()
    )


def test_inspect_counts_the_patients_who_are_alone(story, rows, capsys):
    assert run(["inspect", f"{story}/hospital.csv", "--quasi", "age,sex,postcode", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    owners = {}
    for row in rows:
        owners.setdefault(tuple(row[name] for name in QUASI), set()).add(row["patient_id"])
    alone = {next(iter(people)) for people in owners.values() if len(people) == 1}
    assert facts["people"]["column"] == "patient_id"
    assert (facts["people"]["number"], facts["people"]["alone"], facts["people"]["k"]) == (303, len(alone), 1)
    assert facts["people"]["alone_share"] > 0.9 > 0.1 > facts["unique_rows"] / facts["rows"]
    assert run(["inspect", f"{story}/hospital.csv", "--quasi", "age,sex,postcode"]) == 0
    assert "303 people (patient_id) have these 1,600 rows" in capsys.readouterr().out


def test_in_python_it_is_the_same(rows):
    with pytest.raises(InvalidParameter, match="person='patient_id'"):
        disjoin.generalize(rows, 5, QUASI, sensitive="diagnosis", identifiers="patient_id", l=3)
    assert table_risk(as_table(rows), QUASI, person="patient_id").people.whole.people == 303


def small(**columns):
    """Four people, two rows each."""
    people = {
        "patient_id": [f"P{n // 2}" for n in range(8)],
        "age": [str(30 + n) for n in range(8)],
        "code": list("abababab"),
    }
    return people | columns


def test_a_column_that_identifies_people_is_not_published_by_oversight():
    unique = small(patient_id=[f"P{n}" for n in range(8)])
    with pytest.raises(InvalidParameter, match="a column without a role is not published"):
        disjoin.generalize(unique, 2, "age")
    with pytest.raises(InvalidParameter, match="have a value that no other row has"):
        disjoin.generalize(unique, 2, "age", others=("patient_id", "code"))
    kept = disjoin.generalize(unique, 2, "age", others=("patient_id", "code"), role={"patient_id": "measure"})
    assert "patient_id" in kept.published.table.schema.names  # the data owner said that it identifies nobody


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["P1", "p1 ", "P2", "P2", "P3", "P3", "P4", "P4"], "similar_ids='merge'"),
        (["P1", None, "P2", "P2", "P3", "P3", "P4", "P4"], "1 row has no 'patient_id'"),
    ],
)
def test_ids_that_are_missing_or_misspelt_are_refused(ids, words):
    with pytest.raises(InvalidParameter, match=words) as refusal:
        disjoin.generalize(small(patient_id=ids), 2, "age", person="patient_id")
    assert "P1" not in str(refusal.value)


def test_misspelt_ids_are_one_person_or_two_as_the_steward_says():
    ids = ["P1", "p1 ", "P2", "P2", "P2", "P2", "P2", "P2"]
    settings = {"person": "patient_id", "others": ("code",)}
    kept = disjoin.generalize(small(patient_id=ids), 3, "age", similar_ids="keep", **settings)
    assert kept.guarantee.person == "patient_id"
    with pytest.raises(disjoin.GuaranteeUnreachable, match="8 rows belong to 2 people"):
        disjoin.generalize(small(patient_id=ids), 3, "age", similar_ids="merge", **settings)


def test_a_forged_release_whose_classes_are_single_patients_is_found_out_with_the_original(rows):
    """The table of the story as it was once published: classes of five rows, and one patient."""
    from disjoin.model import Generalized, KAnonymity, Role

    few = [row for row in rows if row["patient_id"] < "P00040"]
    table = as_table([{name: row[name] for name in QUASI} for row in few for _ in range(5)])
    ordered = as_table(sorted(table.to_arrow().to_pylist(), key=lambda row: [row[name] for name in QUASI]))
    published = Generalized(ordered.with_roles(dict.fromkeys(QUASI, Role.QUASI_IDENTIFIER)))
    original = as_table([{name: row[name] for name in (*QUASI, "patient_id")} for row in few for _ in range(5)])
    verdict = disjoin.verify(published, original=original, guarantee=KAnonymity(5, QUASI, person="patient_id"))
    assert {violation.invariant for violation in verdict.violations} >= {"U4"}


def test_people_are_counted_in_a_table_of_another_tool_too(tmp_path, capsys):
    (tmp_path / "raw.csv").write_text("id,age\n" + "".join(f"P{n // 3},{30 + n // 3}\n" for n in range(12)))
    (tmp_path / "crowds.csv").write_text('age\n"[30, 31]"\n' + '"[30, 31]"\n' * 5 + '"[32, 33]"\n' * 6)
    (tmp_path / "alone.csv").write_text("age\n" + "".join(f"{30 + n // 3}\n" for n in range(12)))
    wanted = ["--quasi", "age", "-k", "2", "--original", f"{tmp_path}/raw.csv", "--identifiers", "id", "--person", "id"]
    assert run(["verify", "--published", f"{tmp_path}/crowds.csv", *wanted]) == 0
    assert "U4" in capsys.readouterr().out
    assert run(["verify", "--published", f"{tmp_path}/alone.csv", *wanted]) == 3
    assert "its rows belong to 1 person, but at least 2 are needed" in capsys.readouterr().out
    without = ["verify", "--published", f"{tmp_path}/crowds.csv", "--quasi", "age", "-k", "2", "--person", "id"]
    assert run(without) == 2
    assert "add --original FILE" in capsys.readouterr().err
