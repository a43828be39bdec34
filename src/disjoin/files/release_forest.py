"""From the two tables of a release to a forest, whatever order and numbering the tables are in.

The inspector relies on the form (parents first, chunks contiguous), so a table that lacks it is brought into it, and
what had to be mended is told as an anomaly: nothing that was mended can pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.files.release_columns import Columns
from disjoin.files.release_tables import CLUSTERS, SUBRECORDS
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.clusters import Clusters
from disjoin.model.verdict import Violation


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Where the rows of clusters.parquet go: node `i` is row `rows[i]`."""

    rows: Ints64  # (nodes,)
    parents: Ints64  # (nodes,), -1 for a root
    ids: Ints64  # ascending ids as stated in the file ...
    nodes: Ints64  # ... and the node that each became


def forest_of(clusters: Columns, subrecords: Columns) -> Clusters:
    """Assemble the published clusters; disorder is mended and becomes an anomaly."""
    anomalies = [*clusters.anomalies, *subrecords.anomalies]
    vocabulary, ranks = _vocabulary(clusters, subrecords)
    nodes = _settle_nodes(clusters.numbers["cluster"], clusters.numbers["parent"], anomalies)
    rows, owners = _settle_subrecords(subrecords, nodes, anomalies)
    chunks = subrecords.numbers["chunk"][rows]
    starts = _starts(owners, chunks)  # (chunks,)
    _require_numbers_from_zero(owners[starts], chunks[starts], anomalies)
    term_offsets, term_codes = _take_lists(clusters, nodes.rows)
    item_offsets, item_codes = _take_lists(subrecords, rows)
    return Clusters(
        vocabulary=vocabulary,
        parents=nodes.parents,
        sizes=clusters.numbers["size"][nodes.rows],
        term_offsets=term_offsets,
        term_items=ranks[term_codes],
        chunk_offsets=offsets_of(np.bincount(owners[starts], minlength=nodes.rows.size)),
        subrecord_offsets=np.append(starts, rows.size),
        item_offsets=item_offsets,
        items=ranks[len(clusters.words) :][item_codes],
        counts=subrecords.numbers["count"][rows],
        anomalies=tuple(anomalies),
    )


def _vocabulary(clusters: Columns, subrecords: Columns) -> tuple[pa.StringArray, Ints32]:
    """Return the terms that rows have, in code-point order, and the rank of every word of both tables."""
    words = pa.concat_arrays([clusters.words, subrecords.words])
    used = np.zeros(len(words), dtype=np.bool_)
    used[clusters.codes] = True
    used[len(clusters.words) :][subrecords.codes] = True
    shown = words.filter(pa.array(used)).unique()
    vocabulary = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = pc.fill_null(pc.index_in(words, value_set=vocabulary), -1)
    return vocabulary, ranks.to_numpy().astype(np.int32, copy=False)


def _settle_nodes(ids: Ints64, parents: Ints64, anomalies: list[Violation]) -> _Nodes:
    """Put the clusters in the order of their ids, parents first."""
    expected = np.arange(ids.size, dtype=np.int64)
    rows = expected
    if not np.array_equal(ids, expected):
        rows = np.argsort(ids, kind="stable")
        if np.array_equal(ids[rows], expected):
            anomalies.append(Violation("V12", CLUSTERS, "the rows are not in the order of the cluster ids"))
        else:
            anomalies.append(Violation("V1", CLUSTERS, f"the cluster ids are not 0 to {ids.size - 1}, each once"))
    positions, known = _find(ids[rows], parents[rows])
    lost = (parents[rows] >= 0) & ~known
    if lost.any():
        anomalies.append(Violation("V1", CLUSTERS, f"{int(lost.sum())} clusters have a parent that does not exist"))
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
        anomalies.append(Violation("V1", CLUSTERS, f"{int(endless.sum())} clusters have no root above them"))
    else:
        anomalies.append(Violation("V12", CLUSTERS, "a joint cluster comes after a cluster that belongs to it"))
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


def _settle_subrecords(subrecords: Columns, nodes: _Nodes, anomalies: list[Violation]) -> tuple[Ints64, Ints64]:
    """Return the rows in the order of cluster and chunk, and the node of each; rows without a cluster are left out."""
    positions, known = _find(nodes.ids, subrecords.numbers["cluster"])
    if not known.all():
        strays = int((~known).sum())
        anomalies.append(Violation("V1", SUBRECORDS, f"{strays} rows belong to a cluster that does not exist"))
    rows = np.flatnonzero(known)
    stated, chunks = subrecords.numbers["cluster"], subrecords.numbers["chunk"]
    if not known.all():
        stated, chunks, positions = stated[rows], chunks[rows], positions[rows]
    owners = nodes.nodes[positions]
    if not _is_ascending(stated, chunks):
        anomalies.append(Violation("V12", SUBRECORDS, "the rows are not in the order of cluster and chunk"))
    if not _is_ascending(owners, chunks):
        order = np.lexsort((chunks, owners))
        rows, owners = rows[order], owners[order]
    return rows, owners


def _find(ascending: Ints64, wanted: Ints64) -> tuple[Ints64, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """Return the first position of each wanted value, and whether it is there."""
    if not ascending.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    positions = np.minimum(np.searchsorted(ascending, wanted), ascending.size - 1)
    return positions, (ascending[positions] == wanted) & (wanted >= 0)


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
        anomalies.append(Violation("V1", SUBRECORDS, "the chunks of a cluster are not numbered 0, 1, 2 and so on"))


def _take_lists(columns: Columns, rows: Ints64) -> tuple[Ints64, Ints32]:
    """Return offsets and codes of these rows, in this order."""
    if np.array_equal(rows, np.arange(columns.rows)):
        return columns.offsets, columns.codes
    lengths = np.diff(columns.offsets)[rows]
    offsets = offsets_of(lengths)
    shifts = np.repeat(columns.offsets[rows] - offsets[:-1], lengths)
    return offsets, columns.codes[np.arange(offsets[-1]) + shifts]
