"""A hospital file: 300 patients with several rows, columns that describe them, and diagnoses; headers in languages."""

import csv
import io

from labelled.drawing import ICD, Draw, spread

HEADERS = {
    "English": ["patient_id", "birth_date", "age", "sex", "postcode", "ward", "diagnosis", "cost", "notes"],
    "German": ["Patienten-ID", "Geburtsdatum", "Alter", "Geschlecht", "PLZ", "Station", "ICD10", "Kosten", "Bemerkung"],
    "Polish": ["nr_pacjenta", "data_urodzenia", "wiek", "plec", "kod", "oddzial", "rozpoznanie", "koszt", "uwagi"],
    "Finnish": ["potilas", "syntynyt", "ikä", "sukupuoli", "postinro", "osasto", "diagnoosi", "hinta", "huomautus"],
    "bare": [f"c{place}" for place in range(1, 10)],
}


def hospital():
    draw = Draw(32)
    rows = draw.groups(300)
    per_person = [
        [f"P{number:05d}" for number in draw.different(1, 99_999, 300)],
        draw.births(300),
        draw.whole(0, 95, 300),
        draw.of(["f", "m"], 300),
        draw.postcodes(300),
    ]
    per_row = [draw.of(list("ABCDEFGH"), len(rows)), draw.of(ICD, len(rows), 0.8)]
    per_row += [draw.money(len(rows), 5), draw.sentences(len(rows))]
    return [*(spread(rows, values) for values in per_person), *per_row]


def hospital_csv(names):
    """Return the file as text, under these headers."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *zip(*hospital(), strict=True)])
    return text.getvalue()
