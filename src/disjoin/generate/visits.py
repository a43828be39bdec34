"""Synthetic hospital visits: one row per diagnosis, several rows per patient."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from disjoin.atomic import whole_file
from disjoin.model.guarantee import require_integer

HEADER = "patient_id,age,sex,postcode,diagnosis"
_CHAPTERS = {"I": 60, "E": 45, "J": 45, "K": 40, "M": 50, "N": 35, "F": 30, "C": 40, "B": 25, "S": 45}  # codes of each
CODES = [f"{letter}{number:02d}" for letter, codes in _CHAPTERS.items() for number in range(10, 10 + codes)]
_MOST = 9  # rows of a patient
_DRAWS = 4 + 2 * _MOST  # numbers that one patient takes
_DISTRICTS = 40
_STAYS = 0.6  # how often a further diagnosis is of the same chapter


def visits(patients: int, seed: int) -> Iterator[list[str]]:
    """Yield the rows of one patient after the other; a longer file begins with the shorter one.

    Diagnoses of one chapter go together: of those after the first, most come from the chapter of the first.
    """
    require_integer("patients", patients, 0, "it is the number of patients to make.")
    require_integer("seed", seed, 0, "it says which visits to make.")
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    frequencies = np.cumsum(1.0 / np.arange(4, 4 + len(CODES)))
    starts = np.cumsum([0, *_CHAPTERS.values()])
    for number in range(patients):
        draws = (bits.random_raw(_DRAWS) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        age, sex, district = 18 + int(draws[0] * 80), "fm"[int(draws[1] * 2)], int(draws[2] * _DISTRICTS)
        person = f"P{number + 1:06d},{age},{sex},{10000 + 7 * district}"
        rows = min(_MOST, 1 + int(-4.0 * np.log(1.0 - draws[3])))
        first = int(np.searchsorted(frequencies, draws[4] * frequencies[-1]))
        chapter = int(np.searchsorted(starts, first, side="right")) - 1
        codes = [first]
        for turn in range(1, rows):
            stays, place = draws[4 + 2 * turn : 6 + 2 * turn]
            low, high = (starts[chapter], starts[chapter + 1]) if stays < _STAYS else (0, len(CODES))
            codes.append(int(low + (high - low) * place**2))
        yield [f"{person},{CODES[code]}" for code in codes]


def write_visits(patients: int, seed: int, path: str | Path) -> None:
    """Write the visits as CSV with a header, rows of different patients mixed; the file appears when it is complete."""
    rows = [row for own in visits(patients, seed) for row in own]
    order = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, patients]))).permutation(len(rows))
    with whole_file(Path(path)) as file:
        file.write((HEADER + "\n").encode())
        file.write("".join(rows[row] + "\n" for row in order.tolist()).encode())
