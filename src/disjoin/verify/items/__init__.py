"""The inspection of generalised items: A1-A6 and B1-B3."""

from __future__ import annotations

from disjoin.model import KmAnonymity, Transactions
from disjoin.verify.inspection import Inspection
from disjoin.verify.items.inspection import inspect_items

INSPECTION = Inspection((KmAnonymity,), Transactions, inspect_items)
