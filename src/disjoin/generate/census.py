"""A synthetic census: one row per person, and the hierarchies of its columns. People, postcodes and shares are
invented; `census.csv` has the values, their groups and the shares: of marital status, education, status and diagnosis
by stage of life, of occupation by education. The last number of an occupation or diagnosis is the number of women per
man."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disjoin.atomic import whole_file
from disjoin.generate import packaged_rows
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Ints64

BLOCK = 65_536  # people drawn in one step: some megabytes, for any number of records
_DRAWS = 10  # random numbers per person

Floats = NDArray[np.float64]
Codes = dict[str, Ints64]

ANY = "*"
AGES = range(16, 96)
HOURS = (0, 8, 10, 12, 16, 20, 24, 28, 30, 32, 35, 37, 38, 40, 42, 45, 48, 50, 55, 60)
SEXES = ("female", "male")
INCOMES = ("below 20k", "20k-40k", "40k-70k", "70k and more")
REGIONS, AREAS, DISTRICTS = 9, 6, 8

STAGES = (16, 19, 25, 35, 50, 66, 80)  # the ages at which a stage of life begins
LONG_DAYS = (0, 1, 15)  # manager, physician, farmer: long working hours
_PART_TIME = (0.42, 0.11)  # shares of women, of men
_OFTEN = {20: 3.0, 30: 3.0, 38: 5.0, 40: 10.0, 45: 1.5}  # weights of common hours in contracts
_ROWS = packaged_rows("census.csv")


def _groups(column: str) -> dict[str, str]:
    return {row["value"]: row["group"] for row in _ROWS if row["column"] == column}


EDUCATION, MARITAL, DIAGNOSIS = _groups("education"), _groups("marital_status"), _groups("diagnosis")
OCCUPATION = _groups("occupation")  # occupations of those who work come first
_WORKING = len(OCCUPATION) - 3


def postcodes() -> list[str]:
    """Return all postcodes in order: the first digit is the region, the first two the area.

    >>> len(postcodes()), postcodes()[0]
    (432, '10103')
    """
    places = [(r, a, d) for r in range(1, REGIONS + 1) for a in range(AREAS) for d in range(DISTRICTS)]
    return [f"{r}{a}{d + 1}{(37 * d + 11 * a + 3) % 100:02}" for r, a, d in places]


COLUMNS: dict[str, tuple[str, ...]] = {
    "age": tuple(map(str, AGES)),
    "sex": SEXES,
    "postcode": tuple(postcodes()),
    "education": tuple(EDUCATION),
    "marital_status": tuple(MARITAL),
    "occupation": tuple(OCCUPATION),
    "hours": tuple(map(str, HOURS)),
    "income": INCOMES,
    "diagnosis": tuple(DIAGNOSIS),
}


def census_hierarchies() -> dict[str, list[tuple[str, ...]]]:
    """Return the hierarchy of every column: one row per value, from the value up to `*`.

    >>> census_hierarchies()["age"][7], census_hierarchies()["postcode"][0]
    (('23', '20-24', '20-29', '16-39', '*'), ('10103', '10***', '1****', '*'))
    """
    return {
        "age": [(str(age), _band(age, 5), _band(age, 10), _generation(age), ANY) for age in AGES],
        "sex": [(sex, ANY) for sex in SEXES],
        "postcode": [(code, code[:2] + "***", code[0] + "****", ANY) for code in postcodes()],
        "education": [(value, group, ANY) for value, group in EDUCATION.items()],
        "marital_status": [(value, group, ANY) for value, group in MARITAL.items()],
        "occupation": [
            (value, group, group if group == "not employed" else "employed", ANY) for value, group in OCCUPATION.items()
        ],
        "hours": [(str(hours), _working_time(hours), "none" if not hours else "some", ANY) for hours in HOURS],
        "income": [(income, "below 40k" if income in INCOMES[:2] else "40k and more", ANY) for income in INCOMES],
        "diagnosis": [(value, group, ANY) for value, group in DIAGNOSIS.items()],
    }


def _band(age: int, width: int) -> str:
    first = age - age % width
    return f"{max(first, AGES.start)}-{min(first + width, AGES.stop) - 1}"


def _generation(age: int) -> str:
    first, last = next(bounds for bounds in ((16, 39), (40, 59), (60, 95)) if age <= bounds[1])
    return f"{first}-{last}"


def _working_time(hours: int) -> str:
    return "none" if hours == 0 else "part time" if hours < 35 else "full time" if hours <= 42 else "long hours"


def _weights(column: str) -> Floats:
    cells = [row["shares"].split() for row in _ROWS if row["column"] == column and row["shares"]]
    return np.array(cells, dtype=np.float64)


def _by_sex(weights: Floats) -> Floats:
    """Return shares (sex, condition, values) from (values, condition and women per man)."""
    shares, women_to_a_man = weights[:, :-1], weights[:, -1]
    women = women_to_a_man / (1 + women_to_a_man)
    return np.stack([(shares * share[:, None]).T for share in (women, 1 - women)])


def _hours() -> Floats:
    """Return weights (sex, works long, hours)."""
    hours = np.array(HOURS)
    often = np.array([_OFTEN.get(value, 1.0) for value in HOURS])
    part, full = often * ((hours > 0) & (hours < 35)), often * ((hours >= 35) & (hours <= 45))
    long = often * (hours >= 42)
    tables = [
        [share * part / part.sum() + (1 - share) * most / most.sum() for most in (full, long + 0.3 * full)]
        for share in _PART_TIME
    ]
    return np.array(tables)


AGE = np.interp(AGES, [16, 25, 35, 45, 58, 65, 75, 85, 95], [10, 12, 13.5, 13, 15, 11.5, 8, 3.5, 0.4])  # (ages,)
_REGION, _AREA, _DISTRICT = (1 / np.arange(2, count + 2) for count in (REGIONS, AREAS, DISTRICTS))
POSTCODE = (np.sqrt(_REGION)[:, None, None] * _AREA[:, None] * _DISTRICT).ravel()  # (postcodes,)
EDUCATION_OF = _weights("education").T  # (stages, education)
MARITAL_OF = _weights("marital_status").T  # (stages, marital status)
STATUS_OF = _weights("status").T  # (stages, working or reason for not working)
OCCUPATION_OF = _by_sex(_weights("occupation"))  # (sex, education, occupations)
DIAGNOSIS_OF = _by_sex(_weights("diagnosis"))  # (sex, stages, diagnoses)
HOURS_OF = _hours()  # (sex, works long, hours)
WOMEN = 0.51
PAY = np.array([3.2, 4.0, 2.6, 1.8, 2.0, 0.8, 1.0, 1.2, 0.1, 0.0, -0.5, 1.0, 0.7, 0.5, 0.4, 0.3])  # (occupations,)
PENSION = np.array([-1.0, 0.6, -0.6])  # for students, the retired, those without work


def census_blocks(records: int, seed: int) -> Iterator[Codes]:
    """Yield people in blocks; a seed gives the same people on every machine, and a longer census begins with the
    shorter one."""
    require_integer("records", records, 0, "it is the number of people to generate.")
    require_integer("seed", seed, 0, "it selects the census.")
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    for first in range(0, records, BLOCK):
        people = min(BLOCK, records - first)
        raw = bits.random_raw(people * _DRAWS) >> np.uint64(11)
        numbers = raw.astype(np.float64) * 2.0**-53  # from [0, 1)
        yield _people(numbers.reshape(people, _DRAWS).T)


def write_census(records: int, seed: int, path: str | Path, hierarchies: str | Path | None = None) -> None:
    import pyarrow as pa
    from pyarrow import csv

    values = {name: pa.array(listed) for name, listed in COLUMNS.items()}
    bare = csv.WriteOptions(include_header=False, quoting_style="none")  # no value has a comma or a quote
    with whole_file(Path(path)) as file:
        file.write((",".join(COLUMNS) + "\n").encode())
        for codes in census_blocks(records, seed):
            table = pa.table({name: values[name].take(pa.array(found)) for name, found in codes.items()})
            csv.write_csv(table, file, bare)
    if hierarchies is not None:
        write_hierarchies(hierarchies)


def write_hierarchies(folder: str | Path) -> list[Path]:
    """Write NAME.csv for every column: one line per value, from the value to `*`, separated by semicolons."""
    written = []
    for name, rows in census_hierarchies().items():
        written.append(Path(folder) / f"{name}.csv")
        with whole_file(written[-1]) as file:
            file.write("".join(";".join(row) + "\n" for row in rows).encode())
    return written


def _people(numbers: Floats) -> Codes:
    ages = _drawn(AGE, numbers[0])
    years = ages + AGES.start
    stage = np.searchsorted(STAGES, years, side="right") - 1
    sex = (numbers[1] >= WOMEN).astype(np.int64)
    education = _drawn(EDUCATION_OF[stage], numbers[3])
    status = _drawn(STATUS_OF[stage], numbers[5])
    occupation = np.where(status == 0, _drawn(OCCUPATION_OF[sex, education], numbers[6]), _WORKING + status - 1)
    works_long = np.isin(occupation, LONG_DAYS).astype(np.int64)
    hours = np.where(status == 0, _drawn(HOURS_OF[sex, works_long], numbers[7]), 0)
    return {
        "age": ages,
        "sex": sex,
        "postcode": _drawn(POSTCODE, numbers[2]),
        "education": education,
        "marital_status": _drawn(MARITAL_OF[stage], numbers[4]),
        "occupation": occupation,
        "hours": hours,
        "income": _incomes(years, education, occupation, hours, numbers[8]),
        "diagnosis": _drawn(DIAGNOSIS_OF[sex, stage], numbers[9]),
    }


def _drawn(weights: Floats, numbers: Floats) -> Ints64:
    """Draw one of the last axis for each number, by common weights (values,) or separate ones (people, values)."""
    cumulative = np.cumsum(weights, axis=-1)
    if weights.ndim == 1:
        common: Ints64 = np.searchsorted(cumulative, numbers * cumulative[-1], side="right").astype(np.int64)
        return common
    chosen: Ints64 = (cumulative <= (numbers * cumulative[:, -1])[:, None]).sum(axis=1, dtype=np.int64)
    return chosen


def _incomes(years: Ints64, education: Ints64, occupation: Ints64, hours: Ints64, numbers: Floats) -> Ints64:
    pay = np.concatenate([PAY, PENSION])[occupation] + 0.22 * education
    pay += 0.045 * np.array(HOURS)[hours] + 0.02 * (np.minimum(years, 55) - 16)
    luck = np.where(numbers < 0.5, np.sqrt(2 * numbers) - 1, 1 - np.sqrt(2 * (1 - numbers)))  # from -1 to 1
    classes: Ints64 = np.searchsorted((1.9, 3.8, 5.6), pay + 1.6 * luck, side="right").astype(np.int64)
    return classes
