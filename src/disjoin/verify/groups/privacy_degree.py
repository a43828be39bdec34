"""P2, P3, P5: the privacy degree of every group."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.model import PrivacyDegree
from disjoin.model.ragged import Flags, Ints64
from disjoin.verify.chunks import sums_by_row
from disjoin.verify.forest import MOST_RECORDS, groups, summed
from disjoin.verify.groups.shape import Crowds, in_group
from disjoin.verify.inspection import Finding
from disjoin.verify.source import is_among, words_of


def mark_sensitive(crowds: Crowds, guarantee: PrivacyDegree) -> Flags:
    """Return for every term whether a group lists it as sensitive, or the guarantee names it, in whatever spelling."""
    listed = crowds.names.take(pa.array(np.unique(crowds.sensitive_items))).to_pylist()
    return is_among(crowds.names, (*guarantee.sensitive, *listed))


def check_apart(crowds: Crowds, is_sensitive: Flags) -> list[Finding]:
    """P2: no record shows a sensitive item among its ordinary ones."""
    shown = np.flatnonzero(is_sensitive[crowds.items])
    rows = np.searchsorted(crowds.item_offsets, shown, side="right") - 1
    message = "a sensitive item is among the ordinary items of its records, where none may be in any spelling."
    return [
        in_group("P2", message, group, crowds.terms(np.unique(crowds.items[shown[those]])))
        for group, those in groups(crowds.record_groups[rows])
    ]


def _held(crowds: Crowds) -> tuple[Ints64, Ints64, Ints64]:
    """Return how often each sensitive item, all spellings added, is in each group: groups, items, counts."""
    terms = max(1, len(crowds.names))
    there, places = np.unique(crowds.sensitive_items, return_inverse=True)
    words = words_of(crowds.names.take(pa.array(there)).to_pylist())
    keys, entries = np.unique(
        crowds.sensitive_groups * terms + there[words[places]].astype(np.int64), return_inverse=True
    )
    return keys // terms, keys % terms, summed(entries, crowds.sensitive_counts, keys.size)


def check_degree(crowds: Crowds, guarantee: PrivacyDegree) -> list[Finding]:
    """P3: in every group the count of a sensitive item, times p, is at most the size."""
    p = min(guarantee.p, MOST_RECORDS + 1)  # no group has that many records: a larger p breaks as often
    owners, items, counts = _held(crowds)
    sizes = crowds.sizes[owners]
    # A count is a whole number: to divide (rounding down) is as exact as to multiply, and cannot wrap around.
    return [
        in_group(
            "P3",
            f"{counts[entry]} of its {sizes[entry]} records {'has' if counts[entry] == 1 else 'have'} the sensitive "
            f"item, at most one in {guarantee.p} may.",
            owners[entry],
            crowds.terms(items[[entry]]),
        )
        for entry in np.flatnonzero(counts > sizes // p)
    ]


def check_possible(crowds: Crowds) -> list[Finding]:
    """P5: sensitive items can be dealt out to the records, each at most once to a record, so that none is empty.

    That can be done if and only if no item is there more often than records are, and those without ordinary items are
    no more than there are sensitive items to give.
    """
    sizes = crowds.sizes[crowds.sensitive_groups]
    findings = [
        in_group(
            "P5",
            f"a sensitive item is in {crowds.sensitive_counts[entry]} records of {sizes[entry]}.",
            crowds.sensitive_groups[entry],
            crowds.terms(crowds.sensitive_items[[entry]]),
        )
        for entry in np.flatnonzero(crowds.sensitive_counts > sizes)
    ]
    bare = sums_by_row(crowds.record_offsets, np.where(crowds.is_bare, crowds.counts, 0))
    secrets = sums_by_row(crowds.sensitive_offsets, crowds.sensitive_counts)
    return findings + [
        in_group(
            "P5",
            f"{bare[group]} records have no ordinary items and need a sensitive one each, but there are "
            f"{secrets[group]}.",
            group,
        )
        for group in np.flatnonzero(bare > secrets)
    ]


def facts_of(crowds: Crowds) -> dict[str, Any]:
    return {"degree": _degree(crowds), "bare_records": int(crowds.counts[crowds.is_bare].sum())}


def _degree(crowds: Crowds) -> list[int] | None:
    """Return the least quotient of a group's size and a sensitive count, exactly; None if nothing is sensitive."""
    owners, _, counts = _held(crowds)
    sizes, counts = crowds.sizes[owners[counts >= 1]], counts[counts >= 1]
    if not counts.size:
        return None
    quotients = sizes / counts
    least = float(quotients.min())
    close = quotients <= least + abs(least) * 1e-9  # floating point chooses who is compared exactly
    pairs = set(zip(sizes[close].tolist(), counts[close].tolist(), strict=True))
    degree = min(Fraction(size, count) for size, count in pairs)
    return [degree.numerator, degree.denominator]
