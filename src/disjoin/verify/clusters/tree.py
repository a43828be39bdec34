"""V4, second half, and V9: what a joint cluster shares is in no term chunk, and in no other chunk, below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Flags, Ints64
from disjoin.verify.finding import Finding
from disjoin.verify.forest import Forest, groups
from disjoin.verify.overlap import SHOWN, Domains


@dataclass(frozen=True, slots=True)
class Positions:
    """Every node's place in pre-order; the nodes below it are those at `first + 1` to `last`."""

    first: Ints64  # (nodes,)
    last: Ints64  # (nodes,)
    depth: Ints64  # (nodes,) 0 for a root
    walk: Ints64  # (nodes,) the nodes in pre-order

    @classmethod
    def of(cls, forest: Forest) -> Positions:
        """Number a forest whose parents come before their children."""
        from disjoin.verify.counting.forests import preorder

        first, last, depth = preorder(forest.parents)
        walk = np.empty(first.size, dtype=np.int64)
        walk[first] = np.arange(first.size)
        return cls(first, last, depth, walk)

    def roots(self, forest: Forest) -> Ints64:
        """Return for every node the root of its tree."""
        tops = np.sort(self.first[forest.parents < 0])
        return self.walk[tops[np.searchsorted(tops, self.first, side="right") - 1]]


def check_shared_terms(
    forest: Forest, domains: Domains, positions: Positions
) -> tuple[list[Finding], NDArray[np.bool_]]:
    """Return the breaches of V4 and V9, and for every chunk whether it meets T^r (what Property 1 asks about)."""
    in_chunk, in_term_chunk = _below(forest, domains, positions)
    message = "its terms are in a term chunk below it."
    findings = _findings(forest, domains, np.flatnonzero(in_term_chunk), "V4", message)
    message = "its terms are also in a chunk below it: the guarantee is not proven."
    findings += _findings(forest, domains, np.flatnonzero(in_chunk), "V9", message)
    meets = np.zeros(domains.chunk_sizes.size, dtype=np.bool_)
    meets[domains.chunks[in_chunk]] = True
    return findings, meets


def _below(forest: Forest, domains: Domains, positions: Positions) -> tuple[Flags, Flags]:
    """Tell for every shared term, entry by entry of the domains, whether a chunk, or a term chunk, below has it too."""
    from disjoin.verify.counting.forests import Owned, shared_below

    in_chunk, in_term_chunk = np.zeros((2, domains.terms.size), dtype=np.bool_)
    if not forest.is_joint.any():
        return in_chunk, in_term_chunk
    owned = Owned(
        positions.walk,
        positions.last,
        forest.is_joint,
        forest.chunk_offsets,
        domains.offsets,
        domains.terms,
        forest.term_offsets,
        forest.term_items,
    )
    nearest = np.full((2, len(forest.names)), len(forest), dtype=np.int64)
    shared_below(owned, nearest, in_chunk, in_term_chunk)
    return in_chunk, in_term_chunk


def _findings(
    forest: Forest, domains: Domains, entries: NDArray[np.int64], invariant: str, message: str
) -> list[Finding]:
    return [
        Finding(
            invariant,
            message,
            *forest.chunk_place(chunk),
            forest.terms(domains.terms[entries[those][:SHOWN]]),
        )
        for chunk, those in groups(domains.chunks[entries])
    ]
