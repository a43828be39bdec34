"""The inspection of noisy records: N1-N4."""

from __future__ import annotations

from disjoin.model import DifferentialPrivacy, Transactions
from disjoin.verify.inspection import Inspection
from disjoin.verify.noisy.inspection import inspect_noisy, unseen
from disjoin.verify.noisy.invariants import INVARIANTS

FACTS = ("by_construction", "unproven")  # about the tables alone
INSPECTION = Inspection((DifferentialPrivacy,), Transactions, inspect_noisy, INVARIANTS, FACTS, unseen)
