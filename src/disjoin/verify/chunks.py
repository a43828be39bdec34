"""Checks V2-V9 of chunks: disjoint domains, sizes, k^m-anonymity."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter
from disjoin.model import KmAnonymity
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.verify.counting import itemsets
from disjoin.verify.forest import AT_ONCE, Forest, groups
from disjoin.verify.inspection import SHOWN, Finding


def longest_row(offsets: Ints64) -> int:
    """Return the length of the longest row, 0 without rows.

    >>> longest_row(np.array([0, 2, 5]))
    3
    """
    pieces = (offsets[at : at + AT_ONCE + 1] for at in range(0, offsets.size - 1, AT_ONCE))
    return max((int(np.diff(piece).max(initial=0)) for piece in pieces), default=0)


def check_chunk_sizes(forest: Forest) -> list[Finding]:
    """V2: no chunk has more subrecords than its node has records."""
    room = forest.sizes[forest.chunk_nodes]
    return [
        forest.finding("V2", f"{forest.domains.chunk_sizes[c]} subrecords for {room[c]} records.", c)
        for c in np.flatnonzero(forest.domains.chunk_sizes > room)
    ]


def check_disjoint(forest: Forest) -> list[Finding]:
    """V3 in leaves, V4 in joints: no term is in two chunks of a node, or in a chunk and the leaf's term chunk."""
    findings = []
    entries = np.flatnonzero(forest.domains.repeated)
    for chunk, those in groups(forest.domains.chunks[entries]):
        kind, invariant = ("shared", "V4") if forest.is_joint[forest.chunk_nodes[chunk]] else ("record", "V3")
        twice = forest.domains.terms[entries[those][:SHOWN]]
        findings.append(forest.finding(invariant, f"an earlier {kind} chunk has the same terms.", chunk, twice))
    entries = np.flatnonzero(forest.domains.in_chunk)
    nodes = np.searchsorted(forest.term_offsets, entries, side="right") - 1
    for node, those in groups(nodes):
        if forest.is_leaf[node]:
            both = forest.terms(forest.term_items[entries[those][:SHOWN]])
            message = "its term chunk and its record chunks have terms in common."
            findings.append(Finding("V3", message, node, example=both))
    return findings


def in_chunks(forest: Forest, entries: Ints64, invariant: str, message: str) -> list[Finding]:
    return [
        forest.finding(invariant, message, chunk, forest.domains.terms[entries[those][:SHOWN]])
        for chunk, those in groups(forest.domains.chunks[entries])
    ]


COSTLY = 10_000_000.0  # with more combinations in a chunk, a search for terms that always occur together pays,
PER_ITEM = 20  # if there are this many per item: the search takes as long as counting a dozen


def check_combinations(forest: Forest, guarantee: KmAnonymity) -> list[Finding]:
    """V5 and V8, first half: chunks are k^m-anonymous. Only sets in subrecords with counts below k can be rare."""
    if guarantee.m == 1:
        return _rare_terms(forest, guarantee.k)
    weak = forest.chunks_below(guarantee.k)
    items = np.diff(forest.item_offsets[forest.subrecord_offsets])
    costly = _combinations(forest, guarantee.m)[weak] > np.maximum(COSTLY, PER_ITEM * items[weak])
    findings = _search(forest, weak[~costly], guarantee)
    for chunk in weak[costly]:
        findings += _search(without_twins(forest, int(chunk)), np.array([chunk]), guarantee)
    return sorted(findings, key=lambda finding: (finding.node, finding.chunk))


def check_property_one(forest: Forest, meets: Flags, guarantee: KmAnonymity) -> list[Finding]:
    """V8, second half: in a shared chunk that meets T^r every distinct subrecord occurs k times (k-anonymity)."""
    findings = []
    for chunk in np.flatnonzero(meets):
        first, last = forest.subrecord_offsets[chunk], forest.subrecord_offsets[chunk + 1]
        lightest = int(first + np.argmin(forest.counts[first:last]))
        count = forest.counts[lightest]
        if count < guarantee.k:
            message = f"a subrecord occurs only {count}x, but chunks below have terms of this chunk."
            findings.append(forest.finding("V8", message, chunk, forest.subrecord(lightest)))
    return findings


def without_twins(forest: Forest, chunk: int) -> Forest:
    """Return a forest with only `chunk`, which has one of the terms that are in exactly the same subrecords.

    A combination has the same support if a term is replaced by its twin, or a second twin is dropped: the chunk is
    k^m-anonymous with twins if and only if it is without.
    """
    first, last = int(forest.subrecord_offsets[chunk]), int(forest.subrecord_offsets[chunk + 1])
    start, stop = forest.item_offsets[first], forest.item_offsets[last]
    items: Ints32 = forest.items[start:stop]
    rows = np.repeat(np.arange(last - first), np.diff(forest.item_offsets[first : last + 1]))
    chosen = one_of_twins(rows, items, len(forest.names))[items]
    alone = np.zeros(forest.subrecord_offsets.size, dtype=np.int64)
    alone[chunk + 1 :] = last - first
    return replace(
        forest,
        subrecord_offsets=alone,
        item_offsets=offsets_of(np.bincount(rows[chosen], minlength=last - first)),
        items=items[chosen],
        counts=forest.counts[first:last],
    )


def one_of_twins(rows: Ints64, items: Ints32, terms: int) -> Flags:
    """Return for every term whether it is the first of those that are in exactly the same rows; `rows` ascend."""
    supports = np.bincount(items, minlength=terms)
    kept = supports > 0
    suspects = _may_be_twins(rows, items, supports)
    those = np.flatnonzero(suspects[items])
    by_term = those[np.argsort(items[those], kind="stable")]
    seen: set[bytes] = set()
    for term, entries in groups(items[by_term].astype(np.int64)):
        where = rows[by_term[entries]].tobytes()
        kept[term] = where not in seen
        seen.add(where)
    return kept


def _may_be_twins(rows: Ints64, items: Ints32, supports: Ints64) -> Flags:
    """Return for every term whether another one has as many rows and the same sum of the random codes of its rows."""
    codes = np.random.default_rng(len(supports)).random(int(rows.max(initial=0)) + 1)
    sums = np.bincount(items, weights=codes[rows], minlength=supports.size)
    _, group, times = np.unique(np.column_stack((supports, sums)), axis=0, return_inverse=True, return_counts=True)
    return np.asarray(times[group.reshape(-1)] > 1)


def combinations_of(length: int, m: int) -> int:
    """Return the number of sets of 1 to m terms of a record of some length.

    >>> combinations_of(3, 2), combinations_of(3, 5)
    (6, 7)
    """
    if m >= length:
        return int(2**length) - 1
    return sum(comb(length, size) for size in range(1, m + 1))


def combinations_in(lengths: Ints64, m: int) -> NDArray[np.float64]:
    """Return for records of these lengths the number of sets of 1 to m terms of each; at most 10^18."""
    table = np.zeros(int(lengths.max(initial=0)) + 1)
    for length in np.flatnonzero(np.bincount(lengths)).tolist():
        table[length] = min(10**18, combinations_of(length, m))
    return np.asarray(table[lengths])


def _combinations(forest: Forest, m: int) -> NDArray[np.float64]:
    """Return for every chunk the number of combinations of up to m terms in its subrecords, repeats included."""
    lengths = np.diff(forest.item_offsets)
    running = np.zeros(lengths.size + 1)
    np.cumsum(combinations_in(lengths, m), out=running[1:])
    return np.asarray(running[forest.subrecord_offsets[1:]] - running[forest.subrecord_offsets[:-1]])


def _rare_terms(forest: Forest, k: int) -> list[Finding]:
    domains = forest.domains
    rare = np.flatnonzero(domains.supports < k)
    findings = []
    for chunk, those in groups(domains.chunks[rare]):
        worst = rare[those][np.argmin(domains.supports[rare[those]])]
        found = those.stop - those.start
        findings.append(_finding(forest, chunk, domains.terms[[worst]], int(domains.supports[worst]), found, k))
    return findings


def find_rare(
    forest: Forest, chunks: Ints64, k: int, m: int, most: int | None = None, *, one: bool = False
) -> tuple[Ints64, Ints32]:
    """Return the first two of `rare_itemsets_of`; raise if the search ended early without a finding."""
    worst, examples, is_done = rare_itemsets_of(forest.bags, len(forest.names), chunks, k, m, most, one=one)
    if not is_done and not worst.any():
        raise undecided(examples.shape[1])
    return worst, examples


def rare_itemsets_of(
    bags: tuple[Ints64, Ints64, Ints32, Ints64],
    terms: int,
    chunks: Ints64,
    k: int,
    m: int,
    most: int | None = None,
    *,
    one: bool = False,
) -> tuple[Ints64, Ints32, bool]:
    """Search some chunks for itemsets of up to m >= 2 terms that occur fewer than k times, or for `one` of them.

    Returns, by chunk, (number, least support, example's length), the examples, and whether the search was complete.
    """
    subrecord_offsets, item_offsets, _, _ = bags
    first, last = subrecord_offsets[chunks], subrecord_offsets[chunks + 1]
    most_items = int((item_offsets[last] - item_offsets[first]).max(initial=0))
    m = max(2, min(m, longest_row(item_offsets)))
    room = int((last - first).max(initial=0)) + m * most_items
    suffixes, extensions = np.empty((3, room), dtype=np.int64), np.empty((4, room), dtype=np.int64)
    scratch, frames = np.zeros((3, terms), dtype=np.int64), np.empty((4, m), dtype=np.int64)
    worst: Ints64 = np.zeros((3, chunks.size), dtype=np.int64)
    examples = np.zeros((chunks.size, m), dtype=np.int32)
    tables = (suffixes, extensions, scratch, frames)
    found = (worst, examples, np.empty(m, dtype=np.int32))
    return worst, examples, itemsets.search(chunks, bags, k, tables, found, most or itemsets.MOST_STEPS, one=one)


def undecided(m: int) -> InvalidParameter:
    what = f"whether every combination of up to {m} terms is frequent enough"
    why = f"that takes more than {itemsets.MOST_STEPS:,} steps"
    return InvalidParameter(f"it cannot be decided {what}: {why}. Use a smaller m.")


def _search(forest: Forest, chunks: Ints64, guarantee: KmAnonymity) -> list[Finding]:
    (found, least, lengths), examples = find_rare(forest, chunks, guarantee.k, guarantee.m)
    return [
        _finding(forest, int(chunks[c]), np.sort(examples[c, : lengths[c]]), int(least[c]), int(found[c]), guarantee.k)
        for c in np.flatnonzero(found)
    ]


def _finding(forest: Forest, chunk: int, items: Ints32, support: int, found: int, k: int) -> Finding:
    others = "" if found == 1 else f" At least {found} combinations are too rare."
    message = f"these terms occur together {support}x in the chunk, but at least {k}x is needed.{others}"
    return forest.finding("V8" if forest.is_joint[forest.chunk_nodes[chunk]] else "V5", message, chunk, items)
