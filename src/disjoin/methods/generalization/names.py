"""Names that settings choose from; here, so that looking at them loads no compiled code."""

from __future__ import annotations

ALGORITHM_NAMES = ("two-level", "kaca", "top-down", "top-down-kaca", "local-search")  # those of `algorithms.ALGORITHMS`
WEIGHTS = ("uniform", "height")
SIMILAR_IDS = ("error", "merge", "keep")  # what to make of ids that differ in nothing but their spelling
