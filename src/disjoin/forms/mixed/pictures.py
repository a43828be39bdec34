"""Drawings of mixed data for `disjoin show`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import TextColumn
from disjoin.forms.clusters import pictures as of_clusters
from disjoin.forms.clusters.pictures import USUAL, WHOLE, Detail, Picture
from disjoin.forms.form import Show, row_facts
from disjoin.model.mixed import Mixed

if TYPE_CHECKING:
    from rich.console import Console


def picture_of(published: Mixed, node: int, detail: Detail = USUAL) -> Picture:
    return _with_rows(published, of_clusters.picture_of(published.clusters, node, detail), detail)


def _with_rows(published: Mixed, picture: Picture, detail: Detail) -> Picture:
    children = tuple(_with_rows(published, child, detail.below) for child in picture.children)
    if picture.is_joint:
        return replace(picture, children=children)
    return replace(picture, columns=(rows_column(published, picture.node, detail.rows), *picture.columns))


def rows_column(published: Mixed, node: int, most: int) -> TextColumn:
    entries = np.flatnonzero(published.leaves == node).tolist()
    rows = [_row(published, entry) for entry in entries[:most]]
    shown = tuple(((*row["values"].values(), *(f"+ {term}" for term in row["terms"])), row["count"]) for row in rows)
    heading = f"rows: {', '.join(published.rows.schema.names)}"
    return TextColumn(heading, shown, max(0, len(entries) - most), what="row")


def _row(published: Mixed, entry: int) -> dict[str, Any]:
    table = published.rows
    return {
        "values": {
            name: table.values_of(name)[int(table.codes_of(name)[entry])].as_py() for name in table.schema.names
        },
        **row_facts(published.people, entry),
    }


def as_json(published: Mixed, node: int) -> dict[str, Any]:
    rows = [_row(published, entry) for entry in np.flatnonzero(published.leaves == node).tolist()]
    return of_clusters.as_json(published.clusters, node) | {"rows": rows}


def draw(console: Console, published: Mixed, nodes: list[int], *, full: bool) -> None:
    of_clusters.draw_pictures(console, [picture_of(published, node, WHOLE if full else USUAL) for node in nodes])


def find(published: Mixed, term: str) -> list[int]:
    """Return the clusters that have a term, or a row with a value."""
    people = published.people
    is_found = np.zeros(len(people), np.bool_)
    is_found[people.sets.owners()[people.items == people.vocabulary.index(term).as_py()]] = True
    for name in published.rows.schema.names:
        is_found |= published.rows.codes_of(name) == published.rows.values_of(name).index(term).as_py()
    found: list[int] = np.union1d(of_clusters.find(published.clusters, term), published.leaves[is_found]).tolist()
    return [int(node) for node in found]


SHOW = Show(
    typical=lambda published: of_clusters.typical_clusters(published.clusters),
    as_json=as_json,
    draw=draw,
    chosen=lambda published, first: of_clusters.chosen(published.clusters, first),
    left=lambda published, nodes: of_clusters.left(published.clusters, nodes),
    line=lambda published, node: of_clusters.line(published.clusters, node),
    picture=picture_of,
    find=find,
)
