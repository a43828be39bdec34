"""Drawings of generalised items for `disjoin show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from disjoin.charts.text_drawing import LEAST_WIDTH, TIMES, TextColumn, coloured, draw_band, padded, shorten
from disjoin.forms.form import Show
from disjoin.forms.items.facts import PublishedCut, Tree, cut_of
from disjoin.model.ragged import Bag, Ints64
from disjoin.text import counted, printable

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import GeneralizedItems


FEW = 8  # rows and terms, if all of them are not asked for
MANY = 1000  # of either, that anybody scrolls through
BESIDE = 3  # nodes before and after, below the same parent
_TERMS = 64  # of a record: more than fit into a line


@dataclass(frozen=True, slots=True)
class Sibling:
    """A node right below the parent: published for that many records, or None where what is published is below it."""

    name: str
    terms: int  # leaves below it
    records: int | None


@dataclass(frozen=True, slots=True)
class NodePicture:
    """A published node, what is above and beside it, the first of the terms that it stands for, and of its records."""

    number: int
    name: str
    is_category: bool
    n_terms: int
    support: int
    path: tuple[str, ...]  # from the root to its parent
    twigs: tuple[Sibling, ...]  # below the same parent, itself among them, by name
    more_twigs: int
    terms: tuple[str, ...]  # below the cut
    records: TextColumn

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        if not self.is_category:
            return f"term {self.number}: {printable(self.name)}, as it was, in {counted(self.support, 'record')}"
        stands = f"stands for {counted(self.n_terms, 'term')}"
        return f"category {self.number}: {printable(self.name)}, {stands}, in {counted(self.support, 'record')}"

    @property
    def more_terms(self) -> int:
        """How many terms below the cut are not listed."""
        return self.n_terms - len(self.terms) if self.is_category else 0


def picture_of(cut: PublishedCut, tree: Tree, node: int, rows: int = FEW) -> NodePicture:
    """Return the picture of a node with at most `rows` terms and `rows` records; those with large counts first."""
    name, is_category = cut.names[node].as_py(), bool(cut.is_category[node])
    path = tree.path(name)
    twigs, more = _twigs(cut, tree, name, path)
    return NodePicture(
        number=node,
        name=name,
        is_category=is_category,
        n_terms=int(cut.leaf_counts[node]),
        support=int(cut.supports[node]),
        path=path,
        twigs=twigs,
        more_twigs=more,
        terms=tuple(cut.terms_of(node)[:rows]) if is_category else (),
        records=_records(cut.published.records, name, rows),
    )


def _twigs(cut: PublishedCut, tree: Tree, name: str, path: tuple[str, ...]) -> tuple[tuple[Sibling, ...], int]:
    """Return some nodes beside one, itself among them, and how many more there are."""
    names = tree.below(path[-1]) if path else [name]
    here = names.index(name)  # a node is below its parent
    first = max(0, min(here - BESIDE, len(names) - 2 * BESIDE - 1))
    shown = names[first : first + 2 * BESIDE + 1]
    wanted = set(shown)
    records = {
        known: support
        for known, support in zip(cut.names.to_pylist(), cut.supports.tolist(), strict=True)
        if known in wanted
    }
    twigs = tuple(Sibling(each, max(1, tree.leaves(each)), records.get(each)) for each in shown)
    return twigs, len(names) - len(shown)


def _records(records: Bag, name: str, rows: int) -> TextColumn:
    found = rows_with(records, name)
    order = np.lexsort((found, -records.counts[found]))
    listed = found[order][:rows].tolist()
    shown = tuple((_shown(records, row), int(records.counts[row])) for row in listed)
    return TextColumn("records with it", shown, found.size - len(listed), what="published terms")


def rows_with(records: Bag, name: str) -> Ints64:
    """Return the rows that hold a published term or category, in the order of the table."""
    item = records.vocabulary.index(name).as_py()
    places = np.flatnonzero(records.items == item) if item >= 0 else np.zeros(0, dtype=np.int64)
    return np.unique(np.searchsorted(records.offsets, places, side="right") - 1)


def terms_of_row(records: Bag, row: int, most: int | None = None) -> tuple[str, ...]:
    """Return what a row holds, or the first of it."""
    first, last = int(records.offsets[row]), int(records.offsets[row + 1])
    return tuple(records.vocabulary.take(records.items[first:last][:most]).to_pylist())


def _shown(records: Bag, row: int) -> tuple[str, ...]:
    more = ("…",) if records.offsets[row + 1] - records.offsets[row] > _TERMS else ()
    return (*terms_of_row(records, row, _TERMS), *more)


_ROWS = 5
_FAR = 20  # beyond, it does not matter how far


def typical_node(cut: PublishedCut, tree: Tree) -> int:
    """Choose a category that records have, which stands for a few terms and has a few others beside it."""
    rows = _rows_with(cut)
    beside = [tree.number_below(tree.parent(name) or name) for name in cut.names.to_pylist()]
    odd = 900 * ~cut.is_category + 400 * (cut.supports == 0) + 15 * np.maximum(0, _ROWS - rows)
    odd += 10 * np.minimum(_outside(cut.leaf_counts, 3, 8), _FAR) + 4 * np.minimum(_outside(beside, 3, 6), _FAR)
    return int(np.argmin(odd))


def _rows_with(cut: PublishedCut) -> Ints64:
    """Count for every node the different rows that have it."""
    records = cut.published.records
    rows = np.bincount(records.items, minlength=len(records.vocabulary)).tolist()
    found = dict(zip(records.vocabulary.to_pylist(), rows, strict=True))
    return np.array([found.get(name, 0) for name in cut.names.to_pylist()], dtype=np.int64)


def _outside(values: ArrayLike, least: int, most: int) -> Ints64:
    numbers: Ints64 = np.asarray(values, dtype=np.int64)
    return np.maximum(least - numbers, 0) + np.maximum(numbers - most, 0)


PUBLISHED, HIDDEN, LOWER = "●", "┆", "○"
_WIDEST = 64  # a line that a name and its count share


def draw_node(cut: PublishedCut, tree: Tree, node: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one published node in at most `width` columns (40 at least), with at most `rows` terms and records.

    What is published has a full dot. Terms below a dotted line are not told apart.
    """
    width = max(width, LEAST_WIDTH)
    picture = picture_of(cut, tree, node, rows)
    lines = [shorten(picture.title, width), *_branch(picture, width)]
    if picture.records.rows:
        lines += draw_band([picture.records], width)
    return "\n".join(line.rstrip() for line in lines)


def _branch(picture: NodePicture, width: int) -> list[str]:
    """Return the path from the root, what is right below its end, and the terms behind the node itself."""
    lines = [shorten("  " * depth + printable(name), width) for depth, name in enumerate(picture.path)]
    margin = "  " * max(0, len(picture.path) - 1)
    for place, twig in enumerate(picture.twigs):
        is_last = place == len(picture.twigs) - 1 and not picture.more_twigs
        fork, beside = ("╰─ ", "   ") if is_last else ("├─ ", "│  ")
        if not picture.path:
            fork = beside = ""
        lines.append(_line(margin + fork, twig, width))
        if twig.name == picture.name:
            lines += [shorten(f"{margin}{beside}  {HIDDEN} {text}", width) for text in _hidden(picture)]
    if picture.more_twigs:
        lines.append(f"{margin}╰─ … and {picture.more_twigs:,} more")
    return lines


def _line(before: str, twig: Sibling, width: int) -> str:
    if twig.records is None:
        return shorten(
            f"{before}{LOWER} {printable(twig.name)}: {counted(twig.terms, 'term')}, published further down", width
        )
    count = f" {TIMES}{twig.records:,}"
    room = min(width, _WIDEST) - len(count)
    return padded(shorten(f"{before}{PUBLISHED} {printable(twig.name)}", room), room) + count


def _hidden(picture: NodePicture) -> list[str]:
    more = [f"… and {picture.more_terms:,} more"] if picture.more_terms else []
    return [*(printable(term) for term in picture.terms), *more]


SIGNS = (
    "● is published, with the number of records that hold it; where there is ○, something below it is. Terms after ┆ "
    "are below the cut: they are not told apart."
)


@dataclass(frozen=True, slots=True)
class Nodes:
    """The published nodes and where they stand."""

    cut: PublishedCut
    tree: Tree

    def __len__(self) -> int:
        return len(self.cut)


def opened(published: GeneralizedItems) -> Nodes:
    """Return the published nodes: categories first, those that stand for most terms before others."""
    return Nodes(cut_of(published), Tree(published.hierarchy))


def chosen(nodes: Nodes, first: int) -> list[int]:
    """Return the first nodes."""
    return list(range(min(first, len(nodes))))


def typical(nodes: Nodes) -> list[int]:
    """Return a node that is good to look at."""
    return [typical_node(nodes.cut, nodes.tree)] if len(nodes) else []


def as_json(nodes: Nodes, number: int) -> dict[str, Any]:
    """Return a node for programs, with all terms that it stands for and all records that hold it."""
    cut = nodes.cut
    name, records = cut.names[number].as_py(), cut.published.records
    rows = rows_with(records, name).tolist()
    return {
        "node": number,
        "published": name,
        "is_category": bool(cut.is_category[number]),
        "path": list(nodes.tree.path(name)),
        "terms": cut.terms_of(number),
        "support": int(cut.supports[number]),
        "records": [{"terms": list(terms_of_row(records, r)), "count": int(records.counts[r])} for r in rows],
    }


def draw(console: Console, nodes: Nodes, numbers: list[int], *, full: bool) -> None:
    """Draw nodes: their branch of the hierarchy, then records."""
    for number in numbers:
        console.print(coloured(draw_node(nodes.cut, nodes.tree, number, console.width, MANY if full else FEW)))
    if numbers:
        console.print(SIGNS)
    if full and nodes.cut.leaf_counts[numbers[0]] > MANY:
        console.print("This category stands for more terms than are drawn; the JSON output has them all.")


def left(nodes: Nodes, numbers: list[int]) -> str:
    """Say how many nodes were not drawn."""
    number = len(nodes) - len(numbers)
    return f"{number:,} more." if number else ""


def line(nodes: Nodes, number: int) -> dict[str, Any]:
    """Return what a list of nodes says of one."""
    return {"name": nodes.cut.names[number].as_py(), "size": int(nodes.cut.supports[number])}


def picture_of_node(nodes: Nodes, number: int) -> NodePicture:
    """Return a node as it is drawn."""
    return picture_of(nodes.cut, nodes.tree, number)


SHOW = Show(opened, chosen, typical, as_json, draw, left, line=line, picture=picture_of_node)
