"""The two tables of a release of clusters: their columns, and how clusters are laid out in them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disjoin.files.release_tables import Column, Layout, filled, lists, used_of
from disjoin.model.clusters import Clusters

CLUSTERS = "clusters.parquet"
SUBRECORDS = "subrecords.parquet"
BROKEN, DISORDER = "V1", "V12"  # what the inspector calls a table out of shape, or out of order

TABLES: dict[str, Layout] = {
    CLUSTERS: Layout(
        "The clusters, one row each, with their term chunks.",
        (
            Column("cluster", "int64", "id of the cluster, 0, 1, 2 and so on", names_part=True),
            Column(
                "parent",
                "int64",
                "the joint cluster that this one belongs to; empty for a root",
                optional=True,
                names_part=True,
            ),
            Column("size", "int64", "number of original records; of a joint cluster the sum of its leaves"),
            Column("terms", "terms", "the term chunk, sorted: each of these terms is in at least one of the records"),
        ),
        broken=BROKEN,
        primary_key=("cluster",),
        foreign_keys={"parent": ("", "cluster")},
    ),
    SUBRECORDS: Layout(
        "The chunks: one row a distinct non-empty subrecord of a chunk.",
        (
            Column(
                "cluster",
                "int64",
                "the cluster that owns the chunk; in a joint cluster the chunk is a shared one",
                names_part=True,
            ),
            Column("chunk", "int32", "number of the chunk inside its cluster, from 0"),
            Column("terms", "terms", "the subrecord, sorted"),
            Column("count", "int64", "how many records have exactly this subrecord in this chunk"),
        ),
        broken=BROKEN,
        foreign_keys={"cluster": ("clusters", "cluster")},
    ),
}


def tables_of(published: Clusters) -> dict[str, pa.Table]:
    """Lay the published clusters out as the tables of a release, by file name, without copying what need not be."""
    n_chunks = np.diff(published.chunk_offsets)  # (nodes,)
    n_subrecords = np.diff(published.subrecord_offsets)  # (chunks,)
    n_items = np.diff(published.item_offsets)  # (subrecords,)
    assert (n_chunks.size == len(published)) and n_subrecords.all() and n_items.all(), "no chunk, no subrecord is empty"
    used = used_of(published.vocabulary, published.items, published.term_items)
    assert used.all(), "the vocabulary of a release holds published terms only"
    owners = np.repeat(np.arange(len(published), dtype=np.int64), n_chunks)  # (chunks,)
    numbers = np.arange(owners.size, dtype=np.int64) - published.chunk_offsets[owners]  # (chunks,)
    parents = pa.array(published.parents, mask=published.parents < 0)
    return {
        CLUSTERS: filled(
            TABLES[CLUSTERS],
            pa.array(np.arange(len(published), dtype=np.int64)),
            parents,
            pa.array(published.sizes),
            lists(published.vocabulary, published.term_offsets, published.term_items),
        ),
        SUBRECORDS: filled(
            TABLES[SUBRECORDS],
            pa.array(np.repeat(owners, n_subrecords)),
            pa.array(np.repeat(numbers.astype(np.int32), n_subrecords)),
            lists(published.vocabulary, published.item_offsets, published.items),
            pa.array(published.counts),
        ),
    }
