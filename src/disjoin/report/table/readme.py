"""The parts of README.md that tell of a table."""

from __future__ import annotations

from typing import Any

from disjoin.escaping import in_code
from disjoin.model.report import Report
from disjoin.report.form import Readme
from disjoin.report.table.summary import percent
from disjoin.report.words import counted

_TREE = "generalised: a value of its hierarchy, see below"
_NUMBERS = "generalised: a number, or an interval `[from, to]` with both ends in it; `?` if missing, `*` for any"
_AS_IT_WAS = {"sensitive": "sensitive, as it was", "other": "as it was"}
_ORDER = (
    "All values are text. The order of the rows means nothing: they are sorted. Values are those of the original "
    "or in a hierarchy, also those that a spreadsheet would take for formulas (they begin with `=`, `+`, `-` or `@`): "
    "import `table.csv` with all columns as text."
)
_HIERARCHIES = """\
## The hierarchies

`hierarchies/` has a file for every column that is generalised along a hierarchy, with the name of the column
(characters that file names lack are percent-encoded). A line is a value, what it generalises to, and so on up to what
stands for all values; semicolons are between them. A published name stands for all values whose lines have it. Not all
values of a hierarchy need be in the table."""


_PEOPLE = (
    " Several rows may be about one person; which ones is not said, so the people of a class cannot be counted in the "
    "table. They were counted before it was published."
)


def _about(report: Report) -> str:
    records, columns = report.counts["records"], report.counts["columns"]
    words = f"This is a table of {counted(records, 'row')}, each a record, with {counted(columns, 'column')}."
    return words + (_PEOPLE if report.guarantee.get("person") is not None else "")


def _done(report: Report) -> str:
    facts = report.statistics
    named = len(facts["columns"]["quasi"])
    return (
        f"{counted(named, 'column was', 'columns were')} named as quasi-identifiers, what somebody may know of a "
        "person. Their values were generalised until rows are equal there; such rows form a class, "
        f"{counted(facts['classes']['total'], 'class', 'classes')} in all. All other columns are as they were. Of what "
        f"the values of quasi-identifiers tell apart, {percent(facts['granularity'])} is left (granularity kept)."
    )


def _tables(report: Report) -> tuple[str, ...]:
    facts = report.statistics
    meanings = {entry["column"]: _meaning(entry) for entry in facts["quasi_identifiers"]}
    for role, meaning in _AS_IT_WAS.items():
        meanings |= dict.fromkeys(facts["columns"][role], meaning)
    rows = "\n".join(f"| {in_code(column)} | {meaning} |" for column, meaning in meanings.items())
    table = (
        "## The table\n\n`table.parquet`, one row a record; `table.csv` has the same rows\n\n"
        f"| column | meaning |\n|---|---|\n{rows}\n\n{_ORDER}"
    )
    has_trees = any(entry["kind"] == "hierarchy" for entry in facts["quasi_identifiers"])
    return (table, _HIERARCHIES) if has_trees else (table,)


def _meaning(entry: dict[str, Any]) -> str:
    return _TREE if entry["kind"] == "hierarchy" else _NUMBERS


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "rows that are equal in all quasi-identifiers form a class, and all its rows fit whoever fits one of them. Who "
        "knows nothing of a person but quasi-identifiers finds a class, and cannot tell by the table which of its rows "
        "is theirs. What is promised of sensitive columns is promised of every class and of each column by itself."
    ),
    tables=_tables,
    reading=(
        "Everything about columns that are not quasi-identifiers can be counted exactly, and so can how they go "
        "together. A generalised value stands for one of several: which one is not said."
    ),
)
