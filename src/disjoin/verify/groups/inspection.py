"""Invariants of groups, and P2, P3, P5: the privacy degree of every group."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model import Groups, PrivacyDegree, Transactions, Verdict
from disjoin.model.ragged import Flags, Ints64
from disjoin.verify.forest import MOST_RECORDS, groups, summed, sums_by_row
from disjoin.verify.groups import original, shape
from disjoin.verify.groups.shape import GroupArrays, in_group
from disjoin.verify.inspection import THRESHOLD, Finding, Inspection, Known, invariants_of, verdict_of
from disjoin.verify.source import Source, is_among, words_of
from disjoin.verify.table.classes import largest_share

INVARIANTS = invariants_of("groups")
ALONE = tuple(each.name for each in INVARIANTS if each.needs == "release")


def inspect_groups(published: Groups, guarantee: PrivacyDegree, known: Known) -> Verdict:
    """Verify groups, exactly: P1-P5, with the original also Q1-Q4, with the map group by group."""
    if known.exact:
        raise InvalidParameter("the exact check is for clusters; all checks of groups are exact. Leave it out.")
    findings = shape.check_readable(published)
    if findings:
        return verdict_of(published, guarantee, findings, ["P1"], {})
    arrays = GroupArrays.of(published)
    listed = arrays.names.take(pa.array(np.unique(arrays.sensitive_items))).to_pylist()
    is_sensitive = is_among(arrays.names, (*guarantee.sensitive, *listed))  # named by a group or the guarantee
    findings = shape.check_structure(published.vocabulary, arrays)
    is_well_formed = not findings
    findings += check_apart(arrays, is_sensitive)
    findings += check_degree(arrays, guarantee)
    disorder = shape.check_order_inside(arrays)
    # Groups are ordered by their contents, which must be in order first.
    findings += shape.check_order_between(arrays) if is_well_formed and not disorder else disorder
    findings += check_possible(arrays)
    checked = list(ALONE)
    if isinstance(known.original, Transactions):
        source = Source.of(known.original, arrays.names, known.part_of_record, known.suppressed_records)
        found, source = original.check_extent(source, arrays)
        findings += found
        checked += ["Q1", "Q2"]
        if is_well_formed:
            named = (*guarantee.sensitive, *arrays.names.filter(pa.array(is_sensitive)).to_pylist())
            expected = original.Expected.of(source, arrays, is_sensitive, named)
            findings += original.check_records(expected, arrays)
            findings += original.check_sensitive_counts(expected, arrays)
            checked += ["Q3", "Q4"]
    facts = {"degree": _degree(arrays), "bare_records": int(arrays.counts[arrays.is_bare].sum())}
    return verdict_of(published, guarantee, findings, checked, facts)


def check_apart(arrays: GroupArrays, is_sensitive: Flags) -> list[Finding]:
    """P2: no record shows a sensitive item among its ordinary ones."""
    shown = np.flatnonzero(is_sensitive[arrays.items])
    rows = np.searchsorted(arrays.item_offsets, shown, side="right") - 1
    message = "a sensitive item, in some spelling, is among the ordinary items of its records."
    return [
        in_group("P2", message, group, arrays.terms(np.unique(arrays.items[shown[those]])))
        for group, those in groups(arrays.record_groups[rows])
    ]


def _held(arrays: GroupArrays) -> tuple[Ints64, Ints64, Ints64]:
    """Return how often each sensitive item, all spellings together, is in each group: groups, items, counts."""
    terms = max(1, len(arrays.names))
    there, places = np.unique(arrays.sensitive_items, return_inverse=True)
    words = words_of(arrays.names.take(pa.array(there)).to_pylist())
    keys, entries = np.unique(
        arrays.sensitive_groups * terms + there[words[places]].astype(np.int64), return_inverse=True
    )
    return keys // terms, keys % terms, summed(entries, arrays.sensitive_counts, keys.size)


def check_degree(arrays: GroupArrays, guarantee: PrivacyDegree) -> list[Finding]:
    """P3: in every group the count of a sensitive item, times p, is at most the size."""
    p = min(guarantee.p, MOST_RECORDS + 1)  # no group has that many records, so a larger p has the same result
    owners, items, counts = _held(arrays)
    sizes = arrays.sizes[owners]
    # Counts are integers: division (rounded down) is as exact as multiplication, and cannot overflow.
    return [
        in_group(
            "P3",
            f"{counts[entry]} of its {sizes[entry]} records {'has' if counts[entry] == 1 else 'have'} the sensitive "
            f"item, but at most one in {guarantee.p} may.",
            owners[entry],
            arrays.terms(items[[entry]]),
        )
        for entry in np.flatnonzero(counts > sizes // p)
    ]


def check_possible(arrays: GroupArrays) -> list[Finding]:
    """P5: sensitive items can be assigned to records, each at most once per record, so that none is empty.

    That is possible if and only if no item occurs more often than there are records, and there are at least as many
    sensitive items as records without ordinary items.
    """
    sizes = arrays.sizes[arrays.sensitive_groups]
    findings = [
        in_group(
            "P5",
            f"a sensitive item is in {arrays.sensitive_counts[entry]} records of {sizes[entry]}.",
            arrays.sensitive_groups[entry],
            arrays.terms(arrays.sensitive_items[[entry]]),
        )
        for entry in np.flatnonzero(arrays.sensitive_counts > sizes)
    ]
    bare = sums_by_row(arrays.record_offsets, np.where(arrays.is_bare, arrays.counts, 0))
    secrets = sums_by_row(arrays.sensitive_offsets, arrays.sensitive_counts)
    return findings + [
        in_group(
            "P5",
            f"{bare[group]} records have no ordinary items and need a sensitive one each, but there are "
            f"{secrets[group]}.",
            group,
        )
        for group in np.flatnonzero(bare > secrets)
    ]


def _degree(arrays: GroupArrays) -> list[int] | None:
    """Return the least quotient of a group's size and a sensitive count, exactly; None without sensitive items."""
    owners, _, counts = _held(arrays)
    sizes, counts = arrays.sizes[owners[counts >= 1]], counts[counts >= 1]
    return list((-largest_share(-sizes, counts)).as_integer_ratio()) if counts.size else None  # a size may be 0


def unseen(verdict: Verdict) -> list[str]:
    if not verdict.facts.get("bare_records"):
        return []
    return [
        f"Not covered: records without ordinary items ({verdict.facts['bare_records']:,}). An attacker who "
        "knows that a person has none knows that they have a sensitive item."
    ]


FACTS = ("degree", "bare_records")  # facts about the tables alone
INSPECTION = Inspection((PrivacyDegree,), Transactions, inspect_groups, (*INVARIANTS, *THRESHOLD), FACTS, unseen)
