"""Which terms stand with rows (I_0 in PROOF.md): those that enough people of every kind of row have, or nobody."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from disjoin.methods.disassociation.write_leaves import Forest
from disjoin.model import Transactions
from disjoin.model.ragged import Ints64


@dataclass(frozen=True, slots=True)
class LeafTerms:
    """The people of one cluster: which kind of row each has, and which terms."""

    leaf: int
    kinds: Ints64  # (people,)
    sets: list[frozenset[int]]  # (people,) terms of record chunks
    chunks: list[frozenset[int]]  # the terms of each record chunk
    has_term_chunk: bool


def standing_in(leaf: LeafTerms, k: int, m: int, *, whole: bool, may_be_empty: bool) -> frozenset[int]:
    """Return the terms that stand with the rows of a cluster.

    With `whole`, chunks are taken whole or not at all, so that no pair of terms is torn; else terms one by one. What
    is tried first has more occurrences.
    """
    supports = Counter(term for terms in leaf.sets for term in terms)
    chunks = sorted(leaf.chunks, key=lambda chunk: (-sum(supports[term] for term in chunk), sorted(chunk)))
    if whole:
        offers = chunks
    else:
        offers = [frozenset({term}) for term in sorted(supports, key=lambda term: (-supports[term], term))]
    alone = _enough_alone(leaf, k)
    chosen: frozenset[int] = frozenset()
    for offer in offers:
        both = chosen | offer
        if offer <= alone and _is_crowded(leaf, both, offer, k, m) and (may_be_empty or _is_filled(leaf, both, k, m)):
            chosen = both
    return chosen


def _enough_alone(leaf: LeafTerms, k: int) -> frozenset[int]:
    """Return the terms that in every kind of row nobody has, or at least k people have."""
    pairs = Counter((kind, term) for kind, terms in zip(leaf.kinds.tolist(), leaf.sets, strict=True) for term in terms)
    rare = {term for (_, term), count in pairs.items() if count < k}
    return frozenset(term for _, term in pairs if term not in rare)


def _is_crowded(leaf: LeafTerms, terms: frozenset[int], new: frozenset[int], k: int, m: int) -> bool:
    """Tell whether every set of 2 to m of the terms, one of them new, is had by none or k people of every kind."""
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for kind, has in zip(leaf.kinds.tolist(), leaf.sets, strict=True):
        shown = sorted(has & terms)
        if new.isdisjoint(shown):
            continue
        for size in range(2, m + 1):
            counts.update((kind, known) for known in combinations(shown, size) if not new.isdisjoint(known))
    return all(count >= k for count in counts.values())


def _is_filled(leaf: LeafTerms, terms: frozenset[int], k: int, m: int) -> bool:
    """Tell whether R4 of PROOF.md holds if these terms stand with rows."""
    empty = sum(terms.isdisjoint(has) for has in leaf.sets)
    if leaf.has_term_chunk or not empty:
        return True
    left = [(chunk - terms) for chunk in leaf.chunks if chunk - terms]
    parts = sum(not chunk.isdisjoint(has) for chunk in left for has in leaf.sets)
    return parts >= min(empty, len(leaf.sets) - k) + k * max(1, min(m, len(left)))


def leaves_with_terms(forest: Forest, records: Transactions, leaf_of: Ints64, kinds: Ints64) -> list[LeafTerms]:
    """Return every leaf that has record chunks; terms are numbers of the records' vocabulary."""
    nodes, is_joint = forest.nodes, np.zeros(forest.parents.size, dtype=np.bool_)
    is_joint[forest.parents[forest.parents >= 0]] = True
    order = np.argsort(leaf_of, kind="stable")
    bounds = np.searchsorted(leaf_of[order], np.arange(is_joint.size + 1))
    found = []
    for leaf in np.flatnonzero(~is_joint & (np.diff(nodes.chunk_offsets) > 0)).tolist():
        ends = nodes.item_offsets[
            nodes.subrecord_offsets[nodes.chunk_offsets[leaf] : nodes.chunk_offsets[leaf + 1] + 1]
        ]
        chunks = [frozenset(nodes.items[first:last].tolist()) for first, last in pairwise(ends.tolist())]
        people = order[bounds[leaf] : bounds[leaf + 1]]
        domain = frozenset().union(*chunks)
        sets = [domain.intersection(records[person].tolist()) for person in people.tolist()]
        has_terms = bool(nodes.term_offsets[leaf] < nodes.term_offsets[leaf + 1])
        found.append(LeafTerms(leaf, kinds[people], sets, chunks, has_terms))
    return found
