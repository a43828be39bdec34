"""The file of a make-believe hospital: one row per diagnosis, several per patient, as files of hospitals are."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random

COLUMNS = ("patient_id", "age", "sex", "postcode", "diagnosis")
CODES = [f"{letter}{number:02d}" for letter in "ABCDEFIJKN" for number in range(12)]


def hospital_rows(rows: int = 8000, patients: int = 1515, seed: int = 1) -> list[dict[str, str]]:
    """Every patient has an age, a sex and a postcode, and a few rows with a diagnosis each, some of them frequent."""
    random = Random(seed)
    people = [
        {
            "patient_id": f"P{number:05d}",
            "age": str(random.randint(18, 97)),
            "sex": random.choice("fm"),
            "postcode": f"{random.choice((10, 20, 33))}{random.randint(0, 199):03d}",
        }
        for number in range(patients)
    ]
    weights = [1 / (place + 3) for place in range(len(CODES))]
    owners = [*people, *random.choices(people, k=rows - patients)]
    random.shuffle(owners)
    codes = random.choices(CODES, weights, k=rows)
    return [person | {"diagnosis": code} for person, code in zip(owners, codes, strict=True)]


def write_hospital(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
