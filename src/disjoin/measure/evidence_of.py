"""A release beside its original, whatever its form is."""

from __future__ import annotations

from typing import Any

from disjoin.errors import InvalidParameter
from disjoin.measure.evidence import Evidence
from disjoin.measure.group_evidence import GroupEvidence
from disjoin.measure.item_evidence import ItemEvidence
from disjoin.measure.noisy_evidence import NoisyEvidence
from disjoin.measure.set_evidence import SetEvidence
from disjoin.measure.settings import Settings
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model import (
    Clusters,
    Generalized,
    GeneralizedItems,
    Groups,
    Hierarchy,
    KAnonymity,
    KmAnonymity,
    NoisyRecords,
    PrivacyDegree,
    Release,
    Role,
    Table,
    Transactions,
)
from disjoin.progress import Progress, silent


def evidence_of(
    release: Release,
    original: Transactions | Table,
    hierarchy: Hierarchy | None,
    settings: Settings,
    progress: Progress = silent,
) -> SetEvidence | GroupEvidence | TableEvidence:
    """Return what the measures of the release's form look at; raises if the two do not belong together."""
    published, guarantee = release.published, release.guarantee
    if isinstance(published, Generalized):
        _require_unasked("tables", hierarchy, settings)
        return _of_table(release, published, original, settings, progress)
    if not isinstance(original, Transactions):
        raise InvalidParameter("the original of this release must be records that are sets, got a table.")
    if isinstance(published, Groups):
        _require_unasked("groups", hierarchy, settings)
        p = guarantee.p if isinstance(guarantee, PrivacyDegree) else None
        return GroupEvidence(original, published, p, settings, progress)
    return _of_sets(release, original, {"hierarchy": hierarchy, "settings": settings, "progress": progress})


def _of_sets(release: Release, original: Transactions, more: dict[str, Any]) -> SetEvidence:
    """Return published sets beside the records that they stand for."""
    published, guarantee = release.published, release.guarantee
    if isinstance(published, NoisyRecords):
        return NoisyEvidence(original, published, **more)
    assert isinstance(guarantee, KmAnonymity), "clusters and generalised items are published under k^m-anonymity"
    if isinstance(published, GeneralizedItems):
        return ItemEvidence(original, published, guarantee.k, m=guarantee.m, **more)
    assert isinstance(published, Clusters), f"there is no evidence for {published.form}"
    strategy = release.parameters.get("strategy")
    return Evidence(original, published, guarantee.k, release.suppressed_records, strategy, m=guarantee.m, **more)


def _require_unasked(what: str, hierarchy: Hierarchy | None, settings: Settings) -> None:
    """Raise for choices that make no difference."""
    if hierarchy is not None:
        raise InvalidParameter(f"no measure of {what} looks at a hierarchy of terms. Leave it out.")
    if settings.k is not None:
        raise InvalidParameter(f"no measure of {what} asks which terms are in k records. Leave k out.")


def _of_table(
    release: Release, published: Generalized, original: Transactions | Table, settings: Settings, progress: Progress
) -> TableEvidence:
    """Return a table beside its original; columns that are no quasi-identifiers must be as they were."""
    if not isinstance(original, Table):
        raise InvalidParameter("the original of this release must be a table, got records that are sets.")
    guarantee, schema = release.guarantee, published.table.schema
    secret = schema.with_role(Role.SENSITIVE)
    return TableEvidence(
        original=original,
        published=published.table,
        quasi=published.quasi,
        unchanged=tuple(name for name in schema.names if name not in published.quasi),
        k=guarantee.k if isinstance(guarantee, KAnonymity) else None,
        label=settings.label or next(iter(secret), None),
        progress=progress,
    )
