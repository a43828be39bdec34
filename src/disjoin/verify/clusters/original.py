"""O1-O6: clusters compared with the original records."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged
from disjoin.verify.clusters.structure import places_of
from disjoin.verify.counting import forests
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding, at_once, examples
from disjoin.verify.source import Source, check_total

WORTH_THREADS = 50_000  # records; fewer are compared faster without threads
PARTS = 4  # per thread, so that no thread waits long for the last


def check_record_count(source: Source, published_records: int) -> list[Finding]:
    """O1 without the map: published and suppressed records add up to the original's; no record is empty."""
    empty = int((np.diff(source.offsets) == 0).sum())
    if empty:
        return [Finding("O1", f"{empty} records of the original are empty; the proof is about non-empty ones.")]
    return check_total(source, published_records, "O1")


def check_bags(source: Source, forest: Forest, *, threads: int = 1) -> list[Finding]:
    """O2-O5: every record, cut by the chunks, gives exactly the published subrecords.

    O2: every term of a leaf's records is published. O3, O5: record and shared chunks are the bags of the projections.
    O4: every term of a term chunk occurs. Needs a forest with V1, V3 and V4 and a map with O1.
    """
    tally = forests.Tally(
        seen=np.zeros(forest.counts.size, dtype=np.int64),
        term_seen=np.zeros(forest.term_items.size, dtype=np.bool_),
        strays=np.full(forest.domains.chunk_sizes.size, -1, dtype=np.int64),
        homeless=np.full(len(forest), -1, dtype=np.int64),
    )
    records, cuts = _by_leaf(source, len(forest)), forest.subrecord_offsets
    bags = forests.Subrecords(cuts, forest.item_offsets, forest.items, table_for(cuts))
    forests.enter_subrecords(bags)
    places = places_of(forest)
    longest = int(np.diff(source.offsets).max(initial=0))

    def cut(span: tuple[int, int]) -> None:
        nowhere = np.full(len(forest.names), forests.NOWHERE, dtype=np.int64)
        forests.cut_records(span, records, places, bags, tally, nowhere, longest)

    at_once(cut, _spans(forest, records.leaf_offsets, threads), threads)
    homeless = [
        Finding("O2", "a term of its records is published neither here nor above.", int(node), example=(term,))
        for node in np.flatnonzero(tally.homeless >= 0)
        for term in examples(source.names, [source.terms[tally.homeless[node]]])
    ]
    idle = np.flatnonzero(~tally.term_seen)
    nodes = np.searchsorted(forest.term_offsets, idle, side="right") - 1
    return [
        *homeless,
        *_miscounted(forest, tally.seen, tally.strays),
        *(
            Finding(
                "O4", "a term of its term chunk is in none of its records.", int(node), example=forest.terms([item])
            )
            for node, item in zip(nodes, forest.term_items[idle], strict=True)
        ),
    ]


class CoreSlice(NamedTuple):
    """The statement of a cluster with one chunk, published unchanged, about some content."""

    subrecords: Ragged
    counts: Ints64
    sensitive: Ints32  # terms of its term chunk
    size: int


def objections_to_slice(published: CoreSlice, records: Ragged, held: Ints32, sensitive: Flags) -> list[str]:
    """O1-O4 for a slice of a cluster: compare it with its records and their sensitive terms."""
    objections = []
    if len(records) != published.size:
        objections.append("O1: the number of records of a slice is not the published one")
    shown = records.where(~sensitive[records.items])
    seen = Counter(tuple(terms) for terms in shown.to_lists() if terms)
    stated: Counter[tuple[int, ...]] = Counter()
    for terms, count in zip(published.subrecords.to_lists(), published.counts.tolist(), strict=True):
        stated[tuple(terms)] += count
    if seen != stated or min(stated.values(), default=1) < 1:
        objections.append("O3: the subrecords of a slice are not those of its records")
    if set(held.tolist()) != set(published.sensitive.tolist()):
        objections.append("O2 or O4: the sensitive terms of its records are not those of the term chunk")
    return objections


def _spans(forest: Forest, leaf_offsets: Ints64, threads: int) -> list[tuple[int, int]]:
    """Cut the pre-order between trees, into parts with about equal numbers of records, a few per thread."""
    tops = np.sort(forest.positions.first[forest.parents < 0])
    if threads == 1 or leaf_offsets[-1] < WORTH_THREADS:
        return [(0, len(forest))]
    lengths = np.diff(leaf_offsets)[forest.positions.walk]
    before = np.append(0, np.cumsum(lengths))[tops]  # records of the trees before each
    shares = np.linspace(0, leaf_offsets[-1], PARTS * threads + 1)[1:-1]
    inner_ends = tops[np.minimum(np.searchsorted(before, shares), tops.size - 1)]
    ends = np.unique(np.concatenate(([0], inner_ends, [len(forest)])))
    return list(pairwise(ends.tolist()))


def _by_leaf(source: Source, nodes: int) -> forests.Records:
    assert source.leaves is not None, "needs a map"
    offsets = np.zeros(nodes + 2, dtype=np.int64)
    n = int((source.leaves >= 0).sum())
    by_leaf: Ints32 | Ints64 = np.empty(n, np.int32) if len(source) < 2**31 else np.empty(n, np.int64)
    forests.group_records(source.leaves, offsets, by_leaf)
    return forests.Records(by_leaf, offsets[:-1], source.offsets, source.items)


def table_for(subrecord_offsets: Ints64) -> Ints32 | Ints64:
    """Return the empty table that the subrecords of large chunks need: a power of two, at least half of it free."""
    sizes = np.diff(subrecord_offsets)
    wanted = int(sizes[sizes > forests.LARGE].sum())
    kind = np.int32 if subrecord_offsets[-1] < 2**31 else np.int64
    return np.full(2 ** (2 * wanted).bit_length(), forests.FREE, dtype=kind)


def _miscounted(forest: Forest, seen: Ints64, strays: Ints64) -> list[Finding]:
    wrong = np.flatnonzero(seen != forest.counts)
    findings = []
    for chunk in np.union1d(forest.chunks_with(wrong), np.flatnonzero(strays >= 0)):
        invariant = "O5" if forest.is_joint[forest.chunk_nodes[chunk]] else "O3"
        first, last = np.searchsorted(wrong, forest.subrecord_offsets[chunk : chunk + 2])
        if first < last:
            row = int(wrong[first])
            message = f"a subrecord is published for {forest.counts[row]} records, but {seen[row]} have it."
            findings.append(forest.finding(invariant, message, chunk, forest.subrecord(row)))
        else:
            findings.append(forest.finding(invariant, "a record has a subrecord that is not published.", chunk))
    return findings
