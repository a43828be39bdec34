"""Drawings of generalised items for `disjoin show`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TIMES, TextColumn, coloured, draw_band, padded, shorten
from disjoin.forms.form import MANY, Show, first_rows, outside, row_facts
from disjoin.forms.items.facts import PublishedCut, by_name, cut_of
from disjoin.forms.items.prose import TEXTS
from disjoin.model.ragged import Bag, Ints64
from disjoin.text import counted, printable

if TYPE_CHECKING:
    from rich.console import Console


FEW = 8  # rows and terms, if all of them are not asked for
EACH_SIDE = 3  # siblings shown before and after a node
PUBLISHED, HIDDEN, LOWER = "●", "┆", "○"


@dataclass(frozen=True, slots=True)
class Sibling:
    """A node right below the parent: published for that many records, or None where what is published is below it."""

    name: str
    terms: int  # leaves below it
    records: int | None


@dataclass(frozen=True, slots=True)
class NodePicture:
    """A published node, what is above and next to it, the first of the terms that it stands for, and of its records."""

    number: int
    name: str
    is_category: bool
    n_terms: int
    support: int
    path: tuple[str, ...]  # from the root to its parent
    siblings: tuple[Sibling, ...]  # below the same parent, itself among them, by name
    more_siblings: int
    terms: tuple[str, ...]  # below the cut
    records: TextColumn

    @property
    def title(self) -> str:
        if not self.is_category:
            return f"term {self.number}: {printable(self.name)}, as it was, in {counted(self.support, 'record')}"
        stands = f"stands for {counted(self.n_terms, 'term')}"
        return f"category {self.number}: {printable(self.name)}, {stands}, in {counted(self.support, 'record')}"

    @property
    def more_terms(self) -> int:
        return self.n_terms - len(self.terms) if self.is_category else 0

    @property
    def listed_terms(self) -> list[str]:
        more = [f"… and {self.more_terms:,} more"] if self.more_terms else []
        return [*(printable(term) for term in self.terms), *more]


def picture_of(cut: PublishedCut, node: int, rows: int = FEW) -> NodePicture:
    """Return the picture of a node with at most `rows` terms and `rows` records; those with large counts first."""
    name, is_category = cut.names[node].as_py(), bool(cut.is_category[node])
    path = cut.tree.path(name)
    names = cut.tree.below(path[-1]) if path else [name]
    first = max(0, min(names.index(name) - EACH_SIDE, len(names) - 2 * EACH_SIDE - 1))  # a node is below its parent
    shown = names[first : first + 2 * EACH_SIDE + 1]
    supports = dict(zip(cut.names.to_pylist(), cut.supports.tolist(), strict=True))
    return NodePicture(
        number=node,
        name=name,
        is_category=is_category,
        n_terms=int(cut.leaf_counts[node]),
        support=int(cut.supports[node]),
        path=path,
        siblings=tuple(Sibling(each, max(1, cut.tree.leaves(each)), supports.get(each)) for each in shown),
        more_siblings=len(names) - len(shown),
        terms=tuple(cut.terms_of(node)[:rows]) if is_category else (),
        records=_records(cut.published.records, name, rows),
    )


def _records(records: Bag, name: str, rows: int) -> TextColumn:
    found = _rows_with(records, name)
    listed = found[np.lexsort((found, -records.counts[found]))][:rows].tolist()
    shown = first_rows(records.vocabulary, records.sets, records.counts, listed)
    return TextColumn("records with it", shown, found.size - len(listed), what="published terms")


def _rows_with(records: Bag, name: str) -> Ints64:
    item = records.vocabulary.index(name).as_py()
    places = np.flatnonzero(records.items == item) if item >= 0 else np.zeros(0, dtype=np.int64)
    return np.unique(np.searchsorted(records.offsets, places, side="right") - 1)


_ROWS = 5
_FAR = 20  # beyond, it does not matter how far


def typical_node(cut: PublishedCut) -> int:
    """Choose a category that records have, which stands for a few terms and has a few others next to it."""
    tree, records = cut.tree, cut.published.records
    rows = by_name(cut.names, records, np.bincount(records.items, minlength=len(records.vocabulary)))  # different ones
    beside = [tree.children(tree.parent(name) or name).size for name in cut.names.to_pylist()]
    odd = 900 * ~cut.is_category + 400 * (cut.supports == 0) + 15 * np.maximum(0, _ROWS - rows)
    odd += 10 * np.minimum(outside(cut.leaf_counts, 3, 8), _FAR) + 4 * np.minimum(outside(beside, 3, 6), _FAR)
    return int(np.argmin(odd))


_WIDEST = 64  # a line that a name and its count share


def draw_node(cut: PublishedCut, node: int, width: int = 80, rows: int = FEW) -> str:
    """Draw a node in `width` columns (40 at least) with up to `rows` terms and records; a full dot is published."""
    width = max(width, LEAST_WIDTH)
    picture = picture_of(cut, node, rows)
    lines = [shorten(picture.title, width), *_branch(picture, width)]
    if picture.records.rows:
        lines += draw_band([picture.records], width)
    return "\n".join(line.rstrip() for line in lines)


def _branch(picture: NodePicture, width: int) -> list[str]:
    lines = [shorten("  " * depth + printable(name), width) for depth, name in enumerate(picture.path)]
    margin = "  " * max(0, len(picture.path) - 1)
    for place, sibling in enumerate(picture.siblings):
        is_last = place == len(picture.siblings) - 1 and not picture.more_siblings
        fork, beside = ("╰─ ", "   ") if is_last else ("├─ ", "│  ")
        if not picture.path:
            fork = beside = ""
        lines.append(_line(margin + fork, sibling, width))
        if sibling.name == picture.name:
            lines += [shorten(f"{margin}{beside}  {HIDDEN} {text}", width) for text in picture.listed_terms]
    if picture.more_siblings:
        lines.append(f"{margin}╰─ … and {picture.more_siblings:,} more")
    return lines


def _line(before: str, sibling: Sibling, width: int) -> str:
    name = printable(sibling.name)
    if sibling.records is None:
        return shorten(f"{before}{LOWER} {name}: {counted(sibling.terms, 'term')}, published further down", width)
    count = f" {TIMES}{sibling.records:,}"
    room = min(width, _WIDEST) - len(count)
    return padded(shorten(f"{before}{PUBLISHED} {name}", room), room) + count


def as_json(cut: PublishedCut, number: int) -> dict[str, Any]:
    name, records = cut.names[number].as_py(), cut.published.records
    return {
        "node": number,
        "published": name,
        "is_category": bool(cut.is_category[number]),
        "path": list(cut.tree.path(name)),
        "terms": cut.terms_of(number),
        "support": int(cut.supports[number]),
        "records": [row_facts(records, row) for row in _rows_with(records, name).tolist()],
    }


def draw(console: Console, cut: PublishedCut, numbers: list[int], *, full: bool) -> None:
    for number in numbers:
        console.print(coloured(draw_node(cut, number, console.width, MANY if full else FEW)))
    if numbers:
        console.print(TEXTS["signs"])
    if full and cut.leaf_counts[numbers[0]] > MANY:
        console.print("Not all terms of this category are drawn; the JSON output has all of them.")


SHOW = Show(
    typical=lambda cut: [typical_node(cut)] if len(cut) else [],
    as_json=as_json,
    draw=draw,
    opened=cut_of,
    line=lambda cut, number: {"name": cut.names[number].as_py(), "size": int(cut.supports[number])},
    picture=picture_of,
)
