"""A make-believe census: one row per person, for everything that wants a table and no real people."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disjoin.generate import census_values as shares
from disjoin.generate.census_values import AGES, COLUMNS, HOURS, OCCUPATION, census_hierarchies
from disjoin.generate.output import whole_file
from disjoin.model.guarantee import require_integer
from disjoin.model.ragged import Ints64

BLOCK = 65_536  # people drawn at a time: some megabytes, whatever the number of records
_DRAWS = 10  # numbers that one person takes
_WORKING = len(OCCUPATION) - 3

Floats = NDArray[np.float64]
Codes = dict[str, Ints64]


def census_blocks(records: int, seed: int) -> Iterator[Codes]:
    """Yield the people in blocks: for every column the positions of their values in `COLUMNS`.

    The same seed gives the same people on every machine, and a longer census begins with the shorter one.
    """
    require_integer("records", records, 0, "it is the number of people to make.")
    require_integer("seed", seed, 0, "it says which census to make.")
    bits = np.random.PCG64(np.random.SeedSequence(seed))
    for first in range(0, records, BLOCK):
        people = min(BLOCK, records - first)
        raw = bits.random_raw(people * _DRAWS) >> np.uint64(11)
        numbers = raw.astype(np.float64) * 2.0**-53  # from [0, 1)
        yield _people(numbers.reshape(people, _DRAWS).T)


def write_census(records: int, seed: int, path: str | Path) -> None:
    """Write the people as CSV with a header; the file appears when it is complete."""
    import pyarrow as pa
    from pyarrow import csv

    values = {name: pa.array(listed) for name, listed in COLUMNS.items()}
    bare = csv.WriteOptions(include_header=False, quoting_style="none")  # no value has a comma or a quote
    with whole_file(Path(path)) as file:
        file.write((",".join(COLUMNS) + "\n").encode())
        for codes in census_blocks(records, seed):
            table = pa.table({name: values[name].take(pa.array(found)) for name, found in codes.items()})
            csv.write_csv(table, file, bare)


def write_hierarchies(folder: str | Path) -> list[Path]:
    """Write a file for every column, NAME.csv: one line per value, from the value to `*`, between semicolons."""
    written = []
    for name, rows in census_hierarchies().items():
        written.append(Path(folder) / f"{name}.csv")
        with whole_file(written[-1]) as file:
            file.write("".join(";".join(row) + "\n" for row in rows).encode())
    return written


def _people(numbers: Floats) -> Codes:
    """Turn uniform numbers (draws, people) into people: each column given those that it depends on."""
    ages = _drawn(shares.AGE, numbers[0])
    years = ages + AGES.start
    stage = np.searchsorted(shares.STAGES, years, side="right") - 1
    sex = (numbers[1] >= shares.WOMEN).astype(np.int64)
    education = _drawn(shares.EDUCATION_OF[stage], numbers[3])
    status = _drawn(shares.STATUS_OF[stage], numbers[5])
    occupation = np.where(status == 0, _drawn(shares.OCCUPATION_OF[sex, education], numbers[6]), _WORKING + status - 1)
    works_long = np.isin(occupation, shares.LONG_DAYS).astype(np.int64)
    hours = np.where(status == 0, _drawn(shares.HOURS_OF[sex, works_long], numbers[7]), 0)
    return {
        "age": ages,
        "sex": sex,
        "postcode": _drawn(shares.POSTCODE, numbers[2]),
        "education": education,
        "marital_status": _drawn(shares.MARITAL_OF[stage], numbers[4]),
        "occupation": occupation,
        "hours": hours,
        "income": _incomes(years, education, occupation, hours, numbers[8]),
        "diagnosis": _drawn(shares.DIAGNOSIS_OF[sex, stage], numbers[9]),
    }


def _drawn(weights: Floats, numbers: Floats) -> Ints64:
    """Draw one of the last axis for each number, by weights that are common (values,) or their own (people, values)."""
    cumulative = np.cumsum(weights, axis=-1)
    if weights.ndim == 1:
        common: Ints64 = np.searchsorted(cumulative, numbers * cumulative[-1], side="right").astype(np.int64)
        return common
    chosen: Ints64 = (cumulative <= (numbers * cumulative[:, -1])[:, None]).sum(axis=1, dtype=np.int64)
    return chosen


def _incomes(years: Ints64, education: Ints64, occupation: Ints64, hours: Ints64, numbers: Floats) -> Ints64:
    """Draw the income: learning, the job, the hours and experience pay, and so does luck (a symmetric bell)."""
    pay = np.concatenate([shares.PAY, shares.PENSION])[occupation] + 0.22 * education
    pay += 0.045 * np.array(HOURS)[hours] + 0.02 * (np.minimum(years, 55) - 16)
    luck = np.where(numbers < 0.5, np.sqrt(2 * numbers) - 1, 1 - np.sqrt(2 * (1 - numbers)))  # from -1 to 1
    classes: Ints64 = np.searchsorted((1.9, 3.8, 5.6), pay + 1.6 * luck, side="right").astype(np.int64)
    return classes
