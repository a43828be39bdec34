"""Tidy rows of an experiment: the data, the setting, `measure` and `value`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from disjoin.advise.results import Rows, names_in

Row = dict[str, Any]


def rows_with(rows: Rows, **wanted: Any) -> Rows:
    """Return the rows that have these values.

    >>> rows_with([{"k": 2, "value": 1}, {"k": 3, "value": 4}], k=3)
    [{'k': 3, 'value': 4}]
    """
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def distinct(rows: Rows, name: str) -> list[Any]:
    """Return the distinct values of a column, in the order of their appearance; missing ones are left out."""
    return list(dict.fromkeys(row[name] for row in rows if row.get(name) is not None))


def of_the_papers(rows: Rows) -> Rows:
    """Return the rows about the papers' datasets."""
    return [row for row in rows if row.get("known_as")]


def tidy_table(rows: Rows) -> pa.Table:
    """Return the rows as an Arrow table: a column for every setting of any row, then `measure` and `value`."""
    settings = [name for name in names_in(rows) if name not in ("measure", "value")]
    columns = {name: pa.array([row.get(name) for row in rows]) for name in (*settings, "measure")}
    columns["value"] = pa.array([row["value"] for row in rows], pa.float64())
    return pa.table(columns)
