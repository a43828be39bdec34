"""Executor code for REFINE."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.jit.decision import prepare
from disjoin.methods.disassociation.refine_join import Limits
from disjoin.methods.disassociation.run import INTERPRETED
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.spark.arrays import (
    PACKED,
    batch_of,
    bytes_of,
    lists_of,
    nodes_in,
    numbers_in_column,
    ragged_in,
    table_of,
    whole_numbers,
)
from disjoin.spark.refine_levels import (
    LevelPlan,
    Tops,
    count_shareable,
    join_tops,
    keys_of,
    tops_of_leaves,
    tops_of_lines,
)
from disjoin.spark.work_publishing import MOVES
from disjoin.spark.work_reading import Batches

WIDTHS = {  # of the numbers of `Tops`, which are bytes of one row per cluster
    "line_terms": "<i4",
    "line_marks": "|u1",
    "line_supports": "<i4",
    "leaves": "<i4",
    "leaf_sizes": "<i8",
    "leans": "|u1",
    "lengths": "<i4",  # of the leaves' entries
    "terms": "<i4",
    "moved_in": "<u2",
    "strict": "|u1",
}
_COLUMNS = [(name, PACKED) for name in WIDTHS]
STATE = pa.schema([("top", pa.int32()), ("members", PACKED), *_COLUMNS])
SORTED = pa.schema([("run_group", pa.int32()), ("at", pa.int32()), *_COLUMNS])
TERMS = pa.schema([("term", pa.int32()), ("count", pa.int64())])
KEYS = pa.schema([("top", pa.int32()), ("key", pa.int64())])


def columns_of(tops: Tops) -> list[pa.Array]:
    """Return clusters as columns, one row each."""
    lines, leaves = tops.line_offsets, tops.leaf_offsets
    entries, lengths = tops.term_offsets[leaves], np.diff(tops.term_offsets)
    rows: tuple[Any, ...] = (
        *((lines, values) for values in (tops.line_term, tops.line_marks, tops.line_support)),
        *((leaves, values) for values in (tops.leaves, tops.leaf_sizes, tops.leans, lengths)),
        *((entries, values) for values in (tops.term_items, tops.moved_in, tops.strict)),
    )
    return [bytes_of(Ragged(*row), width) for row, width in zip(rows, WIDTHS.values(), strict=True)]


def tops_in(rows: Any) -> Tops:
    """Return the clusters in a table, or in a batch of one."""
    read = {name: ragged_in(rows[name], width) for name, width in WIDTHS.items()}
    items = {name: each.items for name, each in read.items()}
    return Tops(
        read["line_terms"].offsets,
        items["line_terms"].astype(np.int32),
        items["line_marks"].astype(np.uint8),
        items["line_supports"].astype(np.int32),
        read["leaves"].offsets,
        items["leaves"].astype(np.int32),
        items["leaf_sizes"].astype(np.int64),
        items["leans"].astype(np.bool_),
        offsets_of(items["lengths"]),
        items["terms"].astype(np.int32),
        items["moved_in"].astype(np.uint16),
        items["strict"].astype(np.bool_),
    )


def _lines_in(batch: pa.RecordBatch) -> Tops:
    terms, marks = (ragged_in(batch[name], WIDTHS[name]) for name in ("line_terms", "line_marks"))
    return tops_of_lines(terms.offsets, terms.items.astype(np.int32), marks.items.astype(np.uint8))


def open_tops(n_terms: int, limits: Limits, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Make clusters of leaves that were cut, of which the first has the number `first`."""
    for batch in batches:
        leaves, supports = nodes_in(batch), ragged_in(batch["supports"]).items.astype(np.int32)
        numbers = numbers_in_column(batch["leaf"]) - first
        prepare(INTERPRETED * leaves.items.size / 8)
        tops = tops_of_leaves(leaves, numbers, supports, n_terms, limits)
        yield batch_of(STATE, [numbers, _lists(np.arange(numbers.size), numbers), *columns_of(tops)])


def _lists(starts: Ints64, values: Ints64) -> pa.Array:
    return bytes_of(Ragged(np.append(starts, values.size), values.astype(np.int32)))


def count_terms_of_tops(n_terms: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Count for every term the clusters that could share it."""
    counts = np.zeros(n_terms, np.int64)
    for batch in batches:
        count_shareable(_lines_in(batch), n_terms, counts)
    terms = np.flatnonzero(counts)
    yield batch_of(TERMS, [terms, counts[terms]])


def counts_of_terms(terms: int, tops: int) -> pa.Schema:
    """Return the columns of what the driver is told of up to that many terms in every level."""
    return pa.schema([("term", whole_numbers(terms)), ("count", whole_numbers(tops))])


def narrowed(schema: pa.Schema, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Write numbers with fewer bytes."""
    for batch in batches:
        yield batch_of(schema, batch.columns)


def write_keys(rank: Ints32, secret: Flags, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Write the key of every cluster."""
    for batch in batches:
        yield batch_of(KEYS, [batch["top"], keys_of(_lines_in(batch), rank, secret)])


class Sorting(NamedTuple):
    """Where clusters stand in a level, and the groups of whole runs that are joined together."""

    at: Ints32  # cluster, by its number -> its place in the order
    cuts: Ints64  # the first place of every group


def sort_tops(sorting: Sorting, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Give clusters their place and their group."""
    for batch in batches:
        at = sorting.at[numbers_in_column(batch["top"])]
        groups = np.searchsorted(sorting.cuts, at, side="right") - 1
        yield batch_of(SORTED, [groups, at, *(batch[name] for name in WIDTHS)])


def join_group(number: int, run: int, secret: Flags, limits: Limits, table: pa.Table) -> pa.Table:
    """Join the clusters of a group; those that are left are numbered from the first place on."""
    table = table.take(pa.array(np.argsort(numbers_in_column(table["at"]))))
    first, tops = int(table["at"][0].as_py()), tops_in(table)
    prepare(INTERPRETED * tops.line_term.size / 8)
    left, members = join_tops(tops, number, run, secret, limits)
    places = bytes_of(Ragged(members.offsets, members.items + np.int32(first)))
    return table_of(STATE, [first + np.arange(len(left)), places, *columns_of(left)])


def kept_terms(n_terms: int) -> pa.Schema:
    """Return the columns of what is left of term chunks, which are fetched: they are no wider than they must be."""
    return pa.schema([("leaf", pa.int32()), ("terms", pa.list_(whole_numbers(n_terms)))])


def keep_terms(n_terms: int, first: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Tell what is left of the term chunks of leaves."""
    for batch in batches:
        tops = tops_in(batch)
        stay = Ragged(tops.term_offsets, tops.term_items).where(tops.moved_in == 0)
        yield batch_of(kept_terms(n_terms), [tops.leaves + first, lists_of(stay.offsets, stay.items)])


class Moving(NamedTuple):
    """Where joints are built."""

    plan: LevelPlan
    place: Ints32  # joint -> its number where trees are together
    blocks: Ints64  # leaf, by its number among all -> the block of its tree
    first: int  # the number of the first leaf that may be joined


def move_terms(moving: Moving, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Tell which terms of leaves moved, and to which joints; a leaf of a joint may have none that did."""
    for batch in batches:
        tops = tops_in(batch)
        joint_of, leaves = moving.plan.joints_of(tops), tops.leaves + moving.first
        moved = joint_of >= 0
        terms = Ragged(tops.term_offsets, tops.term_items).where(moved)
        lists = (terms.items, moving.place[joint_of[moved]], tops.strict[moved].astype(np.int32))
        columns = [moving.blocks[leaves], leaves, *(lists_of(terms.offsets, each) for each in lists)]
        yield batch_of(MOVES, columns).filter(pa.array(moving.blocks[leaves] >= 0))
