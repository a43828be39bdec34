"""Tables of a release of clusters: layout, writing, reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa

from disjoin.model.clusters import Clusters
from disjoin.model.published import Violation
from disjoin.model.ragged import Ints64, Ragged, offsets_of, used_by
from disjoin.parquet.columns import ColumnSchema, TableColumns, TableSchema
from disjoin.parquet.tables import (
    Coding,
    Part,
    filled,
    find,
    in_parts,
    part_ends,
    parts_by_trees,
    take_lists,
    vocabulary_of,
)

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


def lay_out(published: Clusters) -> dict[str, Part]:
    """Return the files of published clusters by path; a large table is in parts, each of whole trees."""
    tables = _ClusterTables.of(published)
    ends, rows = tree_ends(published)
    parts: dict[str, Part] = {}
    for name, make in ((CLUSTERS, tables.clusters), (SUBRECORDS, tables.subrecords)):
        parts |= parts_by_trees(name, TABLES[name], rows[name], partial(_of_trees, make, ends))
    return parts


Make = Callable[[int, int, int], Iterator[pa.Table]]


def _of_trees(make: Make, ends: Ints64, first: int, last: int, most: int) -> Iterator[pa.Table]:
    return make(int(ends[first - 1]) if first else 0, int(ends[last - 1]), most)


def tree_ends(published: Clusters) -> tuple[Ints64, dict[str, Ints64]]:
    ends: Ints64 = np.append(np.flatnonzero(published.parents < 0)[1:], len(published))
    return ends, {CLUSTERS: ends, SUBRECORDS: published.subrecord_offsets[published.chunk_offsets[ends]]}


@dataclass(frozen=True, slots=True)
class _ClusterTables:
    """The tables of published clusters, of all nodes or from one to another, without copying what need not be."""

    published: Clusters

    @classmethod
    def of(cls, published: Clusters) -> _ClusterTables:
        assert len(published.nodes) == len(published), "every node says which chunks it has"
        assert published.chunks.lengths.all() and published.subrecords.lengths.all(), "no chunk, no subrecord is empty"
        used = used_by(len(published.vocabulary), published.items, published.term_items)
        assert used.all(), "the vocabulary of a release holds published terms only"
        return cls(published)

    def clusters(self, first: int, last: int, most: int) -> Iterator[pa.Table]:
        """Yield the rows of nodes from one to another, up to that many at a time; at least one table."""
        of = self.published
        coding = Coding.of(of.vocabulary, _between(of.term_chunks, first, last).items)
        for start, end in _runs(first, last, most):
            parents = of.parents[start:end]
            yield filled(
                TABLES[CLUSTERS],
                pa.array(np.arange(start, end, dtype=np.int64)),
                pa.array(parents, mask=parents < 0),
                pa.array(of.sizes[start:end]),
                coding.lists(_between(of.term_chunks, start, end)),
            )

    def subrecords(self, first: int, last: int, most: int) -> Iterator[pa.Table]:
        """Yield the rows of the chunks of these nodes, up to that many at a time; at least one table."""
        of = self.published
        begin, stop = (int(of.subrecord_offsets[of.chunk_offsets[node]]) for node in (first, last))
        coding = Coding.of(of.vocabulary, _between(of.subrecords, begin, stop).items)
        for start, end in _runs(begin, stop, most):
            chunks = np.arange(*(np.searchsorted(of.subrecord_offsets, (start + 1, end)) - (1, 0)))
            sizes: Ints64 = np.diff(np.append(of.subrecord_offsets[chunks], end).clip(start))
            owners = np.searchsorted(of.chunk_offsets, chunks, "right") - 1
            numbers = (chunks - of.chunk_offsets[owners]).astype(np.int32)
            yield filled(
                TABLES[SUBRECORDS],
                pa.array(np.repeat(owners, sizes)),
                pa.array(np.repeat(numbers, sizes)),
                coding.lists(_between(of.subrecords, start, end)),
                pa.array(of.counts[start:end]),
            )


def _runs(first: int, last: int, most: int) -> list[tuple[int, int]]:
    """Cut numbers into runs of up to that many; one of none, if there are none.

    >>> _runs(2, 7, 4), _runs(2, 2, 4)
    ([(2, 6), (6, 7)], [(2, 2)])
    """
    return [(at, min(at + most, last)) for at in range(first, last, most)] or [(first, last)]


def _between(rows: Ragged, first: int, last: int) -> Ragged:
    """Return the rows from one to another; without copying, if these are all."""
    offsets = rows.offsets[first : last + 1]
    return Ragged(offsets - offsets[0] if offsets[0] else offsets, rows.items[offsets[0] : offsets[-1]])


def tables_of(published: Clusters) -> dict[str, pa.Table]:
    tables = _ClusterTables.of(published)
    everything = 0, len(published), max(1, len(published), published.counts.size)
    return {CLUSTERS: next(tables.clusters(*everything)), SUBRECORDS: next(tables.subrecords(*everything))}


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
    published = Clusters(
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
    )
    return published.with_anomalies(tuple(anomalies)) if anomalies else published


def cut_elsewhere(ends: Mapping[str, Ints64], rows: Mapping[str, int]) -> list[Violation]:
    """Return the tables whose parts do not end with the trees that fill them: where they end could reveal something.

    `ends` are the rows after which the trees of each table end, `rows` the number of rows by path.
    """
    return [
        Violation(DISORDER, name, "the parts of the table do not end with the trees that fill them")
        for name, paths in in_parts(rows).items()
        if np.diff(ends[name][np.array(part_ends(ends[name]), np.int64) - 1], prepend=0).tolist()
        != [rows[path] for path in paths]
    ]


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
    fresh = np.ones(owners.size, dtype=np.bool_)
    fresh[1:] = (np.diff(owners) != 0) | (np.diff(chunks) != 0)
    return np.flatnonzero(fresh)


def _require_numbers_from_zero(owners: Ints64, numbers: Ints64, anomalies: list[Violation]) -> None:
    first = np.searchsorted(owners, owners)  # (chunks,): the first chunk of the same node
    if not np.array_equal(numbers, np.arange(owners.size) - first):
        anomalies.append(Violation(BROKEN, SUBRECORDS, "the chunks of a cluster are not numbered 0, 1, 2 and so on"))
