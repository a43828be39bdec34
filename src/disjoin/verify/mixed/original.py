"""O1-O7 and W1-W3: mixed data compared with the original people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disjoin.model import Clusters, Mixed, MixedAnonymity, MixedRecords, Table
from disjoin.model.ragged import Ints64, offsets_of
from disjoin.verify.clusters.inspection import inspect_clusters
from disjoin.verify.inspection import Finding, Known
from disjoin.verify.source import Source, misfit
from disjoin.verify.table.assignment import check_assignment
from disjoin.verify.table.original import Comparison, check_cells

OF_CLUSTERS = ("O1", "O2", "O3", "O4", "O5", "O6", "O7")


@dataclass(slots=True)
class Compared:
    """Findings, violations and facts of a comparison."""

    findings: list[Finding]
    violations: list[Any]  # violations of the clusters, as text
    checked: list[str]
    facts: dict[str, Any]


def compare(published: Mixed, whole: Clusters, guarantee: MixedAnonymity, known: Known, found: Compared) -> None:
    """Compare the clusters (`whole`: with the terms published with rows) and the rows with the original."""
    original = known.original
    assert isinstance(original, MixedRecords), "needs an original"
    parts = known.part_of_record
    findings = _extent(published, original, known.suppressed_records)
    if parts is not None:
        strayed = _map(published, original, parts)
        findings += strayed
        parts = None if strayed else parts
    found.findings += findings
    found.checked.append("W1")
    _compare_clusters(published, whole, guarantee, replace(known, part_of_record=parts), found)
    comparison = Comparison.of(published.rows, original.table, published.quasi, known.suppressed_records)
    if parts is not None:
        found.findings += [each._replace(invariant="W2") for each in check_cells(comparison, parts)]
        found.findings += _standing(published, original, parts)
        found.checked.append("W2")
    elif not findings:
        outcome = check_assignment(_expanded(comparison, published))
        found.findings += [each._replace(invariant="W3") for each in outcome.findings]
        found.facts["W3"] = outcome.facts
        found.checked += ["W3"] if outcome.decided else []


def _extent(published: Mixed, original: MixedRecords, suppressed: int) -> list[Finding]:
    """W1: as many people, only columns of the original, and no empty record if the guarantee states so."""
    findings = []
    if published.n_records + suppressed != len(original):
        left_out = f" and {suppressed} left out" if suppressed else ""
        findings.append(Finding("W1", f"{published.n_records} people published{left_out}, but {len(original)} given."))
    new = [name for name in published.rows.schema.names if name not in original.table.schema.names]
    return findings + [Finding("W1", f"column {name!r} is not in the original.") for name in new]


def _map(published: Mixed, original: MixedRecords, parts: Ints64) -> list[Finding]:
    """W1: the map sends every person to one row, or to none (-1), and to each row as many as its count."""
    n = len(published.rows)
    if unfit := misfit(parts, "people", len(original), "W1", "row", n):
        return unfit
    times = np.bincount(parts[parts >= 0], minlength=n)
    wrong = np.flatnonzero(times != published.people.counts)
    return [
        Finding("W1", f"{times[row]} people have it, but its count is {published.people.counts[row]}.", row, part="row")
        for row in wrong[:1].tolist()
    ]


def _compare_clusters(
    published: Mixed, whole: Clusters, guarantee: MixedAnonymity, known: Known, found: Compared
) -> None:
    """O1-O7 and V11 of the people with terms; how many must have one was checked without the original."""
    original, parts = known.original, known.part_of_record
    assert isinstance(original, MixedRecords), "needs an original"
    lengths = np.diff(original.records.offsets)
    has_terms = lengths > 0
    data = replace(original.records, offsets=offsets_of(lengths[has_terms]))
    leaves = None if parts is None else np.where(parts >= 0, published.leaves[parts], -1)[has_terms]
    known = replace(known, original=data, part_of_record=leaves)
    verdict = inspect_clusters(whole, guarantee.of_terms, known, spared=whole.sizes)
    mine = [name for name in OF_CLUSTERS if name != "O1" or len(data) == len(original)]
    found.violations += [each for each in verdict.violations if each.invariant in mine]
    found.violations += [each for each in verdict.violations if each.invariant == "V11" and "1 in" in each.message]
    found.checked += [name for name in verdict.checked if name in mine]
    found.facts |= {name: verdict.facts[name] for name in ("O7", "true_association") if name in verdict.facts}


def _standing(published: Mixed, original: MixedRecords, parts: Ints64) -> list[Finding]:
    """W2: a row has exactly those of the cluster's row terms that each of its people has."""
    people = published.people
    if not people.items.size:
        return []
    source = Source.of(original.records, people.vocabulary, None, 0)
    domains: dict[int, set[int]] = {}
    for entry in np.flatnonzero(np.diff(people.offsets)).tolist():
        domains.setdefault(int(published.leaves[entry]), set()).update(people.sets[entry].tolist())
    for person in np.flatnonzero(parts >= 0).tolist():
        entry = int(parts[person])
        domain = domains.get(int(published.leaves[entry]))
        if domain is None:
            continue
        has = domain.intersection(source.items[source.offsets[person] : source.offsets[person + 1]].tolist())
        if has != set(people.sets[entry].tolist()):
            return [Finding("W2", "a person has other terms than those published with the row.", entry, part="row")]
    return []


def _expanded(comparison: Comparison, published: Mixed) -> Comparison:
    table, counts = comparison.published, published.people.counts
    codes = tuple(np.repeat(column, counts) for column in table.codes)
    whole = Table(table.schema, codes, table.values, table.hierarchies)
    return replace(comparison, published=whole)
