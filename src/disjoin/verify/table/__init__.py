"""The inspection of tables: T1-T7, X1 and U1-U5."""

from __future__ import annotations

from disjoin.model import KAnonymity, Table
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify.inspection import Inspection
from disjoin.verify.table.inspection import inspect_table

INSPECTION = Inspection((KAnonymity, XYAnonymity), Table, inspect_table)
