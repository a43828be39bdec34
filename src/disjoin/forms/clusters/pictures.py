"""Drawings of clusters for `disjoin show`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TextColumn, bands_of, coloured, column_html, draw_band, shorten
from disjoin.forms.form import Show
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints32, Ints64
from disjoin.text import SHARED, counted, in_html

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Picture:
    """A cluster with its columns and, if it is a joint one, the clusters in it."""

    node: int
    size: int
    is_joint: bool
    columns: tuple[TextColumn, ...]
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


USUAL = Detail()
NOT_ONE = 1 << 62  # how odd to look at a node of another kind is


def picture_of(published: Clusters, node: int, detail: Detail = USUAL) -> Picture:
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


def _chunk(published: Clusters, chunk: int, heading: str, size: int, detail: Detail) -> TextColumn:
    first, last = int(published.subrecord_offsets[chunk]), int(published.subrecord_offsets[chunk + 1])
    shown = range(first, min(last, first + detail.rows))
    rows = tuple(
        (_names(published, published.items, published.item_offsets, s), int(published.counts[s])) for s in shown
    )
    return TextColumn(heading, rows, last - first - len(shown), size - int(published.counts[first:last].sum()))


def _term_chunk(published: Clusters, node: int, detail: Detail) -> TextColumn:
    first, last = int(published.term_offsets[node]), int(published.term_offsets[node + 1])
    items = published.term_items[first : min(last, first + detail.rows)]
    rows = tuple(((published.vocabulary[int(item)].as_py(),), None) for item in items)
    return TextColumn("term chunk", rows, last - first - len(rows))


def _names(published: Clusters, items: Ints32, offsets: Ints64, position: int) -> tuple[str, ...]:
    return tuple(published.vocabulary[int(i)].as_py() for i in items[offsets[position] : offsets[position + 1]])


def typical_clusters(published: Clusters) -> list[int]:
    """Return a leaf and, if there is one, a joint cluster that are good to look at."""
    return [node for node in (typical_leaf(published), typical_joint(published)) if node is not None]


def typical_leaf(published: Clusters) -> int:
    """Choose a leaf with two or three chunks, some rows but few, a short term chunk and a usual size."""
    return _least_odd(published, lambda trees, usual: np.where(trees.is_joint, NOT_ONE, _oddness(trees, usual))) or 0


def typical_joint(published: Clusters) -> int | None:
    """Choose a joint cluster of two or three leaves with few short chunks; None if there is no joint cluster."""
    return _least_odd(published, _oddness_of_joints)


def _least_odd(published: Clusters, oddness: Callable[[Clusters, int], Ints64]) -> int | None:
    """Return the first of the nodes that are least odd, looking at trees range by range; leaves have a usual size."""
    sizes = np.sort(published.sizes[~published.is_joint])
    least, found, first = NOT_ONE, None, 0
    for trees in published.in_ranges():
        odd = oddness(trees, int(sizes[sizes.size // 2]))
        if int(odd.min()) < least:
            least, found = int(odd.min()), first + int(odd.argmin())
        first += len(trees)
    return found


def _oddness_of_joints(published: Clusters, usual: int) -> Ints64:
    is_lowest = published.is_joint & (_sums_below(published, published.is_joint.astype(np.int64)) == 0)
    children = _sums_below(published, np.ones(len(published), dtype=np.int64))
    chunks, subrecords = published.nodes.lengths, published.nodes.over(published.chunks)
    rows, items = subrecords.lengths, subrecords.over(published.subrecords).lengths
    odd = 60 * _outside(children, 2, 3) + 40 * _outside(chunks, 1, 3) + 12 * _outside(rows, 2, 10)
    odd = odd + 40 * (items <= rows) + 24 * (published.parents >= 0)
    return np.where(is_lowest, odd + _sums_below(published, _oddness(published, usual)), NOT_ONE)


def _oddness(published: Clusters, usual: int) -> Ints64:
    """Rate every node as if it were a leaf: 0 is good to look at."""
    chunks = published.nodes.lengths
    subrecords, terms = published.nodes.over(published.chunks), published.term_chunks.lengths
    rows, items = subrecords.lengths, subrecords.over(published.subrecords).lengths
    odd = 10 * _outside(chunks, 2, 3) + 3 * _outside(rows, 5, 12) + np.minimum(_outside(terms, 2, 10), 20)
    return 4 * odd + 12 * (items <= rows) + (abs(published.sizes - usual) > usual // 2)


def _sums_below(published: Clusters, values: Ints64) -> Ints64:
    """Sum the values of the children of every node."""
    inner = published.parents >= 0
    return np.bincount(published.parents[inner], values[inner], len(published)).astype(np.int64)


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)


_NAMED = 8  # clusters that are not drawn but numbered


def draw_cluster(published: Clusters, node: int, width: int = 80, detail: Detail | None = None) -> str:
    """Draw one node with everything below it in at most `width` columns.

    Rows that stand side by side do not belong together: only the rows of one column are about the same chunk.
    """
    return draw_picture(picture_of(published, node, detail or Detail()), width)


def draw_picture(picture: Picture, width: int = 80) -> str:
    """Draw a picture in at most `width` columns (40 at least)."""
    return "\n".join(line.rstrip() for line in _lines(picture, max(width, LEAST_WIDTH)))


def _lines(picture: Picture, width: int) -> list[str]:
    lines = [shorten(picture.title, width)]
    for band in bands_of(picture.columns, width):
        lines += draw_band(band, width)
    if picture.more_columns:
        lines.append(f"… and {_number(picture.more_columns, 'more chunk')}")
    indent = 2 if width - 2 >= LEAST_WIDTH else 0
    for child in picture.children:
        lines += [" " * indent + line for line in _lines(child, width - indent)]
    if picture.hidden_children:
        lines.append(shorten(f"{' ' * indent}{_hidden(picture)}", width))
    return lines


def _hidden(picture: Picture) -> str:
    """Say how many clusters are not drawn, and the numbers by which the first of them can be asked for."""
    numbers = picture.hidden_children
    named = ", ".join(str(node) for node in numbers[:_NAMED]) + (", …" if len(numbers) > _NAMED else "")
    return f"… and {_number(len(numbers), 'more cluster')} in it: {named}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


LEAF = (
    "Records of a cluster are cut into chunks, and each chunk is sorted on its own: rows of different chunks do not "
    "belong together. Terms of the term chunk occur in the cluster; how often and with what is not said."
)
JOINT = (
    "Terms that are too rare in one cluster may be frequent enough in several. These clusters were joined, and the "
    f"terms moved from their term chunks to a shared chunk. {SHARED}"
)


def cluster_html(picture: Picture) -> str:
    """Return a cluster, and the clusters in it, as nested blocks."""
    chunks = "".join(column_html(column) for column in picture.columns)
    more = f'<p class="rest">… and {counted(picture.more_columns, "more chunk")}</p>' if picture.more_columns else ""
    inside = "".join(cluster_html(child) for child in picture.children)
    hidden = _hidden_html(len(picture.hidden_children))
    return (
        f'<div class="card cluster"><h3>{in_html(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{chunks}</div>{more}{inside}{hidden}</div>'
    )


def example_html(picture: Picture) -> str:
    """Return a section that shows a cluster and says how to read it."""
    title = f"What a {'joint ' if picture.is_joint else ''}cluster looks like"
    words = JOINT if picture.is_joint else LEAF
    return f"<section>\n<h2>{title}</h2>\n<p>{words}</p>\n{cluster_html(picture)}\n</section>"


def _hidden_html(clusters: int) -> str:
    return f'<p class="rest">… and {counted(clusters, "more cluster")} in it</p>' if clusters else ""


def opened(published: Clusters) -> Clusters:
    """Return what has clusters: the published data itself."""
    return published


def chosen(published: Clusters, first: int) -> list[int]:
    """Return the first clusters that are in no other."""
    return [node for node in range(len(published)) if published.parents[node] < 0][:first]


def typical(published: Clusters) -> list[int]:
    """Return a cluster and a joint cluster that are good to look at."""
    return typical_clusters(published) if len(published) else []


def as_json(published: Clusters, node: int) -> dict[str, Any]:
    """Return a cluster for programs."""
    chunks = [[{"terms": list(terms), "count": n} for terms, n in chunk] for chunk in published.chunks_of(node)]
    parent = int(published.parents[node])
    return {
        "cluster": node,
        "parent": parent if parent >= 0 else None,
        "children": (published.parents == node).nonzero()[0].tolist(),
        "size": int(published.sizes[node]),
        "chunks": chunks,
        "term_chunk": list(published.term_chunk_of(node)),
    }


def draw(console: Console, published: Clusters, nodes: list[int], *, full: bool) -> None:
    """Draw clusters, each with what is in it."""
    detail = Detail(rows=10**6, columns=10**6, children=8, depth=2) if full else Detail()
    for node in nodes:
        console.print(coloured(draw_cluster(published, node, console.width, detail)))
    if published.is_joint[nodes].any():
        console.print(SHARED)


def left(published: Clusters, nodes: list[int]) -> str:
    """Say how many clusters were not drawn."""
    roots = published.parents < 0
    number, joint = int(roots.sum()) - len(nodes), int((roots & published.is_joint)[nodes[-1] + 1 :].sum())
    if not number:
        return ""
    kinds = f", {joint:,} of them joint clusters" if joint else ""
    return f"{number:,} more{kinds}."


def line(published: Clusters, node: int) -> dict[str, Any]:
    """Return what a list of clusters says of one."""
    return {"size": int(published.sizes[node]), "joint": bool(published.is_joint[node])}


def find(published: Clusters, term: str) -> list[int]:
    """Return the clusters that have a term of their own: in a chunk, or in the term chunk."""
    number = published.vocabulary.index(term).as_py()
    rows = published.nodes.over(published.chunks).over(published.subrecords)
    in_chunks = rows.owners()[published.items == number]
    return list(map(int, np.union1d(in_chunks, published.term_chunks.owners()[published.term_items == number])))


SHOW = Show(opened, chosen, typical, as_json, draw, left, line=line, find=find)
