"""What a report does with a generalised table."""

from __future__ import annotations

from disjoin.model.generalized import Generalized
from disjoin.report.form import Form
from disjoin.report.table.classes import classes_of
from disjoin.report.table.page import PAGE
from disjoin.report.table.picture import ClassPicture, picture_of
from disjoin.report.table.reading import READING
from disjoin.report.table.readme import README
from disjoin.report.table.statistics import statistics_of
from disjoin.report.table.summary import rows_of
from disjoin.report.table.typical import typical_class
from disjoin.report.table.words import not_promised


def _pictures(published: Generalized) -> list[ClassPicture]:
    classes = classes_of(published)
    return [picture_of(classes, typical_class(classes))] if len(classes) else []


TABLE = Form(
    letter="T",
    statistics=statistics_of,
    measures={},  # what can be told without the original is in the statistics
    pictures=_pictures,
    limits=not_promised,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
)
