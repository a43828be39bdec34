"""The inspection of clusters of chunks: V1-V12, O1-O7 and G1."""

from __future__ import annotations

from disjoin.model import KmAnonymity, Transactions
from disjoin.verify.clusters.inspection import inspect_clusters, unseen
from disjoin.verify.clusters.invariants import INVARIANTS
from disjoin.verify.inspection import Inspection

FACTS = ("leaves_without_term_chunk", "least_slack", "forced_association", "unproven")  # about the tables alone
INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_clusters, INVARIANTS, FACTS, unseen)
