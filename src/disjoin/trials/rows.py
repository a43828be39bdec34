"""Tidy rows of results, and the columns that they have: title, meaning, and how values are written for people."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

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


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One measure: its name in files, its title, what it means, and how it is written."""

    name: str
    title: str
    meaning: str
    places: int = 3
    kind: Literal["loss", "cost"] = "loss"
    largest: int | None = 1

    def written(self, value: float | None) -> str:
        """Return a value for people.

        >>> column = ResultColumn("tkd", "tKd", "itemsets lost")
        >>> column.written(0.0512), column.written(1234.5), column.written(None)
        ('0.051', '1,234.500', '-')
        """
        return "-" if value is None else f"{value:,.{self.places}f}"


@dataclass(frozen=True, slots=True)
class Share(ResultColumn):
    """A column of shares, written in per cent."""

    def written(self, value: float | None) -> str:
        """Return a share for people.

        >>> column = Share("exposed", "exposed", "share of the records")
        >>> [column.written(share) for share in (0.0, 0.0003, 0.0352, 1.0, None)]
        ['0%', '<0.1%', '3.5%', '100%', '-']
        """
        return "-" if value is None else percent(value)


def percent(share: float) -> str:
    """Return a share in per cent, never rounded to nothing or to everything.

    >>> percent(0.1234), percent(0.9999)
    ('12.3%', '>99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return "<0.1%" if share < 0.001 else ">99.9%" if share > 0.999 else f"{share:.1%}"


Columns = Mapping[str, ResultColumn]  # by name, in the order of the table


def columns_named(*columns: ResultColumn) -> dict[str, ResultColumn]:
    """Return columns by name."""
    return {column.name: column for column in columns}


SECONDS = ResultColumn("seconds", "seconds", "seconds on the clock that publishing took", 2, "cost", None)


def titles(columns: Columns) -> list[str]:
    """Return what stands above the columns."""
    return [column.title for column in columns.values()]


def cells(columns: Columns, values: Mapping[str, float | None]) -> list[str]:
    """Return the values of a row for people; what was not measured is a dash."""
    return [column.written(values.get(name)) for name, column in columns.items()]


def meanings(columns: Columns) -> str:
    """Return a Markdown list of what the columns mean."""
    return "\n".join(f"* **{column.title}**: {column.meaning}." for column in columns.values())


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[str]], rule: str = "") -> str:
    """Return a table in Markdown; `rule` aligns the columns, to the left if it is not given.

    >>> print(markdown_table(["method", "tKd"], [["core", "0.025"]], "|---|---:|"))
    | method | tKd |
    |---|---:|
    | core | 0.025 |
    """
    rows = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([f"| {' | '.join(head).rstrip()} |", rule or "|" + "---|" * len(head), *rows])
