"""Texts about a generalised table: what an attacker could learn, limits, README.md."""

from __future__ import annotations

from typing import Any

from disjoin.charts.distribution import range_of
from disjoin.forms.form import Readme, texts_of, titled
from disjoin.forms.table.facts import percent, suppressed_in_words, tight
from disjoin.model.release import Report
from disjoin.text import counted, in_code, printable

TEXTS = texts_of(__package__)


def not_guaranteed(report: Report) -> list[tuple[str, str]]:
    """Return what is not guaranteed as (title, explanation), except what is guaranteed of sensitive columns."""
    return titled(TEXTS["limits"].format(alike=_alike(report), others=_other_columns(report)))


def learned(report: Report) -> list[tuple[str, str]]:
    sizes, columns = report.statistics["class_sizes"], report.statistics["sensitive_columns"]
    found = f"They find a class of {range_of(sizes, 'row')}, and not which of its rows it is{tight(report)}."
    rows = [("Someone who knows all quasi-identifiers of a person", found)] if sizes["number"] else []
    title = "Someone who finds the class of a person, and asks for their {}"
    return rows + [(title.format(printable(entry["column"])), _guessed(entry, report)) for entry in columns]


def _guessed(entry: dict[str, Any], report: Report) -> str:
    records, guess, share = report.counts["records"], entry["guessed"], entry["largest_share"]
    alike = counted(entry["alike"]["rows"], "row") if entry["alike"]["rows"] else "no row"
    by_class, by_table = (percent(guess[name] / records) for name in ("by_class", "by_table"))
    return TEXTS["guessed"].format(alike=alike, **share, by_class=by_class, by_table=by_table)


def _alike(report: Report) -> str:
    sensitive = report.statistics["sensitive_columns"]
    if not sensitive:
        return "No column was named as sensitive, so nothing is promised about that."
    told = " ".join(_told(entry) for entry in sensitive)
    if any(name in report.guarantee for name in ("alpha", "l", "entropy_l", "t", "beta", "delta")):
        return f"The promise limits it for the sensitive columns, and for no other column. {told}"
    return f"Nothing is promised about that: there is no alpha and no l. {told}"


def _told(entry: dict[str, Any]) -> str:
    name, alike, share = printable(entry["column"]), entry["alike"], entry["largest_share"]
    if alike["classes"]:
        where = f"{counted(alike['rows'], 'row')} in {counted(alike['classes'], 'class', 'classes')}"
        return f"{where} can be told their {name} for sure."
    return f"At worst, {share['count']:,} of {share['size']:,} rows of a class have the same {name}."


_NAMED = 6  # columns, in a sentence


def _other_columns(report: Report) -> str:
    columns = report.statistics["columns"]
    unchanged = [printable(name) for name in (*columns["sensitive"], *columns["other"])]
    if not unchanged:
        return "This table has none: all its columns are quasi-identifiers."
    few = ", ".join(unchanged[:_NAMED]) + (f" and {len(unchanged) - _NAMED:,} more" if len(unchanged) > _NAMED else "")
    return TEXTS["others"].format(few=few)


_TREE = "generalised: a value of its hierarchy, see below"
_NUMBERS = "generalised: a number, or an interval `[from, to]` with both ends in it; `?` if missing, `*` for any"
_AS_IT_WAS = {"sensitive": "sensitive, as it was", "other": "as it was"}


def _about(report: Report) -> str:
    records, columns = report.counts["records"], report.counts["columns"]
    words = f"This is a table of {counted(records, 'row')}, each a record, with {counted(columns, 'column')}."
    return f"{words} {TEXTS['about people']}" if report.guarantee.get("person") is not None else words


def _done(report: Report) -> str:
    facts = report.statistics
    words = TEXTS["done"].format(
        named=counted(len(facts["columns"]["quasi"]), "column was", "columns were"),
        classes=counted(facts["classes"]["total"], "class", "classes"),
        kept=percent(facts["granularity"]),
    )
    if "starred" not in facts:
        return words
    if not facts["starred"]["rows"]:
        return f"{words} Rows could be starred, and none are."
    return f"{words} {TEXTS['done starred'].format(starred=suppressed_in_words(facts['starred']))}"


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


README = Readme(about=_about, done=_done, exactly=TEXTS["exactly"], tables=_tables, reading=TEXTS["reading"])
