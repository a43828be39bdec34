"""Tables of clusters, read some trees after others, with the memory of these and not of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.files.first_look_child import unpacked_size
from disjoin.files.release_columns import TableColumns, explained
from disjoin.files.release_parts import TablesRead, paths_of
from disjoin.files.tables_in_parts import RowsInTurn, compact, joined, sliced
from disjoin.forms.clusters.tables import CLUSTERS, SUBRECORDS, TABLES, cut_elsewhere, forest_of, tree_ends
from disjoin.model.clusters import AT_ONCE, Clusters
from disjoin.model.pages import Growing
from disjoin.model.ragged import Ints64

_NOBODY = 1 << 62  # the number of no cluster


@dataclass(slots=True)
class ClustersByParts:
    """Goes through a folder once; what it then knows is about all of it."""

    folder: Path
    memory_limit: int
    tables: dict[str, RowsInTurn] = field(init=False)
    ends: dict[str, list[Ints64]] = field(default_factory=lambda: {name: [] for name in TABLES})  # rows of trees

    def __post_init__(self) -> None:
        self.tables = {
            name: RowsInTurn(self.folder, name, layout, self.memory_limit) for name, layout in TABLES.items()
        }

    @property
    def rows(self) -> dict[str, int]:
        """How many rows each file has."""
        return {path: rows for table in self.tables.values() for path, rows in table.rows.items()}

    @property
    def in_parts(self) -> dict[str, list[str]]:
        """The paths of each table that is in parts."""
        paths = {name: paths_of(self.folder, name) for name in TABLES}
        return {name: those for name, those in paths.items() if those != [name]}

    @property
    def files(self) -> frozenset[str]:
        """The paths of all tables."""
        return frozenset(self.rows)

    def is_sound(self) -> bool:
        """Tell, afterwards, whether parts end where they should and no file hides a term."""
        rows = {name: np.concatenate(ends) for name, ends in self.ends.items()}
        parts = {name: [self.rows[path] for path in paths] for name, paths in self.in_parts.items()}
        return not any(table.hidden for table in self.tables.values()) and not cut_elsewhere(rows, parts)

    def __iter__(self) -> Iterator[Clusters]:
        """Yield whole trees, some after others; what is out of order is an anomaly of these."""
        clusters, subrecords = (_Waiting(iter(self.tables[name])) for name in (CLUSTERS, SUBRECORDS))
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
                yield self._part(clusters.taken(here), subrecords.taken(there), first)
                first += here

    def _part(self, clusters: TableColumns, subrecords: TableColumns, first: int) -> Clusters:
        """Return clusters from the one with that number on, as clusters of their own."""
        parents = clusters.numbers["parent"]
        above = np.where(parents < 0, -1, np.where(parents < first, _NOBODY, parents - first))
        numbers = dict(clusters.numbers) | {"cluster": clusters.numbers["cluster"] - first, "parent": above}
        owners = dict(subrecords.numbers) | {"cluster": subrecords.numbers["cluster"] - first}
        part = forest_of(
            {CLUSTERS: replace(clusters, numbers=numbers), SUBRECORDS: replace(subrecords, numbers=owners)}
        )
        for name, rows in tree_ends(part)[1].items():
            before = self.ends[name][-1][-1] if self.ends[name] else 0
            self.ends[name].append(rows + before)
        return part


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
        """Read some rows more; return whether there were any."""
        more = next(self._batches, None)
        if more is None:
            self.is_done = True
            return False
        self._keep(compact(more))
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
        """Hand out the first rows."""
        whole = joined(self._rows)
        self._rows.clear()
        self._greatest.clear()
        self._keep(compact(sliced(whole, rows, whole.rows)))
        return sliced(whole, 0, rows)


_OFFSETS = ("term_offsets", "chunk_offsets", "subrecord_offsets", "item_offsets")
_VALUES = ("parents", "sizes", "counts", "term_items", "items")


def read_into_pages(folder: Path, memory_limit: int, pages: Path) -> TablesRead | None:
    """Read tables in parts into unnamed files in the folder `pages`; None if anything is odd about them.

    What is odd, somebody tells who reads the whole.
    """
    reading, grown = ClustersByParts(folder, memory_limit), _GrowingClusters(pages)
    files = [folder / path for paths in reading.in_parts.values() for path in paths]
    if not all(file.is_file() for file in files) or sum(map(_unpacked, files)) > memory_limit:
        return None
    for trees in reading:
        if trees.anomalies:
            return None
        grown.add(trees)
    if not len(grown) or not reading.is_sound():
        return None
    return TablesRead(grown.clusters(), reading.rows, reading.files, reading.in_parts)


def _unpacked(file: Path) -> int:
    import pyarrow.parquet as pq

    with explained(file):
        return unpacked_size(pq.read_metadata(file))


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
        """Append trees."""
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
        """Return all of them."""
        arrays: dict[str, Any] = {name: grown.array() for name, grown in self._grown.items()}
        terms = pa.array(list(self._numbers), pa.string())
        order = pc.sort_indices(terms)  # Arrow compares bytes: in UTF-8 that is code-point order
        ranks = np.argsort(order.to_numpy()).astype(np.int32)
        for items in (arrays["items"], arrays["term_items"]):
            for at in range(0, items.size, AT_ONCE):
                items[at : at + AT_ONCE] = ranks[items[at : at + AT_ONCE]]
        return Clusters(vocabulary=terms.take(order), pages=self._pages, **arrays)
