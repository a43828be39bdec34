"""What the settings of CAHD choose from: a record per order and per grouping, read without loading compiled code."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.methods.settings import Listed

_HERE = "disjoin.methods.cahd"


@dataclass(frozen=True, slots=True)
class RecordOrder(Listed):
    """A way to bring similar records near each other.

    Its function takes rows (where each begins, their items, how many items there are), and returns the order of the
    rows and that of the items. `patience` is a function of the supports of the items, which says how long it takes.
    """

    patience: str | None = None


ORDERS = {
    each.name: each
    for each in (
        RecordOrder("bipartite", "by the graph of records and items", f"{_HERE}.cuthill_mckee:by_graph"),
        RecordOrder(
            "aat",
            "by the graph of records alone, in which those with common items are neighbours",
            f"{_HERE}.cuthill_mckee:by_common_items",
            patience=f"{_HERE}.cuthill_mckee:slow_note",
        ),
    )
}
ORDER_NAMES = tuple(ORDERS)


@dataclass(frozen=True, slots=True)
class Grouping(Listed):
    """A way to form groups; its function takes the method, ordered rows, and whom to tell of progress."""

    spreads: bool = False  # records that are equal are spread over the order before groups are formed
    is_papers: bool = False  # of the paper: groups give records with a sensitive item away


GROUPINGS = {
    each.name: each
    for each in (
        Grouping("blind", "by ordinary items alone", f"{_HERE}.run:blind", spreads=True),
        Grouping(
            "paper",
            "around each record with a sensitive item, which gives it away",
            f"{_HERE}.run:around_sensitive",
            is_papers=True,
        ),
    )
}
