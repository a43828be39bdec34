"""The cheapest way to make a rare set of nodes frequent by going up the tree."""

from __future__ import annotations

from heapq import heappop, heappush

from disjoin.methods.apriori.cut import Cut
from disjoin.methods.apriori.rows import Postings


def cheapest_repair(rare: tuple[int, ...], k: int, cut: Cut, postings: Postings) -> tuple[int, ...]:
    """Return what to publish for the members of a rare set: nodes at or above them that k records have together.

    Members that fall together, or one of which would be above another, are one node. Of all ways the one is taken whose
    cut costs least, and of equal ones the first in the order of nodes. Sets are tried from the cheapest on: going up
    never costs less, and the root alone is in all records, so the search ends.
    """
    best: tuple[int, tuple[int, ...]] | None = None
    tried = {rare}
    waiting = [(0, rare)]
    while waiting and (best is None or waiting[0][0] <= best[0]):
        price, nodes = heappop(waiting)
        if (best is None or (price, nodes) < best) and postings.are_in(k, nodes):
            best = price, nodes
        for higher in _raised_by_one(nodes, cut):
            if higher not in tried:
                tried.add(higher)
                heappush(waiting, (cut.price(higher), higher))
    assert best is not None, "fewer records than k were refused before"
    return best[1]


def _raised_by_one(nodes: tuple[int, ...], cut: Cut) -> list[tuple[int, ...]]:
    """Return the sets in which one member is replaced by its parent, and whatever is under that by it, too."""
    found = []
    for node in nodes:
        parent = cut.parent(node)
        if parent >= 0:
            others = [other for other in nodes if other != node and not cut.tree.is_under(other, parent)]
            found.append(tuple(sorted([*others, parent])))
    return found
