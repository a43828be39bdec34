"""What `inspect` reports depends on the values of columns, not on their names (P2, P3)."""

import json
from collections import Counter

import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.readers.people import people_in_rows
from helpers.hospital_file import HEADERS, hospital, hospital_csv
from labelled.drawing import ICD, Draw, spread


@pytest.fixture(params=HEADERS)
def names(request):
    return HEADERS[request.param]


@pytest.fixture
def file(names, tmp_path):
    path = tmp_path / "hospital.csv"
    path.write_text(hospital_csv(names), encoding="utf-8")
    return path


def test_people_are_counted_whatever_their_column_is_called(file, names):
    """P2: 93 % of the people were alone with English headers, 0.3 % of the rows with German ones."""
    people = disjoin.inspect(file, names[2:5])["people"]
    each = {row[0]: row[2:5] for row in zip(*hospital(), strict=True)}
    times = Counter(each.values())
    alone = sum(times[values] == 1 for values in each.values())
    found = {name: people[name] for name in ("column", "number", "alone", "k")}
    assert found == {"column": names[0], "number": 300, "alone": alone, "k": 1}


def test_a_long_table_with_columns_constant_per_person_is_mixed_data(file, names, capsys):
    """P3: the risk of a hospital file ignored birth dates, ages, sexes and postcodes."""
    assert run(["inspect", str(file), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["mixed"] == {"person": names[0], "terms": names[6], "left_out": [names[5], *names[7:]]}
    assert facts["quasi"] == names[1:5]
    assert (facts["rows"], facts["unique_rows"]) == (300, 300)
    assert [row["unique_people"] for row in facts["known_terms"]] == [300] * 4


def test_the_text_has_a_line_per_column_and_names_what_is_not_counted(file, names, capsys):
    assert run(["inspect", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("Roles of columns"))
    assert [line.split()[0] for line in lines[start + 1 : start + 10]] == names
    assert " ".join(lines[start + 1].split()[1:3]) == "person (likely):"
    text = " ".join(" ".join(lines).split())
    assert "Mixed data: people" in text
    assert f"Not counted: {names[5]}, {names[7]}, {names[8]}." in text


def test_the_data_owner_names_the_columns_of_people_and_terms():
    table = disjoin.read_table(dict(zip(HEADERS["bare"], hospital(), strict=True)))
    assert people_in_rows(table, "c1", "c6").terms == "c6"


def test_missing_cells_do_not_hide_what_describes_a_person():
    columns = dict(zip(HEADERS["bare"], hospital(), strict=True))
    columns["c5"] = [None if place % 9 == 0 else value for place, value in enumerate(columns["c5"])]
    found = people_in_rows(disjoin.read_table(columns))
    assert "c5" in found.quasi
    assert len(found.people) == 300


def test_baskets_and_tables_with_a_row_per_person_are_no_mixed_data():
    rows = Draw(1).groups(100, 2, 6)
    baskets = {"c1": spread(rows, range(100)), "c2": Draw(2).of(ICD, len(rows))}
    assert people_in_rows(disjoin.read_table(baskets)) is None
    survey = {"c1": Draw(3).whole(18, 90, 200), "c2": Draw(4).of(["f", "m"], 200)}
    assert people_in_rows(disjoin.read_table(survey)) is None
