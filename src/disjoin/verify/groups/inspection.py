"""Invariants of groups."""

from __future__ import annotations

import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model import Groups, PrivacyDegree, Transactions, Verdict
from disjoin.verify.groups import original, privacy_degree, shape
from disjoin.verify.inspection import THRESHOLD, Inspection, Invariant, Known, fit, verdict_of
from disjoin.verify.source import Source

INVARIANTS = (
    Invariant(
        "P1", "The tables are well formed: sizes and counts are at least 1 and add up, nothing is repeated or unknown."
    ),
    Invariant("P2", "No sensitive item is among the ordinary items of any record."),
    Invariant("P3", "In every group, at most one record in {p} has the same sensitive item."),
    Invariant("P4", "Everything is sorted, so that the order tells nothing about the original."),
    Invariant("P5", "At least one original can be put together from the groups."),
    fit("Q1", "The groups account for every record of the original."),
    fit("Q2", "No term of the original is missing and none is new."),
    fit("Q3", "The records, without their sensitive items, are exactly those of the original."),
    fit("Q4", "The sensitive items occur exactly as often as in the original."),
)

ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")


def inspect_groups(published: Groups, guarantee: PrivacyDegree, known: Known) -> Verdict:
    """Inspect groups, exactly: P1-P5, with the original also Q1-Q4, with the map group by group."""
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; every check of groups is exact already.")
    findings = shape.check_readable(published)
    if findings:
        return verdict_of(published, guarantee, findings, ["P1"], {})
    crowds = shape.Crowds.of(published)
    is_sensitive = privacy_degree.mark_sensitive(crowds, guarantee)
    findings = shape.check_structure(published.vocabulary, crowds)
    is_well_formed = not findings
    findings += privacy_degree.check_apart(crowds, is_sensitive)
    findings += privacy_degree.check_degree(crowds, guarantee)
    disorder = shape.check_order_inside(crowds)
    # The order of the groups is that of their contents, which must be in order themselves.
    findings += shape.check_order_between(crowds) if is_well_formed and not disorder else disorder
    findings += privacy_degree.check_possible(crowds)
    checked = list(ALONE)
    if isinstance(known.original, Transactions):
        source = Source.of(known.original, crowds.names, known.part_of_record, known.suppressed_records)
        found, source = original.check_extent(source, crowds)
        findings += found
        checked += ["Q1", "Q2"]
        if is_well_formed:
            named = (*guarantee.sensitive, *crowds.names.filter(pa.array(is_sensitive)).to_pylist())
            expected = original.Expected.of(source, crowds, is_sensitive, named)
            findings += original.check_records(expected, crowds)
            findings += original.check_sensitive_counts(expected, crowds)
            checked += ["Q3", "Q4"]
    return verdict_of(published, guarantee, findings, checked, privacy_degree.facts_of(crowds))


def unseen(verdict: Verdict) -> list[str]:
    if not verdict.facts.get("bare_records"):
        return []
    return [
        f"Not covered: records without ordinary items ({verdict.facts['bare_records']:,}). Anyone who knows that "
        "somebody has none knows that they have a sensitive item."
    ]


FACTS = ("degree", "bare_records")  # about the tables alone
INSPECTION = Inspection((PrivacyDegree,), Transactions, inspect_groups, (*INVARIANTS, *THRESHOLD), FACTS, unseen)
