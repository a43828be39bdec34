"""Dossier of generalised tables: what is revealed before and after, an example attack, what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.attack.known_terms import Candidates, candidates
from disjoin.attack.table_risk import people_risk, table_risk
from disjoin.forms.dossier import (
    AFTER,
    BEFORE,
    MOST_KNOWN,
    DossierParts,
    Revealed,
    granularity_kept,
    known_values,
    listed,
)
from disjoin.model import KAnonymity, Release, Table
from disjoin.model.release import Report
from disjoin.text import counted, percent, printable

LIKELY = 0.8  # share of a class with the same sensitive value, above which the recommendation warns


def revealed(release: Release, original: Table, report: Report) -> Revealed:
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    quasi, records = guarantee.quasi, report.counts["records"]
    found = table_risk(original, quasi, largest=min(MOST_KNOWN, len(quasi)))
    sizes = [*range(1, min(MOST_KNOWN, len(quasi) - 1) + 1), len(quasi)]
    noun, alone = "rows", {one.columns: float(one.unique_share) for one in (*found.known, found.whole)}
    if guarantee.person is not None and guarantee.person in original.schema.names:
        people = people_risk(original, quasi, guarantee.person, [one.columns for one in found.known])
        noun, alone = "people", {one.columns: float(one.alone_share) for one in (*people.known, people.whole)}
    before = [max(share for columns, share in alone.items() if len(columns) == size) for size in sizes]
    label = "Before: {} that the known columns single out (worst choice)" if len(quasi) > 1 else BEFORE
    holds = percent(0) if release.verdict.holds else "not verified"
    rows = [
        (label.format(noun, "columns"), tuple(map(percent, before))),
        (AFTER.format(noun, guarantee.k), tuple(holds for _ in sizes)),
    ]
    remains, cautions = [f"An attacker who knows {listed(quasi)} finds a class of {guarantee.k} or more {noun}."], []
    for entry in report.statistics["sensitive_columns"]:
        name, share = printable(entry["column"]), entry["alike"]["rows"] / max(1, records)
        worst = entry["largest_share"]
        least = "at most " if share else ""
        cells = tuple(percent(share) if size == len(quasi) else f"{least}{percent(share)}" for size in sizes)
        rows.append((f"After: rows whose {name} is certain (inference)", cells))
        learned = f"learns the value of {name} with certainty for {percent(share)} of the rows."
        if not share:
            learned = f"learns no value of {name} with certainty; at worst, {worst['count']:,} of {worst['size']:,} "
            learned += "rows of a class have the same value."
        remains.append(f"The attacker {learned}")
        if worst["rounded"] > LIKELY:
            same = f"{worst['count']:,} of {worst['size']:,} rows have the same {name}"
            cautions.append(f"In one class, {same}; a smaller alpha or a larger l limits that.")
    names = tuple(f"{size}" if size < len(quasi) else f"all {size}" if size > 1 else "1" for size in sizes)
    return Revealed(
        "known columns",
        names,
        tuple(rows),
        ("Before: the worst set of that many quasi-identifiers. After: every class was counted.",),
        tuple(remains),
        tuple(cautions),
        f"an attacker can know no other column of a person than {listed(quasi)}",
    )


def example(release: Release, original: Table) -> tuple[str, Candidates]:
    guarantee = release.guarantee
    assert isinstance(guarantee, KAnonymity), "a table is published under k-anonymity"
    return "The first row of the data.", candidates(release, known_values(original, guarantee.quasi, 0))


def kept(report: Report, costs: Mapping[str, Any]) -> tuple[str, ...]:
    facts, sizes = report.statistics, report.statistics["class_sizes"]
    suppressed = facts.get("starred", {}).get("rows", 0)
    rows = counted(report.counts["records"], "row")
    return (
        granularity_kept(report),
        f"Rows form {counted(sizes['number'], 'class', 'classes')} of {sizes['least']:,} to {sizes['largest']:,}.",
        f"{suppressed:,} of {rows} are suppressed." if suppressed else "No row is suppressed.",
    )


DOSSIER = DossierParts(revealed, example, kept, pictures=(1, 2))
