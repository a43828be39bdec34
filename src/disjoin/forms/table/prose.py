"""Texts about a generalised table: what is kept, what an attacker could learn, limits, README.md."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import range_of
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.forms.table.facts import name, percent, suppressed_in_words, tight
from disjoin.model.release import Report
from disjoin.text import counted, in_code, printable

TEXTS = texts_of(__package__)


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    """Return what is not guaranteed as (title, explanation), except what is guaranteed of sensitive columns."""
    return titled(TEXTS["limits"].format(alike=_alike(report), others=_other_columns(report)))


def learned(report: Report) -> list[tuple[str, str]]:
    sizes, columns = report.statistics["class_sizes"], report.statistics["sensitive_columns"]
    found = f"A class of {range_of(sizes, 'row')} is found, but not which row it is{tight(report)}."
    rows = [("With all quasi-identifiers of a person known", found)] if sizes["number"] else []
    title = "With the class of a person known, about {}"
    return rows + [(title.format(printable(entry["column"])), _guessed(entry, report)) for entry in columns]


def _guessed(entry: dict[str, Any], report: Report) -> str:
    records, guess, share = report.counts["records"], entry["guessed"], entry["largest_share"]
    alike = counted(entry["alike"]["rows"], "row") if entry["alike"]["rows"] else "no row"
    by_class, by_table = (percent(guess[name] / records) for name in ("by_class", "by_table"))
    return TEXTS["guessed"].format(alike=alike, **share, by_class=by_class, by_table=by_table)


def _alike(report: Report) -> str:
    sensitive = report.statistics["sensitive_columns"]
    if not sensitive:
        return "No column was named as sensitive, so nothing is guaranteed about that."
    shown = " ".join(_revealed(entry) for entry in sensitive)
    if any(name in report.guarantee for name in ("alpha", "l", "entropy_l", "t", "beta", "delta")):
        return f"The guarantee limits this for the sensitive columns, and for no other column. {shown}"
    return f"Nothing is guaranteed about that: there is no alpha and no l. {shown}"


def _revealed(entry: dict[str, Any]) -> str:
    column, alike, share = printable(entry["column"]), entry["alike"], entry["largest_share"]
    if alike["classes"]:
        where = f"{counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')}"
        return f"For {where}, {column} is certain."
    return f"In the worst class, {share['count']:,} of {share['size']:,} rows have the same {column}."


def kept(report: Report) -> list[str]:
    facts = report.statistics
    rows, columns = counted(report.counts["records"], "row"), counted(report.counts["columns"], "column")
    classes = counted(facts["classes"]["total"], "equivalence class", "equivalence classes")
    words = [f"{rows} with {columns}, in {classes}."]
    if facts["quasi_identifiers"]:
        words.append(
            f"Granularity of quasi-identifiers: {percent(facts['granularity'])} (100% = unchanged){_each(report)}."
        )
    if "starred" in facts:
        there = facts["starred"]["rows"]
        words.append(f"Suppressed: {suppressed_in_words(facts['starred'])}." if there else "No row is suppressed.")
    unchanged = [printable(name) for role in ("sensitive", "other") for name in facts["columns"][role]]
    return [*words, f"Unchanged: {_few(unchanged)}."] if unchanged else words


def _each(report: Report) -> str:
    found = report.statistics["quasi_identifiers"]
    if not 1 < len(found) <= _NAMED:
        return ""
    return "; " + ", ".join(f"{name(entry)} {percent(entry['granularity'])}" for entry in found)


def _few(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else "")


_NAMED = 6  # columns, in a sentence


def _other_columns(report: Report) -> str:
    columns = report.statistics["columns"]
    unchanged = [printable(name) for name in (*columns["sensitive"], *columns["other"])]
    if not unchanged:
        return "This table has none: all its columns are quasi-identifiers."
    return TEXTS["others"].format(few=_few(unchanged))


_TREE = "generalised: a value of its hierarchy (see below)"
_NUMBERS = "generalised: a number, or an interval `[from, to]` that includes both ends; `?` if missing, `*` for any"
_AS_IT_WAS = {"sensitive": "sensitive, unchanged", "other": "unchanged"}


def _done(report: Report) -> str:
    facts = report.statistics
    words = TEXTS["done"].format(
        named=counted(len(facts["columns"]["quasi"]), "column was", "columns were"),
        classes=counted(facts["classes"]["total"], "class", "classes"),
    )
    if report.guarantee.get("person") is not None:
        words = f"{words} {TEXTS['about people']}"
    if "starred" not in facts:
        return words
    if not facts["starred"]["rows"]:
        return f"{words} Rows could be suppressed, and none are."
    return f"{words} {TEXTS['done suppressed'].format(suppressed=suppressed_in_words(facts['starred']))}"


def _tables(report: Report) -> tuple[str, ...]:
    facts = report.statistics
    meanings = {
        entry["column"]: _TREE if entry["kind"] == "hierarchy" else _NUMBERS for entry in facts["quasi_identifiers"]
    }
    for role, meaning in _AS_IT_WAS.items():
        meanings |= dict.fromkeys(facts["columns"][role], meaning)
    rows = "\n".join(f"| {in_code(column)} | {meaning} |" for column, meaning in meanings.items())
    table = TEXTS["tables"].format(rows=rows)
    is_measured = report.guarantee.get("t_distance") == "hierarchical"
    if not is_measured and all(entry["kind"] != "hierarchy" for entry in facts["quasi_identifiers"]):
        return (table,)
    return table, TEXTS["hierarchies"] + (f" {TEXTS['hierarchies measured']}" if is_measured else "")


README = Readme(done=_done, exactly=TEXTS["exactly"], tables=_tables, reading=TEXTS["reading"])
