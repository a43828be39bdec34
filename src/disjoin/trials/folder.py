"""The folder of results and its page: table, facts, page and charts, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disjoin.charts.figures import standing_alone
from disjoin.charts.specifications import Specification
from disjoin.escaping import json_text
from disjoin.files.databases import Query
from disjoin.measure.evaluation import PRIVATE
from disjoin.releases.result_folder import ResultFolder
from disjoin.trials.cost import machine_in_words, versions
from disjoin.trials.rows import Rows, csv_text

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """A kind of folder: `name`.csv, .json and .md beside its charts; `title` and `called` are for messages."""

    name: str
    title: str
    called: str
    charts: tuple[str, ...]  # names of files

    @property
    def kind(self) -> ResultFolder:
        """How such a folder is told from others, so that only such a one is ever overwritten."""
        known = (*(f"{self.name}.{ending}" for ending in ("csv", "json", "md")), *self.charts)
        return ResultFolder(self.title, self.called, "|".join(map(re.escape, known)), private=True)

    def check(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Raise if such a folder could not be put at `path`; call it before long work."""
        return self.kind.check(path, overwrite=overwrite)

    def write(self, results: Results, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write table, facts, page and charts, whole or not at all, and return the path."""
        files = {
            f"{self.name}.csv": csv_text(results.rows),
            f"{self.name}.json": json_text(results.facts, indent=1) + "\n",
            f"{self.name}.md": results.page,
            **{name: standing_alone(chart) for name, chart in results.charts.items()},
        }
        return self.kind.write(files, path, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class Results:
    """What goes into a folder; `charts` are by file name."""

    rows: Rows
    facts: Mapping[str, Any]
    page: str
    charts: Mapping[str, Specification]


def circumstances() -> dict[str, Any]:
    """Return the facts with which those of a trial begin: they are private, and when and on what they were found."""
    facts = {"schema": SCHEMA_VERSION, "note": PRIVATE, "date": today(), "machine": machine_in_words()}
    return facts | {"versions": versions()}


def today() -> str:
    """Return the date, as it is written in facts."""
    return datetime.now(UTC).date().isoformat()


def name_of(data: object) -> str:
    """Return what data are called in tables and on pages: the name of a file, without its folder.

    >>> name_of("shop/baskets.csv"), name_of("-"), name_of([{"tea"}])
    ('baskets.csv', 'standard input', 'data in memory')
    """
    if isinstance(data, Query):
        return str(data)
    if not isinstance(data, (str, Path)):
        return "data in memory"
    return "standard input" if data == "-" else Path(data).name


def page_of_parts(heading: str, parts: Iterable[str], made_by: str) -> str:
    """Return a page for the steward's eyes: its heading, its parts but for empty ones, and by what it was made."""
    return "\n\n".join(part for part in (f"# {heading}", f"**{PRIVATE}**", *parts, made_by) if part) + "\n"


def pictures(charts: Mapping[str, str]) -> str:
    """Return charts side by side in Markdown: file names with what can be seen."""
    return "\n".join(f"![{seen}]({name})" for name, seen in charts.items())


def made(command: str, facts: Mapping[str, Any]) -> str:
    """Say by what a page was made, when and where."""
    return f"*`disjoin {command}`, {facts['date']}, {facts['machine']}, disjoin {facts['versions']['disjoin']}.*"
