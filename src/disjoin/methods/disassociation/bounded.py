"""The clustering `bounded`: nothing is seen of sets of m + 1 terms that fewer than k records have.

The core of m + 1 terms is one leaf. Beside it there may be a large leaf that some records left (`bounded_peel`); the
others are split by frequent terms, as far as that is worth it (`bounded_tree`). Every chunk is tested for sets of m + 1
terms. So what is published keeps the guarantee of m + 1. HORPART for m is tried, too, and the best is kept. `pruned` is
the same for m, without HORPART.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.disassociation.bounded_chunks import grown_leaves
from disjoin.methods.disassociation.bounded_peel import stays_in_leaf
from disjoin.methods.disassociation.bounded_tree import TOP_TERMS, Scale, TreeShard, pruned_shard
from disjoin.methods.disassociation.choices import papers
from disjoin.methods.disassociation.clustering import Clustered, Task, put_together, split_side_by_side
from disjoin.methods.disassociation.horpart import ABANDON_NEXT, Records, copied_records
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.verpart_shards import longest_record, secret_terms
from disjoin.methods.disassociation.write_leaves import Leaves, concatenated
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, frozen

Publish = Callable[..., Draft[Clusters]]
Make = Callable[[], Draft[Clusters]]

DIGITS = 9  # of a score that count: what a sum of floats loses is less
PRICES = (None, 0.15, 1.0)  # of pairs of records that leave the large leaf; None: there is no such leaf
PRICES_AT_M = (1.0, 3.0)  # the same where chunks are tested at m
LARGEST_LEAF, LARGEST_OF_MANY = 20_000, 1_000  # records that are weighed as one leaf; if there are many in all
MANY = 300_000  # beyond that many records no large leaf is tried, to stay near the time that HORPART takes ...
TOP_OF_MANY = 100  # ... and errors are those of pairs of fewer terms: it takes less time, and they are no larger
SHARD_RECORDS = 5_000  # that are weighed one after the other; the result is the same for any number


class GrownShard(NamedTuple):
    """Clusters as a value, like a `ClusterShard`; their chunks grow one after the other."""

    offsets: Ints64
    items: Ints32
    ends: Ints64
    limits: tuple[int, int, int]
    share: float  # of the records of a leaf that may be exposed
    secret: Flags


def bounded_draft(task: Task, publish: Publish) -> Draft[Clusters]:
    """Return the best draft of those whose chunks are tested at m + 1, and of HORPART's for m."""

    def as_in_the_paper() -> Draft[Clusters]:
        method = replace(task.method, clustering=papers(), max_exposed=Fraction(0))
        return replace(publish(replace(task, method=method)), parameters=method.parameters())

    one_more = replace(task, method=replace(task.method, m=task.method.m + 1, max_exposed=Fraction(0)))
    share = float(task.method.max_exposed)
    trees = _trees(task, one_more, share, PRICES if len(task.data) <= MANY else PRICES[:1], publish)
    return _best_of(task, [*trees, (papers(), as_in_the_paper)])


def pruned_draft(task: Task, publish: Publish) -> Draft[Clusters]:
    """Return the better of the drafts at two prices; chunks are tested at m, as in other clusterings."""
    return _best_of(task, _trees(task, task, 0.0, PRICES_AT_M if len(task.data) <= MANY else PRICES[:1], publish))


def _trees(
    task: Task, tested: Task, share: float, prices: Sequence[float | None], publish: Publish
) -> list[tuple[str, Make]]:
    """Return the names of trees by these prices, and how to make them; chunks are tested at the m of `tested`."""
    shared: list[CoreAndScale] = []  # the core is peeled once, by the first that needs it

    def tree(price: float | None) -> Draft[Clusters]:
        if not shared:
            shared.append(_core_and_scale(tested))
        draft = publish(tested, bounded_clusters(tested, price, share, shared[0]))
        return replace(draft, parameters=task.method.parameters())

    name = task.method.clustering
    names = [name if price is None else f"{name} with a large leaf ({price:g})" for price in prices]
    return [(each, partial(tree, price)) for each, price in zip(names, prices, strict=True)]


def _best_of(task: Task, candidates: list[tuple[str, Make]]) -> Draft[Clusters]:
    """Return the draft with the greatest pair mass less weighted pair error; of equal ones, the first.

    Scores are for the steward only: they compare with the original.
    """
    scores: dict[str, float] = {}
    refusals: dict[str, GuaranteeUnreachable] = {}
    best: Draft[Clusters] | None = None
    chosen = ""
    for name, make in candidates:
        try:
            draft = make()
        except GuaranteeUnreachable as failure:
            refusals[name] = failure
            continue
        scores[name] = _score(draft.published, task)
        if best is None or scores[name] > scores[chosen]:
            best, chosen = draft, name
    if best is None:
        raise refusals[name]  # of `bounded` the one that speaks of the m that was asked for
    given_up = {"given_up": {name: str(failure) for name, failure in refusals.items()}} if refusals else {}
    return replace(best, private={**best.private, "clustering": chosen, "pair_scores": scores, **given_up})


def _score(published: Clusters, task: Task) -> float:
    """Return the pair mass less the weighted pair error."""
    mass, error = task.pairs_kept(published)
    return round(mass - error, DIGITS)


class CoreAndScale(NamedTuple):
    """What all candidates share: the core, the other records, and the scale of worth."""

    core: Ints32
    rest: Ints32
    scale: Scale


def _core_and_scale(task: Task) -> CoreAndScale:
    inside, rest = task.core_and_rest()
    least = task.method.least
    if inside.size < least or 0 < rest.size < least:
        inside, rest = inside[:0], np.arange(len(task.data), dtype=np.int32)
    return CoreAndScale(inside, rest, scale_of(task.data))


def scale_of(data: Transactions) -> Scale:
    """Return what the worth of leaves is measured in; sensitive terms are not among the most frequent."""
    supports = np.where(secret_terms(data), 0, data.supports())
    most = TOP_TERMS if len(data) <= MANY else TOP_OF_MANY
    ranked = np.argsort(-supports, kind="stable")[:most].astype(np.int32)
    ranked = ranked[supports[ranked] > 0]
    top = np.full(data.n_terms, -1, np.int32)
    top[ranked] = np.arange(ranked.size, dtype=np.int32)
    lengths = data.records.lengths
    among = np.add.reduceat(np.append(top[data.items] >= 0, 0), data.offsets[:-1]).astype(np.int64)
    return Scale(_pairs(lengths), _pairs(among), max(1, data.items.size), top)


def _pairs(lengths: Ints64) -> int:
    return max(1, int((lengths * (lengths - 1) // 2).sum()))


def bounded_clusters(
    task: Task, price: float | None, share: float = 0.0, shared: CoreAndScale | None = None
) -> Clustered:
    """Cluster all records: the core, the large leaf if it has a price, and the leaves of the pruned tree."""
    shared = shared or _core_and_scale(task)
    parts = [Partition(shared.core, np.array([shared.core.size], np.int64))] if shared.core.size else []
    rest = shared.rest
    if price is not None and rest.size:
        stays = _stays(task, rest, price)
        if min(stays.sum(), rest.size - stays.sum()) >= task.method.least:
            parts.append(Partition(rest[stays], np.array([stays.sum()], np.int64)))
            rest = rest[~stays]
    if rest.size:
        parts.append(_pruned_tree(task, rest, share, shared.scale))
    together = Partition(np.concatenate([p.records for p in parts]), np.concatenate([p.sizes for p in parts]))
    return Clustered(together, shared.core.size, share)


def _stays(task: Task, records: Ints32, price: float) -> Flags:
    """Tell which of the records make up a large leaf."""
    data, method = task.data, task.method
    offsets, items = copied_records(_records(data, records), records)
    numbers = np.arange(records.size, dtype=np.int32)
    rows = Records(frozen(offsets, np.int64), frozen(items, np.int32), numbers, np.empty(0, np.int32))
    limits = (method.crowd, method.m, longest_record(data))
    return stays_in_leaf(rows, limits, secret_terms(data), price, task.engine.spread)


def _pruned_tree(task: Task, records: Ints32, share: float, scale: Scale) -> Partition:
    data, method = task.data, task.method
    largest = LARGEST_LEAF if records.size <= MANY else LARGEST_OF_MANY
    order, sizes = split_side_by_side(task, records, (largest + 1, method.least, ABANDON_NEXT))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    limits = (method.crowd, method.m, longest_record(data), method.least)
    runs, secret = _runs(ends), secret_terms(data)

    def shard_of(cut: Ints64) -> TreeShard:
        copied = copied_records(_records(data, order), order[cut[0] : cut[-1]])
        return TreeShard(*copied, cut - cut[0], limits, share, secret, scale)

    leaves = task.engine.map(pruned_shard, runs, lambda done: task.progress("splitting", done, len(runs)), shard_of)
    order = order.copy()
    return Partition(order, np.diff(put_together(order, leaves), prepend=0))


def _runs(ends: Ints64) -> list[Ints64]:
    """Cut pieces, which `ends` bound, into runs of about SHARD_RECORDS records."""
    cuts = np.flatnonzero(np.diff(ends[1:] // SHARD_RECORDS, prepend=-1)).tolist()
    return [ends[a : b + 1] for a, b in pairwise([*cuts, ends.size - 1])]


def _records(data: Transactions, order: Ints32) -> Records:
    return Records(data.offsets, data.items, order, np.empty(0, np.int32))


def grown_shard(shard: GrownShard) -> Leaves:
    """Publish the clusters of a shard as leaves, in their order."""
    numbers = np.arange(shard.offsets.size - 1, dtype=np.int32)
    offsets, items = frozen(shard.offsets, np.int64), frozen(shard.items, np.int32)
    return grown_leaves(
        Records(offsets, items, numbers, np.empty(0, np.int32)), shard.ends, shard.limits, shard.share, shard.secret
    )


def grow_leaves(task: Task, partition: Partition, share: float = 0.0) -> Leaves:
    """Publish every cluster of the partition as a leaf, in its order; `share` of its records may be exposed."""
    data, method = task.data, task.method
    limits = (method.crowd, min(method.m, data.n_terms), longest_record(data))
    runs, secret = _runs(partition.ends), secret_terms(data)

    def shard_of(cut: Ints64) -> GrownShard:
        copied = copied_records(_records(data, partition.records), partition.records[cut[0] : cut[-1]])
        return GrownShard(*copied, cut - cut[0], limits, share, secret)

    leaves = task.engine.map(grown_shard, runs, lambda done: task.progress("publishing", done, len(runs)), shard_of)
    return concatenated(leaves)
