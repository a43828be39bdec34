"""From itemsets of one size to those of the next, with a bar that rises as better ones are found."""

from __future__ import annotations

from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import Desk
from disjoin.analyst.supports import examined
from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Flags, Ints64

DIGITS = 12
AT_ONCE = 2048  # itemsets that are examined before the bar is looked at again
MOST = 5_000_000  # itemsets of one size that are worth looking at

Floats = NDArray[np.float64]


def steady(estimates: Any) -> Any:
    """Round to twelve significant digits: what is equal on paper is then equal here, whatever the order of additions.

    >>> bool(0.1 + 0.2 == 0.3), bool(steady(0.1 + 0.2) == steady(0.3))
    (False, True)
    """
    estimates = np.asarray(estimates, dtype=np.float64)
    with np.errstate(divide="ignore"):
        exponent = np.where(estimates > 0, np.floor(np.log10(estimates)), 0.0)
    scale = 10.0 ** (DIGITS - 1 - exponent)
    return np.rint(estimates * scale) / scale


class Level(NamedTuple):
    """Itemsets of one size, terms ascending, with their estimates."""

    itemsets: Ints64  # (itemsets, size)
    estimates: Floats

    def only(self, chosen: Flags) -> Level:
        """Return those that are chosen."""
        return Level(self.itemsets[chosen], self.estimates[chosen])


class Podium:
    """The best estimates so far, and what may still join them."""

    def __init__(self, top: int | None, least: float, exaggeration: float) -> None:
        self._top, self._least, self._exaggeration = top, float(steady(least)), exaggeration
        self._best = np.zeros(0)

    def add(self, estimates: Floats) -> None:
        """Let more itemsets compete."""
        self._best = np.concatenate((self._best, steady(estimates[estimates > 0])))
        if self._top is not None and self._best.size > self._top:
            self._best = np.partition(self._best, self._best.size - self._top)[-self._top :]

    @property
    def _bar(self) -> float:
        """The worst of the best, if there are as many as are wanted."""
        return float(self._best.min()) if self._top is not None and self._best.size >= self._top else 0.0

    def can_place(self, estimates: Floats) -> Flags:
        """Tell which itemsets can be among the wanted."""
        keys = steady(estimates)
        flags: Flags = (keys > 0) & (keys >= max(self._least, self._bar))
        return flags

    def can_lead(self, estimates: Floats) -> Flags:
        """Tell which itemsets can have wanted supersets; these come after all of the same estimate found before."""
        keys = steady(estimates * self._exaggeration)
        flags: Flags = (keys > self._bar) & (keys >= self._least)
        return flags


def next_level(desk: Desk, level: Level, podium: Podium, once: float) -> Level:
    """Return the itemsets with one term more that can be wanted, or lead to some, the most promising examined first."""
    itemsets, limits = _joined(level.only(podium.can_lead(level.estimates)))
    order = np.argsort(-limits, kind="stable")
    kept: list[Level] = []
    for first in range(0, order.size, AT_ONCE):
        batch = order[first : first + AT_ONCE]
        batch = batch[podium.can_lead(limits[batch])]
        if not batch.size:
            break
        offsets = np.arange(batch.size + 1, dtype=np.int64) * itemsets.shape[1]
        _, estimates = examined(desk, offsets, itemsets[batch].reshape(-1), once)
        podium.add(estimates)
        kept.append(Level(itemsets[batch], estimates).only(estimates > 0))
    if not kept:
        return Level(itemsets[:0], limits[:0])
    return Level(np.concatenate([part.itemsets for part in kept]), np.concatenate([part.estimates for part in kept]))


def _joined(level: Level) -> tuple[Ints64, Floats]:
    """Return all itemsets with one term more whose subsets are all here, and the least estimate of these subsets."""
    found = dict(zip(map(tuple, level.itemsets.tolist()), level.estimates.tolist(), strict=True))
    size = level.itemsets.shape[1]
    itemsets: list[tuple[int, ...]] = []
    limits: list[float] = []
    for front, family in groupby(sorted(found), key=lambda itemset: itemset[:-1]):
        for a, b in combinations([itemset[-1] for itemset in family], 2):
            joined = (*front, a, b)
            limit = min(found.get(joined[:i] + joined[i + 1 :], 0.0) for i in range(size + 1))
            if limit > 0:
                itemsets.append(joined)
                limits.append(limit)
        if len(itemsets) > MOST:
            raise InvalidParameter(
                f"more than {MOST:,} itemsets of {size + 1} terms may be frequent enough. "
                "Raise min_support, or lower top or max_size."
            )
    return np.array(itemsets, dtype=np.int64).reshape(-1, size + 1), np.array(limits, dtype=np.float64)
