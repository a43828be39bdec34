"""The nouns: plain, frozen, with read-only arrays. No algorithms, no files."""

from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.generalized import Generalized
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.guarantee import Guarantee, KmAnonymity
from disjoin.model.guarantees import GUARANTEES, Promise, guarantee_from
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.privacy_degree import PrivacyDegree
from disjoin.model.published import Draft, Published
from disjoin.model.ragged import Ragged, Spans
from disjoin.model.release import Release, Report
from disjoin.model.table import Column, Role, Schema, Table
from disjoin.model.transactions import Intake, SharedRecords, Transactions
from disjoin.model.verdict import Verdict, Violation

__all__ = [
    "GUARANTEES",
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
    "NoisyRecords",
    "PrivacyDegree",
    "Promise",
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
