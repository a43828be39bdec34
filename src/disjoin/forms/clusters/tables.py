"""Tables of a release of clusters: layout, writing, reading as a whole and in batches of trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model.clusters import AT_ONCE, Clusters
from disjoin.model.published import Violation
from disjoin.model.ragged import Ints64, Ragged, offsets_of, ranks_of, used_by
from disjoin.model.unnamed_files import Growing
from disjoin.parquet.columns import ColumnSchema, TableColumns, TableReader, TableSchema, joined
from disjoin.parquet.tables import (
    Coding,
    Part,
    TablesRead,
    filled,
    find,
    in_parts,
    part_ends,
    parts_by_trees,
    paths_of,
    read_tables,
    take_lists,
    vocabulary_of,
)

CLUSTERS = "clusters.parquet"
SUBRECORDS = "subrecords.parquet"
BROKEN, DISORDER = "V1", "V12"  # what the verifier calls a table out of shape, or out of order

_PARENT = "the joint cluster that this one belongs to; empty for a root"
_TERM_CHUNK = "the term chunk, sorted: each of these terms is in at least one of the records"
_OWNER = "the cluster that owns the chunk; in a joint cluster the chunk is a shared one"

TABLES: dict[str, TableSchema] = {
    CLUSTERS: TableSchema(
        "The clusters, one row each, with their term chunks.",
        (
            ColumnSchema("cluster", "int64", "id of the cluster, 0, 1, 2 and so on", names_part=True),
            ColumnSchema("parent", "int64", _PARENT, optional=True, names_part=True),
            ColumnSchema("size", "int64", "number of original records; of a joint cluster the sum of its leaves"),
            ColumnSchema("terms", "terms", _TERM_CHUNK),
        ),
        broken=BROKEN,
        primary_key=("cluster",),
        foreign_keys={"parent": ("", "cluster")},
    ),
    SUBRECORDS: TableSchema(
        "The chunks: one row a distinct non-empty subrecord of a chunk.",
        (
            ColumnSchema("cluster", "int64", _OWNER, names_part=True),
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
    _require_tight(published)
    ends, rows = tree_ends(published)
    parts: dict[str, Part] = {}
    for name, make in _ROWS.items():
        parts |= parts_by_trees(name, TABLES[name], rows[name], partial(_of_trees, make, published, ends))
    return parts


Make = Callable[[Clusters, int, int, int], Iterator[pa.Table]]


def _of_trees(make: Make, published: Clusters, ends: Ints64, first: int, last: int, most: int) -> Iterator[pa.Table]:
    return make(published, int(ends[first - 1]) if first else 0, int(ends[last - 1]), most)


def tree_ends(published: Clusters) -> tuple[Ints64, dict[str, Ints64]]:
    ends: Ints64 = np.append(np.flatnonzero(published.parents < 0)[1:], len(published))
    return ends, {CLUSTERS: ends, SUBRECORDS: published.subrecord_offsets[published.chunk_offsets[ends]]}


def _require_tight(published: Clusters) -> None:
    assert len(published.nodes) == len(published), "every node says which chunks it has"
    assert published.chunks.lengths.all() and published.subrecords.lengths.all(), "no chunk, no subrecord is empty"
    used = used_by(len(published.vocabulary), published.items, published.term_items)
    assert used.all(), "the vocabulary of a release holds published terms only"


def _cluster_rows(of: Clusters, first: int, last: int, most: int) -> Iterator[pa.Table]:
    """Yield the rows of nodes from one to another, up to that many at a time; at least one table."""
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


def _subrecord_rows(of: Clusters, first: int, last: int, most: int) -> Iterator[pa.Table]:
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


_ROWS: dict[str, Make] = {CLUSTERS: _cluster_rows, SUBRECORDS: _subrecord_rows}


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
    _require_tight(published)
    most = max(1, len(published), published.counts.size)
    return {name: next(make(published, 0, len(published), most)) for name, make in _ROWS.items()}


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
    is_new = np.append(True, (np.diff(owners) != 0) | (np.diff(chunks) != 0))[: owners.size]
    starts = np.flatnonzero(is_new)  # (chunks,)
    first = np.searchsorted(owners[starts], owners[starts])  # (chunks,): the first chunk of the same node
    if not np.array_equal(chunks[starts], np.arange(starts.size) - first):
        anomalies.append(Violation(BROKEN, SUBRECORDS, "the chunks of a cluster are not numbered 0, 1, 2 and so on"))
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
    """Return tables whose parts do not end with a tree, which could reveal something; `ends` are rows after trees."""
    return [
        Violation(DISORDER, name, "the parts of the table do not end with the trees that fill them")
        for name, paths in in_parts(rows).items()
        if np.diff(ends[name][np.array(part_ends(ends[name]), np.int64) - 1], prepend=0).tolist()
        != [rows[path] for path in paths]
    ]


def _settle_nodes(ids: Ints64, parents: Ints64, anomalies: list[Violation]) -> _Nodes:
    """Put the clusters in the order of their ids, parents first."""
    rows = order_of_ids(ids, "cluster", CLUSTERS, (BROKEN, DISORDER), anomalies)
    positions, known = find(ids[rows], parents[rows])
    lost = (parents[rows] >= 0) & ~known
    if lost.any():
        anomalies.append(Violation(BROKEN, CLUSTERS, f"{int(lost.sum())} clusters have a parent that does not exist"))
    order, above = _parents_first(np.where(known, positions, -1), anomalies)
    places = np.empty_like(order)
    places[order] = np.arange(order.size)
    return _Nodes(rows[order], above, ids[rows], places)


def order_of_ids(ids: Ints64, noun: str, table: str, invariants: tuple[str, str], anomalies: list[Violation]) -> Ints64:
    """Return the rows by their ids, which should be 0, 1, 2 and so on; `invariants` are those of form and of order."""
    expected = np.arange(ids.size, dtype=np.int64)
    if np.array_equal(ids, expected):
        return expected
    broken, disorder = invariants
    order = np.argsort(ids, kind="stable")
    if np.array_equal(ids[order], expected):
        anomalies.append(Violation(disorder, table, f"the rows are not in the order of the {noun} ids"))
    else:
        anomalies.append(Violation(broken, table, f"the {noun} ids are not 0 to {ids.size - 1}, each once"))
    return order


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


ROWS_AT_ONCE = 1 << 13
_NOBODY = 1 << 62  # the number of no cluster


class ClusterBlocks:
    """Goes through a folder once; afterwards `rows` and `is_sound` are about all of it."""

    def __init__(self, folder: Path, memory_limit: int) -> None:
        self._readers = {
            name: TableReader(folder, paths_of(folder, name), layout, memory_limit, at_once=ROWS_AT_ONCE)
            for name, layout in TABLES.items()
        }
        self._ends: dict[str, list[Ints64]] = {name: [] for name in TABLES}  # rows after which trees end

    @property
    def rows(self) -> dict[str, int]:
        return {path: rows for reader in self._readers.values() for path, rows in reader.rows.items()}

    def is_sound(self) -> bool:
        """Return whether nothing is odd about the files, and parts end where they should."""
        if any(reader.found for reader in self._readers.values()):
            return False
        return not cut_elsewhere({name: np.concatenate(ends) for name, ends in self._ends.items()}, self.rows)

    def __iter__(self) -> Iterator[Clusters]:
        """Yield blocks of whole trees; what is out of order is an anomaly of the block."""
        clusters, subrecords = (_Waiting(iter(self._readers[name])) for name in (CLUSTERS, SUBRECORDS))
        first, is_end = 0, False
        while not is_end:
            if not subrecords.read():
                clusters.read()
            while clusters.last < subrecords.last < _NOBODY and clusters.read():
                pass
            is_end = clusters.is_done and subrecords.is_done
            root = _NOBODY if is_end else clusters.root_at(subrecords.last)  # all before it was read, of both tables
            here, there = clusters.before(root), subrecords.before(root)
            if here:
                yield self._block(clusters.taken(here), subrecords.taken(there), first)
                first += here

    def _block(self, clusters: TableColumns, subrecords: TableColumns, first: int) -> Clusters:
        """Return clusters from the one with that number on, with numbers from 0."""
        parents = clusters.numbers["parent"]
        above = np.where(parents < 0, -1, np.where(parents < first, _NOBODY, parents - first))
        numbers = dict(clusters.numbers) | {"cluster": clusters.numbers["cluster"] - first, "parent": above}
        owners = dict(subrecords.numbers) | {"cluster": subrecords.numbers["cluster"] - first}
        block = forest_of(
            {CLUSTERS: replace(clusters, numbers=numbers), SUBRECORDS: replace(subrecords, numbers=owners)}
        )
        for name, rows in tree_ends(block)[1].items():
            before = self._ends[name][-1][-1] if self._ends[name] else 0
            self._ends[name].append(rows + before)
        return block


class _Waiting:
    """Rows of a table that were read and are not yet handed out; put together only then, as trees may be large."""

    def __init__(self, batches: Iterator[TableColumns]) -> None:
        self._batches, self.is_done = batches, False
        self._rows: list[TableColumns] = []
        self._greatest: list[int] = []  # the greatest number of a cluster in each of these
        self._keep(next(batches))

    def _keep(self, rows: TableColumns) -> None:
        self._rows.append(rows)
        self._greatest.append(int(rows.numbers["cluster"].max(initial=-1)))

    @property
    def last(self) -> int:
        """The greatest number of a cluster; a number of no cluster, if all rows were read."""
        return _NOBODY if self.is_done else max(self._greatest)

    def read(self) -> bool:
        more = next(self._batches, None)
        if more is None:
            self.is_done = True
            return False
        self._keep(_compact(more))
        return True

    def root_at(self, cluster: int) -> int:
        """Return the last root with a number up to that one, -1 if there is none."""
        found = -1
        for rows in self._rows:
            is_root = (rows.numbers["parent"] < 0) & (rows.numbers["cluster"] <= cluster)
            found = int(rows.numbers["cluster"][is_root].max(initial=found))
        return found

    def before(self, cluster: int) -> int:
        """Return how many rows come before the first of a cluster with that number or a greater one."""
        rows = 0
        for read, greatest in zip(self._rows, self._greatest, strict=True):
            if greatest >= cluster:
                return rows + int(np.argmax(read.numbers["cluster"] >= cluster))
            rows += read.rows
        return rows

    def taken(self, rows: int) -> TableColumns:
        whole = joined(self._rows)
        self._rows.clear()
        self._greatest.clear()
        self._keep(_compact(_sliced(whole, rows, whole.rows)))
        return _sliced(whole, 0, rows)


def _compact(columns: TableColumns) -> TableColumns:
    """Return the same rows, with the words that they have and no others."""
    used = used_by(len(columns.words), columns.codes)
    return replace(columns, words=columns.words.filter(pa.array(used)), codes=ranks_of(used)[columns.codes])


def _sliced(columns: TableColumns, first: int, last: int) -> TableColumns:
    offsets = columns.offsets[first : last + 1]
    return TableColumns(
        rows=last - first,
        numbers={name: numbers[first:last] for name, numbers in columns.numbers.items()},
        offsets=offsets - offsets[0],
        codes=columns.codes[offsets[0] : offsets[-1]],
        words=columns.words,
    )


_OFFSETS = ("term_offsets", "chunk_offsets", "subrecord_offsets", "item_offsets")
_VALUES = ("parents", "sizes", "counts", "term_items", "items")


def read_clusters(folder: Path, memory_limit: int) -> TablesRead:
    """Read a folder; very large tables block by block into unnamed temporary files, if nothing is odd about them."""
    if in_parts(path for name in TABLES for path in paths_of(folder, name)):
        found = read_into_pages(folder, memory_limit, Path(gettempdir()))
        if found is not None:
            return found
    reading = read_tables(folder, TABLES, forest_of, memory_limit)
    published = reading.published
    assert isinstance(published, Clusters), "that is what `forest_of` makes"
    odd = cut_elsewhere(tree_ends(published)[1], reading.rows) if len(published) else []
    return replace(reading, published=published.with_anomalies(tuple(odd))) if odd else reading


def read_into_pages(folder: Path, memory_limit: int, pages: Path) -> TablesRead | None:
    """Read tables into unnamed files in the folder `pages`; None if anything is odd about them."""
    reading, grown = ClusterBlocks(folder, memory_limit), _GrowingClusters(pages)
    for block in reading:
        if block.anomalies:
            return None
        grown.add(block)
    if not len(grown) or not reading.is_sound():
        return None
    return TablesRead(grown.clusters(), reading.rows, frozenset(reading.rows))


class _GrowingClusters:
    """Clusters in files, to which trees are appended."""

    def __init__(self, pages: Path) -> None:
        self._pages, self._numbers = pages, dict[str, int]()  # of terms, as they are met
        self._ends = dict.fromkeys(_OFFSETS, 0)
        kinds = {name: np.int32 if name.endswith("items") else np.int64 for name in (*_OFFSETS, *_VALUES)}
        self._grown = {name: Growing(kind, pages) for name, kind in kinds.items()}
        self._nodes = 0
        for name in _OFFSETS:
            self._grown[name].add(np.zeros(1, np.int64))

    def __len__(self) -> int:
        return self._nodes

    def add(self, trees: Clusters) -> None:
        met = [self._numbers.setdefault(term, len(self._numbers)) for term in trees.vocabulary.to_pylist()]
        numbers = np.array(met, np.int32)
        for name in _OFFSETS:
            offsets = getattr(trees, name)
            self._grown[name].add(offsets[1:] + self._ends[name])
            self._ends[name] += int(offsets[-1])
        parents = np.where(trees.parents < 0, -1, trees.parents + self._nodes)
        values: tuple[Any, ...] = (parents, trees.sizes, trees.counts, numbers[trees.term_items], numbers[trees.items])
        for name, each in zip(_VALUES, values, strict=True):
            self._grown[name].add(each)
        self._nodes += len(trees)

    def clusters(self) -> Clusters:
        arrays: dict[str, Any] = {name: grown.array() for name, grown in self._grown.items()}
        terms = pa.array(list(self._numbers), pa.string())
        order = pc.sort_indices(terms)  # Arrow compares bytes: in UTF-8 that is code-point order
        ranks = np.argsort(order.to_numpy()).astype(np.int32)
        for items in (arrays["items"], arrays["term_items"]):
            for at in range(0, items.size, AT_ONCE):
                items[at : at + AT_ONCE] = ranks[items[at : at + AT_ONCE]]
        return Clusters(vocabulary=terms.take(order), pages=self._pages, **arrays)
