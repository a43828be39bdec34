"""Synthetic hospital data: one row per diagnosis, several rows per patient."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.atomic import whole_file
from disjoin.model.parameters import require_integer

_CHAPTERS = {"I": 60, "E": 45, "J": 45, "K": 40, "M": 50, "N": 35, "F": 30, "C": 40, "B": 25, "S": 45}  # codes
CODES = [f"{letter}{number:02d}" for letter, codes in _CHAPTERS.items() for number in range(10, 10 + codes)]
_MOST_VISITS = 9  # largest number of rows of a patient
_DRAWS = 4 + 2 * _MOST_VISITS  # random numbers per patient
_VISITED_DISTRICTS = 40
_SAME_CHAPTER = 0.6  # share of further diagnoses in the same chapter


def visits(patients: int, seed: int) -> Iterator[list[str]]:
    """Yield rows by patient; a longer file begins with the shorter one. Most diagnoses are in one chapter."""
    require_integer("patients", patients, 0, "it is the number of patients to generate.")
    require_integer("seed", seed, 0, "it selects the visits.")
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    frequencies = np.cumsum(1.0 / np.arange(4, 4 + len(CODES)))
    starts = np.cumsum([0, *_CHAPTERS.values()])
    for number in range(patients):
        draws = (bits.random_raw(_DRAWS) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        age, sex, district = 18 + int(draws[0] * 80), "fm"[int(draws[1] * 2)], int(draws[2] * _VISITED_DISTRICTS)
        person = f"P{number + 1:06d},{age},{sex},{10000 + 7 * district}"
        rows = min(_MOST_VISITS, 1 + int(-4.0 * np.log(1.0 - draws[3])))
        first = int(np.searchsorted(frequencies, draws[4] * frequencies[-1]))
        chapter = int(np.searchsorted(starts, first, side="right")) - 1
        codes = [first]
        for turn in range(1, rows):
            stays, place = draws[4 + 2 * turn : 6 + 2 * turn]
            low, high = (starts[chapter], starts[chapter + 1]) if stays < _SAME_CHAPTER else (0, len(CODES))
            codes.append(int(low + (high - low) * place**2))
        yield [f"{person},{CODES[code]}" for code in codes]


def write_visits(patients: int, seed: int, path: str | Path) -> None:
    """Write the visits as CSV with a header, rows of different patients mixed; the file appears when complete."""
    rows = [row for own in visits(patients, seed) for row in own]
    order = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, patients]))).permutation(len(rows))
    _write("patient_id,age,sex,postcode,diagnosis", (rows[row] for row in order.tolist()), path)


def _write(header: str, rows: Iterable[str], path: str | Path) -> None:
    with whole_file(Path(path)) as file:
        file.write((header + "\n").encode())
        file.writelines((row + "\n").encode() for row in rows)


class Illness(NamedTuple):
    """A diagnosis: its frequency, the age of its peak, the width around it, and the sex that can have it."""

    code: str
    weight: float
    age: int
    spread: int
    only: str = ""  # the only sex that can have it, if there is one


_COMMON = (  # letter, codes, weight, age, spread
    ("I", 40, 9.0, 72, 16),  # circulation: old people
    ("E", 30, 5.0, 60, 20),  # metabolism
    ("J", 30, 4.0, 30, 40),  # breathing: all ages, including children
    ("M", 30, 4.0, 58, 18),
    ("F", 20, 2.5, 38, 16),
    ("S", 30, 2.5, 25, 30),  # injuries: young people
    ("C", 30, 3.0, 66, 14),
)
ILLNESSES = (
    *(
        Illness(f"{letter}{10 + number}", weight / (2 + number), age, spread)
        for letter, codes, weight, age, spread in _COMMON
        for number in range(codes)
    ),
    *(Illness(f"O{80 + number}", 3.0 / (1 + number), 30, 6, "f") for number in range(12)),  # birth
    *(Illness(f"N{40 + number}", 1.5 / (1 + number), 68, 12, "m") for number in range(8)),  # prostate
    *(Illness(f"P{10 + number}", 1.0 / (1 + number), 0, 2) for number in range(8)),  # newborn
)
_DISTRICTS, _MOST = 60, 12


def stays(patients: int, seed: int) -> Iterator[list[str]]:
    """Yield the rows patient by patient; no person has a diagnosis that their sex excludes."""
    require_integer("patients", patients, 0, "it is the number of patients to generate.")
    require_integer("seed", seed, 0, "it selects the stays.")
    draw = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    chances = {sex: _chances(sex) for sex in "fm"}
    for number in range(patients):
        sex = "fm"[int(draw.integers(2))]
        drawn = draw.choice(np.array([draw.normal(68, 15), draw.normal(32, 12), draw.integers(0, 90)]))
        age = int(min(98, max(0, drawn)))
        district = int(draw.geometric(0.05)) % _DISTRICTS
        many = min(_MOST, 1 + int(draw.poisson(1 + age / 30)))
        codes = draw.choice(len(ILLNESSES), many, replace=False, p=chances[sex][age])
        person = f"S{number + 1:06d},{age},{sex},{20000 + 100 * (district // 6) + district}"
        yield [f"{person},{ILLNESSES[code].code}" for code in sorted(codes.tolist())]


def _chances(sex: str) -> NDArray[np.float64]:
    """Return the probability of each diagnosis at each age: (ages, illnesses)."""
    ages = np.arange(99)[:, None]
    centre, spread = np.array([(each.age, each.spread) for each in ILLNESSES]).T
    weight = np.array([each.weight * (each.only in ("", sex)) for each in ILLNESSES])
    found = weight * (0.002 + np.exp(-(((ages - centre) / spread) ** 2) / 2))
    shares: NDArray[np.float64] = found / found.sum(axis=1, keepdims=True)
    return shares


def write_stays(patients: int, seed: int, path: str | Path) -> None:
    _write("patient,age,sex,postcode,code", (row for rows in stays(patients, seed) for row in rows), path)
