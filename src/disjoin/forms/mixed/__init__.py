"""Form of mixed data: clusters of terms with the rows of their people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.forms.form import Form, slots_of
from disjoin.forms.mixed import facts, page, pictures, prose, tables
from disjoin.model.mixed import Mixed, MixedRecords
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.release import Release

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts
    from disjoin.measure import Measure


@dataclass(frozen=True, slots=True)
class _OfTerms:
    """A measure of clusters, taken of the terms of mixed data."""

    measure: Measure

    def to_json(self, published: Mixed, guarantee: MixedAnonymity) -> dict[str, Any]:
        from disjoin.analyst.as_clusters import with_terms_of_rows

        return self.measure.to_json(with_terms_of_rows(published), guarantee.of_terms)


def _measures() -> Mapping[str, Any]:
    from disjoin.measure import MEASURES

    return {name: _OfTerms(measure) for name, measure in MEASURES.items()}


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    from disjoin.measure import MixedEvidence

    published, guarantee = release.published, release.guarantee
    assert isinstance(published, Mixed) and isinstance(guarantee, MixedAnonymity), "mixed data keep mixed anonymity"
    if not isinstance(original, MixedRecords):
        raise InvalidParameter("the original of this release must be people with columns and terms: see read_people.")
    return MixedEvidence.of(published, original, guarantee.k, m=guarantee.m, **asked)


def _costs(published: Mixed, original: MixedRecords) -> dict[str, Any]:
    from disjoin.analyst.as_clusters import with_terms_of_rows
    from disjoin.measure import exact_pair_mass, exact_term_mass

    clusters = with_terms_of_rows(published)
    masses = {"term_mass": exact_term_mass, "pair_mass": exact_pair_mass}
    return {name: measured(clusters, original.records) for name, measured in masses.items()}


def _dossier() -> DossierParts:
    from disjoin.forms.mixed.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=Mixed,
    part=("cluster", "clusters"),
    original=MixedRecords,
    guarantees=(MixedAnonymity,),
    lay_out=tables.lay_out,
    read=tables.read_mixed,
    counted=("records", "terms", "columns"),
    texts=lambda mixed: (mixed.clusters.vocabulary, mixed.people.vocabulary, *mixed.rows.values),
    more=tables.hierarchy_paths,
    measures=_measures,
    **slots_of(tables.TABLES, facts, page, pictures, prose),
    dossier=_dossier,
    evidence=_evidence,
    costs=_costs,
    eyes_only=facts.eyes_only,
)
