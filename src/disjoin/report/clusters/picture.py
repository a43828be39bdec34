"""One cluster as a picture made of data: what the terminal and the page draw, each in its own way."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.clusters import Clusters
from disjoin.report.columns import Column


@dataclass(frozen=True, slots=True)
class Picture:
    """A cluster with its columns and, if it is a joint one, the clusters in it."""

    node: int
    size: int
    is_joint: bool
    columns: tuple[Column, ...]
    more_columns: int = 0
    children: tuple[Picture, ...] = ()
    hidden_children: tuple[int, ...] = ()
    inside: int | None = None  # the joint cluster around it, if that is not in the picture

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        kind = "joint cluster" if self.is_joint else "cluster"
        around = "" if self.inside is None else f", in joint cluster {self.inside}"
        return f"{kind} {self.node}: {self.size:,} record{'s' if self.size != 1 else ''}{around}"


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a cluster is shown, and of the clusters in it: less and less, so that a deep tree stays readable."""

    rows: int = 10
    columns: int = 8
    children: int = 3
    depth: int = 3

    @property
    def below(self) -> Detail:
        """How much is shown of a cluster inside one that is shown like this."""
        return Detail(min(self.rows, 8), min(self.columns, 4), min(self.children, 2), self.depth - 1)


def picture_of(published: Clusters, node: int, detail: Detail = Detail()) -> Picture:  # noqa: B008 - frozen
    """Return the picture of a node; a joint cluster has its first children in it, down to the depth of `detail`."""
    parent = int(published.parents[node])
    return replace(_picture(published, node, detail), inside=parent if parent >= 0 else None)


def _picture(published: Clusters, node: int, detail: Detail) -> Picture:
    children = np.flatnonzero(published.parents == node).tolist()
    first, last = int(published.chunk_offsets[node]), int(published.chunk_offsets[node + 1])
    shown = range(first, min(last, first + detail.columns))
    kind = "shared" if children else "record"
    columns = [_chunk(published, c, f"{kind} chunk {c - first}", int(published.sizes[node]), detail) for c in shown]
    if not children:
        columns.append(_term_chunk(published, node, detail))
    visible = detail.children if detail.depth > 1 else 0
    return Picture(
        node=node,
        size=int(published.sizes[node]),
        is_joint=bool(children),
        columns=tuple(columns),
        more_columns=last - first - len(shown),
        children=tuple(_picture(published, child, detail.below) for child in children[:visible]),
        hidden_children=tuple(children[visible:]),
    )


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
