"""The two tables of a release of clusters: their columns, and how they are laid into Parquet files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.clusters import Clusters

CLUSTERS = "clusters.parquet"
SUBRECORDS = "subrecords.parquet"
ROWS_IN_A_GROUP = 1 << 20
LARGEST_DICTIONARY = 1 << 30  # bytes; above its limit Parquet gives up the sorted dictionary page


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the receiver sees it; `type` is one of int64, int32, terms."""

    name: str
    type: str
    meaning: str
    optional: bool = False


COLUMNS: dict[str, tuple[Column, ...]] = {
    CLUSTERS: (
        Column("cluster", "int64", "id of the cluster, 0, 1, 2 and so on"),
        Column("parent", "int64", "the joint cluster that this one belongs to; empty for a root", optional=True),
        Column("size", "int64", "number of original records; of a joint cluster the sum of its leaves"),
        Column("terms", "terms", "the term chunk, sorted: each of these terms is in at least one of the records"),
    ),
    SUBRECORDS: (
        Column("cluster", "int64", "the cluster that owns the chunk; in a joint cluster the chunk is a shared one"),
        Column("chunk", "int32", "number of the chunk inside its cluster, from 0"),
        Column("terms", "terms", "the subrecord, sorted"),
        Column("count", "int64", "how many records have exactly this subrecord in this chunk"),
    ),
}


def tables_of(published: Clusters) -> dict[str, pa.Table]:
    """Lay the published clusters out as the tables of a release, by file name, without copying what need not be."""
    n_chunks = np.diff(published.chunk_offsets)  # (nodes,)
    n_subrecords = np.diff(published.subrecord_offsets)  # (chunks,)
    n_items = np.diff(published.item_offsets)  # (subrecords,)
    assert (n_chunks.size == len(published)) and n_subrecords.all() and n_items.all(), "no chunk, no subrecord is empty"
    assert _all_used(published), "the vocabulary of a release holds published terms only"
    owners = np.repeat(np.arange(len(published), dtype=np.int64), n_chunks)  # (chunks,)
    numbers = np.arange(owners.size, dtype=np.int64) - published.chunk_offsets[owners]  # (chunks,)
    parents = pa.array(published.parents, mask=published.parents < 0)
    return {
        CLUSTERS: _table(
            CLUSTERS,
            pa.array(np.arange(len(published), dtype=np.int64)),
            parents,
            pa.array(published.sizes),
            _lists(published.vocabulary, published.term_offsets, published.term_items),
        ),
        SUBRECORDS: _table(
            SUBRECORDS,
            pa.array(np.repeat(owners, n_subrecords)),
            pa.array(np.repeat(numbers.astype(np.int32), n_subrecords)),
            _lists(published.vocabulary, published.item_offsets, published.items),
            pa.array(published.counts),
        ),
    }


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table with fixed settings: the bytes are a function of the rows alone."""
    import pyarrow.parquet as pq

    numbers = [name for name in table.column_names if name != "terms"]
    pq.write_table(
        table,
        path,
        store_schema=False,  # a reader sees plain lists of strings, and no dictionary of ours
        compression="zstd",
        use_dictionary=["terms.list.element"],
        dictionary_pagesize_limit=LARGEST_DICTIONARY,
        column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
        write_statistics=["cluster"],  # enough to find a cluster without reading all
        row_group_size=ROWS_IN_A_GROUP,
        write_batch_size=1 << 16,  # a quarter less time than with the default
    )


def _table(name: str, *arrays: pa.Array) -> pa.Table:
    columns = COLUMNS[name]
    fields = [pa.field(c.name, a.type, nullable=c.optional) for c, a in zip(columns, arrays, strict=True)]
    return pa.Table.from_arrays(list(arrays), schema=pa.schema(fields))


def _lists(vocabulary: pa.StringArray, offsets: Ints64, items: Ints32) -> pa.LargeListArray:
    """Wrap items as lists of dictionary-coded strings; the dictionary has the terms of this column and no others."""
    used = np.zeros(len(vocabulary), dtype=np.bool_)
    used[items] = True
    if not used.all():
        items = (np.cumsum(used, dtype=np.int32) - 1)[items]
        vocabulary = vocabulary.filter(pa.array(used))
    coded = pa.DictionaryArray.from_arrays(pa.array(items, pa.int32()), vocabulary)
    element = pa.field("element", coded.type, nullable=False)
    return pa.LargeListArray.from_arrays(pa.array(offsets), coded, type=pa.large_list(element))


def _all_used(published: Clusters) -> bool:
    used = np.zeros(len(published.vocabulary), dtype=np.bool_)
    used[published.items] = True
    used[published.term_items] = True
    return bool(used.all())
