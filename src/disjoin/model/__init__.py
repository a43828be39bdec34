"""The nouns: plain, frozen, with read-only arrays. No algorithms, no files."""

from disjoin.model.clusters import Clusters
from disjoin.model.draft import Draft
from disjoin.model.guarantee import Guarantee, KmAnonymity
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.release import Release
from disjoin.model.report import Report
from disjoin.model.table import Column, Role, Schema, Table
from disjoin.model.transactions import Intake, Transactions
from disjoin.model.verdict import Verdict, Violation

__all__ = [
    "Clusters",
    "Column",
    "Draft",
    "Guarantee",
    "Hierarchy",
    "Intake",
    "KmAnonymity",
    "Release",
    "Report",
    "Role",
    "Schema",
    "Table",
    "Transactions",
    "Verdict",
    "Violation",
]
