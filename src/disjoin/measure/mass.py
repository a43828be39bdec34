"""Mass: the shares of term occurrences and of pairs of terms that a release shows."""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from disjoin.measure.definition import Finding, Measure, measure, share_of
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.measure.evidence import Evidence

Floats = NDArray[np.float64]


def occurrences_inside(published: Clusters, *, shared: bool = True) -> int:
    return sum(int(_weights(trees, shared) @ trees.subrecords.lengths) for trees in published.in_ranges())


def pairs_inside(published: Clusters, *, shared: bool = True) -> int:
    """Count the pairs of terms in the same subrecord, once for every record that has it."""
    return sum(int(_weights(trees, shared) @ _pairs(trees.subrecords.lengths)) for trees in published.in_ranges())


def _pairs(lengths: Ints64) -> Ints64:
    return lengths * (lengths - 1) // 2


def _weights(published: Clusters, shared: bool) -> Ints64:
    if shared:
        return published.counts
    subrecords = published.nodes.over(published.chunks)  # of every node
    return np.where(subrecords.spread(published.is_joint), 0, published.counts)


def exact_term_mass(published: Clusters, original: Transactions, *, shared: bool = True) -> float:
    """Return the share of the original term occurrences in chunks; 1 if there are none. REFINE keeps record chunks."""
    return share(occurrences_inside(published, shared=shared), original.items.size)


def exact_pair_mass(published: Clusters, original: Transactions, *, shared: bool = True) -> float:
    """Return the share of the original pairs of terms in a record that subrecords show; 1 when there were none."""
    return share(pairs_inside(published, shared=shared), int(_pairs(original.records.lengths).sum()))


def share(part: float, whole: float) -> float:
    """Return part / whole; 1 if whole is 0, because nothing was lost.

    >>> share(1, 4), share(0, 0)
    (0.25, 1.0)
    """
    return part / whole if whole else 1.0


def levels_from_the_deepest(parents: Ints64) -> list[Ints64]:
    """Return the nodes that have a parent, grouped by depth; a parent comes before its children in `parents`."""
    levels: list[Ints64] = []
    depth_reached = parents < 0
    waiting = np.flatnonzero(~depth_reached)
    while waiting.size:
        ready = depth_reached[parents[waiting]]
        assert ready.any(), "a forest has no cycles"
        levels.append(waiting[ready])
        depth_reached[waiting[ready]] = True
        waiting = waiting[~ready]
    return levels[::-1]


def term_mass(published: Clusters, *, shared: bool = True) -> float:
    """Return occurrences in chunks / (these + one for every term-chunk entry), the largest share that can have been
    kept. It reveals no more than the tables do. Without `shared` chunks, what these show counts as lost."""
    whole = occurrences_inside(published) + published.term_items.size
    return share(occurrences_inside(published, shared=shared), whole)


TERM_MASS = Measure(
    name="term_mass",
    title="Term occurrences counted",
    direction="higher",
    sign="≤",
    meaning="At most this share of the term occurrences is counted in chunks; the rest is listed without counts.",
    needs_original=False,
    compute=lambda published, _, shared=True: term_mass(published, shared=shared),
)


def pair_mass(published: Clusters, *, shared: bool = True) -> float:
    """Return pairs inside subrecords / pairs expected in a random reconstruction (section A.8). Parts of a cluster of s
    records are placed independently and uniformly, so two parts with O_i and O_j occurrences meet in O_i·O_j/s pairs; a
    term of a term chunk is a part that occurs once. A shared chunk of the joint cluster J meets everything below J and
    the other shared chunks over |J| records. Without `shared` chunks, the pairs inside these count as lost."""
    inside = pairs_inside(published)
    found = [_across(trees) for trees in published.in_ranges()]
    whole = inside + sum_of_quotients(*(np.concatenate(each) for each in zip(*found, strict=True)))
    return share(pairs_inside(published, shared=shared), whole)


def _across(published: Clusters) -> tuple[Ints64, Ints64]:
    """Return twice the expected pairs between parts times the size, and twice the size, for all nodes of each size."""
    masses = published.chunks.sums(published.counts * published.subrecords.lengths)  # (chunks,) occurrences
    entries = published.term_chunks.lengths  # (nodes,): each occurs once, so its square is 1 as well
    own: Ints64 = published.nodes.sums(masses) + entries
    squares = published.nodes.sums(masses * masses) + entries
    whole = own.copy()  # with all proper descendants
    for level in levels_from_the_deepest(published.parents):
        np.add.at(whole, published.parents[level], whole[level])
    return sums_by_number(own * own - squares + 2 * (whole - own) * own, 2 * published.sizes)


def sums_by_number(parts: Ints64, wholes: Ints64) -> tuple[Ints64, Ints64]:
    numbers, place = np.unique(wholes, return_inverse=True)
    sums: Ints64 = np.zeros(numbers.size, np.int64)
    np.add.at(sums, place, parts)
    return sums, numbers


def sum_of_quotients(parts: Ints64, wholes: Ints64) -> float:
    """Add up fractions; the sum is the same in whatever order and parts, because those over the same number are added
    as whole numbers, and the rest is rounded once.

    >>> sum_of_quotients(np.array([1, 1, 1]), np.array([3, 2, 3]))
    1.1666666666666665
    """
    sums, numbers = sums_by_number(parts, wholes)
    return fsum(part / whole for part, whole in zip(sums.tolist(), numbers.tolist(), strict=True))


PAIR_MASS = Measure(
    name="pair_mass",
    title="Item pairs still visible",
    direction="higher",
    sign="≈",
    meaning="About this share of the item pairs stays visible together; the others can only be estimated.",
    needs_original=False,
    compute=lambda published, _, shared=True: pair_mass(published, shared=shared),
)


def _kept(evidence: Evidence, count: Callable[..., int], whole: int) -> Finding:
    inside, published = count(evidence.published), evidence.published
    details: dict[str, object] = {"shown": inside, "original": whole}
    notes: tuple[str, ...] = ()
    if published.is_joint.any():
        details["without_shared_chunks"] = without = float(share_of(count(published, shared=False), whole))
        notes = (f"{without:.1%} without shared chunks.",)
    return Finding(share_of(inside, whole), notes, details)


@measure("Term occurrences counted", "term_mass", direction="higher", forms=("clusters", "mixed"))
def term_mass_kept(evidence: Evidence) -> Finding:
    """This share of the original's term occurrences is counted in chunks."""
    return _kept(evidence, occurrences_inside, int(evidence.original.items.size))


@measure("Item pairs still visible", "pair_mass", direction="higher", forms=("clusters", "mixed"))
def pair_mass_kept(evidence: Evidence) -> Finding:
    """This share of the original's item pairs stays visible together."""
    return _kept(evidence, pairs_inside, int(_pairs(evidence.original.records.lengths).sum()))
