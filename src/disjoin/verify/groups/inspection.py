"""Invariants of groups."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model import Groups, PrivacyDegree, Transactions, Verdict
from disjoin.model.ragged import Flags
from disjoin.verify.group_arrays import Crowds
from disjoin.verify.groups import original as group_original
from disjoin.verify.groups import privacy_degree
from disjoin.verify.groups import shape as group_shape
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Invariant, Known
from disjoin.verify.source import Source

INVARIANTS = (
    Invariant(
        "P1", "The tables are well formed: sizes and counts are at least 1 and add up, nothing is repeated or unknown."
    ),
    Invariant("P2", "No sensitive item is among the ordinary items of any record."),
    Invariant("P3", "In every group, at most one record in {p} has the same sensitive item."),
    Invariant("P4", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant("P5", "At least one original can be put together from the groups."),
    Invariant("Q1", "The groups account for every record of the original.", "original", "fit"),
    Invariant("Q2", "No term of the original is missing and none is new.", "original", "fit"),
    Invariant(
        "Q3", "The records, without their sensitive items, are exactly those of the original.", "original", "fit"
    ),
    Invariant("Q4", "The sensitive items occur exactly as often as in the original.", "original", "fit"),
)

ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")


def inspect_groups(published: Groups, guarantee: PrivacyDegree, known: Known) -> Verdict:
    """Inspect groups of records: P1-P5, with the original also Q1-Q4, with the map group by group.

    All of it is exact, so there is no other, exact check to ask for.
    """
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; every check of groups is exact already.")
    inspection = _Inspection(published, guarantee)
    if inspection.read_alone() and isinstance(known.original, Transactions):
        names = inspection.crowds.names
        inspection.compare_with(Source.of(known.original, names, known.part_of_record, known.suppressed_records))
    violations = tuple(finding.violation() for finding in inspection.findings)
    return Verdict(guarantee, (*published.anomalies, *violations), tuple(inspection.checked), inspection.facts)


class _Inspection:
    """One inspection under way: what was found, what was checked, what was measured."""

    crowds: Crowds
    is_sensitive: Flags

    def __init__(self, published: Groups, guarantee: PrivacyDegree) -> None:
        self.published = published
        self.guarantee = guarantee
        self.findings: list[Finding] = []
        self.checked: list[str] = ["P1"]
        self.facts: dict[str, Any] = {}

    def read_alone(self) -> bool:
        """P1-P5, the release alone; return whether it could be read at all."""
        self.findings += group_shape.check_readable(self.published)
        if self.findings:
            return False
        self.crowds = crowds = Crowds.of(self.published)
        self.is_sensitive = privacy_degree.mark_sensitive(crowds, self.guarantee)
        self.findings += group_shape.check_structure(self.published.vocabulary, crowds)
        self.findings += privacy_degree.check_apart(crowds, self.is_sensitive)
        self.findings += privacy_degree.check_degree(crowds, self.guarantee)
        self.findings += self._disorder()
        self.findings += privacy_degree.check_possible(crowds)
        self.facts |= privacy_degree.facts_of(crowds)
        self.checked = list(ALONE)
        return True

    def _disorder(self) -> list[Finding]:
        """P4; the order of the groups is that of their contents, which must be in order themselves."""
        inside = group_shape.check_order_inside(self.crowds)
        if inside or not self._is_well_formed():
            return inside
        return group_shape.check_order_between(self.crowds)

    def compare_with(self, source: Source) -> None:
        """Q1-Q4, the release against its original; a map that leads nowhere is not followed."""
        self.findings += group_original.check_record_count(source, self.crowds)
        if source.leaves is not None:
            strayed, usable = group_original.check_map(source, self.crowds)
            self.findings += strayed
            source = source if usable else replace(source, leaves=None)
        self.findings += group_original.check_terms(source, self.crowds)
        self.checked += ["Q1", "Q2"]
        if self._is_well_formed():
            listed = self.crowds.names.filter(pa.array(self.is_sensitive)).to_pylist()
            named = (*self.guarantee.sensitive, *listed)
            expected = group_original.Expected.of(source, self.crowds, self.is_sensitive, named)
            self.findings += group_original.check_records(expected, self.crowds)
            self.findings += group_original.check_sensitive_counts(expected, self.crowds)
            self.checked += ["Q3", "Q4"]

    def _is_well_formed(self) -> bool:
        return not any(finding.invariant == "P1" for finding in self.findings)


def unseen(verdict: Verdict) -> list[str]:
    """Say which records the promise does not cover."""
    if not verdict.facts.get("bare_records"):
        return []
    return [
        f"Not covered: records without ordinary items ({verdict.facts['bare_records']:,}). Anyone who knows that "
        "somebody has none knows that they have a sensitive item."
    ]


FACTS = ("degree", "bare_records")  # about the tables alone
INSPECTION = Inspection((PrivacyDegree,), Transactions, inspect_groups, (*INVARIANTS, *THRESHOLD), FACTS, unseen)
