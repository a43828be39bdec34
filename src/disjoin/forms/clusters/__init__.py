"""Form of clusters, as published by disassociation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from disjoin.forms.clusters import tables
from disjoin.forms.clusters.blocks import ClusterBlocks, read_into_pages
from disjoin.forms.clusters.facts import eyes_only, rows_of, statistics_of
from disjoin.forms.clusters.page import PAGE
from disjoin.forms.clusters.pictures import SHOW
from disjoin.forms.clusters.prose import READING, README, UNPROVEN, learned, not_guaranteed
from disjoin.forms.form import Form, require_records
from disjoin.model.clusters import Clusters
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.release import Release, Report
from disjoin.model.transactions import Transactions
from disjoin.parquet.tables import TablesRead, in_parts, paths_of, read_tables

if TYPE_CHECKING:
    from disjoin.measure import Measure


def _rows(report: Report) -> dict[str, int]:
    facts = report.statistics
    return {tables.CLUSTERS: facts["clusters"]["total"], tables.SUBRECORDS: facts["subrecords"]["distinct"]}


def _read(folder: Path, memory_limit: int) -> TablesRead:
    """Read a folder; very large tables block by block into unnamed temporary files, if nothing is odd about them."""
    if in_parts(path for name in tables.TABLES for path in paths_of(folder, name)):
        found = read_into_pages(folder, memory_limit, Path(gettempdir()))
        if found is not None:
            return found
    reading = read_tables(folder, tables.TABLES, tables.forest_of, memory_limit)
    published = reading.published
    assert isinstance(published, Clusters), "that is what `forest_of` makes"
    odd = tables.cut_elsewhere(tables.tree_ends(published)[1], reading.rows) if len(published) else []
    return replace(reading, published=published.with_anomalies(tuple(odd))) if odd else reading


def _measures() -> Mapping[str, Measure]:
    from disjoin.measure import MEASURES

    return MEASURES


def _compared() -> type[Any]:
    from disjoin.measure import Evidence

    return Evidence


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    return _compared()(
        require_records(original),
        release.published,
        guarantee.k,
        release.suppressed_records,
        release.parameters.get("strategy"),
        m=guarantee.m,
        **asked,
    )


def _costs(published: Clusters, original: Transactions) -> dict[str, Any]:
    from disjoin.measure import exact_pair_mass, exact_term_mass

    masses = {"term_mass": exact_term_mass, "pair_mass": exact_pair_mass}
    before = {name: mass(published, original, shared=False) for name, mass in masses.items()}
    return {**{name: mass(published, original) for name, mass in masses.items()}, "before_refining": before}


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
    statistics=lambda clusters, guarantee, _: statistics_of(clusters, guarantee),
    pictures=SHOW.pictures,
    learned=learned,
    limits=not_guaranteed,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
    show=SHOW,
    evidence=_evidence,
    rows=_rows,
    blocks=ClusterBlocks,
    eyes_only=eyes_only,
    unproven=UNPROVEN,
)
