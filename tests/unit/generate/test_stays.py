"""Make-believe stays: one person has one set of values, and nobody what their sex excludes."""

from __future__ import annotations

import csv

from disjoin.generate.hospital import ILLNESSES, stays, write_stays


def rows_of(patients, seed):
    return [row.split(",") for rows in stays(patients, seed) for row in rows]


def test_the_same_seed_makes_the_same_stays_and_a_longer_file_begins_with_the_shorter_one():
    assert rows_of(50, 1) == rows_of(50, 1) != rows_of(50, 2)
    assert rows_of(60, 1)[: len(rows_of(50, 1))] == rows_of(50, 1)


def test_diagnoses_depend_on_sex_and_age(tmp_path):
    write_stays(600, 1, tmp_path / "stays.csv")
    with (tmp_path / "stays.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    only = {each.code: each.only for each in ILLNESSES}
    assert all(only[row["code"]] in ("", row["sex"]) for row in rows)
    values = {row["patient"]: (row["age"], row["sex"], row["postcode"]) for row in rows}
    assert all(values[row["patient"]] == (row["age"], row["sex"], row["postcode"]) for row in rows)
    ages = [int(row["age"]) for row in rows if row["code"].startswith("I")]
    assert sum(ages) / len(ages) > 10 + sum(int(row["age"]) for row in rows if row["code"].startswith("S")) / max(
        1, sum(row["code"].startswith("S") for row in rows)
    )
