"""Clusterings: one function per value of the setting `clustering`, and HORPART's strategies for small parts.

`horpart` splits by frequent terms (TLMS12; strategies: AS23, NAG22). `core` separates the largest part of the records
that is already k^m-anonymous (see PROOF.md) from the rest. `core-horpart` also splits the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.arrays.ordering import by_content
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation import horpart as loops
from disjoin.methods.disassociation.choices import STRATEGIES
from disjoin.methods.disassociation.horpart import Partition, one_cluster, one_partition, secret_terms
from disjoin.methods.disassociation.km_core import core_and_rest
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64, Spans
from disjoin.model.spelling import first_alike
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

SHARD_RECORDS = 100_000  # parts below this are split in parallel; the result is the same for any number
PASSES = {"remaining": None, "cardiff": 2}  # before the rest is cut into blocks; None: until a pass saves nothing

Part = list[int]


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Records to be disassociated, the settings, and the engine that runs the work; trials of settings share cores."""

    method: Disassociation
    data: Transactions
    engine: Engine
    progress: Progress
    cores: dict[tuple[int, int], tuple[Ints32, Ints32]] = field(default_factory=dict)  # by support and m, computed once

    def core_and_rest(self) -> tuple[Ints32, Ints32]:
        found = self.cores.get((self.method.min_support, self.method.m))
        if found is None:
            found = core_and_rest(self)
            self.cores[self.method.min_support, self.method.m] = found
        return found

    def reporting(self, step: str, total: int) -> Callable[[int], None]:
        """Return the function that reports how many parts of a step are done."""
        return lambda done: self.progress(step, done, total)

    def everyone(self) -> Ints32:
        return np.arange(len(self.data), dtype=np.int32)

    def size_limits(self) -> tuple[int, int]:
        """Return the size that clusters stay below, as a 64-bit number, and the smallest cluster."""
        return min(self.method.size_limit, len(self.data) + 1), self.method.min_cluster_size


# A splitting function: a task, records and a rule for small parts -> records in order, cluster sizes.
Split = Callable[[Task, Ints32, int], tuple[Ints32, Ints64]]


@dataclass(frozen=True, slots=True, eq=False)
class Clustered:
    """Clusters of records; `core` is the size of the first one if that is published uncut, otherwise 0."""

    partition: Partition
    core: int = 0
    share: float | None = None  # the share of a leaf's records that may be exposed; None: other than `bounded`

    def content(self) -> tuple[int, bytes]:
        """Return a value that is equal for equal clusters, whatever the order of clusters and records."""
        partition = self.partition
        owners = np.repeat(np.arange(partition.sizes.size), partition.sizes)
        order = np.argsort(partition.records, kind="stable")
        owners, first = owners[order], np.full(partition.sizes.size, -1)
        at = np.unique(owners, return_index=True)
        first[at[0]] = at[1]
        return self.core, partition.records[order].tobytes() + first[owners].tobytes()


def horpart(task: Task, records: Ints32 | None = None) -> Clustered:
    """Split records (by default all) by their most frequent terms; small parts as the strategy requires."""
    strategy: Strategy = STRATEGIES[task.method.strategy].load()
    split: Split = split_in_written_order if task.method.ties == "first" else split_in_parallel
    return Clustered(strategy(task, task.everyone() if records is None else records, split))


def core(task: Task) -> Clustered:
    """Make one cluster of the core and one of the rest."""
    return _around_core(task, one_cluster)


def core_horpart(task: Task) -> Clustered:
    """Make one cluster of the core, and split the rest by its most frequent terms."""
    return _around_core(task, lambda rest: horpart(task, rest).partition)


def _around_core(task: Task, cluster: Callable[[Ints32], Partition]) -> Clustered:
    """Put the core first, then the clusters of the rest. If the core is smaller than a cluster, there is none. If the
    rest is smaller than a cluster, all records are one cluster."""
    least = task.method.min_cluster_size
    inside, rest = task.core_and_rest()
    if inside.size < least:
        return Clustered(cluster(task.everyone()))
    if 0 < rest.size < least:
        return Clustered(one_cluster(task.everyone()))
    parts = [one_cluster(inside), *([cluster(rest)] if rest.size else [])]
    return Clustered(one_partition(parts), inside.size)


# Strategies: functions of a task, records and a splitting function.

Strategy = Callable[[Task, Ints32, Split], Partition]


def by_rule(task: Task, records: Ints32, split: Split, rule: int) -> Partition:
    return Partition(*split(task, records, rule))


abandon = partial(by_rule, rule=loops.ABANDON)  # a part stays whole if a side would be small (AS23's "original")
abandon_next = partial(by_rule, rule=loops.ABANDON_NEXT)  # the next most frequent term is tried
adding = partial(by_rule, rule=loops.ADDING)  # a small part joins the next waiting part, or else the last cluster


def suppression(task: Task, records: Ints32, split: Split) -> Partition:
    saved, _ = _large_and_small(*split(task, records, loops.LISTING), task.method.min_cluster_size)
    if saved.sizes.size == 0:
        raise GuaranteeUnreachable(nothing_left(task.method.min_cluster_size))
    return saved


def nothing_left(least: int) -> str:
    """Return the error message for the strategy 'suppression' if every record would be suppressed."""
    return (
        f"no cluster reaches {least} records, so the strategy 'suppression' would suppress all records. "
        "Use another strategy, a smaller k or a larger max_cluster_size."
    )


def in_passes(task: Task, left: Ints32, split: Split, passes: int | None) -> Partition:
    """Split records, and split those of small parts again; after that many passes cut the rest into blocks."""
    least = task.method.min_cluster_size
    done: list[Partition] = []
    number = 0
    while left.size >= least:
        if number == passes:
            done.append(chop(task, left))
            left = left[:0]
            break
        saved, left = _large_and_small(*split(task, left, loops.LISTING), least)
        number += 1
        if saved.sizes.size == 0:  # no further progress
            saved, left = chop(task, left), left[:0]
        done.append(saved)
    sizes = np.concatenate([part.sizes for part in done])
    sizes[-1] += left.size  # fewer than `least` remain: add them to the last cluster
    return Partition(np.concatenate([*(part.records for part in done), left]), sizes)


remaining = partial(in_passes, passes=PASSES["remaining"])  # as long as a pass saves records
cardiff = partial(in_passes, passes=PASSES["cardiff"])  # NAG22


def _large_and_small(records: Ints32, sizes: Ints64, least: int) -> tuple[Partition, Ints32]:
    is_large = np.repeat(sizes >= least, sizes)
    return Partition(records[is_large], sizes[sizes >= least]), records[~is_large]


def chop(task: Task, records: Ints32) -> Partition:
    """Cut records, sorted by content, into blocks of nearly equal size, none of them too small to publish."""
    return Partition(by_content(task.data, records), block_sizes(records.size, *task.size_limits()))


def block_sizes(n: int, size_limit: int, min_size: int) -> Ints64:
    """Return the sizes of the blocks that `n` records are cut into.

    >>> block_sizes(10, 5, 2).tolist()
    [4, 3, 3]
    """
    blocks = max(1, min(-(-n // (size_limit - 1)), n // min_size))
    size, larger = divmod(n, blocks)
    sizes = np.full(blocks, size, np.int64)
    sizes[:larger] += 1
    return sizes


def split_in_parallel(
    task: Task, records: Ints32, rule: int, limits: tuple[int, int] | None = None
) -> tuple[Ints32, Ints64]:
    """Split records by HORPART's loop: large parts first, then those below SHARD_RECORDS in parallel. `limits` (by
    default the task's) are the size that clusters stay below, and the smallest cluster."""
    data, engine = task.data, task.engine
    size_limit, min_size = limits or task.size_limits()
    ignored, whole = secret_terms(data), np.array([0, records.size])
    places = np.arange(records.size, dtype=np.int32)
    state = loops.Records(data.offsets, data.items, places, places.copy())
    if records.size < len(data) or not np.array_equal(records, places):  # copied, because they may be scattered
        copied = loops.in_place(*loops.copied_records(loops.records_in(data, records), records))
        state = copied._replace(where=places.copy())
    if records.size < SHARD_RECORDS or STRATEGIES[task.method.strategy].is_sequential:
        ends = loops.split_records(state, whole, (size_limit, min_size, rule), ignored)
        return records[state.order], np.diff(ends, prepend=0)
    large = (max(size_limit, SHARD_RECORDS), min_size, rule)
    found = loops.split_in_batches(state, whole, large, ignored, SHARD_RECORDS, engine.spread)
    asked = (size_limit, min_size, rule), ignored
    parts = engine.map(
        loops.split_shard,
        pairwise(chain([np.zeros(1, np.int64)], found)),
        task.reporting("splitting", records.size // SHARD_RECORDS),
        lambda ends: loops.SplitShard(*loops.copied_pieces(state, np.concatenate([ends[0][-1:], ends[1]])), *asked),
    )
    ends = put_together(state.order, parts)
    return records[state.order], np.diff(ends, prepend=0)


def put_together(order: Ints32, parts: Iterable[tuple[Ints32, Ints64]]) -> Ints64:
    """Bring the records into the order of their clusters, shard by shard; return the ends of all clusters."""
    start, found = 0, []
    for places, ends in parts:
        end = start + places.size
        order[start:end] = order[start:end][places]
        found.append(ends + start)
        start = end
    return np.concatenate(found)


def split_in_written_order(task: Task, records: Ints32, rule: int) -> tuple[Ints32, Ints64]:
    """Split records into clusters by the most frequent term, the first read among equals."""
    data = task.data
    if data.written is None:
        raise InvalidParameter(
            "ties='first' needs the terms in the order of the source; read the data with keep_order=True."
        )
    items = data.written.tolist()
    terms = [items[a:b] for a, b in pairwise(data.offsets.tolist())]
    always = frozenset(np.flatnonzero(secret_terms(data)).tolist())
    clusters = _split(terms, [(records.tolist(), always)], task.size_limits(), rule)
    return np.array([r for c in clusters for r in c], np.int32), np.array([len(c) for c in clusters], np.int64)


def _split(
    terms: list[Part], stack: list[tuple[Part, frozenset[int]]], limits: tuple[int, int], rule: int
) -> list[Part]:
    saved: list[Part] = []
    largest, least = limits
    while stack:
        part, ignored = stack.pop()
        term = None
        if len(part) >= largest:
            term, ignored = _term_to_split_on(terms, part, ignored, least, rule)
        if term is not None:
            stack.append(([record for record in part if term not in terms[record]], ignored))
            stack.append(([record for record in part if term in terms[record]], ignored | {term}))
        elif rule != loops.ADDING or len(part) >= least:
            saved.append(part)
        elif stack:
            waiting, also_ignored = stack[-1]
            stack[-1] = (waiting + part, also_ignored | ignored)
        else:
            saved[-1] = saved[-1] + part
    return saved


def _term_to_split_on(
    terms: list[Part], part: Part, ignored: frozenset[int], least: int, rule: int
) -> tuple[int | None, frozenset[int]]:
    """Return the term, if any, and the terms to ignore in smaller parts. A Counter keeps terms in the order read, and
    `most_common` keeps this order among equals."""
    counts = Counter(term for record in part for term in terms[record] if term not in ignored)
    for term, count in counts.most_common():
        if count == len(part):
            ignored |= {term}
        elif rule in (loops.LISTING, loops.ADDING) or min(count, len(part) - count) >= least:
            return term, ignored
        elif rule != loops.ABANDON_NEXT:
            break
    return None, ignored


# l-diversity for sensitive terms: in every leaf, at most one record in l has the same sensitive term (spec A.9).

Held = dict[int, Counter[int]]  # cluster -> records by sensitive term, only clusters that have any


def merge_until_diverse(data: Transactions, clustered: Clustered, l: int) -> Clustered:  # noqa: E741
    """Merge neighbouring clusters, including the core, until in each at most one record in `l` has the same sensitive
    term (spec A.9). Raises GuaranteeUnreachable if a sensitive term is too frequent for any clustering."""
    partition = clustered.partition
    sizes = diverse_sizes(partition.sizes.tolist(), _sensitive_counts(data, partition), data.vocabulary, l)
    merged = Partition(partition.records, np.array(sizes, np.int64))
    return replace(clustered, partition=merged, core=clustered.core if sizes[0] == clustered.core else 0)


def diverse_sizes(sizes: list[int], counts: Held, vocabulary: pa.StringArray, l: int) -> list[int]:  # noqa: E741
    n, total = sum(sizes), sum(counts.values(), Counter[int]())
    worst, support = max(total.items(), key=lambda entry: (entry[1], -entry[0]), default=(-1, 0))
    if support * l > n:
        most = n // support
        remedy = f"Lower l to {most} or less" if most >= 2 else "Publish without l"
        raise GuaranteeUnreachable(
            f"the sensitive term {vocabulary[worst].as_py()!r} is in {support} of {n} records, more than one in {l}. "
            f"{remedy}, or remove the term from the sensitive ones."
        )
    groups: list[tuple[int, Counter[int]]] = []
    size, held = 0, Counter[int]()
    for cluster, cluster_size in enumerate(sizes):
        size, held = size + cluster_size, held + counts.get(cluster, Counter())
        if max(held.values(), default=0) * l <= size:
            groups.append((size, held))
            size, held = 0, Counter[int]()
    while size:  # the last clusters are not diverse yet: merge them with those before
        if max(held.values(), default=0) * l <= size:
            groups.append((size, held))
            break
        before, before_held = groups.pop()
        size, held = size + before, held + before_held
    return [size for size, _ in groups]


def true_association(data: Transactions, partition: Partition) -> Fraction:
    """Return the greatest share of a leaf's records that have the same sensitive term."""
    return greatest_share(partition.sizes.tolist(), _sensitive_counts(data, partition))


def greatest_share(sizes: list[int], counts: Held) -> Fraction:
    """Return the greatest share of a cluster's records that have the same sensitive term."""
    return max((Fraction(max(held.values()), sizes[c]) for c, held in counts.items()), default=Fraction(0))


def _sensitive_counts(data: Transactions, partition: Partition) -> Held:
    """Count the records of each cluster by sensitive term; spellings of the same term count as the first of them."""
    hidden = np.flatnonzero(secret_terms(data))
    first = np.arange(data.n_terms)
    first[hidden] = hidden[first_alike(data.sensitive_terms())]
    cluster_of = np.full(len(data), -1, np.int64)
    cluster_of[partition.records] = Spans.of(partition.sizes).owners()
    where = np.flatnonzero(secret_terms(data)[data.items])
    records = np.searchsorted(data.offsets, where, side="right") - 1
    pairs = np.unique(records * data.n_terms + first[data.items[where]])
    counts: Held = {}
    for cluster, term in zip(cluster_of[pairs // data.n_terms].tolist(), (pairs % data.n_terms).tolist(), strict=True):
        if cluster >= 0:
            counts.setdefault(cluster, Counter())[term] += 1
    return counts
