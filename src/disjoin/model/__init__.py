"""Data types: records, tables, hierarchies, guarantees, published forms, releases.

A noun is loaded when it is asked for, so that a promise can be read without loading what arrays need.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from disjoin.model.clusters import Clusters
    from disjoin.model.differential_privacy import DifferentialPrivacy
    from disjoin.model.generalized import Generalized
    from disjoin.model.generalized_items import GeneralizedItems
    from disjoin.model.groups import Groups
    from disjoin.model.guarantee import Guarantee, KmAnonymity
    from disjoin.model.guarantees import GUARANTEES, AnyGuarantee, guarantee_from
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.k_anonymity import KAnonymity
    from disjoin.model.mixed import Mixed, MixedRecords
    from disjoin.model.mixed_anonymity import MixedAnonymity
    from disjoin.model.noisy_records import NoisyRecords
    from disjoin.model.privacy_degree import PrivacyDegree
    from disjoin.model.published import Draft, Published, Verdict, Violation
    from disjoin.model.ragged import Bag, Ragged, Spans
    from disjoin.model.release import Release, Report
    from disjoin.model.table import Column, Role, Schema, Table
    from disjoin.model.transactions import Intake, SharedRecords, Transactions

_HOMES = {
    "GUARANTEES": "guarantees",
    "Bag": "ragged",
    "Clusters": "clusters",
    "Column": "table",
    "DifferentialPrivacy": "differential_privacy",
    "Draft": "published",
    "Generalized": "generalized",
    "GeneralizedItems": "generalized_items",
    "Groups": "groups",
    "Guarantee": "guarantee",
    "Hierarchy": "hierarchy",
    "Intake": "transactions",
    "KAnonymity": "k_anonymity",
    "KmAnonymity": "guarantee",
    "Mixed": "mixed",
    "MixedAnonymity": "mixed_anonymity",
    "MixedRecords": "mixed",
    "NoisyRecords": "noisy_records",
    "PrivacyDegree": "privacy_degree",
    "AnyGuarantee": "guarantees",
    "Published": "published",
    "Ragged": "ragged",
    "Release": "release",
    "Report": "release",
    "Role": "table",
    "Schema": "table",
    "SharedRecords": "transactions",
    "Spans": "ragged",
    "Table": "table",
    "Transactions": "transactions",
    "Verdict": "published",
    "Violation": "published",
    "guarantee_from": "guarantees",
}

__all__ = [
    "GUARANTEES",
    "AnyGuarantee",
    "Bag",
    "Clusters",
    "Column",
    "DifferentialPrivacy",
    "Draft",
    "Generalized",
    "GeneralizedItems",
    "Groups",
    "Guarantee",
    "Hierarchy",
    "Intake",
    "KAnonymity",
    "KmAnonymity",
    "Mixed",
    "MixedAnonymity",
    "MixedRecords",
    "NoisyRecords",
    "PrivacyDegree",
    "Published",
    "Ragged",
    "Release",
    "Report",
    "Role",
    "Schema",
    "SharedRecords",
    "Spans",
    "Table",
    "Transactions",
    "Verdict",
    "Violation",
    "guarantee_from",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'disjoin.model' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(f"disjoin.model.{_HOMES[name]}"), name)
    return found
