"""Result folders of trials: rows, columns, page and charts, written atomically."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from disjoin.charts.svg import Chart, drawing
from disjoin.measure.evaluation import PRIVATE
from disjoin.readers.databases import Query
from disjoin.release.result_folder import ResultFolder
from disjoin.report.facts import machine_in_words, today, versions
from disjoin.text import json_text, percent

# Tidy rows of results, and the columns that they have: title, meaning, and how values are written for people.

Rows = list[dict[str, Any]]  # of the data and the setting; tidy ones have `measure` and `value`


def names_in(rows: Rows) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def csv_text(rows: Rows) -> str:
    """Return the rows as CSV, with the columns of the first; None becomes an empty cell.

    >>> csv_text([{"method": "core", "value": None}])
    'method,value\\ncore,\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """One measure: its name in files, its title, what it means, and how it is written."""

    name: str
    title: str
    meaning: str
    places: int = 3
    kind: str = "loss"  # or cost
    largest: int | None = 1

    def written(self, value: float | None) -> str:
        """Return a value in readable form.

        >>> column = ResultColumn("tkd", "tKd", "itemsets lost")
        >>> column.written(0.0512), column.written(1234.5), column.written(None)
        ('0.051', '1,234.500', '-')
        """
        return "-" if value is None else f"{value:,.{self.places}f}"


@dataclass(frozen=True, slots=True)
class Share(ResultColumn):
    """A column of shares, written in per cent."""

    def written(self, value: float | None) -> str:
        """Return a share in readable form.

        >>> column = Share("exposed", "exposed", "share of the records")
        >>> [column.written(share) for share in (0.0, 0.0003, 0.0352, 1.0, None)]
        ['0%', '<0.1%', '3.5%', '100%', '-']
        """
        return "-" if value is None else percent(value)


Columns = Mapping[str, ResultColumn]  # by name, in the order of the table


def columns_in(package: str, table: str) -> dict[str, ResultColumn]:
    """Return the columns of a table from columns.csv of a package; those without a number of places are shares."""
    found: dict[str, ResultColumn] = {}
    for row in csv.DictReader(files(package).joinpath("columns.csv").read_text(encoding="utf-8").splitlines()):
        if row["table"] == table:
            about, largest = (
                (row["name"], row["title"], row["meaning"]),
                int(row["largest"]) if row["largest"] else None,
            )
            exact = ResultColumn(*about, int(row["places"] or 0), row["kind"], largest)
            found[row["name"]] = exact if row["places"] else Share(*about)
    return found


def titles(columns: Columns) -> list[str]:
    return [column.title for column in columns.values()]


def cells(columns: Columns, values: Mapping[str, float | None]) -> list[str]:
    return [column.written(values.get(name)) for name, column in columns.items()]


def meanings(columns: Columns) -> str:
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


SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """A kind of folder: `name`.csv, .json and .md next to its charts; `title` and `called` are for messages."""

    name: str
    title: str
    called: str
    charts: tuple[str, ...]  # names of files

    @property
    def kind(self) -> ResultFolder:
        """The kind of folder: only an unchanged one of the same kind is ever overwritten."""
        known = (*(f"{self.name}.{ending}" for ending in ("csv", "json", "md")), *self.charts)
        return ResultFolder(self.title, self.called, "|".join(map(re.escape, known)), private=True)

    def check(self, path: str | Path, *, overwrite: bool = False) -> Path:
        return self.kind.check(path, overwrite=overwrite)

    def write(
        self,
        rows: Rows,
        facts: Mapping[str, Any],
        page: str,
        charts: Mapping[str, Chart],
        path: str | Path,
        *,
        overwrite: bool = False,
    ) -> Path:
        written = {
            f"{self.name}.csv": csv_text(rows),
            f"{self.name}.json": json_text(facts, indent=1) + "\n",
            f"{self.name}.md": page,
            **{name: drawing(chart, alone=True) for name, chart in charts.items()},
        }
        return self.kind.write(written, path, overwrite=overwrite)


def circumstances() -> dict[str, Any]:
    """Return the first facts of every trial: that it is private, and when and on what machine it ran."""
    facts = {"schema": SCHEMA_VERSION, "note": PRIVATE, "date": today(), "machine": machine_in_words()}
    return facts | {"versions": versions()}


def name_of(data: object) -> str:
    """Return the name of data for tables and pages: a file name without its folder.

    >>> name_of("shop/baskets.csv"), name_of("-"), name_of([{"tea"}])
    ('baskets.csv', 'standard input', 'data in memory')
    """
    if isinstance(data, Query):
        return str(data)
    if not isinstance(data, (str, Path)):
        return "data in memory"
    return "standard input" if data == "-" else Path(data).name


def page_of_parts(heading: str, parts: Iterable[str], made_by: str) -> str:
    """Return a private page for the data owner: its heading, its parts except empty ones, and how it was made."""
    return "\n\n".join(part for part in (f"# {heading}", f"**{PRIVATE}**", *parts, made_by) if part) + "\n"


def pictures(charts: Mapping[str, str]) -> str:
    return "\n".join(f"![{seen}]({name})" for name, seen in charts.items())


def made(command: str, facts: Mapping[str, Any]) -> str:
    return f"*`disjoin {command}`, {facts['date']}, {facts['machine']}, disjoin {facts['versions']['disjoin']}.*"
