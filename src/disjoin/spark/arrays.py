"""Conversion between lists in Arrow tables and arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.methods.disassociation.leaves import Buffers, Leaves, rearranged
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of
from disjoin.model.unnamed_files import Growing

INTS = pa.list_(pa.int32())
PACKED = pa.binary()  # the same, as bytes: Java passes bytes on unchanged, but lists number by number
KINDS = {
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "string": pa.string(),
    "binary": PACKED,
    "boolean": pa.bool_(),
}
Batches = Iterable[pa.RecordBatch]
TOGETHER, ITEMS_TOGETHER = 256, 2**18  # records per row, and about how many numbers: Java handles rows


def schema_of(columns: str) -> pa.Schema:
    """Return columns in Spark's notation as a schema.

    >>> schema_of("shard bigint, items array<int>").types
    [DataType(int64), ListType(list<item: int32>)]
    """
    return pa.schema([(name, _type_of(kind)) for name, kind in (each.split(" ") for each in columns.split(", "))])


def _type_of(word: str) -> pa.DataType:
    is_list = word.startswith("array<")
    return pa.list_(_type_of(word.removeprefix("array<").removesuffix(">"))) if is_list else KINDS[word]


def in_spark(schema: pa.Schema) -> str:
    """Return a schema in Spark's notation.

    >>> in_spark(pa.schema([("shard", pa.int64()), ("items", pa.list_(pa.int32()))]))
    'shard bigint, items array<int>'
    """
    return ", ".join(f"{each.name} {_word_of(each.type)}" for each in schema)


def _word_of(kind: pa.DataType) -> str:
    is_list = pa.types.is_list(kind)
    return f"array<{_word_of(kind.value_type)}>" if is_list else next(word for word in KINDS if KINDS[word] == kind)


def ragged_in(column: Any, width: str = "<i4") -> Ragged:
    """Return the lists of numbers in a column, packed (with that width) or not, as compressed sparse rows."""
    if column.type == PACKED:
        return _unpacked(column.chunks if isinstance(column, pa.ChunkedArray) else [column], np.dtype(width))
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # without chunks it remains one
        column = pa.array([], INTS)
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    return Ragged(offsets_of(lengths), column.flatten().to_numpy(zero_copy_only=False))


def _unpacked(chunks: list[Any], width: np.dtype[Any]) -> Ragged:
    """Return rows of `bytes_of`; arrays are combined here, because one of Arrow has at most 2 GB."""
    items, lengths = [np.empty(0, width)], [np.empty(0, np.int64)]
    for chunk in chunks:
        _, places, values = chunk.buffers()
        offsets = np.frombuffer(places, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1] if len(chunk) else [0]
        lengths.append(np.diff(offsets) // width.itemsize)
        if offsets[-1] > offsets[0]:
            items.append(np.frombuffer(values, width, (offsets[-1] - offsets[0]) // width.itemsize, offsets[0]))
    return Ragged(offsets_of(np.concatenate(lengths)), np.concatenate(items) if len(items) != 2 else items[1])


def packed(offsets: Ints64, values: Any) -> pa.Array:
    """Return rows of numbers below 2^31 as bytes.

    >>> ragged_in(packed(np.array([0, 2, 2, 3]), np.array([7, 8, 9]))[1:]).to_lists()
    [[], [9]]
    """
    return bytes_of(Ragged(offsets, values))


def records_in(rows: pa.RecordBatch | pa.Table) -> Ragged:
    """Return the records in rows that have several each, with the columns `lengths` and `items`.

    >>> lengths, items = records_packed(Ragged.from_lists([[7], [8, 9]]))
    >>> records_in(pa.table({"lengths": lengths, "items": items})).to_lists()
    [[7], [8, 9]]
    """
    return Ragged(offsets_of(ragged_in(rows["lengths"]).items), ragged_in(rows["items"]).items)


def records_packed(records: Ragged, cuts: Ints64 | None = None) -> list[pa.Array]:
    """Return records as `lengths` and `items`, some in every row."""
    cuts = cuts_of(records) if cuts is None else cuts
    return [packed(cuts, records.lengths), packed(records.offsets[cuts], records.items)]


def cuts_of(records: Ragged, groups: Ints64 | None = None) -> Ints64:
    """Return where rows with several records begin, and the end; other groups are in other rows.

    >>> cuts_of(Ragged.from_lists([[1], [2], [3]]), np.array([5, 5, 6])).tolist()
    [0, 2, 3]
    """
    starts = np.arange(len(records)) % TOGETHER == 0
    for each in (records.offsets[:-1] // ITEMS_TOGETHER, groups):
        if each is not None:
            starts[1:] |= each[1:] != each[:-1]
    return np.append(np.flatnonzero(starts), len(records))


def records_by(groups: Ints64, records: Ragged, *beside: Ints64) -> list[Any]:
    """Return records, each row with some of one group: the group, packed numbers of records, `lengths`, `items`."""
    order = np.argsort(groups, kind="stable")
    groups, records = groups[order], records.take(order)
    cuts = cuts_of(records, groups)
    return [groups[cuts[:-1]], *(packed(cuts, each[order]) for each in beside), *records_packed(records, cuts)]


def distinct(numbers: Ints64) -> Ints64:
    """Return the distinct numbers, ascending: `np.unique`, but by sorting, which is far faster if most differ.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    numbers = np.sort(numbers, kind="stable")
    is_new: Flags = np.diff(numbers, prepend=numbers[:1] - 1) != 0
    return numbers[is_new]


def numbers_in_column(column: Any) -> Ints64:
    return np.asarray(column.to_numpy(), np.int64)


def numbers_in(table: pa.Table, by: str, *names: str) -> list[Ints64]:
    """Return columns of whole numbers, all in the order of the first; equal ones keep their order."""
    columns = [numbers_in_column(table[name]) for name in (by, *names)]
    order = np.argsort(columns[0], kind="stable")
    return [column[order] for column in columns]


def lists_of(offsets: Ints64, values: Any) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(values))


def bytes_of(rows: Ragged, width: str = "<i4") -> pa.Array:
    """Return rows of numbers as bytes, one array each, which Spark can group by.

    >>> bytes_of(Ragged.from_lists([[1], [], [2, 3]]), "<u2").to_pylist()
    [b'\\x01\\x00', b'', b'\\x02\\x00\\x03\\x00']
    """
    values = rows.items.astype(width)
    places = (rows.offsets * values.itemsize).astype(np.int32)
    buffers = [None, pa.py_buffer(places.tobytes()), pa.py_buffer(values.tobytes())]
    return pa.Array.from_buffers(pa.binary(), len(rows), buffers)


def rows_in_bytes(column: Any, width: str = "<i4") -> Ragged:
    """Return the numbers that `bytes_of` converted to bytes."""
    rows = [np.frombuffer(each, width).astype(np.int32) for each in column.to_pylist()]
    return Ragged(offsets_of([row.size for row in rows]), np.concatenate([*rows, np.empty(0, np.int32)]))


def whole_numbers(most: int) -> pa.DataType:
    """Return the narrowest integer type for numbers up to a largest one.

    >>> whole_numbers(500), whole_numbers(40_000)
    (DataType(int16), DataType(int32))
    """
    return next((kind for bits, kind in ((15, pa.int16()), (31, pa.int32())) if most < 2**bits), pa.int64())


def node_fields(terms: int, records: int) -> tuple[tuple[str, pa.DataType], ...]:
    """Return the columns of nodes with up to that many records each, and of that many terms."""
    term, count = whole_numbers(terms), whole_numbers(records)
    return (
        ("size", count),
        ("terms", pa.list_(term)),  # items of the term chunk
        ("chunks", pa.list_(count)),  # subrecords of each chunk
        ("lengths", pa.list_(term)),  # terms of each subrecord
        ("items", pa.list_(term)),
        ("counts", pa.list_(count)),
    )


NODE_FIELDS = node_fields(2**31 - 1, 2**63 - 1)  # for any nodes


def node_columns(nodes: Leaves) -> list[pa.Array]:
    """Return nodes of a forest as columns, one row per node: those of `node_fields`."""
    subrecords = nodes.subrecord_offsets[nodes.chunk_offsets]
    return [
        pa.array(nodes.sizes),
        lists_of(nodes.term_offsets, nodes.term_items.astype(np.int32)),
        lists_of(nodes.chunk_offsets, np.diff(nodes.subrecord_offsets).astype(np.int32)),
        lists_of(subrecords, np.diff(nodes.item_offsets).astype(np.int32)),
        lists_of(nodes.item_offsets[subrecords], nodes.items.astype(np.int32)),
        lists_of(subrecords, nodes.counts.astype(np.int64)),
    ]


def nodes_in(table: pa.Table) -> Leaves:
    if "terms" not in table.column_names:  # then they are stored separately
        table = table.append_column("terms", lists_of(np.zeros(table.num_rows + 1, np.int64), np.empty(0, np.int32)))
    terms, chunks, lengths, items, counts = (ragged_in(table[name]) for name, _ in NODE_FIELDS[1:])
    return Leaves(
        sizes=numbers_in_column(table["size"]),
        term_offsets=terms.offsets,
        term_items=terms.items.astype(np.int32),
        chunk_offsets=chunks.offsets,
        subrecord_offsets=offsets_of(chunks.items),
        item_offsets=offsets_of(lengths.items),
        items=items.items.astype(np.int32),
        counts=counts.items.astype(np.int64),
    )


class StoredLists:
    """Numbered rows of numbers that arrive in any order, and are stored in unnamed files."""

    def __init__(self, folder: Path) -> None:
        self._numbers, self._grown = [np.empty(0, np.int64)], [Growing(np.int64, folder), Growing(np.int32, folder)]

    def add(self, numbers: Ints64, rows: Ragged) -> None:
        self._numbers.append(numbers)
        self._grown[0].add(rows.lengths)
        self._grown[1].add(rows.items)

    def in_order(self, numbers: Ints64, room: Buffers) -> Ragged:
        lengths, items = (grown.array() for grown in self._grown)
        return Ragged(offsets_of(lengths), items).take(_order(self._numbers, numbers), room)


class StoredNodes:
    """Numbered nodes that arrive in any order, and are stored in unnamed files."""

    def __init__(self, folder: Path) -> None:
        self._numbers = [np.empty(0, np.int64)]
        kinds = {name: np.int32 if name.endswith("items") else np.int64 for name in Leaves._fields}
        self._grown = {name: Growing(kind, folder) for name, kind in kinds.items()}
        self._ends = {name: 0 for name in Leaves._fields if name.endswith("offsets")}
        for name in self._ends:
            self._grown[name].add(np.zeros(1, np.int64))

    def add(self, numbers: Ints64, nodes: Leaves) -> None:
        self._numbers.append(numbers)
        for name in Leaves._fields:
            values = getattr(nodes, name)
            if name in self._ends:
                self._grown[name].add(values[1:] + self._ends[name])
                self._ends[name] += int(values[-1])
            else:
                self._grown[name].add(values)

    def in_order(self, numbers: Ints64, room: Buffers) -> Leaves:
        nodes = Leaves(*(self._grown[name].array() for name in Leaves._fields))
        chunks = np.arange(nodes.subrecord_offsets.size - 1)
        return rearranged(nodes, _order(self._numbers, numbers), chunks, room)


def _order(stored: Sequence[Ints64], numbers: Ints64) -> Ints64:
    """Return where things with these numbers are stored; raise unless exactly these exist, each once.

    >>> _order([np.array([7, 5]), np.array([6])], np.array([5, 6, 7])).tolist()
    [1, 2, 0]
    """
    found = np.concatenate(stored)
    order = np.argsort(found)
    if not np.array_equal(found[order], np.sort(numbers)) or np.unique(found).size < found.size:
        raise RuntimeError("a cluster is missing or repeated; nothing is published.")
    return order[np.searchsorted(found[order], numbers)]


def batch_of(schema: pa.Schema, columns: Sequence[Any]) -> pa.RecordBatch:
    arrays = [each if isinstance(each, pa.Array) else pa.array(each) for each in columns]
    return pa.RecordBatch.from_arrays(
        [array.cast(field.type) for array, field in zip(arrays, schema, strict=True)], schema=schema
    )


def table_of(schema: pa.Schema, columns: Sequence[Any]) -> pa.Table:
    return pa.Table.from_batches([batch_of(schema, columns)], schema)
