"""What the settings of CAHD choose from: a record per grouping, read without loading compiled code."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.methods.settings import Listed

ORDERS = ("bipartite", "aat")


@dataclass(frozen=True, slots=True)
class Grouping(Listed):
    """A way to form groups; its function takes the method, ordered rows and an ear for progress."""

    spreads: bool = False  # records that are equal are spread over the order before groups are formed
    is_papers: bool = False  # of the paper: groups give records with a sensitive item away


GROUPINGS = {
    each.name: each
    for each in (
        Grouping("blind", "by ordinary items alone", "disjoin.methods.cahd.run:blind", spreads=True),
        Grouping(
            "paper",
            "around each record with a sensitive item, which gives it away",
            "disjoin.methods.cahd.run:around_sensitive",
            is_papers=True,
        ),
    )
}
