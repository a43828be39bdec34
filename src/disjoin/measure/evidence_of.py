"""A release beside its original, whatever its form is."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.measure.evidence import Evidence, Settings
from disjoin.measure.group_evidence import GroupEvidence
from disjoin.model import Clusters, Groups, Hierarchy, KmAnonymity, PrivacyDegree, Release, Transactions
from disjoin.progress import Progress, silent


def evidence_of(
    release: Release,
    original: Transactions,
    hierarchy: Hierarchy | None,
    settings: Settings,
    progress: Progress = silent,
) -> Evidence | GroupEvidence:
    """Return what the measures of the release's form look at; raises if the two do not belong together."""
    published, guarantee = release.published, release.guarantee
    if isinstance(published, Groups):
        if hierarchy is not None:
            raise InvalidParameter("no measure of groups looks at a hierarchy. Leave it out.")
        p = guarantee.p if isinstance(guarantee, PrivacyDegree) else None
        return GroupEvidence(original, published, p, settings, progress)
    assert isinstance(published, Clusters), "tables have evidence of their own"
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
