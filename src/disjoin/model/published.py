"""The forms in which data is published; each room has a list of what it does with which form."""

from __future__ import annotations

from disjoin.errors import InvalidParameter
from disjoin.model.clusters import Clusters
from disjoin.model.generalized import Generalized
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.noisy_records import NoisyRecords

Published = Clusters | Groups | Generalized | GeneralizedItems | NoisyRecords


def require_sets(published: Published, what: str) -> Clusters | Groups | GeneralizedItems | NoisyRecords:
    """Return what is published if it stands for records that are sets; `what` names the work that needs them."""
    if isinstance(published, Generalized):
        raise InvalidParameter(
            f"{what} is about sets of items, and this release is a table. Open table.parquet or table.csv instead."
        )
    return published
