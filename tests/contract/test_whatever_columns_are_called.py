"""Columns that identify people are refused by their values: the same answers in every language and without headers."""

import csv
from pathlib import Path

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.model.column_roles import choices_from
from helpers.hospital_rows import hospital_rows

HEADERS = {
    "English": ("patient_id", "age", "sex", "postcode", "diagnosis"),
    "German": ("Patienten-ID", "Alter", "Geschlecht", "PLZ", "ICD10"),
    "Polish": ("numer pacjenta", "wiek", "płeć", "kod pocztowy", "rozpoznanie"),
    "Finnish": ("potilas", "ikä", "sukupuoli", "postinumero", "diagnoosi"),
    "none": ("c1", "c2", "c3", "c4", "c5"),
}
ROWS = [tuple(row.values()) for row in hospital_rows(rows=900, patients=300)]
languages = pytest.mark.parametrize("names", HEADERS.values(), ids=HEADERS)


@pytest.fixture
def said(tmp_path, monkeypatch, capfd):
    """What a command says about the hospital's file with these headers, and its exit code."""
    monkeypatch.chdir(tmp_path)

    def command(verb, names, *options):
        with Path("rows.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([names, *ROWS])
        code = run([verb, "rows.csv", *options, "-k", "2", "--no-ledger", "-q", "--overwrite", "-o", "release"])
        heard = capfd.readouterr().err
        assert not any(row[0] in heard for row in ROWS), "a message shows an id"
        return code, heard

    return command


@languages
@pytest.mark.parametrize("more", [(), ("--drop-unassigned",)], ids=["no role", "dropped"])
def test_rows_of_one_person_are_not_counted_as_people(said, names, more):
    """P1: generalize published 2,254 ids under German headers, and classes of single patients."""
    person, age, sex, postcode, diagnosis = names
    code, heard = said("generalize", names, "--quasi", f"{age},{sex},{postcode}", "--sensitive", diagnosis, *more)
    assert code == 2
    assert f"'{person}' identifies people: 300 people have 900 rows" in heard
    assert "--person" in heard


@languages
@pytest.mark.parametrize("option", ["--quasi", "--others", "--sensitive"])
def test_an_identifying_column_is_published_in_no_role(said, names, option):
    """P1: the id inside --quasi passed."""
    person, age, *_ = names
    code, heard = said("generalize", names, "--quasi", age, option, person, "--one-row-per-person", "--drop-unassigned")
    assert code == 2
    assert f"'{person}' may identify people" in heard
    assert "--role" in heard


@languages
def test_people_count_once_the_person_is_named(said, names, tmp_path):
    person, age, sex, postcode, diagnosis = names
    code, heard = said("generalize", names, "--quasi", f"{age},{sex},{postcode}", "--sensitive", diagnosis, "-l", "2",
                       "--person", person)  # fmt: skip
    assert code == 0, heard
    assert person not in disjoin.load(tmp_path / "release").published.table.schema.names


@languages
def test_the_data_owner_can_override_a_finding_by_name(said, names, tmp_path):
    person, age, sex, postcode, diagnosis = names
    wanted = ["--quasi", f"{age},{sex},{postcode}", "--sensitive", diagnosis, "-l", "2", "--others", person]
    code, heard = said("generalize", names, *wanted, "--role", f"{person}=describes event")
    assert code == 0, heard
    assert person in disjoin.load(tmp_path / "release").published.table.schema.names


@languages
def test_the_person_of_mixed_data_is_no_column_to_publish(said, names):
    person, age, sex, _, diagnosis = names
    code, heard = said("mixed", names, "--terms", diagnosis, "--quasi", f"{age},{sex}")
    assert code == 2
    assert f"'{person}' identifies people" in heard
    assert "--id" in heard


@languages
def test_ids_are_not_published_as_terms(said, names):
    person, *_, diagnosis = names
    code, heard = said("disassociate", names, "--id", diagnosis, "--terms", person)
    assert code == 2
    assert "may identify people or events" in heard
    assert f"{person}=terms" in heard


@languages
def test_the_terms_of_people_with_columns_are_not_published_by_guess(said, names):
    """P3: the columns of a hospital's file were ignored without a word."""
    person, *_, diagnosis = names
    code, heard = said("disassociate", names)
    assert code == 2
    assert "Publish both with `disjoin mixed`" in heard or "--id NAME --terms NAME" in heard
    code, heard = said("disassociate", names, "--id", person, "--terms", diagnosis)
    assert code == 0, heard
    assert all(name in heard for name in names[1:4]), "nobody is told that columns are left out"


def test_a_choice_is_asked_for_again_when_the_data_are_others():
    emails = {"mail": [f"a{n}@example.org" for n in range(60)], "age": [str(30 + n % 40) for n in range(60)]}
    with pytest.raises(InvalidParameter, match=r"role=\[\'mail=measure:60\'\]"):
        disjoin.generalize(emails, 2, "age", others="mail", role={"mail": "measure"})
    with pytest.raises(InvalidParameter, match="30 are stated"):
        disjoin.generalize(emails, 2, "age", others="mail", role={"mail": "measure:30"})
    kept = disjoin.generalize(emails, 2, "age", others="mail", role={"mail": "measure:50"})
    assert "mail" in kept.published.table.schema.names


RARE = [
    "gout",
    "mumps",
    "tetanus",
    "cholera",
    "angina",
    "eczema",
    "lupus",
    "polio",
    "rabies",
    "scurvy",
    "dengue",
    "typhus",
]


def test_values_of_one_row_are_published_only_with_a_threshold_of_people():
    rows = {"age": [str(30 + n % 5) for n in range(10 + len(RARE))], "ill": ["flu", "rash"] * 5 + RARE}
    with pytest.raises(InvalidParameter, match=r"55% of the cells of 'ill'.*min_people=N"):
        disjoin.generalize(rows, 2, "age", others="ill")
    kept = disjoin.generalize(rows, 2, "age", others="ill", min_people=5)
    assert set(kept.published.table.values_of("ill").to_pylist()) == {"flu", "rash", "*"}


@pytest.mark.parametrize("given", ["mail", "=measure", "mail=nothing", "mail=measure:few", ["a=person", "a=terms"]])
def test_roles_that_are_none_are_refused(given):
    with pytest.raises(InvalidParameter):
        choices_from(given)
