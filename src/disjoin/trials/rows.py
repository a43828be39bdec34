"""Tidy rows: a dictionary for every figure, with the setting that it was found at; and tables made of them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]  # the data and the setting; tidy ones have `measure` and `value`
Rows = list[Row]


def rows_with(rows: Rows, **wanted: Any) -> Rows:
    """Return the rows that have these values.

    >>> rows_with([{"k": 2, "value": 1}, {"k": 3, "value": 4}], k=3)
    [{'k': 3, 'value': 4}]
    """
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def of_the_papers(rows: Rows) -> Rows:
    """Return the rows about data that the papers use too."""
    return [row for row in rows if row.get("known_as")]


def distinct(rows: Rows, name: str) -> list[Any]:
    """Return the values of a column, each once, in the order of their appearance; missing ones are left out."""
    return list(dict.fromkeys(row[name] for row in rows if row.get(name) is not None))


def names_in(rows: Rows) -> list[str]:
    """Return the names of all columns that any row has, in the order of their appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def csv_text(rows: Rows) -> str:
    """Return the rows as CSV, with the columns of the first; what is None is left empty.

    >>> csv_text([{"method": "core", "value": None}])
    'method,value\\ncore,\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def tidy_table(rows: Rows) -> pa.Table:
    """Return the rows as an Arrow table: a column for every setting of any of them, then `measure` and `value`."""
    import pyarrow as pa

    settings = [name for name in names_in(rows) if name not in ("measure", "value")]
    columns = {name: pa.array([row.get(name) for row in rows]) for name in (*settings, "measure")}
    columns["value"] = pa.array([row["value"] for row in rows], pa.float64())
    return pa.table(columns)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the power of the size with which values grow: the slope of the line through their logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)
