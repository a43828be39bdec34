"""Many draws of one tree at once: a forest of copies is one call."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

from scipy.stats import chi2, norm

from disjoin.analyst.reconstruction import reconstruct
from disjoin.jit.decision import decision
from disjoin.model import Clusters
from oracle.worlds import parted

Tree = dict[str, Any]
Record = frozenset[str]

# A statistical test that is right about the sampler fails with this chance, once, when its seed is chosen: seeds are
# fixed, so that it then always fails or never does.
FALSE_ALARM = 1e-6


def draws(tree: Tree, copies: int, seed: int = 1, *, most_repeats: int = 1) -> list[tuple[Record, ...]]:
    """Return worlds of a tree, records in the order of their slots."""
    copies = copies // 10 if not decision.compiled else copies
    [world] = reconstruct(Clusters.from_nested([tree] * copies), 1, seed, most_repeats=most_repeats)
    return [tuple(part) for part in parted(world.to_sets(), [tree["size"]] * copies)]


def agrees(seen: Counter[Hashable], expected: Mapping[Hashable, float]) -> bool:
    """Pearson's chi-square test: can what was seen come from these chances?"""
    total = seen.total()
    assert set(seen) <= set(expected)
    assert total * min(expected.values()) >= 5, "too few draws for the test to mean anything"
    statistic = sum((seen[outcome] - total * p) ** 2 / (total * p) for outcome, p in expected.items())
    return bool(chi2.sf(statistic, len(expected) - 1) > FALSE_ALARM)


def is_near(values: list[int], mean: float, variance: float) -> bool:
    """Can the average of independent draws with this mean and variance be what it is?"""
    error = abs(sum(values) / len(values) - mean) / math.sqrt(variance / len(values))
    return bool(2 * norm.sf(error) > FALSE_ALARM)


def count_with(records: tuple[Record, ...], *terms: str) -> int:
    """How many records have all these terms."""
    return sum(record >= set(terms) for record in records)
