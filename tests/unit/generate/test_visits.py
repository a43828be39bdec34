"""Make-believe visits: several rows per patient, the same on every machine."""

from __future__ import annotations

import csv

from disjoin.cli.main import run
from disjoin.generate.hospital import CODES, visits, write_visits


def test_a_longer_file_begins_with_the_shorter_one():
    assert list(visits(50, 3)) == list(visits(80, 3))[:50]
    assert list(visits(50, 3)) != list(visits(50, 4))


def test_patients_have_several_rows_with_the_same_age_sex_and_postcode(tmp_path):
    write_visits(300, 1, tmp_path / "visits.csv")
    with (tmp_path / "visits.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    people = {row["patient_id"]: (row["age"], row["sex"], row["postcode"]) for row in rows}
    assert len(people) == 300
    assert len(rows) > 600
    assert all(people[row["patient_id"]] == (row["age"], row["sex"], row["postcode"]) for row in rows)
    assert {row["diagnosis"] for row in rows} <= set(CODES)
    assert [row["patient_id"] for row in rows] != sorted(row["patient_id"] for row in rows)


def test_the_command_counts_patients(tmp_path, capsys):
    assert run(["generate", "visits", "--records", "20", "-o", f"{tmp_path}/visits.csv"]) == 0
    assert "20 patients are in" in capsys.readouterr().err
