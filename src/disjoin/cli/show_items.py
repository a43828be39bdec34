"""How `disjoin show` draws what terms are published as, or writes it for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from disjoin.report.items.cut import Cut, cut_of
from disjoin.report.items.picture import FEW, MANY, rows_with, terms_of_row
from disjoin.report.items.tree import Tree
from disjoin.report.items.typical import typical_node
from disjoin.report.text import coloured, draw_node

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import GeneralizedItems

SIGNS = (
    "● is published, with the number of records that hold it; where there is ○, something below it is. Terms after ┆ "
    "are below the cut: they are not told apart."
)


@dataclass(frozen=True, slots=True)
class Nodes:
    """The published nodes and where they stand."""

    cut: Cut
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
        console.print("This category stands for more terms than are drawn; --json writes them all.")


def left(nodes: Nodes, numbers: list[int]) -> str:
    """Say how many nodes were not drawn."""
    number = len(nodes) - len(numbers)
    return f"{number:,} more. Show one with --node N, more with --first N, a good one with --typical." if number else ""
