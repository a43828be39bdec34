"""How `disjoin show` draws clusters, or writes them for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.charts.display_text import coloured
from disjoin.forms.clusters.pictures import Detail, draw_cluster, typical_clusters
from disjoin.forms.form import Show
from disjoin.words import SHARED

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import Clusters


def opened(published: Clusters) -> Clusters:
    """Return what has clusters: the published data itself."""
    return published


def chosen(published: Clusters, first: int) -> list[int]:
    """Return the first clusters that are in no other."""
    return [node for node in range(len(published)) if published.parents[node] < 0][:first]


def typical(published: Clusters) -> list[int]:
    """Return a cluster and a joint cluster that are good to look at."""
    return typical_clusters(published) if len(published) else []


def as_json(published: Clusters, node: int) -> dict[str, Any]:
    """Return a cluster for programs."""
    chunks = [[{"terms": list(terms), "count": n} for terms, n in chunk] for chunk in published.chunks_of(node)]
    parent = int(published.parents[node])
    return {
        "cluster": node,
        "parent": parent if parent >= 0 else None,
        "children": (published.parents == node).nonzero()[0].tolist(),
        "size": int(published.sizes[node]),
        "chunks": chunks,
        "term_chunk": list(published.term_chunk_of(node)),
    }


def draw(console: Console, published: Clusters, nodes: list[int], *, full: bool) -> None:
    """Draw clusters, each with what is in it."""
    detail = Detail(rows=10**6, columns=10**6, children=8, depth=2) if full else Detail()
    for node in nodes:
        console.print(coloured(draw_cluster(published, node, console.width, detail)))
    if published.is_joint[nodes].any():
        console.print(SHARED)


def left(published: Clusters, nodes: list[int]) -> str:
    """Say how many clusters were not drawn."""
    roots = published.parents < 0
    number, joint = int(roots.sum()) - len(nodes), int((roots & published.is_joint)[nodes[-1] + 1 :].sum())
    if not number:
        return ""
    kinds = f", {joint:,} of them joint clusters" if joint else ""
    return f"{number:,} more{kinds}. Show one with --cluster N, more with --first N, good ones with --typical."


SHOW = Show(opened, chosen, typical, as_json, draw, left)
