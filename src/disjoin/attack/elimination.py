"""Elimination attack: an attacker who knows some whole records (section G.4).

The attacker takes known records out of their leaf, with their part in every chunk; what hid k records may then hide
k - 1. A leaf fails if the worst choice of j known records breaks its guarantee: too few records are left, a set of up
to m terms of a chunk is in fewer than k + j records, or a leaf without term chunk has too few subrecords to arrange
them freely. A leaf that does not fail keeps the guarantee whichever j of its records are known.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from disjoin.attack.exposed_sets import chunks_of, exposed_subrecords
from disjoin.attack.possible_records import records_at_least
from disjoin.errors import InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.model import Clusters, KmAnonymity, Release
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Flags

INTERPRETED = 20e-6  # seconds per term of a subrecord, and per known term beyond the first


@dataclass(frozen=True, slots=True)
class Elimination:
    """How many leaves fail if the worst `known` records of each are known, and why."""

    known: int  # whole records of a leaf
    leaves: int
    failing: int
    too_small: int  # leaves in which fewer than k records are left
    rare_sets: int  # leaves with a set of terms in a chunk that fewer than k are left of
    too_few_parts: int  # leaves whose subrecords cannot be arranged freely any more
    records: int
    at_least: int  # records with such a set, or in a leaf that is too small

    @property
    def share(self) -> float:
        return self.failing / self.leaves if self.leaves else 0.0

    def sentence(self) -> str:
        whom = "one whole record" if self.known == 1 else f"{self.known:,} whole records"
        if not self.failing:
            return f"An attacker who knows {whom} of a cluster breaks the guarantee in no cluster."
        least = self.at_least / max(1, self.records)
        return (
            f"In the worst case, an attacker who knows {whom} of a cluster breaks the guarantee in {self.failing:,} of "
            f"{self.leaves:,} clusters ({self.share:.1%}), for at least {least:.1%} of the records."
        )

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"share": round(self.share, 6)}


def elimination(
    source: Release | Clusters, known: int = 1, *, k: int | None = None, m: int | None = None
) -> Elimination:
    """Count the leaves that fail if `known` whole records of each are known.

    `k` and `m` are those of the release; bare clusters state none, so the caller must give them.

    >>> chunk = {"subrecords": [[["tea"], 2], [["jam", "tea"], 2]]}
    >>> leaf = {"size": 4, "record_chunks": [chunk], "term_chunk": ["hiv"]}
    >>> elimination(Clusters.from_nested([leaf]), k=2, m=2).failing
    1
    """
    published, k, m = guaranteed(source, k, m)
    require_integer("known", known, 1, "it is the number of whole records that an attacker knows.")
    is_leaf = ~published.is_joint
    marked = _with_rare_sets(published, k + known, m)
    by_chunk = published.chunks.sums(np.where(marked, published.counts, 0))
    too_small = is_leaf & (published.sizes - known < k)
    rare = is_leaf & (published.nodes.sums(by_chunk) > 0)
    # A leaf without term chunk needs that many subrecords, if known records have a part in every chunk:
    chunks, parts = published.nodes.lengths, published.nodes.over(published.chunks).sums(published.counts)
    spread = np.maximum(1, np.minimum(min(m, 2**31), chunks))
    needed = published.sizes + k * (spread - 1) + known * np.maximum(0, chunks - 1)
    few_parts = is_leaf & (published.term_chunks.lengths == 0) & (parts < needed)
    least = records_at_least(published, by_chunk, np.where(too_small, published.sizes, 0))
    counted = (is_leaf, too_small | rare | few_parts, too_small, rare, few_parts)
    leaves, failing, small, with_rare, few = (int(some.sum()) for some in counted)
    return Elimination(known, leaves, failing, small, with_rare, few, published.n_records, least)


def guaranteed(source: Release | Clusters, k: int | None, m: int | None) -> tuple[Clusters, int, int]:
    """Return clusters with the k and m that they guarantee; without a release the caller must give them."""
    published = source.published if isinstance(source, Release) else source
    if not isinstance(published, Clusters):
        raise InvalidParameter(f"this attack is about clusters, and this release has {published.in_words}.")
    stated = source.guarantee if isinstance(source, Release) else None
    if isinstance(stated, KmAnonymity):
        k, m = k or stated.k, m or stated.m
    if k is None or m is None:
        raise InvalidParameter("bare clusters state no k and m: give both, or attack a release.")
    return published, k, m


def _with_rare_sets(published: Clusters, limit: int, m: int) -> Flags:
    """Mark the subrecords with a set of up to m terms that fewer than `limit` subrecords of their chunk have."""
    n_terms, rows = len(published.vocabulary), published.subrecords.owners()
    keys = published.chunks.owners()[rows] * n_terms + published.items
    found, places = np.unique(keys, return_inverse=True)
    supports = np.bincount(places, published.counts[rows], found.size)
    marked = np.zeros(published.counts.size, np.bool_)
    marked[rows[supports[places] < limit]] = True
    widest = min(m, published.subrecords.longest)
    prepare(INTERPRETED * published.items.size * (widest - 1))
    for width in range(2, widest + 1):
        exposed = exposed_subrecords(chunks_of(published), n_terms, limit, width)
        if exposed is None:
            raise InvalidParameter("looking for rare sets in the chunks of this release would take too many steps.")
        marked |= exposed
    return marked
