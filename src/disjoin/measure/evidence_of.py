"""A release beside its original, whatever its form is."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.measure.evidence import Evidence, Settings
from disjoin.measure.group_evidence import GroupEvidence
from disjoin.measure.table_evidence import TableEvidence
from disjoin.model import (
    Clusters,
    Generalized,
    Groups,
    Hierarchy,
    KAnonymity,
    KmAnonymity,
    PrivacyDegree,
    Release,
    Role,
    Table,
    Transactions,
)
from disjoin.progress import Progress, silent

_NAMES = {Groups.form: "groups", Generalized.form: "tables"}


def evidence_of(
    release: Release,
    original: Transactions | Table,
    hierarchy: Hierarchy | None,
    settings: Settings,
    progress: Progress = silent,
) -> Evidence | GroupEvidence | TableEvidence:
    """Return what the measures of the release's form look at; raises if the two do not belong together."""
    published, guarantee = release.published, release.guarantee
    if hierarchy is not None and not isinstance(published, Clusters):
        raise InvalidParameter(f"no measure of {_NAMES[published.form]} looks at a hierarchy of terms. Leave it out.")
    if isinstance(published, Generalized):
        return _of_table(release, published, original, settings, progress)
    if not isinstance(original, Transactions):
        raise InvalidParameter("the original of this release must be records that are sets, got a table.")
    if isinstance(published, Groups):
        p = guarantee.p if isinstance(guarantee, PrivacyDegree) else None
        return GroupEvidence(original, published, p, settings, progress)
    assert isinstance(guarantee, KmAnonymity), "clusters are published under k^m-anonymity"
    return Evidence(
        original=original,
        published=published,
        k=guarantee.k,
        suppressed_records=release.suppressed_records,
        strategy=release.parameters.get("strategy"),
        hierarchy=hierarchy,
        settings=settings,
        progress=progress,
    )


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
