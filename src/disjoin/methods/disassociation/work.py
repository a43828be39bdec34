"""Disassociation from records to a draft: split, check sensitive terms, publish."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.kernels.splitting import ADDING, Records, split_bit_by_bit, split_records, split_shard
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.drafting import Forest, draft_of
from disjoin.methods.disassociation.horizontal import STRATEGIES, Partition, Splitting
from disjoin.methods.disassociation.refining import refine
from disjoin.methods.disassociation.sensitive import merge_until_diverse, true_association
from disjoin.methods.disassociation.vertical import cut_into_chunks
from disjoin.methods.disassociation.written_order import split_in_written_order
from disjoin.methods.sorting import by_content
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.arrays import Ints32, Ints64
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation

SHARD_RECORDS = 100_000  # parts below this are split side by side; the result is the same for any number


def disassociate(method: Disassociation, data: Transactions, engine: Engine, progress: Progress) -> Draft[Clusters]:
    """Run the method on records whose sensitive terms are marked."""
    partition = partition_records(method, data, engine, progress)
    private: dict[str, Any] = {}
    if data.sensitive is not None and data.sensitive.any():
        if method.l is not None:
            partition = merge_until_diverse(data, partition, method.l)
        rate = true_association(data, partition)
        private["true_association"] = [rate.numerator, rate.denominator]
    draft = publish_partition(method, data, partition, engine, progress)
    published = set(draft.published.vocabulary.to_pylist())
    sensitive = tuple(term for term in data.sensitive_terms() if term in published)
    return replace(draft, sensitive=sensitive, private=private)


def publish_partition(
    method: Disassociation, data: Transactions, partition: Partition, engine: Engine, progress: Progress
) -> Draft[Clusters]:
    """Cut clusters into chunks and, if asked for, join them."""
    leaves = cut_into_chunks(data, partition, method.k, method.m, engine, progress)
    forest = Forest.without_joints(leaves)
    if method.refine:
        forest = refine(leaves, data, partition, method, progress)
    return draft_of(forest, data, partition)


def partition_records(method: Disassociation, data: Transactions, engine: Engine, progress: Progress) -> Partition:
    """Group all records into clusters by the method's strategy."""
    largest = min(method.largest, len(data) + 1)  # numbers that fit into 64 bits, with the same effect

    def split(records: Ints32, rule: int) -> tuple[Ints32, Ints64]:
        if method.ties == "first":
            return split_in_written_order(data, records, rule, largest, method.least)
        return _split(data, records, (largest, method.least, rule), engine, progress)

    how = Splitting(split, largest, method.least, lambda records: by_content(data, records))
    return STRATEGIES[method.strategy](np.arange(len(data), dtype=np.int32), how)


def _split(
    data: Transactions, records: Ints32, limits: tuple[int, int, int], engine: Engine, progress: Progress
) -> tuple[Ints32, Ints64]:
    """Run the splitting kernel: large parts first, then what is below SHARD_RECORDS side by side."""
    largest, least, rule = limits
    ignored = np.zeros(data.n_terms, np.bool_) if data.sensitive is None else data.sensitive
    where = np.empty(len(data), np.int32)
    where[records] = np.arange(records.size, dtype=np.int32)
    state = Records(data.offsets, data.items, records.copy(), where)
    whole = np.array([0, records.size])
    if rule == ADDING:  # small parts travel from part to part, so nothing can be done side by side
        ends = split_records(state, whole, limits, ignored)
    else:
        parts = engine.map(
            lambda shard: split_shard(state, shard, limits, ignored),
            _shards(split_bit_by_bit(state, whole, (max(largest, SHARD_RECORDS), least, rule), ignored, SHARD_RECORDS)),
            lambda done: progress("splitting", done, records.size // SHARD_RECORDS),
        )
        ends = np.concatenate(parts)
    return state.order, np.diff(ends, prepend=0)


def _shards(found: Iterable[Ints64]) -> Iterator[Ints64]:
    """Give the bounds of the pieces, as they are found, in groups of about SHARD_RECORDS records."""
    end = 0
    for ends in found:
        yield np.concatenate([[end], ends])
        end = ends[-1]
