"""Hierarchies made from a catalogue: a table that names items, and in further columns what each belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from disjoin.errors import InvalidParameter
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_builders import MISSING, ROOT


def catalogue_hierarchy(columns: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Return the items of the first column under what the further columns say, from near to far, under `*`.

    Catalogues use a name twice: there is the item coffee, and the category coffee, which has instant coffee too. A
    category whose name means something else as well gets the name of its column added. Where a row leaves a category
    open (`?`), the item belongs to the next one.

    >>> catalogue_hierarchy({"item": ["coffee", "instant"], "kind": ["coffee", "coffee"]}).rows()
    [('coffee', 'coffee (kind)', '*'), ('instant', 'coffee (kind)', '*')]
    """
    labels = list(columns)
    if len(labels) < 2:
        raise InvalidParameter("a catalogue needs a column of items and at least one of what they belong to.")
    rows = list(dict.fromkeys(zip(*columns.values(), strict=True)))
    repeated = sum(times > 1 for times in Counter(row[0] for row in rows).values())
    if repeated:
        found = "an item belongs" if repeated == 1 else f"{repeated:,} items belong"
        raise InvalidParameter(f"{found} to different things in different rows; let each belong to one.")
    places = Counter(name for level in zip(*rows, strict=True) for name in {*level})  # columns that use a name
    places.update((ROOT,))
    return Hierarchy.from_rows([_path(row, labels, places) for row in rows])


def _path(row: tuple[str, ...], labels: Sequence[str], places: Mapping[str, int]) -> list[str]:
    """Return the item, what it belongs to and the root; no name stands for two things."""
    item, *above = row
    named = [
        f"{name} ({label})" if places[name] > 1 else name
        for name, label in zip(above, labels[1:], strict=True)
        if name != MISSING
    ]
    return [item, *named, ROOT]
