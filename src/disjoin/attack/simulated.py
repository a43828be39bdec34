"""Attacks that are played through: a record is drawn, some of its terms are known, and the release is read.

What the attacker reads are expectations (section A.8): of the records with the known terms X, `E(X + y) / E(X)` are
expected to have y. A draw does harm if the record is *found*: X stands in fewer than k subrecords, which are at least
half of what is expected; or if something is *learned*: a true further term has a confidence of `SURE_ENOUGH` or more,
and the other records alone would not say so. What the others say is a fact about people, not about this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import Desk, desk_of_clusters
from disjoin.analyst.supports import examined
from disjoin.attack.possible_records import by_content
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.guarantee import require_integer
from disjoin.model.ragged import Flags, Ints64, Ragged, offsets_of

SURE_ENOUGH = 0.8  # confidence of an inference that counts as learned
HALF = 0.5  # of the expected candidates that few subrecords must be for their record to be found
DRAWS = 6000
_NORMAL = 1.959964  # 95 % of a normal distribution lie within that many standard deviations


@dataclass(frozen=True, slots=True)
class Simulated:
    """What attackers found who knew some true terms of records that were drawn by chance."""

    draws: int
    terms: int
    k: int
    found: int
    learned: int
    certain: int  # of which a true term has confidence 1, whatever the others say
    harmed: int  # found or learned
    said_by_others: int  # a true term has a high confidence, but the other records say so too
    candidates: tuple[float, float, float]  # expected records with the known terms: fewest, median, most
    control: tuple[int, int, int]  # records of the original with the known terms: fewest, median, most

    @property
    def share(self) -> float:
        """The share of draws that do harm, H."""
        return self.harmed / self.draws

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of all records lies with 95 % confidence (Wilson)."""
        return wilson(self.harmed, self.draws)

    def sentence(self) -> str:
        """Say it in words."""
        low, high = self.interval
        return (
            f"Somebody who knows {self.terms} true terms of a record finds it among fewer than {self.k}, or learns a "
            f"further term that the other records do not tell, for {self.share:.1%} of the records "
            f"({low:.1%} to {high:.1%}; {self.draws:,} draws)."
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain facts."""
        facts = {name: getattr(self, name) for name in ("draws", "terms", "k", "found", "learned", "certain", "harmed")}
        low, high = self.interval
        spread = ("fewest", "median", "most")
        return facts | {
            "share": round(self.share, 6),
            "interval": [round(low, 6), round(high, 6)],
            "said_by_others": self.said_by_others,
            "candidates": dict(zip(spread, (round(each, 3) for each in self.candidates), strict=True)),
            "control": dict(zip(spread, self.control, strict=True)),
            "thresholds": {"confidence": SURE_ENOUGH, "found": HALF},
        }


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    >>> [round(each, 3) for each in wilson(0, 100)]
    [0.0, 0.037]
    """
    z2 = _NORMAL**2
    share = count / of
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _NORMAL * sqrt(share * (1 - share) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def simulate(
    source: Release | Clusters | Desk,
    original: Transactions,
    *,
    terms: int | None = None,
    draws: int = DRAWS,
    seed: int = 0,
    k: int | None = None,
) -> Simulated:
    """Draw records of the original and true terms of each (m + 1, if not said), and count what an attacker finds.

    Records with fewer terms than are known count as safe. The seed draws; nothing of it is published.
    """
    desk = desk_of_clusters(source, "attack")
    if desk.noun is not Clusters:
        raise InvalidParameter(f"attacks are played through on clusters, and this release has {desk.noun.in_words}.")
    promised = desk.guarantee if isinstance(desk.guarantee, KmAnonymity) else None
    one_more = promised.m + 1 if promised else 3
    known = require_integer("terms", one_more if terms is None else terms, 1, "an attacker knows something.")
    fewer_than = k or (promised.k if promised else 2)
    require_integer("draws", draws, 1, "it is the number of records to draw.")
    drawn = _drawn(original, known, draws, np.random.default_rng(seed))
    return _played(desk, original, drawn, known, draws, fewer_than)


def _drawn(original: Transactions, known: int, draws: int, rng: np.random.Generator) -> list[tuple[Ints64, Ints64]]:
    """Return pairs of known and further terms, in the original's numbers; too short records are left out."""
    rows = Ragged(original.offsets, original.items)
    order = by_content(rows)  # so that other orders of the same records draw the same
    found = []
    for record in order[rng.integers(len(original), size=draws)]:
        terms = rows[int(record)].astype(np.int64)
        if terms.size >= known:
            mixed = rng.permutation(np.sort(terms))
            found.append((mixed[:known], mixed[known:]))
    return found


def _played(
    desk: Desk, original: Transactions, drawn: list[tuple[Ints64, Ints64]], known: int, draws: int, k: int
) -> Simulated:
    if not drawn:
        return Simulated(draws, known, k, 0, 0, 0, 0, 0, (0.0, 0.0, 0.0), (0, 0, 0))
    numbers = _renamed(desk, original)
    asked = [(known_terms, None) for known_terms, _ in drawn]
    asked += [(known_terms, y) for known_terms, more in drawn for y in more.tolist()]
    itemsets = [numbers[x] if y is None else numbers[np.append(x, y)] for x, y in asked]
    bounds, expected = examined(desk, offsets_of([x.size for x in itemsets]), np.concatenate(itemsets), 1.0)
    n = len(drawn)
    lower, of_known = bounds[:n, 0], expected[:n]
    owners = np.repeat(np.arange(n), [more.size for _, more in drawn])
    confidence = expected[n:] / np.maximum(of_known[owners], 1e-12)
    alone, supports = _said_by_others(original, drawn)
    high = confidence >= SURE_ENOUGH
    is_found = (lower >= 1) & (lower < k) & (lower >= HALF * of_known)
    has_learned = _any(owners, high & (alone < SURE_ENOUGH), n)
    return Simulated(
        draws,
        known,
        k,
        int(is_found.sum()),
        int(has_learned.sum()),
        int(_any(owners, confidence >= 1 - 1e-9, n).sum()),
        int((is_found | has_learned).sum()),
        int((_any(owners, high, n) & ~has_learned).sum()),
        (float(of_known.min()), float(np.median(of_known)), float(of_known.max())),
        (int(supports.min()), int(np.median(supports)), int(supports.max())),
    )


def _any(owners: Ints64, marked: Flags, n: int) -> Flags:
    found = np.zeros(n, np.bool_)
    found[owners[marked]] = True
    return found


def _renamed(desk: Desk, original: Transactions) -> Ints64:
    numbers = desk.numbers
    return np.array([numbers.get(term, -1) for term in original.vocabulary.to_pylist()], np.int64)


def _said_by_others(original: Transactions, drawn: list[tuple[Ints64, Ints64]]) -> tuple[NDArray[np.float64], Ints64]:
    """Return the confidence of every further term among the other records with the known ones, and supports of these.

    It is 0 if no other record has the known terms.
    """
    rows = Ragged(original.offsets, original.items)
    lists = rows.transposed(len(original.vocabulary))
    shares, supports = [], np.zeros(len(drawn), np.int64)
    for number, (known, more) in enumerate(drawn):
        common = _records_with(lists, known)
        supports[number] = common.size
        counts = np.bincount(rows.take(common).items, minlength=len(original.vocabulary))[more] if more.size else more
        shares.append((counts - 1) / (common.size - 1) if common.size > 1 else np.zeros(more.size))
    return np.concatenate(shares).astype(np.float64), supports


def _records_with(lists: Ragged, terms: Ints64) -> Ints64:
    found, *others = sorted((lists[int(term)] for term in terms), key=len)
    for other in others:
        places = np.searchsorted(other, found)
        places[places == other.size] = 0
        found = found[other[places] == found]
    return found.astype(np.int64)
