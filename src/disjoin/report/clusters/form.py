"""What a report does with clusters of chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disjoin.measure import MEASURES
from disjoin.model.clusters import Clusters
from disjoin.model.guarantees import Promise
from disjoin.report.clusters.page import PAGE
from disjoin.report.clusters.picture import Picture, picture_of
from disjoin.report.clusters.reading import READING
from disjoin.report.clusters.readme import README
from disjoin.report.clusters.statistics import statistics_of
from disjoin.report.clusters.summary import rows_of
from disjoin.report.clusters.typical import typical_clusters
from disjoin.report.clusters.words import not_promised
from disjoin.report.form import Form


def _statistics(published: Clusters, promise: Promise, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return statistics_of(published, promise)


def _pictures(published: Clusters) -> list[Picture]:
    return [picture_of(published, node) for node in typical_clusters(published)]


CLUSTERS = Form(
    letter="V",
    statistics=_statistics,
    measures=MEASURES,
    pictures=_pictures,
    limits=not_promised,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
)
