"""Simulated attacks: records drawn at random, some terms known, candidates counted.

What the attacker reads are expectations (section A.8): of the records with the known terms X, `E(X + y) / E(X)` are
expected to have y. A draw does harm if the record is *found*: X is in fewer than k subrecords, which are at least
half of what is expected; or if something is *learned*: a true further term has a confidence of `SURE_ENOUGH` or more,
and the other records alone do not imply it. What the others imply is a fact about the population, not this person.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import SupportIndex, desk_of_clusters
from disjoin.analyst.supports import examined
from disjoin.attack.possible_records import by_content, places_of, wilson
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of

SURE_ENOUGH = 0.8  # confidence of an inference that counts as learned
HALF = 0.5  # of the expected candidates that few subrecords must be for their record to be found
DRAWS, DRAWS_PER_RECORD = 6000, 10  # of small data there is no more to see
AT_ONCE = 500  # draws, where enough of them may end an attack


@dataclass(frozen=True, slots=True)
class Simulated:
    """Results of simulated attackers, who know some true terms of random records."""

    draws: int
    terms: int
    k: int
    found: int
    learned: int
    certain: int  # of which a true term has confidence 1, whatever the others imply
    harmed: int  # found or learned
    said_by_others: int  # a true term has a high confidence, but the other records imply it too
    candidates: tuple[float, float, float]  # expected records with the known terms: fewest, median, most
    control: tuple[int, int, int]  # records of the original with the known terms: fewest, median, most

    @property
    def share(self) -> float:  # H
        return self.harmed / self.draws

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of all records lies with 95 % confidence (Wilson)."""
        return wilson(self.harmed, self.draws)

    def sentence(self) -> str:
        low, high = self.interval
        return (
            f"For {self.share:.1%} of the records, an attacker who knows {self.terms} random terms finds fewer than "
            f"{self.k} candidates, or learns a further term that the other records do not imply "
            f"({low:.1%} to {high:.1%}; {self.draws:,} draws)."
        )

    def to_json(self) -> dict[str, Any]:
        facts = {name: getattr(self, name) for name in ("draws", "terms", "k", "found", "learned", "certain", "harmed")}
        spread = ("fewest", "median", "most")
        return facts | {
            "share": round(self.share, 6),
            "interval": [round(end, 6) for end in self.interval],
            "said_by_others": self.said_by_others,
            "candidates": dict(zip(spread, (round(each, 3) for each in self.candidates), strict=True)),
            "control": dict(zip(spread, self.control, strict=True)),
            "thresholds": {"confidence": SURE_ENOUGH, "found": HALF},
        }


def draws_for(records: int) -> int:
    """Return how many records to draw by default.

    >>> draws_for(200), draws_for(1_000_000)
    (2000, 6000)
    """
    return max(1, min(DRAWS, DRAWS_PER_RECORD * records))


def simulate(
    source: Release | Clusters | SupportIndex,
    original: Transactions,
    *,
    terms: int | None = None,
    draws: int | None = None,
    seed: int = 0,
    k: int | None = None,
) -> Simulated:
    """Draw records of the original and true terms of each (by default m + 1), and count what an attacker finds.
    Records with fewer terms than are known count as safe. The seed draws; nothing of it is published."""
    desk = desk_of_clusters(source, "attack", "attacks are simulated on clusters, and this release")
    guaranteed = desk.guarantee if isinstance(desk.guarantee, KmAnonymity) else None
    one_more = guaranteed.m + 1 if guaranteed else 3
    known = require_integer("terms", one_more if terms is None else terms, 1, "an attacker knows something.")
    draws = draws_for(len(original)) if draws is None else draws
    require_integer("draws", draws, 1, "it is the number of records to draw.")
    return played(desk, original, draws_of(original, known, draws, seed), k or (guaranteed.k if guaranteed else 2))


class Draws(NamedTuple):
    """Records that were drawn, what is known of each, and what the other records imply: the same for every release."""

    draws: int
    terms: int  # that are known
    known: Ints64  # a row of terms for every record that has as many, in the original's numbers
    more: Ragged  # the other terms of these records
    alone: NDArray[np.float64]  # confidence of further terms among the other records with the known ones; 0 without any
    supports: Ints64  # records of the original with the known ones


def draws_of(original: Transactions, known: int, draws: int, seed: int = 0) -> Draws:
    """Draw records and terms of each; those with too few terms are left out, and count as safe."""
    rng = np.random.default_rng(seed)
    rows = original.records
    order = by_content(rows)  # so that other orders of the same records draw the same
    mixed = []
    for record in order[rng.integers(len(original), size=draws)]:
        terms = rows[int(record)].astype(np.int64)
        if terms.size >= known:
            mixed.append(rng.permutation(np.sort(terms)))
    first = np.array([terms[:known] for terms in mixed], np.int64).reshape(-1, known)
    more = Ragged.from_lists([terms[known:].tolist() for terms in mixed])
    # Where a bit for every record and term takes no more room than a number for every occurrence:
    is_dense = len(original) * len(original.vocabulary) <= 32 * original.items.size
    records_with = _by_bits(original) if is_dense else _by_lists(original)
    alone, supports = np.zeros(more.items.size), np.zeros(len(first), np.int64)
    for number, of_one in enumerate(first):
        asked = slice(more.offsets[number], more.offsets[number + 1])
        supports[number], counts = records_with(of_one, more[number])
        if supports[number] > 1:
            alone[asked] = (counts - 1) / (supports[number] - 1)
    return Draws(draws, known, first, more, alone, supports)


def played(
    source: Release | Clusters | SupportIndex,
    original: Transactions,
    drawn: Draws,
    k: int,
    *,
    enough: int | None = None,
) -> Simulated:
    """Simulate attacks on a release; after more than `enough` successes it may end, and the others are not counted."""
    desk, n = desk_of_clusters(source, "attack"), len(drawn.known)
    if not n:
        return Simulated(drawn.draws, drawn.terms, k, 0, 0, 0, 0, 0, (0.0, 0.0, 0.0), (0, 0, 0))
    numbers = places_of(original.vocabulary, desk.published.vocabulary)
    counts, expected, done = np.zeros(5, np.int64), [], 0
    step = n if enough is None else AT_ONCE
    while done < n and (enough is None or counts[-2] <= enough):
        marks, of_known = _marks(desk, numbers, drawn, slice(done, min(done + step, n)), k)
        counts += marks.sum(axis=1)
        expected.append(of_known)
        done += of_known.size
    candidates, supports = np.concatenate(expected), drawn.supports[:done]
    spread = float(candidates.min()), float(np.median(candidates)), float(candidates.max())
    control = int(supports.min()), int(np.median(supports)), int(supports.max())
    found, learned, certain, harmed, said = counts.tolist()
    return Simulated(drawn.draws, drawn.terms, k, found, learned, certain, harmed, said, spread, control)


def _marks(desk: SupportIndex, numbers: Ints64, drawn: Draws, span: slice, k: int) -> tuple[Flags, NDArray[np.float64]]:
    """Return which draws are found, learned, certain, harmed, implied by others (rows), and the records expected."""
    known = numbers[drawn.known[span]]
    n, inside = len(known), slice(drawn.more.offsets[span.start], drawn.more.offsets[span.stop])
    owners = np.repeat(np.arange(n), drawn.more.lengths[span])
    further = np.column_stack([known[owners], numbers[drawn.more.items[inside]]])
    sizes = np.repeat([drawn.terms, drawn.terms + 1], [n, owners.size])
    bounds, expected = examined(desk, offsets_of(sizes), np.concatenate([known.ravel(), further.ravel()]), 1.0)
    lower, of_known = bounds[:n, 0], expected[:n]
    confidence = expected[n:] / np.maximum(of_known[owners], 1e-12)
    high = confidence >= SURE_ENOUGH
    is_found = (lower >= 1) & (lower < k) & (lower >= HALF * of_known)

    def any_of(marked: Flags) -> Flags:
        return np.bincount(owners[marked], minlength=n) > 0

    has_learned = any_of(high & (drawn.alone[inside] < SURE_ENOUGH))
    is_certain, is_said = any_of(confidence >= 1 - 1e-9), any_of(high) & ~has_learned
    return np.stack([is_found, has_learned, is_certain, is_found | has_learned, is_said]), of_known


def _by_lists(original: Transactions) -> Callable[[Ints64, Ints32], tuple[int, Ints64]]:
    """Return a function that counts the records with all terms, and those of them with each asked one."""
    rows, n_terms = original.records, len(original.vocabulary)
    lists = rows.transposed(n_terms)

    def records_with(terms: Ints64, asked: Ints32) -> tuple[int, Ints64]:
        common, *others = sorted((lists[int(term)] for term in terms), key=len)
        for other in others:
            places = np.searchsorted(other, common)
            places[places == other.size] = 0
            common = common[other[places] == common]
        counts = np.bincount(rows.take(common.astype(np.int64)).items, minlength=n_terms)
        return common.size, counts[asked]

    return records_with


def _by_bits(original: Transactions) -> Callable[[Ints64, Ints32], tuple[int, Ints64]]:
    """Return the same function with a bit for every record and term: faster if most terms are in many records."""
    has = np.zeros((len(original.vocabulary), -(-len(original) // 16) * 16), np.bool_)
    has[original.items, original.records.owners()] = True
    bits = np.packbits(has, axis=1).view(np.uint16)
    ones = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8)).reshape(-1, 16).sum(1, np.uint8)

    def records_with(terms: Ints64, asked: Ints32) -> tuple[int, Ints64]:
        common = np.bitwise_and.reduce(bits[terms])
        counts = ones[bits[asked] & common].sum(axis=1, dtype=np.int64)
        return int(ones[common].sum(dtype=np.int64)), counts

    return records_with
