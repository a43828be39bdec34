"""One published node as a picture made of data: its branch of the hierarchy with the cut, and records that have it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.escaping import legible
from disjoin.model.arrays import Ints64
from disjoin.model.bag import Bag
from disjoin.report.columns import Column
from disjoin.report.items.cut import Cut
from disjoin.report.items.tree import Tree
from disjoin.report.words import counted

FEW = 8  # rows and terms, if all of them are not asked for
MANY = 1000  # of either, that anybody scrolls through
BESIDE = 3  # nodes before and after, below the same parent
_TERMS = 64  # of a record: more than fit into a line


@dataclass(frozen=True, slots=True)
class Twig:
    """A node right below the parent: published for so many records, or None where what is published is below it."""

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
    twigs: tuple[Twig, ...]  # below the same parent, itself among them, by name
    more_twigs: int
    terms: tuple[str, ...]  # below the cut
    records: Column

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        if not self.is_category:
            return f"term {self.number}: {legible(self.name)}, as it was, in {counted(self.support, 'record')}"
        stands = f"stands for {counted(self.n_terms, 'term')}"
        return f"category {self.number}: {legible(self.name)}, {stands}, in {counted(self.support, 'record')}"

    @property
    def more_terms(self) -> int:
        """How many terms below the cut are not listed."""
        return self.n_terms - len(self.terms) if self.is_category else 0


def picture_of(cut: Cut, tree: Tree, node: int, rows: int = FEW) -> NodePicture:
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


def _twigs(cut: Cut, tree: Tree, name: str, path: tuple[str, ...]) -> tuple[tuple[Twig, ...], int]:
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
    twigs = tuple(Twig(each, max(1, tree.leaves(each)), records.get(each)) for each in shown)
    return twigs, len(names) - len(shown)


def _records(records: Bag, name: str, rows: int) -> Column:
    found = rows_with(records, name)
    order = np.lexsort((found, -records.counts[found]))
    listed = found[order][:rows].tolist()
    shown = tuple((_shown(records, row), int(records.counts[row])) for row in listed)
    return Column("records with it", shown, found.size - len(listed), what="published terms")


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
