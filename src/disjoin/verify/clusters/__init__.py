"""The inspection of clusters of chunks: V1-V12, O1-O7 and G1."""

from __future__ import annotations

from disjoin.model import KmAnonymity, Transactions
from disjoin.verify.clusters.inspection import inspect_clusters
from disjoin.verify.inspection import Inspection

INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_clusters)
