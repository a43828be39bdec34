"""Executor code for leaves: numbers, sensitive terms, VERPART, shared chunks and verification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.jit.decision import prepare
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.leaves import Leaves, concatenated
from disjoin.methods.disassociation.packing import LARGE_LEAF, ClusterShard, publish_shard
from disjoin.methods.disassociation.refine_join import Limits, supports_of_entries
from disjoin.methods.disassociation.refine_shared_chunks import (
    JointShard,
    Moves,
    projected,
    publish_joints,
    strict_terms,
)
from disjoin.methods.disassociation.run import INTERPRETED
from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, frozen, offsets_of
from disjoin.spark import arrays
from disjoin.spark.arrays import NODE_FIELDS, Batches
from disjoin.spark.reading import fingerprint
from disjoin.verify import check

HELD = arrays.schema_of("leaf int, term int, count int")
NUMBERED = arrays.schema_of("block bigint, leaf bigint, lengths binary, items binary")
MOVES = arrays.schema_of("block bigint, leaf bigint, terms array<int>, joints array<int>, strict array<int>")
NODES = pa.schema([*arrays.schema_of("block bigint, node bigint, parent bigint"), *NODE_FIELDS])
VERDICTS = arrays.schema_of("block bigint, records bigint, content bigint, holds boolean, complaints array<string>")


class Numbering(NamedTuple):
    """The number of each leaf, by its origin."""

    keys: Ints64  # (rows, 3) pass, part, leaf; in their order
    numbers: Ints64

    def of_rows(self, batch: pa.RecordBatch) -> Ints64:
        made = np.column_stack([arrays.numbers_in_column(batch.column(place)) for place in range(3)])
        return self.numbers[np.searchsorted(packed_keys(self.keys), packed_keys(made))]


def packed_keys(keys: Ints64) -> Ints64:
    """Return (pass, part, leaf) as one number each, in the same order."""
    return (keys[:, 0] << 56) + (keys[:, 1] << 28) + keys[:, 2]


def count_sensitive(numbering: Numbering, secret: Flags, alike: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count the records of leaves by sensitive term; other spellings of a term count as the first (`alike`).

    Leaves without sensitive terms are omitted.
    """
    n_terms = np.int64(secret.size)
    for batch in batches:
        lengths, items = arrays.ragged_in(batch["lengths"]), arrays.ragged_in(batch["items"])
        record = np.repeat(np.arange(lengths.items.size), lengths.items)
        hidden = secret[items.items]
        once = np.unique(record[hidden] * n_terms + alike[items.items[hidden]])
        leaves = np.repeat(numbering.of_rows(batch), lengths.lengths)[once // n_terms]
        keys, counts = np.unique(leaves * n_terms + once % n_terms, return_counts=True)
        yield arrays.batch_of(HELD, [keys // n_terms, keys % n_terms, counts])


def number_leaves(numbering: Numbering, blocks: Ints64, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Add to rows of leaves their number and block; those with block -1 are left out."""
    for batch in batches:
        numbers = numbering.of_rows(batch)
        block = blocks[numbers]
        rows = pa.RecordBatch.from_arrays([pa.array(block), pa.array(numbers), *batch.columns[4:]], schema=NUMBERED)
        yield rows.filter(pa.array(block >= 0))


class LeafRecords(NamedTuple):
    """The records of leaves, leaf by leaf."""

    leaves: Ints64  # their numbers, ascending
    rows: Ragged
    ends: Ints64  # ends of the leaves, after a leading 0

    def records(self) -> Records:
        numbers = np.arange(len(self.rows), dtype=np.int32)
        offsets, items = frozen(self.rows.offsets, np.int64), frozen(self.rows.items, np.int32)
        return Records(offsets, items, numbers, np.empty(0, np.int32))


def leaves_in(table: pa.Table) -> LeafRecords:
    order = np.argsort(arrays.numbers_in_column(table["leaf"]), kind="stable")
    numbers = arrays.numbers_in_column(table["leaf"])[order]
    lengths, items = arrays.ragged_in(table["lengths"]).take(order), arrays.ragged_in(table["items"]).take(order)
    leaves, first = np.unique(numbers, return_index=True)
    ends = np.append(lengths.offsets[first], lengths.offsets[-1])
    return LeafRecords(leaves, Ragged(offsets_of(lengths.items), items.items), ends)


class Cutting(NamedTuple):
    """The global facts that VERPART needs."""

    limits: tuple[int, int, int]  # k, m, length of the longest record
    secret: Flags
    packs: bool  # whether large leaves are packed
    largest: int  # largest number of records of a leaf

    def schema(self) -> pa.Schema:
        """Return the columns of leaves that were cut: most of the driver's input."""
        nodes = arrays.node_fields(self.secret.size, self.largest)
        return pa.schema([("leaf", pa.int32()), *nodes, ("supports", pa.list_(arrays.whole_numbers(self.largest)))])


def cut(cutting: Cutting, table: pa.Table) -> pa.Table:
    """Publish the leaves of a block, and count the records of every term of their term chunks."""
    block = leaves_in(table)
    prepare(INTERPRETED * cutting.limits[1] * block.rows.items.size / 2)
    leaves, data = _published(cutting, block), block.records()
    supports = supports_of_entries(data, block.ends, leaves, cutting.secret.size, map)
    return arrays.table_of(
        cutting.schema(), [block.leaves, *arrays.node_columns(leaves), arrays.lists_of(leaves.term_offsets, supports)]
    )


def _published(cutting: Cutting, block: LeafRecords) -> Leaves:
    sizes = np.diff(block.ends)
    is_alone = (sizes >= LARGE_LEAF) & cutting.packs
    cuts = np.unique([0, *(np.flatnonzero(is_alone)), *(np.flatnonzero(is_alone) + 1), sizes.size])
    parts = []
    for lo, hi in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        rows = block.rows.take(np.arange(block.ends[lo], block.ends[hi]))
        ends = block.ends[lo : hi + 1] - block.ends[lo]
        shard = ClusterShard(rows.offsets, rows.items, ends, cutting.limits, cutting.secret, bool(is_alone[lo]))
        parts.append(publish_shard(shard))
    return concatenated(parts)


def joint_fields(terms: int, records: int) -> pa.Schema:
    return pa.schema([("joint", pa.int32()), *arrays.node_fields(terms, records)])


def build(limits: Limits, cuts: Ints64, schema: pa.Schema, leaves: pa.Table, moves: pa.Table) -> pa.Table:
    """Build the joint clusters of a block of trees; `cuts` has the first joint cluster of every block."""
    if leaves.num_rows == 0 or moves.num_rows == 0:
        assert leaves.num_rows == moves.num_rows, "records in a block and their moved terms must match"
        return schema.empty_table()
    block = int(moves["block"][0].as_py())
    here, moved = leaves_in(leaves), moves.take(pa.array(np.argsort(arrays.numbers_in_column(moves["leaf"]))))
    assert np.array_equal(here.leaves, arrays.numbers_in_column(moved["leaf"])), "every leaf has its records"
    terms, joints, strict = (arrays.ragged_in(moved[name]) for name in ("terms", "joints", "strict"))
    span = int(cuts[block]), int(cuts[block + 1])
    flags = strict.items.astype(np.bool_)
    plan = Moves(terms.offsets, terms.items.astype(np.int32), joints.items.astype(np.int32), flags)
    prepare(INTERPRETED * limits.m * here.rows.items.size / 4)
    numbers = np.arange(here.leaves.size)
    offsets, items, ends = projected(here.records(), here.ends, plan, numbers, span, limits.n_terms)
    pairs = np.unique(plan.joint_of[flags] * np.int64(limits.n_terms) + plan.term_items[flags])
    made = publish_joints(JointShard(offsets, items, ends, *strict_terms(pairs, span, limits.n_terms), limits))
    return arrays.table_of(schema, [np.arange(*span), *arrays.node_columns(made)])


class Inspecting(NamedTuple):
    """The global facts that a verification of a block needs."""

    guarantee: KmAnonymity
    vocabulary: pa.StringArray
    published: Ints32  # (published terms,) -> terms of the vocabulary
    node_of_leaf: Ints64


def inspect_block(inspecting: Inspecting, leaves: pa.Table, nodes: pa.Table) -> pa.Table:
    """Verify trees against their records; only names and places of violations are reported."""
    if leaves.num_rows == 0 or nodes.num_rows == 0:
        block = (leaves if leaves.num_rows else nodes)["block"][0].as_py()
        return arrays.table_of(VERDICTS, [[block], [0], [0], [False], [["records and clusters do not match"]]])
    block = nodes["block"][0].as_py()
    nodes = nodes.take(pa.array(np.argsort(arrays.numbers_in_column(nodes["node"]))))
    here, forest = leaves_in(leaves), arrays.nodes_in(nodes)
    first = int(nodes["node"][0].as_py())
    part_of_record = np.repeat(inspecting.node_of_leaf[here.leaves] - first, np.diff(here.ends))
    part, original = _named(inspecting, forest, arrays.numbers_in_column(nodes["parent"]) - first, here.rows)
    known = set(part.vocabulary.to_pylist())
    guarantee = inspecting.guarantee
    sensitive = tuple(term for term in guarantee.sensitive if term in known)
    guarantee = KmAnonymity(guarantee.k, guarantee.m, guarantee.l, sensitive, guarantee.proven)
    verdict = check(part, guarantee, original=original, part_of_record=part_of_record, exact=False)
    wanted = {"O1", "O2", "O3", "O4", "O5", "O6"} <= set(verdict.checked)
    complaints = [violation.without_example() for violation in verdict.violations[:3]]
    if not wanted:
        complaints.append("not everything could be compared with the original")
    content = np.array([fingerprint(here.rows)]).view(np.int64)
    return arrays.table_of(VERDICTS, [[block], [len(here.rows)], content, [verdict.holds and wanted], [complaints]])


def _named(inspecting: Inspecting, forest: Leaves, parents: Ints64, rows: Ragged) -> tuple[Clusters, Transactions]:
    items, term_items = inspecting.published[forest.items], inspecting.published[forest.term_items]
    shown, held = np.unique(np.concatenate([items, term_items])), np.flatnonzero(np.bincount(rows.items))
    part = Clusters(
        vocabulary=inspecting.vocabulary.take(pa.array(shown)),
        parents=np.where(parents < 0, -1, parents),
        sizes=forest.sizes,
        term_offsets=forest.term_offsets,
        term_items=np.searchsorted(shown, term_items).astype(np.int32),
        chunk_offsets=forest.chunk_offsets,
        subrecord_offsets=forest.subrecord_offsets,
        item_offsets=forest.item_offsets,
        items=np.searchsorted(shown, items).astype(np.int32),
        counts=forest.counts,
    )
    numbered = np.searchsorted(held, rows.items).astype(np.int32)
    return part, Transactions(rows.offsets, numbered, inspecting.vocabulary.take(pa.array(held)))
