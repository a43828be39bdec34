"""Tables of clusters in parts, read one part after another, with the memory of one and not of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from disjoin.errors import UnreadableInput
from disjoin.files.release_columns import TableColumns, read_columns
from disjoin.files.release_parts import paths_of
from disjoin.files.tables_in_parts import joined, sliced
from disjoin.forms.clusters.tables import CLUSTERS, SUBRECORDS, TABLES, cut_elsewhere, forest_of, tree_ends
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64, used_by

_NOBODY = 1 << 62  # the number of no cluster


@dataclass(slots=True)
class ClustersByParts:
    """Goes through a folder once; what it then knows is about all of it. `subrecords` decides where parts end."""

    folder: Path
    memory_limit: int
    rows: dict[str, int] = field(default_factory=dict)  # by path
    ends: dict[str, list[Ints64]] = field(default_factory=lambda: {name: [] for name in TABLES})  # rows of trees
    hidden: set[str] = field(default_factory=set)  # terms that lie in a file though no row has them

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
        return not self.hidden and not cut_elsewhere(rows, parts)

    def __iter__(self) -> Iterator[Clusters]:
        """Yield the trees of each part of `subrecords`; what is out of order is an anomaly of the part."""
        groups, first = self._groups(), 0
        waiting, paths = next(groups, None), paths_of(self.folder, SUBRECORDS)
        if waiting is None:
            return
        for path in paths:
            subrecords = read_columns(
                self.folder / path, TABLES[SUBRECORDS], memory_limit=self.memory_limit, place=path
            )
            self.rows[path] = subrecords.rows
            last = int(subrecords.numbers["cluster"].max(initial=-1)) if path != paths[-1] else _NOBODY
            here = _trees_up_to(waiting, last)
            while here == waiting.rows and (more := next(groups, None)) is not None:
                waiting = joined([waiting, more])
                here = _trees_up_to(waiting, last)
            yield self._part(sliced(waiting, 0, here), subrecords, first)
            waiting, first = sliced(waiting, here, waiting.rows), first + here

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

    def _groups(self) -> Iterator[TableColumns]:
        """Yield clusters.parquet, or its parts, group of rows by group of rows."""
        import pyarrow.parquet as pq

        for path in paths_of(self.folder, CLUSTERS):
            file, terms, shown = self.folder / path, set[str](), set[str]()
            if not file.is_file():
                raise UnreadableInput("the release lacks this table, or this part of it.", source=str(file))
            self.rows[path] = 0
            for group in range(pq.read_metadata(file).num_row_groups):
                found = read_columns(file, TABLES[CLUSTERS], memory_limit=self.memory_limit, place=path, group=group)
                self.rows[path] += found.rows
                used = used_by(len(found.words), found.codes)
                terms |= set(found.words.to_pylist())
                shown |= set(pc.filter(found.words, used).to_pylist())
                yield found
            self.hidden |= terms - shown


def _trees_up_to(clusters: TableColumns, last: int) -> int:
    """Return how many rows come before the first root behind a cluster; all, if there is none."""
    behind = (clusters.numbers["cluster"] > last) & (clusters.numbers["parent"] < 0)
    return int(np.argmax(behind)) if behind.any() else clusters.rows
