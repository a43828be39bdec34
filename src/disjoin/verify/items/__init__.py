"""The inspection of generalised items: A1-A6 and B1-B3."""

from __future__ import annotations

from disjoin.model import KmAnonymity, Transactions
from disjoin.verify.inspection import Inspection
from disjoin.verify.items.inspection import inspect_items
from disjoin.verify.items.invariants import INVARIANTS

FACTS = ("smallest_support", "generalised_terms")  # about the tables alone
INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_items, INVARIANTS, FACTS)
