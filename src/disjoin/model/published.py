"""The forms in which data is published; each room has a list of what it does with which form."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.model.clusters import Clusters
from disjoin.model.groups import Groups

Published = Clusters | Groups


def require_clusters(published: Published, what: str) -> Clusters:
    """Return what is published if it is clusters; `what` names the work that knows no other form."""
    if isinstance(published, Clusters):
        return published
    raise InvalidParameter(
        f"{what} reads a release of clusters, as disassociation makes them; this one has {published.form}."
    )
