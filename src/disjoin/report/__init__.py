"""How it looks: facts about a release, and their drawings for terminal, page and file."""

from disjoin.report.charts import warm_up
from disjoin.report.documents import documents_of
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.report.picture import Picture, picture_of, typical_leaf
from disjoin.report.readme import render_readme
from disjoin.report.text import coloured, draw_cluster, summary_table, summary_text

__all__ = [
    "Picture",
    "coloured",
    "documents_of",
    "draw_cluster",
    "facts_of",
    "picture_of",
    "render_html",
    "render_readme",
    "summary_table",
    "summary_text",
    "typical_leaf",
    "warm_up",
]
