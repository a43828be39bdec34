"""One cluster as a picture made of data: what the terminal and the page draw, each in its own way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.clusters import Clusters


@dataclass(frozen=True, slots=True)
class Column:
    """A chunk: its first rows, how many more there are, and how many records have nothing in it."""

    heading: str
    rows: tuple[tuple[tuple[str, ...], int | None], ...]  # terms and count; a term chunk has no counts
    more: int = 0
    empty: int = 0


@dataclass(frozen=True, slots=True)
class Picture:
    """A cluster with its columns and, if it is a joint one, the clusters in it."""

    node: int
    size: int
    is_joint: bool
    columns: tuple[Column, ...]
    more_columns: int = 0
    children: tuple[Picture, ...] = ()
    more_children: int = 0

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        kind = "joint cluster" if self.is_joint else "cluster"
        return f"{kind} {self.node}: {self.size:,} record{'s' if self.size != 1 else ''}"


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a cluster is shown."""

    rows: int = 10
    columns: int = 8
    children: int = 3
    depth: int = 3


def picture_of(published: Clusters, node: int, detail: Detail = Detail()) -> Picture:  # noqa: B008 - frozen
    """Return the picture of a node; a joint cluster has its first children in it, down to the depth of `detail`."""
    joint = bool((published.parents == node).any())
    first, last = int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])
    shown = range(first, min(last, first + detail.columns))
    kind = "shared" if joint else "record"
    columns = [_chunk(published, c, f"{kind} chunk {c - first}", int(published.sizes[node]), detail) for c in shown]
    if not joint:
        columns.append(_term_chunk(published, node, detail))
    children = np.flatnonzero(published.parents == node).tolist() if joint else []
    visible = children[: detail.children] if detail.depth > 1 else []
    deeper = Detail(detail.rows, detail.columns, detail.children, detail.depth - 1)
    return Picture(
        node=node,
        size=int(published.sizes[node]),
        is_joint=joint,
        columns=tuple(columns),
        more_columns=last - first - len(shown),
        children=tuple(picture_of(published, child, deeper) for child in visible),
        more_children=len(children) - len(visible),
    )


def typical_leaf(published: Clusters) -> int:
    """Choose a leaf that is good to look at: two or three chunks, some rows but few, a short term chunk, a usual size.

    A function of the published content, so that it can be shown in a release.
    """
    leaves = np.flatnonzero(~published.is_joint)
    chunks = np.diff(published.chunk_offsets)[leaves]
    ends = published.subrecord_offsets[published.chunk_offsets]  # (nodes + 1,)
    rows = np.diff(ends)[leaves]
    terms = np.diff(published.term_offsets)[leaves]
    items = np.diff(published.item_offsets[ends])[leaves]
    sizes = published.sizes[leaves]
    usual = int(np.sort(sizes)[sizes.size // 2])
    oddness = 10 * _outside(chunks, 2, 3) + 3 * _outside(rows, 5, 12) + np.minimum(_outside(terms, 2, 10), 8)
    oddness = 4 * oddness + 12 * (items <= rows) + (abs(sizes - usual) > usual // 2)
    return int(leaves[np.argmin(oddness)])


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)


def _chunk(published: Clusters, chunk: int, heading: str, size: int, detail: Detail) -> Column:
    first, last = int(published.subrecord_offsets[chunk]), int(published.subrecord_offsets[chunk + 1])
    shown = range(first, min(last, first + detail.rows))
    rows = tuple(
        (_names(published, published.items, published.item_offsets, s), int(published.counts[s])) for s in shown
    )
    return Column(heading, rows, last - first - len(shown), size - int(published.counts[first:last].sum()))


def _term_chunk(published: Clusters, node: int, detail: Detail) -> Column:
    first, last = int(published.term_offsets[node]), int(published.term_offsets[node + 1])
    items = published.term_items[first : min(last, first + detail.rows)]
    rows = tuple(((published.vocabulary[int(item)].as_py(),), None) for item in items)
    return Column("term chunk", rows, last - first - len(rows))


def _names(published: Clusters, items: Ints32, offsets: Ints64, position: int) -> tuple[str, ...]:
    return tuple(published.vocabulary[int(i)].as_py() for i in items[offsets[position] : offsets[position + 1]])
