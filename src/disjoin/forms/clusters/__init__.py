"""Clusters of chunks, as disassociation publishes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from disjoin.files.release_parts import TablesRead, paths_of, read_tables
from disjoin.forms.clusters import tables
from disjoin.forms.clusters.facts import eyes_only, rows_of, statistics_of
from disjoin.forms.clusters.page import PAGE
from disjoin.forms.clusters.pictures import SHOW, Picture, picture_of, typical_clusters
from disjoin.forms.clusters.prose import READING, README, UNPROVEN, learned, not_guaranteed
from disjoin.forms.form import ByParts, Form, require_records
from disjoin.model.clusters import Clusters
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.release import Report
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.measure import Measure, Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


def _statistics(published: Clusters, guarantee: AnyGuarantee, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return statistics_of(published, guarantee)


def _rows(report: Report) -> dict[str, int]:
    facts = report.statistics
    return {tables.CLUSTERS: facts["clusters"]["total"], tables.SUBRECORDS: facts["subrecords"]["distinct"]}


def _by_parts(folder: Path, memory_limit: int) -> ByParts:
    from disjoin.forms.clusters.by_parts import ClustersByParts  # few releases are in parts

    return ClustersByParts(folder, memory_limit)


def _read(folder: Path, memory_limit: int) -> TablesRead:
    """Read a folder; tables in parts into unnamed files in the folder for temporary ones, if nothing is odd."""
    if any(paths_of(folder, name) != [name] for name in tables.TABLES):
        from disjoin.forms.clusters.by_parts import read_into_pages

        found = read_into_pages(folder, memory_limit, Path(gettempdir()))
        if found is not None:
            return found
    return read_tables(folder, tables.TABLES, tables.forest_of, memory_limit)


def _pictures(published: Clusters) -> list[Picture]:
    return [picture_of(published, node) for node in typical_clusters(published)]


def _measures() -> Mapping[str, Measure]:
    from disjoin.measure import MEASURES

    return MEASURES


def _compared() -> type[Any]:
    from disjoin.measure import Evidence

    return Evidence


def _evidence(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress
) -> Any:
    published = release.published
    assert isinstance(published, Clusters), "the form is that of what is published"
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    return _compared()(
        require_records(original),
        published,
        guarantee.k,
        release.suppressed_records,
        release.parameters.get("strategy"),
        m=guarantee.m,
        hierarchy=hierarchy,
        settings=settings,
        progress=progress,
    )


def _costs(published: Clusters, original: Transactions) -> dict[str, Any]:
    from disjoin.measure import exact_pair_mass, exact_term_mass

    return {
        "term_mass": exact_term_mass(published, original),
        "pair_mass": exact_pair_mass(published, original),
        "before_refining": {
            "term_mass": exact_term_mass(published, original, shared=False),
            "pair_mass": exact_pair_mass(published, original, shared=False),
        },
    }


FORM = Form(
    noun=Clusters,
    part=("cluster", "clusters"),
    original=Transactions,
    guarantees=(KmAnonymity,),
    tables=tables.TABLES,
    lay_out=tables.lay_out,
    read=lambda folder, _, limit: _read(folder, limit),
    counted=("records", "terms"),
    texts=lambda clusters: (clusters.vocabulary,),
    measures=_measures,
    compared=_compared,
    costs=_costs,
    statistics=_statistics,
    pictures=_pictures,
    learned=learned,
    limits=not_guaranteed,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
    show=SHOW,
    evidence=_evidence,
    rows=_rows,
    by_parts=_by_parts,
    eyes_only=eyes_only,
    unproven=UNPROVEN,
)
