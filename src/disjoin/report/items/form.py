"""What a report does with records of generalised terms."""

from __future__ import annotations

from disjoin.model.generalized_items import GeneralizedItems
from disjoin.report.form import Form
from disjoin.report.items.cut import cut_of
from disjoin.report.items.page import PAGE
from disjoin.report.items.picture import NodePicture, picture_of
from disjoin.report.items.reading import READING
from disjoin.report.items.readme import README
from disjoin.report.items.statistics import statistics_of
from disjoin.report.items.summary import rows_of
from disjoin.report.items.tree import Tree
from disjoin.report.items.typical import typical_node
from disjoin.report.items.words import not_promised


def _pictures(published: GeneralizedItems) -> list[NodePicture]:
    cut, tree = cut_of(published), Tree(published.hierarchy)
    return [picture_of(cut, tree, typical_node(cut, tree))] if len(cut) else []


ITEMS = Form(
    letter="A",
    statistics=statistics_of,
    measures={},  # what was lost can only be told with the original
    pictures=_pictures,
    limits=not_promised,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
)
