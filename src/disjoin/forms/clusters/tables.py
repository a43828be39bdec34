"""The tables of a release of clusters, and the way of clusters into them and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.files.release_columns import ColumnSchema, TableColumns, TableSchema
from disjoin.files.release_parts import filled, find, lists, take_lists, vocabulary_of
from disjoin.model.clusters import Clusters
from disjoin.model.published import Violation
from disjoin.model.ragged import Ints64, offsets_of, used_by

CLUSTERS = "clusters.parquet"
SUBRECORDS = "subrecords.parquet"
BROKEN, DISORDER = "V1", "V12"  # what the inspector calls a table out of shape, or out of order

TABLES: dict[str, TableSchema] = {
    CLUSTERS: TableSchema(
        "The clusters, one row each, with their term chunks.",
        (
            ColumnSchema("cluster", "int64", "id of the cluster, 0, 1, 2 and so on", names_part=True),
            ColumnSchema(
                "parent",
                "int64",
                "the joint cluster that this one belongs to; empty for a root",
                optional=True,
                names_part=True,
            ),
            ColumnSchema("size", "int64", "number of original records; of a joint cluster the sum of its leaves"),
            ColumnSchema(
                "terms", "terms", "the term chunk, sorted: each of these terms is in at least one of the records"
            ),
        ),
        broken=BROKEN,
        primary_key=("cluster",),
        foreign_keys={"parent": ("", "cluster")},
    ),
    SUBRECORDS: TableSchema(
        "The chunks: one row a distinct non-empty subrecord of a chunk.",
        (
            ColumnSchema(
                "cluster",
                "int64",
                "the cluster that owns the chunk; in a joint cluster the chunk is a shared one",
                names_part=True,
            ),
            ColumnSchema("chunk", "int32", "number of the chunk inside its cluster, from 0"),
            ColumnSchema("terms", "terms", "the subrecord, sorted"),
            ColumnSchema("count", "int64", "how many records have exactly this subrecord in this chunk"),
        ),
        broken=BROKEN,
        foreign_keys={"cluster": ("clusters", "cluster")},
    ),
}


def tables_of(published: Clusters) -> dict[str, pa.Table]:
    """Lay the published clusters out as the tables of a release, by file name, without copying what need not be."""
    assert len(published.nodes) == len(published), "every node says which chunks it has"
    assert published.chunks.lengths.all() and published.subrecords.lengths.all(), "no chunk, no subrecord is empty"
    used = used_by(len(published.vocabulary), published.items, published.term_items)
    assert used.all(), "the vocabulary of a release holds published terms only"
    owners = published.nodes.owners()  # (chunks,)
    numbers = np.arange(owners.size, dtype=np.int64) - published.chunk_offsets[owners]  # (chunks,)
    parents = pa.array(published.parents, mask=published.parents < 0)
    return {
        CLUSTERS: filled(
            TABLES[CLUSTERS],
            pa.array(np.arange(len(published), dtype=np.int64)),
            parents,
            pa.array(published.sizes),
            lists(published.vocabulary, published.term_chunks),
        ),
        SUBRECORDS: filled(
            TABLES[SUBRECORDS],
            pa.array(published.chunks.spread(owners)),
            pa.array(published.chunks.spread(numbers.astype(np.int32))),
            lists(published.vocabulary, published.subrecords),
            pa.array(published.counts),
        ),
    }


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Where the rows of clusters.parquet go: node `i` is row `rows[i]`."""

    rows: Ints64  # (nodes,)
    parents: Ints64  # (nodes,), -1 for a root
    ids: Ints64  # ascending ids as stated in the file ...
    nodes: Ints64  # ... and the node that each became


def forest_of(tables: Mapping[str, TableColumns]) -> Clusters:
    """Assemble the published clusters; disorder is mended and becomes an anomaly."""
    clusters, subrecords = tables[CLUSTERS], tables[SUBRECORDS]
    anomalies = [*clusters.anomalies, *subrecords.anomalies]
    vocabulary, (term_ranks, item_ranks) = vocabulary_of(clusters, subrecords)
    nodes = _settle_nodes(clusters.numbers["cluster"], clusters.numbers["parent"], anomalies)
    rows, owners = _settle_subrecords(subrecords, nodes, anomalies)
    chunks = subrecords.numbers["chunk"][rows]
    starts = _starts(owners, chunks)  # (chunks,)
    _require_numbers_from_zero(owners[starts], chunks[starts], anomalies)
    terms, items = take_lists(clusters, nodes.rows), take_lists(subrecords, rows)
    return Clusters(
        vocabulary=vocabulary,
        parents=nodes.parents,
        sizes=clusters.numbers["size"][nodes.rows],
        term_offsets=terms.offsets,
        term_items=term_ranks[terms.items],
        chunk_offsets=offsets_of(np.bincount(owners[starts], minlength=nodes.rows.size)),
        subrecord_offsets=np.append(starts, rows.size),
        item_offsets=items.offsets,
        items=item_ranks[items.items],
        counts=subrecords.numbers["count"][rows],
        anomalies=tuple(anomalies),
    )


def _settle_nodes(ids: Ints64, parents: Ints64, anomalies: list[Violation]) -> _Nodes:
    """Put the clusters in the order of their ids, parents first."""
    expected = np.arange(ids.size, dtype=np.int64)
    rows = expected
    if not np.array_equal(ids, expected):
        rows = np.argsort(ids, kind="stable")
        if np.array_equal(ids[rows], expected):
            anomalies.append(Violation(DISORDER, CLUSTERS, "the rows are not in the order of the cluster ids"))
        else:
            anomalies.append(Violation(BROKEN, CLUSTERS, f"the cluster ids are not 0 to {ids.size - 1}, each once"))
    positions, known = find(ids[rows], parents[rows])
    lost = (parents[rows] >= 0) & ~known
    if lost.any():
        anomalies.append(Violation(BROKEN, CLUSTERS, f"{int(lost.sum())} clusters have a parent that does not exist"))
    order, above = _parents_first(np.where(known, positions, -1), anomalies)
    places = np.empty_like(order)
    places[order] = expected
    return _Nodes(rows[order], above, ids[rows], places)


def _parents_first(parents: Ints64, anomalies: list[Violation]) -> tuple[Ints64, Ints64]:
    """Return an order with parents before children, and the parents in that order; cycles are cut into roots."""
    here = np.arange(parents.size, dtype=np.int64)
    if (parents < here).all():
        return here, parents
    depths = _depths(parents)
    endless = depths < 0
    if endless.any():
        anomalies.append(Violation(BROKEN, CLUSTERS, f"{int(endless.sum())} clusters have no root above them"))
    else:
        anomalies.append(Violation(DISORDER, CLUSTERS, "a joint cluster comes after a cluster that belongs to it"))
    parents = np.where(endless, -1, parents)
    order = np.argsort(depths, kind="stable")
    places = np.empty_like(order)
    places[order] = here
    above = parents[order]
    return order, np.where(above >= 0, places[above], -1)


def _depths(parents: Ints64) -> Ints64:
    """Return the number of ancestors of every node, -1 if following the parents never ends; n log n steps."""
    top = parents.size  # one more node, above the roots, that is its own parent
    jump = np.append(np.where(parents < 0, top, parents), top)
    depths = np.append((parents >= 0).astype(np.int64), 0)
    for _ in range(parents.size.bit_length() + 1):
        depths = depths + depths[jump]
        jump = jump[jump]
    return np.where(jump[:-1] == top, depths[:-1], -1)


def _settle_subrecords(subrecords: TableColumns, nodes: _Nodes, anomalies: list[Violation]) -> tuple[Ints64, Ints64]:
    """Return the rows in the order of cluster and chunk, and the node of each; rows without a cluster are left out."""
    positions, known = find(nodes.ids, subrecords.numbers["cluster"])
    if not known.all():
        strays = int((~known).sum())
        anomalies.append(Violation(BROKEN, SUBRECORDS, f"{strays} rows belong to a cluster that does not exist"))
    rows = np.flatnonzero(known)
    stated, chunks = subrecords.numbers["cluster"], subrecords.numbers["chunk"]
    if not known.all():
        stated, chunks, positions = stated[rows], chunks[rows], positions[rows]
    owners = nodes.nodes[positions]
    if not _is_ascending(stated, chunks):
        anomalies.append(Violation(DISORDER, SUBRECORDS, "the rows are not in the order of cluster and chunk"))
    if not _is_ascending(owners, chunks):
        order = np.lexsort((chunks, owners))
        rows, owners = rows[order], owners[order]
    return rows, owners


def _is_ascending(first: Ints64, second: Ints64) -> bool:
    earlier, later = first[:-1], first[1:]
    return bool(((earlier < later) | ((earlier == later) & (second[:-1] <= second[1:]))).all())


def _starts(owners: Ints64, chunks: Ints64) -> Ints64:
    """Return the rows at which a new chunk begins."""
    fresh = np.ones(owners.size, dtype=np.bool_)
    fresh[1:] = (np.diff(owners) != 0) | (np.diff(chunks) != 0)
    return np.flatnonzero(fresh)


def _require_numbers_from_zero(owners: Ints64, numbers: Ints64, anomalies: list[Violation]) -> None:
    first = np.searchsorted(owners, owners)  # (chunks,): the first chunk of the same node
    if not np.array_equal(numbers, np.arange(owners.size) - first):
        anomalies.append(Violation(BROKEN, SUBRECORDS, "the chunks of a cluster are not numbered 0, 1, 2 and so on"))
