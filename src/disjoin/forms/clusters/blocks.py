"""Reader of cluster tables in batches of trees, in memory that does not grow with the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.forms.clusters.tables import CLUSTERS, SUBRECORDS, TABLES, cut_elsewhere, forest_of, tree_ends
from disjoin.model.clusters import AT_ONCE, Clusters
from disjoin.model.pages import Growing
from disjoin.model.ragged import Ints64, ranks_of, used_by
from disjoin.parquet.columns import TableColumns, TableReader, joined
from disjoin.parquet.tables import TablesRead, paths_of

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
        """Tell whether nothing is odd about the files, and parts end where they should."""
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
        """Return clusters from the one with that number on, as clusters of their own."""
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
        """The greatest number of a cluster; one that nobody has, if all rows were read."""
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
