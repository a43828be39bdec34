"""V2, V3 and the first half of V4: chunks fit into their node and keep their terms to themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints32, Ints64
from disjoin.verify.forest import Forest, groups
from disjoin.verify.inspection import Finding

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Domains:
    """The distinct terms of every chunk."""

    offsets: Ints64  # (chunks + 1,)
    terms: Ints32
    supports: Ints64  # how many records of the chunk have the term
    repeated: NDArray[np.bool_]  # whether an earlier chunk of the node has it too
    in_chunk: NDArray[np.bool_]  # (term chunk entries,) whether a chunk of the same node has the term too
    chunks: Ints64  # the chunk of every entry
    chunk_sizes: Ints64  # (chunks,) records with a non-empty subrecord

    @classmethod
    def of(cls, forest: Forest) -> Domains:
        """Count the terms of a tidied forest."""
        from disjoin.verify.counting.itemsets import Listing, domains

        listing = Listing(
            offsets=np.zeros(forest.subrecord_offsets.size, dtype=np.int64),
            terms=np.empty(forest.items.size, dtype=np.int32),
            supports=np.empty(forest.items.size, dtype=np.int64),
            repeated=np.empty(forest.items.size, dtype=np.bool_),
            in_chunk=np.empty(forest.term_items.size, dtype=np.bool_),
        )
        slot = np.full(len(forest.names), -1, dtype=np.int64)
        domains(forest.chunk_offsets, forest.bags, forest.term_offsets, forest.term_items, slot, listing)
        listed = int(listing.offsets[-1])
        return cls(
            offsets=listing.offsets,
            terms=listing.terms[:listed].copy(),  # the room behind was generous
            supports=listing.supports[:listed].copy(),
            repeated=listing.repeated[:listed].copy(),
            in_chunk=listing.in_chunk,
            chunks=np.repeat(np.arange(listing.offsets.size - 1), np.diff(listing.offsets)),
            chunk_sizes=sums_by_row(forest.subrecord_offsets, forest.counts),
        )


def sums_by_row(offsets: Ints64, values: NDArray[np.int64]) -> Ints64:
    """Add `values[offsets[i]:offsets[i + 1]]` for every row, also for empty ones.

    >>> sums_by_row(np.array([0, 2, 2, 3]), np.array([1, 2, 3])).tolist()
    [3, 0, 3]
    """
    running = np.zeros(values.size + 1, dtype=np.int64)
    np.cumsum(values, out=running[1:])
    return running[offsets[1:]] - running[offsets[:-1]]


def check_chunk_sizes(forest: Forest, domains: Domains) -> list[Finding]:
    """V2: no chunk has more subrecords than its node has records."""
    room = forest.sizes[forest.chunk_nodes]
    return [
        Finding("V2", f"{domains.chunk_sizes[c]} subrecords for {room[c]} records.", *forest.chunk_place(int(c)))
        for c in np.flatnonzero(domains.chunk_sizes > room)
    ]


def check_disjoint(forest: Forest, domains: Domains) -> list[Finding]:
    """V3 in leaves, V4 in joints: no term is in two chunks of a node, or in a chunk and the leaf's term chunk."""
    findings = []
    entries = np.flatnonzero(domains.repeated)
    for chunk, those in groups(domains.chunks[entries]):
        node, number = forest.chunk_place(chunk)
        twice = forest.terms(domains.terms[entries[those][:SHOWN]])
        kind, invariant = ("shared", "V4") if forest.is_joint[node] else ("record", "V3")
        findings.append(Finding(invariant, f"a {kind} chunk before it has the same terms.", node, number, twice))
    return findings + _in_term_chunk_too(forest, domains)


def _in_term_chunk_too(forest: Forest, domains: Domains) -> list[Finding]:
    entries = np.flatnonzero(domains.in_chunk)
    nodes = np.searchsorted(forest.term_offsets, entries, side="right") - 1
    return [
        Finding(
            "V3",
            "its term chunk and its record chunks have terms in common.",
            node,
            example=forest.terms(forest.term_items[entries[those][:SHOWN]]),
        )
        for node, those in groups(nodes)
        if forest.is_leaf[node]
    ]
