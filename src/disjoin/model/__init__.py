"""Data types: records, tables, hierarchies, guarantees, published forms, releases. Each is imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.model.clusters import Clusters
    from disjoin.model.differential_privacy import DifferentialPrivacy
    from disjoin.model.generalized import Generalized
    from disjoin.model.generalized_items import GeneralizedItems
    from disjoin.model.groups import Groups
    from disjoin.model.guarantees import GUARANTEES, AnyGuarantee, guarantee_from
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.k_anonymity import KAnonymity
    from disjoin.model.km_anonymity import KmAnonymity
    from disjoin.model.mixed import Mixed, MixedRecords
    from disjoin.model.mixed_anonymity import MixedAnonymity
    from disjoin.model.noisy_records import NoisyRecords
    from disjoin.model.parameters import Guarantee
    from disjoin.model.privacy_degree import PrivacyDegree
    from disjoin.model.published import Draft, Published, Verdict, Violation
    from disjoin.model.ragged import Bag, Ragged, Spans
    from disjoin.model.release import Release, Report
    from disjoin.model.table import Column, Role, Schema, Table
    from disjoin.model.transactions import Intake, SharedRecords, Transactions

_NAMES = {  # by module
    "clusters": "Clusters",
    "differential_privacy": "DifferentialPrivacy",
    "generalized": "Generalized",
    "generalized_items": "GeneralizedItems",
    "groups": "Groups",
    "guarantees": "GUARANTEES AnyGuarantee guarantee_from",
    "km_anonymity": "KmAnonymity",
    "parameters": "Guarantee",
    "hierarchy": "Hierarchy",
    "k_anonymity": "KAnonymity",
    "mixed": "Mixed MixedRecords",
    "mixed_anonymity": "MixedAnonymity",
    "noisy_records": "NoisyRecords",
    "privacy_degree": "PrivacyDegree",
    "published": "Draft Published Verdict Violation",
    "ragged": "Bag Ragged Spans",
    "release": "Release Report",
    "table": "Column Role Schema Table",
    "transactions": "Intake SharedRecords Transactions",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["GUARANTEES", "AnyGuarantee", "Bag", "Clusters", "Column", "DifferentialPrivacy", "Draft", "Generalized"]
__all__ += ["GeneralizedItems", "Groups", "Guarantee", "Hierarchy", "Intake", "KAnonymity", "KmAnonymity", "Mixed"]
__all__ += ["MixedAnonymity", "MixedRecords", "NoisyRecords", "PrivacyDegree", "Published", "Ragged", "Release"]
__all__ += ["Report", "Role", "Schema", "SharedRecords", "Spans", "Table", "Transactions", "Verdict", "Violation"]
__all__ += ["guarantee_from"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'disjoin.model' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"disjoin.model.{_HOMES[name]}"), name)
    return found
