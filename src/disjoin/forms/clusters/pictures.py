"""Drawings of clusters for `disjoin show`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TextColumn, coloured, column_html, draw_columns, shorten
from disjoin.forms.clusters.prose import TEXTS
from disjoin.forms.form import Show, outside
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
        kind = "joint cluster" if self.is_joint else "cluster"
        around = "" if self.inside is None else f", in joint cluster {self.inside}"
        return f"{kind} {self.node}: {counted(self.size, 'record')}{around}"


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a cluster is shown; less for each level inside it, so that a deep tree stays readable."""

    rows: int = 10
    columns: int = 8
    children: int = 3
    depth: int = 3

    @property
    def below(self) -> Detail:
        return Detail(min(self.rows, 8), min(self.columns, 4), min(self.children, 2), self.depth - 1)


USUAL, WHOLE = Detail(), Detail(rows=10**6, columns=10**6, children=8, depth=2)
NOT_ONE = 1 << 62  # how odd to look at a node of another kind is


def picture_of(published: Clusters, node: int, detail: Detail = USUAL) -> Picture:
    """Return the picture of a node; a joint cluster has its first children in it, down to the depth of `detail`."""
    parent = int(published.parents[node])
    return replace(_picture(published, node, detail), inside=parent if parent >= 0 else None)


def _picture(published: Clusters, node: int, detail: Detail) -> Picture:
    children = np.flatnonzero(published.parents == node).tolist()
    first, last = published.chunk_offsets[node : node + 2].tolist()
    shown = range(first, min(last, first + detail.columns))
    kind, size = "shared" if children else "record", int(published.sizes[node])
    columns = [_chunk(published, c, f"{kind} chunk {c - first}", size, detail) for c in shown]
    visible = detail.children if detail.depth > 1 else 0
    return Picture(
        node=node,
        size=size,
        is_joint=bool(children),
        columns=tuple(columns if children else [*columns, _term_chunk(published, node, detail)]),
        more_columns=last - first - len(shown),
        children=tuple(_picture(published, child, detail.below) for child in children[:visible]),
        hidden_children=tuple(children[visible:]),
    )


def _chunk(published: Clusters, chunk: int, heading: str, size: int, detail: Detail) -> TextColumn:
    first, last = published.subrecord_offsets[chunk : chunk + 2].tolist()
    counts = published.counts[first:last]
    ends = published.item_offsets[first : last + 1][: detail.rows + 1].tolist()
    names = [_names(published, published.items[start:end]) for start, end in pairwise(ends)]
    rows = tuple(zip(names, counts[: detail.rows].tolist(), strict=True))
    return TextColumn(heading, rows, counts.size - len(rows), size - int(counts.sum()))


def _term_chunk(published: Clusters, node: int, detail: Detail) -> TextColumn:
    items = published.term_chunks[node]
    rows = tuple(((name,), None) for name in _names(published, items[: detail.rows]))
    return TextColumn("term chunk", rows, items.size - len(rows))


def _names(published: Clusters, items: Ints32) -> tuple[str, ...]:
    return tuple(published.vocabulary.take(items).to_pylist())


def typical_clusters(published: Clusters) -> list[int]:
    if not len(published):
        return []
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
    odd = 60 * outside(children, 2, 3) + 40 * outside(chunks, 1, 3) + 12 * outside(rows, 2, 10)
    odd = odd + 40 * (items <= rows) + 24 * (published.parents >= 0)
    return np.where(is_lowest, odd + _sums_below(published, _oddness(published, usual)), NOT_ONE)


def _oddness(published: Clusters, usual: int) -> Ints64:
    """Rate every node as if it were a leaf: 0 is good to look at."""
    chunks = published.nodes.lengths
    subrecords, terms = published.nodes.over(published.chunks), published.term_chunks.lengths
    rows, items = subrecords.lengths, subrecords.over(published.subrecords).lengths
    odd = 10 * outside(chunks, 2, 3) + 3 * outside(rows, 5, 12) + np.minimum(outside(terms, 2, 10), 20)
    return 4 * odd + 12 * (items <= rows) + (abs(published.sizes - usual) > usual // 2)


def _sums_below(published: Clusters, values: Ints64) -> Ints64:
    inner = published.parents >= 0
    return np.bincount(published.parents[inner], values[inner], len(published)).astype(np.int64)


_NAMED = 8  # clusters that are not drawn but numbered


def draw_picture(picture: Picture, width: int = 80) -> str:
    """Draw a node and all below it in `width` columns (40 at least); only rows of one column belong to one chunk."""
    return "\n".join(line.rstrip() for line in _lines(picture, max(width, LEAST_WIDTH)))


def _lines(picture: Picture, width: int) -> list[str]:
    lines = [shorten(picture.title, width), *draw_columns(picture.columns, width)]
    if picture.more_columns:
        lines.append(f"… and {counted(picture.more_columns, 'more chunk')}")
    indent = 2 if width - 2 >= LEAST_WIDTH else 0
    for child in picture.children:
        lines += [" " * indent + line for line in _lines(child, width - indent)]
    if hidden := picture.hidden_children:  # the numbers by which the first of them can be asked for
        named = ", ".join(map(str, hidden[:_NAMED])) + (", …" if len(hidden) > _NAMED else "")
        lines.append(shorten(f"{' ' * indent}… and {counted(len(hidden), 'more cluster')} in it: {named}", width))
    return lines


def cluster_html(picture: Picture) -> str:
    chunks = "".join(column_html(column) for column in picture.columns)
    inside = "".join(cluster_html(child) for child in picture.children)
    more = _rest(picture.more_columns, "more chunk")
    hidden = _rest(len(picture.hidden_children), "more cluster", " in it")
    return (
        f'<div class="card cluster"><h3>{in_html(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{chunks}</div>{more}{inside}{hidden}</div>'
    )


def _rest(number: int, noun: str, where: str = "") -> str:
    return f'<p class="rest">… and {counted(number, noun)}{where}</p>' if number else ""


def example_html(picture: Picture, words: str = "") -> str:
    title = f"What a {'joint ' if picture.is_joint else ''}cluster looks like"
    words = words or (f"{TEXTS['example of a joint cluster']} {SHARED}" if picture.is_joint else TEXTS["example"])
    body = f"<p>{words}</p>\n{cluster_html(picture)}"
    if picture.is_joint:  # it is long, and one example is enough to read the tables
        return f'<details class="part">\n<summary><h2>{title}</h2></summary>\n{body}\n</details>'
    return f"<section>\n<h2>{title}</h2>\n{body}\n</section>"


def chosen(published: Clusters, first: int) -> list[int]:
    return [int(node) for node in np.flatnonzero(published.parents < 0)[:first]]


def as_json(published: Clusters, node: int) -> dict[str, Any]:
    chunks = [[{"terms": list(terms), "count": n} for terms, n in chunk] for chunk in published.chunks_of(node)]
    parent = int(published.parents[node])
    return {
        "cluster": node,
        "parent": parent if parent >= 0 else None,
        "children": np.flatnonzero(published.parents == node).tolist(),
        "size": int(published.sizes[node]),
        "chunks": chunks,
        "term_chunk": list(published.term_chunk_of(node)),
    }


def draw(console: Console, published: Clusters, nodes: list[int], *, full: bool) -> None:
    draw_pictures(console, [picture_of(published, node, WHOLE if full else USUAL) for node in nodes])


def draw_pictures(console: Console, pictures: list[Picture]) -> None:
    for picture in pictures:
        console.print(coloured(draw_picture(picture, console.width)))
    if any(picture.is_joint for picture in pictures):
        console.print(SHARED)


def left(published: Clusters, nodes: list[int]) -> str:
    roots = published.parents < 0
    number, joint = int(roots.sum()) - len(nodes), int((roots & published.is_joint)[nodes[-1] + 1 :].sum())
    if not number:
        return ""
    kinds = f", {joint:,} of them joint clusters" if joint else ""
    return f"{number:,} more{kinds}."


def line(published: Clusters, node: int) -> dict[str, Any]:
    return {"size": int(published.sizes[node]), "joint": bool(published.is_joint[node])}


def find(published: Clusters, term: str) -> list[int]:
    number = published.vocabulary.index(term).as_py()
    rows = published.nodes.over(published.chunks).over(published.subrecords)
    in_chunks = rows.owners()[published.items == number]
    return list(map(int, np.union1d(in_chunks, published.term_chunks.owners()[published.term_items == number])))


SHOW = Show(typical_clusters, as_json, draw, chosen=chosen, left=left, line=line, picture=picture_of, find=find)
