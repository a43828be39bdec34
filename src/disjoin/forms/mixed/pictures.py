"""Drawings of mixed data for `disjoin show`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import TextColumn, coloured
from disjoin.forms.clusters import pictures as of_clusters
from disjoin.forms.clusters.pictures import USUAL, Detail, Picture, draw_picture, typical_clusters
from disjoin.forms.clusters.pictures import picture_of as picture_of_cluster
from disjoin.forms.form import Show
from disjoin.model.mixed import Mixed
from disjoin.text import SHARED

if TYPE_CHECKING:
    from rich.console import Console


def picture_of(published: Mixed, node: int, detail: Detail = USUAL) -> Picture:
    """Return the picture of a cluster, with its rows before its chunks."""
    return _with_rows(published, picture_of_cluster(published.clusters, node, detail), detail)


def _with_rows(published: Mixed, picture: Picture, detail: Detail) -> Picture:
    children = tuple(_with_rows(published, child, detail.below) for child in picture.children)
    if picture.is_joint:
        return replace(picture, children=children)
    return replace(picture, columns=(rows_column(published, picture.node, detail.rows), *picture.columns))


def rows_column(published: Mixed, node: int, most: int) -> TextColumn:
    """Return the rows of a cluster: values, then the terms that stand with them; a word of the first says how."""
    entries = np.flatnonzero(published.leaves == node)
    shown = tuple((_cells(published, entry), int(published.people.counts[entry])) for entry in entries[:most].tolist())
    heading = f"rows: {', '.join(published.rows.schema.names)}"
    return TextColumn(heading, shown, max(0, entries.size - most), what="row")


def _cells(published: Mixed, entry: int) -> tuple[str, ...]:
    table = published.rows
    values = [table.values_of(name)[int(table.codes_of(name)[entry])].as_py() for name in table.schema.names]
    terms = [published.people.vocabulary[int(item)].as_py() for item in published.people.sets[entry]]
    return (*values, *(f"+ {term}" for term in terms))


def opened(published: Mixed) -> Mixed:
    """Return what has clusters: the published data itself."""
    return published


def chosen(published: Mixed, first: int) -> list[int]:
    """Return the first clusters that are in no other."""
    return of_clusters.chosen(published.clusters, first)


def typical(published: Mixed) -> list[int]:
    """Return a cluster and a joint cluster that are good to look at."""
    return typical_clusters(published.clusters) if len(published) else []


def as_json(published: Mixed, node: int) -> dict[str, Any]:
    """Return a cluster and its rows for programs."""
    table, people = published.rows, published.people
    rows = [
        {
            "values": {
                name: table.values_of(name)[int(table.codes_of(name)[entry])].as_py() for name in table.schema.names
            },
            "terms": [people.vocabulary[int(item)].as_py() for item in people.sets[entry]],
            "count": int(people.counts[entry]),
        }
        for entry in np.flatnonzero(published.leaves == node).tolist()
    ]
    return of_clusters.as_json(published.clusters, node) | {"rows": rows}


def draw(console: Console, published: Mixed, nodes: list[int], *, full: bool) -> None:
    """Draw clusters, each with its rows and what is in it."""
    detail = Detail(rows=10**6, columns=10**6, children=8, depth=2) if full else Detail()
    for node in nodes:
        console.print(coloured(draw_picture(picture_of(published, node, detail), console.width)))
    if published.clusters.is_joint[nodes].any():
        console.print(SHARED)


def left(published: Mixed, nodes: list[int]) -> str:
    """Say how many clusters were not drawn."""
    return of_clusters.left(published.clusters, nodes)


def line(published: Mixed, node: int) -> dict[str, Any]:
    """Return what a list of clusters says of one."""
    return of_clusters.line(published.clusters, node)


def find(published: Mixed, term: str) -> list[int]:
    """Return the clusters that have a term, or a row with a value."""
    people = published.people
    is_found = np.zeros(len(people), np.bool_)
    is_found[people.sets.owners()[people.items == people.vocabulary.index(term).as_py()]] = True
    for name in published.rows.schema.names:
        is_found |= published.rows.codes_of(name) == published.rows.values_of(name).index(term).as_py()
    found: list[int] = np.union1d(of_clusters.find(published.clusters, term), published.leaves[is_found]).tolist()
    return [int(node) for node in found]


SHOW = Show(opened, chosen, typical, as_json, draw, left, line=line, find=find)
