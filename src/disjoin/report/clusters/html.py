"""A cluster drawn for a page: one small table a chunk, so that nothing looks aligned that is not."""

from __future__ import annotations

from disjoin.escaping import in_html
from disjoin.report.clusters.picture import Picture
from disjoin.report.columns_html import column_html
from disjoin.report.words import SHARED, counted

LEAF = (
    "Records of a cluster are cut into chunks, and each chunk is sorted on its own: rows of different chunks do not "
    "belong together. Terms of the term chunk occur in the cluster; how often and with what is not said."
)
JOINT = (
    "Terms that are too rare in one cluster may be frequent enough in several. These clusters were joined, and the "
    f"terms moved from their term chunks to a shared chunk. {SHARED}"
)


def cluster_html(picture: Picture) -> str:
    """Return a cluster, and the clusters in it, as nested blocks."""
    chunks = "".join(column_html(column) for column in picture.columns)
    more = f'<p class="rest">… and {counted(picture.more_columns, "more chunk")}</p>' if picture.more_columns else ""
    inside = "".join(cluster_html(child) for child in picture.children)
    hidden = _hidden(len(picture.hidden_children))
    return (
        f'<div class="card cluster"><h3>{in_html(picture.title.capitalize())}</h3>'
        f'<div class="chunks">{chunks}</div>{more}{inside}{hidden}</div>'
    )


def example_html(picture: Picture) -> str:
    """Return a section that shows a cluster and says how to read it."""
    title = f"What a {'joint ' if picture.is_joint else ''}cluster looks like"
    words = JOINT if picture.is_joint else LEAF
    return f"<section>\n<h2>{title}</h2>\n<p>{words}</p>\n{cluster_html(picture)}\n</section>"


def _hidden(clusters: int) -> str:
    return f'<p class="rest">… and {counted(clusters, "more cluster")} in it</p>' if clusters else ""
