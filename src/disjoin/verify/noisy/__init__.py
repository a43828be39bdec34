"""The inspection of noisy records: N1-N4."""

from __future__ import annotations

from disjoin.model import DifferentialPrivacy, Transactions
from disjoin.verify.inspection import Inspection
from disjoin.verify.noisy.inspection import inspect_noisy

INSPECTION = Inspection((DifferentialPrivacy,), Transactions, inspect_noisy)
