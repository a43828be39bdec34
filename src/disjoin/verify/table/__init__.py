"""The inspection of tables: T1-T7, X1 and U1-U5."""

from __future__ import annotations

from disjoin.model import KAnonymity, Table
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify.inspection import Inspection
from disjoin.verify.table.inspection import inspect_table, unseen
from disjoin.verify.table.invariants import INVARIANTS

FACTS = ("classes", "largest_k", "smallest_alpha", "largest_l", "largest_entropy_l")  # about the tables alone
INSPECTION = Inspection((KAnonymity, XYAnonymity), Table, inspect_table, INVARIANTS, FACTS, unseen)
