"""V4, second half, and V9: what a joint cluster shares is in no term chunk, and in no other chunk, below it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints64
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
    owners = forest.chunk_nodes[domains.chunks]
    shared = np.flatnonzero(forest.is_joint[owners])
    terms, nodes = domains.terms[shared], owners[shared]
    holders = np.repeat(np.arange(len(forest)), np.diff(forest.term_offsets))
    of_leaf = forest.is_leaf[holders]
    in_term_chunk = _below(terms, nodes, forest.term_items[of_leaf], holders[of_leaf], positions)
    in_chunk = _below(terms, nodes, domains.terms, owners, positions)
    findings = _findings(forest, domains, shared[in_term_chunk], "V4", "its terms are in a term chunk below it.")
    message = "its terms are also in a chunk below it: the guarantee is not proven."
    findings += _findings(forest, domains, shared[in_chunk], "V9", message)
    meets = np.zeros(domains.chunk_sizes.size, dtype=np.bool_)
    meets[domains.chunks[shared[in_chunk]]] = True
    return findings, meets


def _below(
    terms: NDArray[np.int32],
    joints: Ints64,
    other_terms: NDArray[np.int32],
    other_nodes: NDArray[np.int64],
    positions: Positions,
) -> NDArray[np.bool_]:
    """Tell for every (term, joint) whether some (other term, other node) has the same term strictly below the joint."""
    n = positions.first.size
    is_shared = np.zeros(int(other_terms.max(initial=-1)) + 1, dtype=np.bool_)
    is_shared[terms[terms < is_shared.size]] = True
    kept = is_shared[other_terms]
    others = np.sort(other_terms[kept].astype(np.int64) * n + positions.first[other_nodes[kept]])
    base = terms.astype(np.int64) * n
    after = np.searchsorted(others, base + positions.first[joints], side="right")
    found = np.append(others, np.iinfo(np.int64).max)[after]
    return found <= base + positions.last[joints]


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
