"""The nouns: plain, frozen, with read-only arrays. No algorithms, no files."""

from disjoin.model.clusters import Clusters
from disjoin.model.draft import Draft
from disjoin.model.guarantee import Guarantee, KmAnonymity
from disjoin.model.release import Release
from disjoin.model.report import Report
from disjoin.model.transactions import Intake, Transactions
from disjoin.model.verdict import Verdict, Violation

__all__ = [
    "Clusters",
    "Draft",
    "Guarantee",
    "Intake",
    "KmAnonymity",
    "Release",
    "Report",
    "Transactions",
    "Verdict",
    "Violation",
]
