"""Form of clusters, as published by disassociation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from disjoin.forms.clusters import facts, page, pictures, prose, tables
from disjoin.forms.form import Form, require_records, slots_of
from disjoin.model.clusters import Clusters
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.release import Release, Report
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts
    from disjoin.measure import Measure


def _rows(report: Report) -> dict[str, int]:
    facts = report.statistics
    return {tables.CLUSTERS: facts["clusters"]["total"], tables.SUBRECORDS: facts["subrecords"]["distinct"]}


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


def _dossier() -> DossierParts:
    from disjoin.forms.clusters.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=Clusters,
    part=("cluster", "clusters"),
    original=Transactions,
    guarantees=(KmAnonymity,),
    lay_out=tables.lay_out,
    read=lambda folder, _, limit: tables.read_clusters(folder, limit),
    counted=("records", "terms"),
    texts=lambda clusters: (clusters.vocabulary,),
    measures=_measures,
    compared=_compared,
    costs=_costs,
    **slots_of(tables.TABLES, facts, page, pictures, prose),
    dossier=_dossier,
    evidence=_evidence,
    rows=_rows,
    blocks=tables.ClusterBlocks,
    eyes_only=facts.eyes_only,
    unproven=prose.UNPROVEN,
)
