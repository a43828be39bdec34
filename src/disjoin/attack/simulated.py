"""Simulated attacks: records drawn at random, some terms known, candidates counted.

What the attacker reads are expectations (section A.8): of the records with the known terms X, `E(X + y) / E(X)` are
expected to have y. A draw does harm if the record is *found*: X stands in fewer than k subrecords, which are at least
half of what is expected; or if something is *learned*: a true further term has a confidence of `SURE_ENOUGH` or more,
and the other records alone would not say so. What the others say is a fact about people, not about this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disjoin.analyst.index import SupportIndex, desk_of_clusters
from disjoin.analyst.supports import examined
from disjoin.attack.possible_records import by_content, wilson
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.guarantee import require_integer
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, offsets_of

SURE_ENOUGH = 0.8  # confidence of an inference that counts as learned
HALF = 0.5  # of the expected candidates that few subrecords must be for their record to be found
DRAWS, DRAWS_PER_RECORD = 6000, 10  # of small data there is no more to see
AT_ONCE = 500  # draws, where enough of them may end an attack


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


def draws_for(records: int) -> int:
    """Return how many records to draw where nobody says.

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
    if draws is None:
        draws = draws_for(len(original))
    require_integer("draws", draws, 1, "it is the number of records to draw.")
    return played(desk, original, draws_of(original, known, draws, seed), fewer_than)


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Records that were drawn, what is known of each, and what the other records say: the same for every release."""

    draws: int
    terms: int  # that are known
    known: Ints64  # a row of terms for every record that has as many, in the original's numbers
    more: Ragged  # the other terms of these records
    alone: NDArray[np.float64]  # the confidence of every further term among the other records with the known ones
    supports: Ints64  # records of the original with the known ones


def draws_of(original: Transactions, known: int, draws: int, seed: int = 0) -> Draws:
    """Draw records and terms of each; those with too few terms are left out, and count as safe."""
    rng = np.random.default_rng(seed)
    rows = Ragged(original.offsets, original.items)
    order = by_content(rows)  # so that other orders of the same records draw the same
    mixed = []
    for record in order[rng.integers(len(original), size=draws)]:
        terms = rows[int(record)].astype(np.int64)
        if terms.size >= known:
            mixed.append(rng.permutation(np.sort(terms)))
    first = np.array([terms[:known] for terms in mixed], np.int64).reshape(-1, known)
    items = np.concatenate([np.empty(0, np.int64), *(terms[known:] for terms in mixed)])
    more = Ragged(offsets_of([terms.size - known for terms in mixed]), items)
    return Draws(draws, known, first, more, *_said_by_others(original, first, more))


def played(
    source: Release | Clusters | SupportIndex,
    original: Transactions,
    drawn: Draws,
    k: int,
    *,
    enough: int | None = None,
) -> Simulated:
    """Play attacks on a release; with more than `enough` that do harm it may end, and the others are not counted."""
    desk, n = desk_of_clusters(source, "attack"), len(drawn.known)
    if not n:
        return Simulated(drawn.draws, drawn.terms, k, 0, 0, 0, 0, 0, (0.0, 0.0, 0.0), (0, 0, 0))
    numbers = _renamed(desk, original)
    counts, expected, done = np.zeros(5, np.int64), [], 0
    step = n if enough is None else AT_ONCE
    while done < n and (enough is None or counts[-2] <= enough):
        marks, of_known = _marks(desk, numbers, drawn, (done, min(done + step, n)), k)
        counts += marks.sum(axis=1)
        expected.append(of_known)
        done += of_known.size
    candidates, supports = np.concatenate(expected), drawn.supports[:done]
    found, learned, certain, harmed, said = counts.tolist()
    return Simulated(
        drawn.draws,
        drawn.terms,
        k,
        found,
        learned,
        certain,
        harmed,
        said,
        (float(candidates.min()), float(np.median(candidates)), float(candidates.max())),
        (int(supports.min()), int(np.median(supports)), int(supports.max())),
    )


def _marks(
    desk: SupportIndex, numbers: Ints64, drawn: Draws, span: tuple[int, int], k: int
) -> tuple[Flags, NDArray[np.float64]]:
    """Return of some draws which are found, learned of, certain, harmed, said by others; and the records expected."""
    first, last = span
    n, known = last - first, numbers[drawn.known[first:last]]
    inside = slice(drawn.more.offsets[first], drawn.more.offsets[last])
    owners = np.repeat(np.arange(n), drawn.more.lengths[first:last])
    further = np.column_stack([known[owners], numbers[drawn.more.items[inside]]])
    sizes = np.repeat([drawn.terms, drawn.terms + 1], [n, owners.size])
    bounds, expected = examined(desk, offsets_of(sizes), np.concatenate([known.ravel(), further.ravel()]), 1.0)
    lower, of_known = bounds[:n, 0], expected[:n]
    confidence = expected[n:] / np.maximum(of_known[owners], 1e-12)
    high = confidence >= SURE_ENOUGH
    is_found = (lower >= 1) & (lower < k) & (lower >= HALF * of_known)
    has_learned = _any(owners, high & (drawn.alone[inside] < SURE_ENOUGH), n)
    is_certain = _any(owners, confidence >= 1 - 1e-9, n)
    is_said = _any(owners, high, n) & ~has_learned
    return np.stack([is_found, has_learned, is_certain, is_found | has_learned, is_said]), of_known


def _any(owners: Ints64, marked: Flags, n: int) -> Flags:
    found = np.zeros(n, np.bool_)
    found[owners[marked]] = True
    return found


def _renamed(desk: SupportIndex, original: Transactions) -> Ints64:
    numbers = desk.numbers
    return np.array([numbers.get(term, -1) for term in original.vocabulary.to_pylist()], np.int64)


def _said_by_others(original: Transactions, known: Ints64, more: Ragged) -> tuple[NDArray[np.float64], Ints64]:
    """Return the confidence of every further term among the other records with the known ones, and supports of these.

    It is 0 if no other record has the known terms.
    """
    counted = _InBits(original) if _is_dense(original) else _InLists(original)
    shares, supports = np.zeros(more.items.size), np.zeros(len(known), np.int64)
    for number, terms in enumerate(known):
        asked = slice(more.offsets[number], more.offsets[number + 1])
        supports[number], counts = counted.records_with(terms, more.items[asked])
        if supports[number] > 1:
            shares[asked] = (counts - 1) / (supports[number] - 1)
    return shares, supports


def _is_dense(original: Transactions) -> bool:
    """Tell whether a bit for every record and term takes no more room than a number for every occurrence."""
    return len(original) * len(original.vocabulary) <= 32 * original.items.size


class _InLists:
    """Records of terms, in lists."""

    def __init__(self, original: Transactions) -> None:
        self.rows = Ragged(original.offsets, original.items)
        self.n_terms = len(original.vocabulary)
        self.lists = self.rows.transposed(self.n_terms)

    def records_with(self, terms: Ints64, asked: Ints32) -> tuple[int, Ints64]:
        """Count the records with all terms, and those of them with each asked one."""
        common, *others = sorted((self.lists[int(term)] for term in terms), key=len)
        for other in others:
            places = np.searchsorted(other, common)
            places[places == other.size] = 0
            common = common[other[places] == common]
        counts = np.bincount(self.rows.take(common.astype(np.int64)).items, minlength=self.n_terms)
        return common.size, counts[asked]


class _InBits:
    """The same with a bit for every record and term, which is faster where most terms are in many records."""

    def __init__(self, original: Transactions) -> None:
        has = np.zeros((len(original.vocabulary), -(-len(original) // 16) * 16), np.bool_)
        has[original.items, Ragged(original.offsets, original.items).owners()] = True
        self.bits = np.packbits(has, axis=1).view(np.uint16)
        self.ones = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8)).reshape(-1, 16).sum(1, np.uint8)

    def records_with(self, terms: Ints64, asked: Ints32) -> tuple[int, Ints64]:
        """Count the records with all terms, and those of them with each asked one."""
        common = np.bitwise_and.reduce(self.bits[terms])
        counts = self.ones[self.bits[asked] & common].sum(axis=1, dtype=np.int64)
        return int(self.ones[common].sum(dtype=np.int64)), counts


# What rows have in common, for many sets of rows at once: pairs of a set and an item, sorted, instead of a loop.

_LOOKS = 3  # rows of every set that are looked at before all of them are


def unions(owners: Sequence[Ints64], items: Sequence[NDArray[Any]], n_owners: int, n_items: int) -> Ragged:
    """Return all items of every owner, each once and ascending; owners and items go together, list by list.

    >>> unions([np.array([1, 0]), np.array([1])], [np.array([5, 2]), np.array([5])], 2, 9).to_lists()
    [[2], [5]]
    """
    keys = np.unique(np.concatenate(owners) * n_items + np.concatenate(items))
    return _grouped(keys, n_owners, n_items)


def common_items(sets: Spans, rows: Ints64, content: Ragged, n_items: int, known: Sequence[int] = ()) -> Ragged:
    """Return the items that all rows of a set have, for every set of rows; ascending, none of a set without rows.

    What is known already, and therefore in all of them, is not looked for. An item that is in all rows is in the first;
    few outlive two or three more rows, and only these are looked for in all.

    >>> content = Ragged.from_lists([[1, 2, 4], [2, 4], [3], [2, 5]])
    >>> common_items(Spans.of([2, 1, 3]), np.array([0, 1, 2, 0, 1, 3]), content, 6).to_lists()
    [[2, 4], [3], [2]]
    """
    lengths = sets.lengths
    alive = np.flatnonzero(lengths)
    keys = _keys(content, rows[sets.offsets[alive]], alive, n_items)
    keys = keys[~np.isin(keys % n_items, known)]
    for look in range(1, _LOOKS + 1):
        alive = _distinct(keys // n_items)
        place = sets.offsets[alive] + (lengths[alive] - 1) * look // _LOOKS
        keys = keys[_are_in(keys, _keys(content, rows[place], alive, n_items))]
    owners = keys // n_items
    more = _distinct(owners[lengths[owners] > _LOOKS + 1])
    if more.size:
        seen = _keys(content, rows[sets.places(more)], np.repeat(more, lengths[more]), n_items)
        at = np.minimum(np.searchsorted(keys, seen), keys.size - 1)
        times = np.bincount(at[keys[at] == seen], minlength=keys.size)
        keys = keys[(times == lengths[owners]) | (lengths[owners] <= _LOOKS + 1)]
    return _grouped(keys, len(sets), n_items)


def _distinct(ascending: Ints64) -> Ints64:
    """Return every number once."""
    return ascending[np.flatnonzero(np.diff(ascending, prepend=-1))]


def _keys(content: Ragged, rows: Ints64, owners: Ints64, n_items: int) -> Ints64:
    """Return a number for every owner and item of its row."""
    taken = content.take(rows)
    keys: Ints64 = taken.spread(owners) * n_items + taken.items
    return keys


def _are_in(keys: Ints64, others: Ints64) -> Flags:
    """Tell which keys are among others; both ascend by owner, and within one they may be in any order."""
    found: Flags = np.isin(keys, others, assume_unique=True)
    return found


def _grouped(keys: Ints64, n_owners: int, n_items: int) -> Ragged:
    owners, items = np.divmod(keys, n_items)
    return Ragged(offsets_of(np.bincount(owners, minlength=n_owners)), items.astype(np.int32))
