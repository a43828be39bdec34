"""What a report does with groups of records."""

from __future__ import annotations

from disjoin.model.groups import Groups
from disjoin.report.form import Form
from disjoin.report.groups.page import PAGE
from disjoin.report.groups.picture import GroupPicture, picture_of
from disjoin.report.groups.reading import READING
from disjoin.report.groups.readme import README
from disjoin.report.groups.statistics import statistics_of
from disjoin.report.groups.summary import rows_of
from disjoin.report.groups.typical import typical_group
from disjoin.report.groups.words import not_promised


def _pictures(published: Groups) -> list[GroupPicture]:
    return [picture_of(published, typical_group(published))] if len(published) else []


GROUPS = Form(
    letter="P",
    statistics=statistics_of,
    measures={},  # what was lost can only be told with the original
    pictures=_pictures,
    limits=not_promised,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
)
