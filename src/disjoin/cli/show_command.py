"""disjoin show release/ [--cluster N | --typical]"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import print_json
from disjoin.errors import InvalidParameter

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import Clusters

FEW = 3
NOT_PROVEN = "This release states that its guarantee is not proven; it is for comparison only."


@click.command("show")
@click.argument("release", metavar="RELEASE")
@click.option("--cluster", "-c", type=click.IntRange(0), metavar="N", help="Show this cluster with all its rows.")
@click.option("--typical", is_flag=True, help="Show a cluster and a joint cluster that are good to look at.")
@click.option("--first", type=click.IntRange(1), default=FEW, show_default=True, metavar="N", help="How many to show.")
@click.option("--json", "as_json", is_flag=True, help="The clusters as JSON.")
def command(release: str, cluster: int | None, typical: bool, first: int, as_json: bool) -> None:
    """Show clusters of RELEASE: record chunks side by side, then the term chunk.

    A joint cluster has shared chunks instead, and the clusters that were joined are drawn below these. Of a tree that
    is wide or deep only a part is drawn; the clusters that are left out are named by their numbers.
    """
    from disjoin.files.release_reader import read_release

    contents = read_release(release)
    published, is_proven = contents.published, contents.guarantee.proven
    if cluster is not None and cluster >= len(published):
        raise InvalidParameter(
            f"the release has the clusters 0 to {len(published) - 1}, there is no cluster {cluster}."
        )
    nodes = _chosen(published, cluster, typical, first)
    if as_json:
        doubt = {} if is_proven else {"proven": False}
        print_json({"clusters": [_as_json(published, node) for node in nodes]} | doubt)
        return
    _draw(published, nodes, full=cluster is not None, rest=cluster is None and not typical)
    if not is_proven:
        print(NOT_PROVEN)


def _chosen(published: Clusters, cluster: int | None, typical: bool, first: int) -> list[int]:
    from disjoin.report.clusters.typical import typical_clusters

    if cluster is not None:
        return [cluster]
    if typical:
        return typical_clusters(published)
    return [node for node in range(len(published)) if published.parents[node] < 0][:first]


def _as_json(published: Clusters, node: int) -> dict[str, Any]:
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


def _draw(published: Clusters, nodes: list[int], *, full: bool, rest: bool) -> None:
    from rich.console import Console

    from disjoin.report.clusters.picture import Detail
    from disjoin.report.text import coloured, draw_cluster
    from disjoin.report.words import SHARED

    console = Console(highlight=False)
    detail = Detail(rows=10**6, columns=10**6, children=8, depth=2) if full else Detail()
    for node in nodes:
        console.print(coloured(draw_cluster(published, node, console.width, detail)))
    if published.is_joint[nodes].any():
        console.print(SHARED)
    if rest:
        _say_what_is_left(console, published, nodes)


def _say_what_is_left(console: Console, published: Clusters, nodes: list[int]) -> None:
    roots = published.parents < 0
    left, joint = int(roots.sum()) - len(nodes), int((roots & published.is_joint)[nodes[-1] + 1 :].sum())
    if left:
        kinds = f", {joint:,} of them joint clusters" if joint else ""
        console.print(
            f"{left:,} more{kinds}. Show one with --cluster N, more with --first N, good ones with --typical."
        )
