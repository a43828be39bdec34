"""Facts of a report: what was read, published and verified."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from disjoin._version import __version__
from disjoin.charts.text_drawing import shorten
from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.methods.sensitive_terms import CountedTerms
from disjoin.model import Intake, MixedRecords, Table, Transactions
from disjoin.model.column_keys import quoted
from disjoin.model.release import Release, Report
from disjoin.model.spelling import alike_in, possible_blanks
from disjoin.text import counted, printable
from disjoin.verify.inspection import inspection_of

SHOWN = 10  # on the screen; JSON has all
_NAME = 40
LEAVE_THEM_OUT = "Use blank_words = usual and blank = skip to leave them out."


def intake_of(data: Transactions | Table | MixedRecords) -> dict[str, Any]:
    if isinstance(data, MixedRecords):
        without_row = data.intake.without_row
        return {"people": len(data), "people_without_terms": data.without_terms, "ids_without_row": without_row}
    if isinstance(data, Table):
        return {"records": len(data), "columns": len(data.schema.columns)}
    intake = data.intake
    facts = {
        "format": intake.format,
        "records": len(data),
        "terms": data.n_terms,
        "occurrences": int(data.items.size),
        **_members(intake, "blank_records", "repeated_terms", "skipped_blanks", "named_blanks"),
    }
    if not intake.rows:
        return facts
    return facts | {
        **_members(intake, "rows", "id_column", "is_per_person"),
        "describing": list(intake.describing),
        **_members(intake, "rows_without_id", "merged_ids"),
        "blank_like_ids": [{"id": name, "rows": rows} for name, rows in intake.blank_like_ids],
        "shared_records": None if intake.shared is None else asdict(intake.shared),
    }


def _members(intake: Intake, *names: str) -> dict[str, Any]:
    return {name: getattr(intake, name) for name in names}


def reading_notes(data: Transactions | Table | MixedRecords) -> list[str]:
    if isinstance(data, Transactions):
        facts = intake_of(data) | {"possible_blanks": blanks_in(data)}
        return [*describing_sentences(facts), *blank_sentences(facts)]
    found = possible_blanks_in(data.table if isinstance(data, MixedRecords) else data)
    return [table_blank_words(found)] if found else []


def noticed_in(data: CountedTerms) -> dict[str, Any]:
    groups = alike_in(data.vocabulary)
    supports = dict(zip(data.vocabulary.to_pylist(), data.supports().tolist(), strict=True)) if groups else {}
    similar = [[{"term": term, "records": supports[term]} for term in group] for group in groups]
    return {"possible_blanks": blanks_in(data), "similar_terms": similar}


def blanks_in(data: CountedTerms) -> list[dict[str, Any]]:
    found = possible_blanks(data.vocabulary, data.supports())
    return [{"term": term, "records": records} for term, records in found]


def people_words(facts: Mapping[str, Any]) -> str:
    """Return how many records there are and, of a long table, whose.

    >>> facts = {"records": 3, "rows": 7, "id_column": "InvoiceNo", "is_per_person": False}
    >>> people_words(facts), people_words(facts | {"id_column": "patient_id", "is_per_person": True})
    ('3 records (one per InvoiceNo), 7 rows', '3 people (one record per patient_id), 7 rows')
    """
    if not facts.get("rows"):
        return counted(facts["records"], "record")
    column = shorten(printable(facts["id_column"]), _NAME)
    who = f"{counted(facts['records'], 'record')} (one per {column})"
    if facts["is_per_person"]:
        who = f"{counted(facts['records'], 'person', 'people')} (one record per {column})"
    return f"{who}, {counted(facts['rows'], 'row')}"


_TREATED = {
    "blank_records": "Blank records left out",
    "repeated_terms": "Repeated terms inside records, counted once",
    "skipped_blanks": "Blank cells left out",
    "named_blanks": "Blank cells that became the term (blank)",
    "rows_without_id": "Rows without a record id, left out",
    "merged_ids": "Record ids merged that differ only in spelling",
}


def treated_words(facts: Mapping[str, Any]) -> list[str]:
    return [f"{words}: {facts[name]:,}" for name, words in _TREATED.items() if facts.get(name)]


def noticed_words(facts: Mapping[str, Any]) -> list[str]:
    lines = [*blank_sentences(facts)]
    groups = facts["similar_terms"]
    for group in groups[:SHOWN]:
        order = sorted(group, key=lambda one: (-one["records"], one["term"]))
        first, *others = [(_name(one["term"]), one["records"]) for one in order]
        words = [f"{first[0]} ({counted(first[1], 'record')})", *(f"{name} ({number:,})" for name, number in others)]
        lines.append(f"Terms that differ only in spelling: {', '.join(words)}")
    if len(groups) > SHOWN:
        lines.append(f"{len(groups) - SHOWN:,} more groups of terms differ only in spelling (JSON has them all)")
    if shared := facts.get("shared_records"):
        column = printable(shared["column"])
        lines.append(
            f"Records are not people: {counted(shared['people'], 'value')} of {column} with more than one record each, "
            f"{shared['records']:,} records in all. Use id = {column} to look at people."
        )
    return lines


def describing_sentences(facts: Mapping[str, Any]) -> list[str]:
    if not facts.get("describing"):
        return []
    names = ", ".join(quoted(name) for name in facts["describing"])
    return [
        f"Not published: {names}. They have one value per {quoted(facts['id_column'])}, so an attacker may know them "
        "of a person; `disjoin mixed` publishes columns and terms together."
    ]


def blank_sentences(facts: Mapping[str, Any]) -> list[str]:
    ids = [{"term": one["id"], "rows": one["rows"]} for one in facts.get("blank_like_ids", ())]
    found = (("Terms", facts["possible_blanks"], "record"), ("Record ids", ids, "row"))
    return [
        f"{what} that may be blanks: {_counts(blanks, unit)}. {LEAVE_THEM_OUT}"
        for what, blanks, unit in found
        if blanks
    ]


def _counts(found: list[dict[str, Any]], unit: str) -> str:
    """List terms with their counts, the first with its unit: NA in 17 records, - in 3."""
    numbers = [f"{one[unit + 's']:,}" for one in found[:SHOWN]]
    numbers[0] = counted(found[0][unit + "s"], unit)
    words = [f"{_name(one['term'])} in {number}" for one, number in zip(found, numbers, strict=False)]
    return ", ".join(words + ([f"and {len(found) - SHOWN:,} more"] if len(found) > SHOWN else []))


def _name(term: str) -> str:
    """Return a term so that it can be distinguished from others: in quotes if it has blanks around it."""
    shown = shorten(printable(term), _NAME)
    return shown if term and term.strip() == term else f"'{shown}'"


def possible_blanks_in(table: Table) -> dict[str, list[dict[str, Any]]]:
    found = {}
    for name, codes, values in zip(table.schema.names, table.codes, table.values, strict=True):
        counts = np.bincount(codes, minlength=len(values)).astype(np.int64)
        blanks = [{"term": value, "rows": rows} for value, rows in possible_blanks(values, counts)]
        if blanks:
            found[name] = blanks
    return found


def table_blank_words(found: Mapping[str, list[dict[str, Any]]]) -> str:
    columns = [f"{printable(name)} ({_counts(blanks, 'row')})" for name, blanks in found.items()]
    return f"Values that may be blanks: {'; '.join(columns)}. Use blank_words = usual to treat them as blanks."


# Pages and screen ask for the same facts; large releases take seconds to count.
_KNOWN: WeakKeyDictionary[Release, Report] = WeakKeyDictionary()


def facts_of(release: Release) -> Report:
    """Return the facts of a release, each a function of the published content and the parameters.
    An exact share of kept occurrences would reveal how often a term of a term chunk occurs. So a release that was
    loaded and written again has the same report."""
    if release not in _KNOWN:
        published, form = release.published, FORMS[release.published.form]
        _KNOWN[release] = Report(
            method=release.method,
            form=published.form,
            parameters=dict(release.parameters),
            guarantee=release.guarantee.to_json(),
            sentence=release.guarantee.sentence(),
            verdict=_verdict(release, form),
            counts=release.counts,
            statistics=form.statistics(published, release.guarantee, release.parameters),
            measures={name: one.to_json(published, release.guarantee) for name, one in form.measures().items()},  # type: ignore[arg-type]
        )
    return _KNOWN[release]


def _verdict(release: Release, form: Form) -> dict[str, Any]:
    """Return what the tables show; where no proof is claimed, nothing holds that a program could mistake for one."""
    on_the_tables = [
        each.name
        for each in inspection_of(form.noun).invariants
        if each.needs == "release" and each.name in release.verdict.checked
    ]
    missing = release.verdict.facts.get("unproven")
    shown = {"by_construction": True} if form.by_construction else {}
    if missing is None:
        return {"holds": release.verdict.holds, "checked": on_the_tables, **shown}
    checked = [name for name in on_the_tables if not missing.get(name)]
    return {"holds": False, "checked": checked, **shown, "unproven": dict(missing)}


def checks_of(report: Report) -> list[tuple[str, str]]:
    known = {each.name: each for each in inspection_of(FORMS[report.form].noun).invariants}
    return [
        (name, known[name].in_words(report.guarantee) if name in known else "Checked.")
        for name in report.verdict["checked"]
    ]


def shortfalls(report: Report) -> list[tuple[str, str]]:
    return FORMS[report.form].unproven.shortfalls(report)


# When, where and with which versions a page was made.

_LIBRARIES = ("numpy", "numba", "pyarrow", "scipy", "opendp")


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def machine_in_words() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{cores} core{'s' if cores != 1 else ''}, {platform.system()}, Python {platform.python_version()}"


def versions() -> dict[str, str]:
    found = {"disjoin": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
