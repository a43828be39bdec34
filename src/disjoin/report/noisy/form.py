"""What a report does with noisy records."""

from __future__ import annotations

from disjoin.model.noisy_records import NoisyRecords
from disjoin.report.form import Form
from disjoin.report.noisy.page import PAGE
from disjoin.report.noisy.picture import RowsPicture, picture_of
from disjoin.report.noisy.reading import READING
from disjoin.report.noisy.readme import README
from disjoin.report.noisy.statistics import statistics_of
from disjoin.report.noisy.summary import rows_of
from disjoin.report.noisy.words import not_promised


def _pictures(published: NoisyRecords) -> list[RowsPicture]:
    return [picture_of(published)] if len(published) else []


NOISY = Form(
    letter="N",
    by_construction=True,
    statistics=statistics_of,
    measures={},  # what was lost can only be told with the original
    pictures=_pictures,
    limits=not_promised,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
)
