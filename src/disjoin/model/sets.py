"""Published data that stands for records that are sets."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.model.clusters import Clusters
from disjoin.model.groups import Groups
from disjoin.model.published import Published, PublishedRecords

Sets = Clusters | Groups | PublishedRecords


def require_sets(published: Published, what: str) -> Sets:
    """Return what is published if it stands for records that are sets; `what` names the work that needs them."""
    if not isinstance(published, Sets):
        raise InvalidParameter(
            f"{what} is about sets of items, and this release has {published.in_words}. "
            "Its README.md shows how to read that instead."
        )
    return published
