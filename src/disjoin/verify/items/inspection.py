"""Invariants of generalised items."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from disjoin.errors import InvalidParameter
from disjoin.model import GeneralizedItems, KmAnonymity, Transactions, Verdict
from disjoin.verify import rows as row_shape
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Invariant, Known
from disjoin.verify.items import cut as item_cut
from disjoin.verify.items import guarantee as item_guarantee
from disjoin.verify.items import original as item_original
from disjoin.verify.items.cut import Cut
from disjoin.verify.rows import Rows
from disjoin.verify.source import Source

INVARIANTS = (
    Invariant("A1", "The tables are well formed: counts are at least 1, nothing is empty, repeated or unknown."),
    Invariant("A2", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant(
        "A3", "Every leaf of the hierarchy is published as itself or as something above it, and all leaves are listed."
    ),
    Invariant("A4", "Where a term is published as something above it, so is every term below that."),
    Invariant("A5", "The records hold nothing but what terms are published as."),
    Invariant("A6", "A combination of up to {m} terms is in at least {k} records, or in none."),
    Invariant("B1", "There are as many records as in the original.", "original", "fit"),
    Invariant("B2", "Every term of the original is a leaf of the hierarchy.", "original", "fit"),
    Invariant(
        "B3",
        "The records are exactly those of the original, with every term replaced by what it is published as.",
        "original",
        "fit",
    ),
)

ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")


def inspect_items(published: GeneralizedItems, guarantee: KmAnonymity, known: Known) -> Verdict:
    """Inspect generalised records: A1-A6, with the original also B1-B3, with the map record by record.

    All of it is exact, so there is no other, exact check to ask for.
    """
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; every check of generalised records is exact already.")
    inspection = _Inspection(published, guarantee)
    left_out = 0 if guarantee.min_people is not None else known.suppressed_records  # records of rare terms only
    if inspection.read_alone(left_out) and isinstance(known.original, Transactions):
        names = inspection.rows.names
        inspection.compare_with(Source.of(known.original, names, known.part_of_record, known.suppressed_records))
    violations = tuple(finding.violation() for finding in inspection.findings)
    return Verdict(guarantee, (*published.anomalies, *violations), tuple(inspection.checked), inspection.facts)


class _Inspection:
    """One inspection under way: what was found, what was checked, what was measured."""

    rows: Rows
    cut: Cut

    def __init__(self, published: GeneralizedItems, guarantee: KmAnonymity) -> None:
        self.published = published
        self.guarantee = guarantee
        self.findings: list[Finding] = []
        self.checked: list[str] = ["A1"]
        self.facts: dict[str, Any] = {}

    def read_alone(self, suppressed: int) -> bool:
        """A1-A6, the release alone; return whether it could be read at all."""
        published, vocabulary = self.published, self.published.records.vocabulary
        self.findings += row_shape.check_readable(published.records, "A1") + item_cut.check_readable(published)
        if self.findings:
            return False
        self.rows, self.cut = Rows.of(published.records), Cut.of(published)
        self.findings += _left_out(self.rows, suppressed)
        self.findings += row_shape.check_structure(vocabulary, self.rows, "A1")
        self.findings += item_cut.check_mapping_shape(published)
        self.findings += row_shape.check_order(vocabulary, self.rows, "A2")
        self.findings += item_cut.check_orders(published)
        self.findings += item_cut.check_mapping(self.cut)
        self.findings += item_cut.check_subtrees(self.cut)
        self.findings += item_cut.check_records_in_cut(self.rows, self.cut)
        self._keep_guarantee()
        self.checked = list(ALONE)
        return True

    def _keep_guarantee(self) -> None:
        """A6, and what the records keep, whatever was promised."""
        tidied = self.rows.tidied()
        rarest = item_guarantee.rarest_set(tidied, self.guarantee.m)
        self.findings += item_guarantee.check_guarantee(tidied, rarest, self.guarantee)
        self.facts["smallest_support"] = None if rarest is None else rarest.support
        self.facts["generalised_terms"] = self.cut.n_generalised()

    def compare_with(self, source: Source) -> None:
        """B1-B3, the release against its original; a map that leads nowhere is not followed."""
        self.findings += item_original.check_record_count(source, self.rows)
        if source.leaves is not None:
            strayed, usable = item_original.check_map(source, self.rows)
            self.findings += strayed
            source = source if usable else replace(source, leaves=None)
        self.findings += item_original.check_terms(source, self.published.hierarchy)
        self.checked += ["B1", "B2"]
        if not any(finding.invariant == "A1" for finding in self.findings):
            self.findings += item_original.check_records(source, self.rows, self.cut)
            self.checked.append("B3")


def _left_out(rows: Rows, suppressed: int) -> list[Finding]:
    """A1: there are records, and as generalising leaves none out, none is said to be left out."""
    findings = [] if len(rows) else [Finding("A1", "there is no record, so nothing is published.")]
    if suppressed:
        message = f"{suppressed} records are said to be suppressed, and generalising leaves none out."
        findings.append(Finding("A1", message))
    return findings


FACTS = ("smallest_support", "generalised_terms")  # about the tables alone
INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_items, (*INVARIANTS, *THRESHOLD), FACTS)
