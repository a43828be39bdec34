"""The inspection of groups of records: P1-P5 and Q1-Q4."""

from __future__ import annotations

from disjoin.model import PrivacyDegree, Transactions
from disjoin.verify.groups.inspection import inspect_groups, unseen
from disjoin.verify.groups.invariants import INVARIANTS
from disjoin.verify.inspection import Inspection

FACTS = ("degree", "bare_records")  # about the tables alone
INSPECTION = Inspection((PrivacyDegree,), Transactions, inspect_groups, INVARIANTS, FACTS, unseen)
