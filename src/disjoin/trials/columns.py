"""The columns of a table of results: what each is called, what it means, and how its values are written for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal


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
