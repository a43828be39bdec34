"""Texts about a generalised table: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import range_of
from disjoin.forms.form import Reading, Readme, titled
from disjoin.forms.table.facts import percent, stars_in_words, tight
from disjoin.model.release import Report
from disjoin.text import counted, in_code, printable

ALIKE = (
    "What all rows of a class share",
    "Whoever finds the class of a person learns what all its rows have in common, without knowing which one is theirs.",
)
MEANINGS = (
    "What sensitive values mean",
    "Values are counted, not understood. A class whose values are different but mean much the same, or whose mix is "
    "far from that of the whole table, still tells something.",
)
OTHER_COLUMNS = "Knowing other columns"
NOT_GUARANTEED = titled("""
Someone who runs the program backwards
Rows are generalised no further than the method finds necessary. From what it did one can infer something about the
values that made it necessary (the minimality attack).

Several rows of one person
Each row is protected by itself. If several rows of a class belong to one person, they hide that person among fewer
people than there are rows.

Other releases of the same people
Whoever has another table with these people in it can compare the two. Each may be anonymous and both together not.

Someone who knows other rows
Whoever knows which rows of a class belong to others, their own for one, can take them out; fewer are left.

Who is in the table, and who is not
If no class fits a person, that person is not in the table; if one fits, they may be. The promise hides which row is
whose, not whose rows there are.

The hierarchies
They are published with all their values, those that no row has among them.
""")


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    """Return what is not guaranteed as (title, explanation), except what is guaranteed of sensitive columns."""
    return [_alike(report), _other_columns(report), MEANINGS, *NOT_GUARANTEED]


def learned(report: Report) -> list[tuple[str, str]]:
    sizes, columns = report.statistics["class_sizes"], report.statistics["sensitive_columns"]
    found = f"They find a class of {range_of(sizes, 'row')}, and not which of its rows it is{tight(report)}."
    rows = [("Someone who knows all quasi-identifiers of a person", found)] if sizes["number"] else []
    title = "Someone who finds the class of a person, and asks for their {}"
    return rows + [(title.format(printable(entry["column"])), _guessed(entry, report)) for entry in columns]


def _guessed(entry: dict[str, Any], report: Report) -> str:
    records, guess, share = report.counts["records"], entry["guessed"], entry["largest_share"]
    alike = counted(entry["alike"]["rows"], "row")
    sure = f"They know it for certain of {alike}" if entry["alike"]["rows"] else "They know it for certain of no row"
    return (
        f"{sure}. In the class that tells most, {share['count']:,} of {share['size']:,} rows have the same value. "
        f"Whoever always guesses the most frequent value of the class is right for "
        f"{percent(guess['by_class'] / records)} of the rows; whoever guesses that of the whole table, for "
        f"{percent(guess['by_table'] / records)}."
    )


def _alike(report: Report) -> tuple[str, str]:
    title, words = ALIKE
    sensitive = report.statistics["sensitive_columns"]
    is_limited = any(name in report.guarantee for name in ("alpha", "l", "entropy_l", "t", "beta", "delta"))
    if not sensitive:
        return title, f"{words} No column was named as sensitive, so nothing is promised about that."
    told = " ".join(_told(entry) for entry in sensitive)
    if is_limited:
        return title, f"{words} The promise limits it for the sensitive columns, and for no other column. {told}"
    return title, f"{words} Nothing is promised about that: there is no alpha and no l. {told}"


def _told(entry: dict[str, Any]) -> str:
    name, alike, share = printable(entry["column"]), entry["alike"], entry["largest_share"]
    if alike["classes"]:
        where = f"{counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')}"
        return f"{where} can be told their {name} for sure."
    return f"At worst, {share['count']:,} of {share['size']:,} rows of a class have the same {name}."


def _other_columns(report: Report) -> tuple[str, str]:
    columns = report.statistics["columns"]
    unchanged = [printable(name) for name in (*columns["sensitive"], *columns["other"])]
    if not unchanged:
        return OTHER_COLUMNS, "This table has none: all its columns are quasi-identifiers."
    few = ", ".join(unchanged[:_NAMED]) + (f" and {len(unchanged) - _NAMED:,} more" if len(unchanged) > _NAMED else "")
    return OTHER_COLUMNS, (
        f"Columns that were not named as quasi-identifiers are published as they were: {few}. Whoever knows one of "
        "these of a person, or can find it elsewhere, may find the row of that person, and the promise does not hold."
    )


_NAMED = 6  # columns, in a sentence


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


_MEASURED = """ The sensitive columns have one, too: how far values of a
class are from those of the whole table is measured there."""
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
        + _stars(facts)
    )


def _stars(facts: dict[str, Any]) -> str:
    if "starred" not in facts:
        return ""
    if not facts["starred"]["rows"]:
        return " Rows could be starred, and none are."
    return (
        " Starred, that is with what stands for everything in all quasi-identifiers: "
        f"{stars_in_words(facts['starred'])}. Leave starred rows in when you count other columns: they are no sample."
    )


def _tables(report: Report) -> tuple[str, ...]:
    facts = report.statistics
    meanings = {
        entry["column"]: _TREE if entry["kind"] == "hierarchy" else _NUMBERS for entry in facts["quasi_identifiers"]
    }
    for role, meaning in _AS_IT_WAS.items():
        meanings |= dict.fromkeys(facts["columns"][role], meaning)
    rows = "\n".join(f"| {in_code(column)} | {meaning} |" for column, meaning in meanings.items())
    table = (
        "## The table\n\n`table.parquet`, one row per record; `table.csv` has the same rows\n\n"
        f"| column | meaning |\n|---|---|\n{rows}\n\n{_ORDER}"
    )
    is_measured = report.guarantee.get("t_distance") == "hierarchical"
    has_trees = is_measured or any(entry["kind"] == "hierarchy" for entry in facts["quasi_identifiers"])
    trees = _HIERARCHIES + (_MEASURED if is_measured else "")
    return (table, trees) if has_trees else (table,)


README = Readme(
    about=_about,
    done=_done,
    exactly=(
        "rows that are equal in all quasi-identifiers form an equivalence class, and all its rows fit whoever fits one "
        "of them. Anyone who knows nothing of a person but quasi-identifiers finds a class, and cannot tell by the "
        "table which of its rows is theirs. What is promised of sensitive columns is promised of every class and of "
        "each column by itself."
    ),
    tables=_tables,
    reading=(
        "Everything about columns that are not quasi-identifiers can be counted exactly, and so can how they go "
        "together. A generalised value stands for one of several: which one is not said."
    ),
)


READ_WITH_PYTHON = """\
from pathlib import Path

import pandas as pd

table = pd.read_parquet("release/table.parquet")  # one row per record, all values as text
same = pd.read_csv("release/table.csv", dtype=str, keep_default_na=False)  # the same rows

# How often does each combination of values occur?
counts = table.value_counts()

# What do generalised values stand for? A row of a hierarchy leads from a value up to what stands for all values.
text = {"sep": ";", "header": None, "dtype": str, "keep_default_na": False}
hierarchies = {file.stem: pd.read_csv(file, **text) for file in Path("release/hierarchies").glob("*.csv")}
"""

READ_WITH_SQL = """\
SELECT *, count(*) AS how_often FROM 'release/table.parquet' GROUP BY ALL ORDER BY how_often DESC;
SELECT *, count(*) AS how_often FROM read_csv('release/table.csv', all_varchar = true) GROUP BY ALL;
"""

READING = Reading(("table.parquet", "table.csv"), READ_WITH_PYTHON, READ_WITH_SQL, formats="Parquet or CSV")
