"""The inspection of groups of records: P1-P5 and Q1-Q4."""

from __future__ import annotations

from disjoin.model import PrivacyDegree, Transactions
from disjoin.verify.groups.inspection import inspect_groups
from disjoin.verify.inspection import Inspection

INSPECTION = Inspection((PrivacyDegree,), Transactions, inspect_groups)
