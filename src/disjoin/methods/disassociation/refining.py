"""REFINE: join clusters that share terms of their term chunks (TLMS12, section 4.3; rules S1 and S2 in PROOF.md).

There are two ways to build the forest. `pairs` are the passes of the paper, in which neighbours are joined two by two.
`levels` join runs of clusters at once, longer ones where shorter ones join few, and leave out terms that would be
spread too thinly; docs/decisions/0005 has the measurements behind the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from disjoin.jit.ordering import sort_subrecords
from disjoin.methods.disassociation.drafting import Forest
from disjoin.methods.disassociation.horizontal import Partition
from disjoin.methods.disassociation.leaves import Leaves, concatenated
from disjoin.methods.disassociation.refine_passes import (
    Limits,
    Workshop,
    count_clusters,
    join_neighbours,
    join_runs,
    joints_made,
    long_keys,
    new_workshop,
    short_keys,
)
from disjoin.methods.disassociation.refine_state import NODES, Ledger, open_ledger
from disjoin.methods.disassociation.steps import require_end
from disjoin.methods.disassociation.vertical import longest_record, records_in, secret_terms
from disjoin.model import Transactions
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

SHORTEST_RUN, LONGEST_RUN = 2, 16  # clusters that are joined at once
YIELD = 20  # runs get longer when a level joins fewer than one cluster in so many
SPREAD = 4  # a term is not shared where its leaves make up less than about 1/(4 support) of the leaves of the joint


@dataclass(frozen=True, slots=True)
class Joining:
    """What a builder works with."""

    ledger: Ledger
    shop: Workshop
    limits: Limits
    passes: int | None  # None: until nothing can be joined
    tell: Callable[[int, int], None]  # passes, joints

    @property
    def joints(self) -> int:
        """How many joint clusters there are so far."""
        return int(self.ledger.used[NODES]) - self.ledger.left.size

    def is_last(self, number: int) -> bool:
        """Tell of a pass, numbered from 1, and tell whether it is the last that is allowed."""
        self.tell(number, self.joints)
        return number == self.passes


def pairs(how: Joining) -> None:
    """Join neighbours, pass after pass, until a pass joins none."""
    tops = np.arange(how.ledger.left.size)
    failed = np.full(how.ledger.sizes.size, -1, np.int64)
    out = np.empty(tops.size, np.int64)
    for number in count(1):
        tops = sorted_by_all_terms(how.ledger, tops, how.shop.secret.size)
        before, left = tops.size, join_neighbours(how.ledger, how.shop, tops, how.limits, failed, out)
        tops = out[:left].copy()
        if how.is_last(number) or left == before:
            break


def levels(how: Joining) -> None:
    """Join runs of clusters, level after level, until even the longest runs join none."""
    tops = np.arange(how.ledger.left.size)
    out = np.empty(tops.size, np.int64)
    run = SHORTEST_RUN
    for number in count(1):
        tops = sorted_by_first_terms(how.ledger, tops, how.shop.secret)
        before, left = tops.size, join_runs(how.ledger, how.shop, tops, run, how.limits, out)
        tops = out[:left].copy()
        if how.is_last(number) or (run == LONGEST_RUN and left == before):
            break
        if (before - left) * YIELD < before:
            run = min(2 * run, LONGEST_RUN)


def refine(
    leaves: Leaves, data: Transactions, partition: Partition, method: Disassociation, progress: Progress
) -> Forest:
    """Join leaves, which are in the order of the partition, as far as it pays."""
    build, spread = BUILDERS[method.refine_builder]
    limits = Limits(
        k=method.k,
        m=min(method.m, data.n_terms),
        longest=longest_record(data),
        largest=len(data) if method.max_joint_size is None else min(method.max_joint_size, len(data)),
        spread=spread,
        safe=method.refine_mode == "safe",
    )
    leans = _lean_on_term_chunks(leaves, limits)
    ledger = open_ledger(records_in(data, partition), data.n_terms, partition.ends, leaves, leans)
    shop = new_workshop(ledger, secret_terms(data), partition.records.size, limits)

    def tell(passes: int, joints: int) -> None:
        progress("refining", passes, 0, f"pass {passes}, {joints:,} joint clusters")

    build(Joining(ledger, shop, limits, method.refine_passes, tell))
    require_end(shop.desk.steps, limits.m)
    kept = leaves._replace(term_items=leaves.term_items[~ledger.moved], term_offsets=offsets_of(ledger.left))
    joints, parents = joints_made(ledger, shop), ledger.parents[: ledger.used[NODES]].copy()
    del ledger, shop  # several times the size of the forest
    return Forest(concatenated([kept, joints]), parents)


def _lean_on_term_chunks(leaves: Leaves, limits: Limits) -> Flags:
    """Tell for every leaf whether it has fewer subrecords than Lemma 2 asks of one without a term chunk."""
    running = np.concatenate([[0], np.cumsum(leaves.counts)])[leaves.subrecord_offsets[leaves.chunk_offsets]]
    spread = np.maximum(1, np.minimum(limits.m, np.diff(leaves.chunk_offsets)))
    leans: Flags = np.diff(running) < leaves.sizes + limits.k * (spread - 1)
    return leans


BUILDERS: dict[str, tuple[Callable[[Joining], None], int]] = {"levels": (levels, SPREAD), "pairs": (pairs, 0)}


def sorted_by_all_terms(ledger: Ledger, tops: Ints64, n_terms: int) -> Ints64:
    """Sort clusters by the ranks of all terms of their term chunks, stably; those without any go last."""
    rank = _ranks(ledger, tops, n_terms, only_free=False)
    offsets = np.zeros(tops.size + 1, np.int64)
    items = np.empty(int((ledger.end[tops] - ledger.begin[tops]).sum()), np.int32)
    long_keys(ledger, tops, rank, offsets, items, np.empty(n_terms, np.int64))
    lengths = np.diff(offsets)
    index: Ints64 = np.concatenate([np.flatnonzero(lengths), np.flatnonzero(lengths == 0)])
    sort_subrecords(items, offsets[:-1].copy(), lengths, index, np.empty_like(index), 0, int((lengths > 0).sum()))
    return tops[index]


def sorted_by_first_terms(ledger: Ledger, tops: Ints64, secret: Flags) -> Ints64:
    """Sort clusters by the ranks of the few terms that they could share with most others.

    Ties keep their order, which is that of splitting, hence given by content alone.
    """
    rank = _ranks(ledger, tops, secret.size, only_free=True)
    keys = np.empty(tops.size, np.int64)
    short_keys(ledger, tops, rank, secret, keys)
    return tops[np.argsort(keys, kind="stable")]


def _ranks(ledger: Ledger, tops: Ints64, n_terms: int, *, only_free: bool) -> Ints32:
    """Rank the terms by the number of clusters that have them in term chunks (most first), then by term."""
    counts = np.zeros(n_terms, np.int64)
    count_clusters(ledger, tops, only_free, counts)
    rank = np.empty(n_terms, np.int32)
    rank[np.argsort(-counts, kind="stable")] = np.arange(n_terms, dtype=np.int32)
    return rank
