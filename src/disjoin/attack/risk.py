"""Risk of a file before and after publishing, and settings to start with.

Before: records that a set of known terms singles out, or leaves among fewer than k. After: records with a set of known
terms that fewer than k records can have in any possible original; some records are looked at, at equal distances, and
of long ones the sets of their rarest terms. For up to m known terms there are none: that is the guarantee.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from disjoin.analyst.index import desk_of
from disjoin.analyst.supports import examined
from disjoin.attack.exposed_sets import Chunks, exposed_subrecords
from disjoin.attack.possible_records import places_of
from disjoin.attack.simulated import simulate
from disjoin.attack.uniqueness import uniqueness
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Release, Transactions
from disjoin.model.ragged import Flags, Ints64, frozen, offsets_of

LOOKED_AT = 2000  # records, after publishing and for uniqueness of larger sets
MOST_SETS = 300  # of known terms, of one record
MOST_PAIRS = 200_000_000  # of all records, for giveaways
SHOWN = 5  # giveaways
SINGLED_OUT = 0.1  # of the records: a number of known terms with that effect is one to protect against
HARMED = 0.05  # of the records after publishing: if these are more, a larger k is suggested
USUAL_K, CAREFUL_K = 5, 10


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """What that many known terms of a record reveal."""

    known: int
    singled_out: float  # share of the records that no other has the same known terms as
    below_k: float | None  # share with known terms that fewer than k records have; None if that takes too long
    afterwards: float  # share with known terms that fewer than k records can have, in the release


@dataclass(frozen=True, slots=True)
class Suggestion:
    """k and m to start with, and the reason."""

    k: int
    m: int
    reason: str


@dataclass(frozen=True, slots=True)
class Risk:
    """What a file reveals, before and after publishing."""

    records: int
    k: int
    m: int
    curve: tuple[RiskPoint, ...]
    looked_at: int  # records, for what is left afterwards
    terms: tuple[tuple[str, int], ...]  # giveaways: records that a term singles out, alone or with another
    pairs: tuple[tuple[tuple[str, str], int], ...]  # rare pairs: records that have one, among fewer than k
    harmed: float  # share of the records that m + 1 random terms reveal, simulated on the release
    suggestion: Suggestion

    def to_json(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "k": self.k,
            "m": self.m,
            "curve": [
                {name: None if value is None else round(value, 6) for name, value in asdict(point).items()}
                for point in self.curve
            ],
            "looked_at": self.looked_at,
            "giveaways": {
                "terms": [{"term": term, "records": count} for term, count in self.terms],
                "pairs": [{"pair": list(pair), "records": count} for pair, count in self.pairs],
            },
            "harmed": round(self.harmed, 6),
            "suggestion": asdict(self.suggestion),
        }


def risk(data: Transactions, release: Release) -> Risk:
    """Return what data reveals, and what a release of it still reveals."""
    guarantee, published = release.guarantee, release.published
    if not isinstance(guarantee, KmAnonymity) or not isinstance(published, Clusters):
        raise InvalidParameter(f"risk is about clusters with k and m, and this release has {published.in_words}.")
    k, most = guarantee.k, guarantee.m + 1
    alone = uniqueness(data, most, sample=None if most <= 3 else LOOKED_AT)
    before = _below_k(data, k, most)
    rows = np.unique(np.linspace(0, len(data) - 1, min(LOOKED_AT, len(data))).astype(np.int64))
    after = _afterwards(data, release, rows, most)
    curve = tuple(RiskPoint(each.known, each.share, before[number], after[number]) for number, each in enumerate(alone))
    terms, pairs = giveaways(data, k)
    harmed = simulate(release, data, draws=LOOKED_AT).share
    suggested = suggestion(curve, harmed, len(data))
    return Risk(len(data), k, guarantee.m, curve, rows.size, terms, pairs, harmed, suggested)


def _below_k(data: Transactions, k: int, most: int) -> list[float | None]:
    """Return for 1 to `most` known terms the share of records with as many that fewer than k records have."""
    ones = frozen(np.ones(len(data)), np.int64)
    chunk = Chunks(frozen([0, len(data)], np.int64), data.offsets, data.items, ones)
    is_below: Flags = data.records.sums(data.supports()[data.items] < k) > 0
    found: list[float | None] = [float(is_below.mean())]
    for width in range(2, most + 1):
        exposed = None if found[-1] is None else exposed_subrecords(chunk, data.n_terms, k, width)
        if exposed is not None:
            is_below |= exposed
        found.append(None if exposed is None else float(is_below.mean()))
    return found


def _afterwards(data: Transactions, release: Release, rows: Ints64, most: int) -> list[float]:
    """Return for 1 to `most` known terms the share of some records with as many that fewer than k records can have."""
    desk, supports = desk_of(release), data.supports()
    assert isinstance(desk.guarantee, KmAnonymity), "looked at before"
    numbers, records = places_of(data.vocabulary, desk.published.vocabulary), data.records
    rarest = [numbers[each[np.argsort(supports[each], kind="stable")]] for each in (records[int(r)] for r in rows)]
    is_below = np.zeros(rows.size, np.bool_)
    found = []
    for width in range(1, most + 1):
        sets = [(row, known) for row, terms in enumerate(rarest) for known in _sets(terms[terms >= 0], width)]
        if sets:
            owners = np.array([row for row, _ in sets])
            items = np.concatenate([np.array(known, np.int64) for _, known in sets])
            bounds, _ = examined(desk, offsets_of([width] * len(sets)), items, 1.0)
            is_below[owners[bounds[:, 2] < desk.guarantee.k]] = True  # the upper bound
        found.append(float(is_below.mean()) if rows.size else 0.0)
    return found


def _sets(terms: Ints64, width: int) -> list[tuple[int, ...]]:
    """Return the sets of that many terms; if there are too many, only those of the rarest terms."""
    taken = terms.size
    while comb(taken, width) > MOST_SETS:
        taken -= 1
    return list(combinations(terms[:taken].tolist(), width))


def giveaways(
    data: Transactions, k: int
) -> tuple[tuple[tuple[str, int], ...], tuple[tuple[tuple[str, str], int], ...]]:
    """Return the terms that single out most records, alone or with one other, and the rare pairs most records have."""
    from scipy.sparse import csr_array, diags_array

    lengths = np.diff(data.offsets)
    if int((lengths * lengths).sum()) > MOST_PAIRS:
        return (), ()
    held = csr_array((np.ones(data.items.size), data.items, data.offsets), shape=(len(data), data.n_terms))
    numbered = diags_array(np.arange(1, len(data) + 1, dtype=np.float64)) @ held
    together, whose = (held.T @ held).tocsr(), (held.T @ numbered).tocsr()
    for each in (together, whose):
        each.sort_indices()  # both have an entry for the same pairs; of a pair that is there once, whose it is
    rows = np.repeat(np.arange(data.n_terms), np.diff(together.indptr))
    columns, counts = together.indices, together.data
    once, many = counts == 1, len(data) + 1
    found = np.unique(rows[once] * many + whose.data[once].astype(np.int64))  # terms and records
    singled = np.bincount(found // many, minlength=data.n_terms)
    names = data.vocabulary
    best = np.argsort(-singled, kind="stable")[:SHOWN].tolist()
    terms = tuple((names[term].as_py(), int(singled[term])) for term in best if singled[term])
    rare = np.flatnonzero((rows < columns) & (counts < k))
    order = rare[np.lexsort((columns[rare], rows[rare], -counts[rare]))][:SHOWN]
    pairs = tuple(((names[int(rows[i])].as_py(), names[int(columns[i])].as_py()), int(counts[i])) for i in order)
    return terms, pairs


def suggestion(curve: tuple[RiskPoint, ...], harmed: float, records: int) -> Suggestion:
    """Return k and m to start with. What two and three terms reveal decides between m = 2 and 3; what m + 1 random
    terms reveal in a release, between k = 5 and 10. A file of few records cannot have a large k."""
    shares = {point.known: point.singled_out for point in curve}
    two, three = shares.get(2, 0.0), shares.get(3, 0.0)
    m = 3 if two < SINGLED_OUT <= three else 2
    is_thin = harmed > HARMED
    k = min(CAREFUL_K if is_thin else USUAL_K, max(2, records // 2))
    before = f"{m} known terms single out {shares.get(m, 0.0):.1%} of the records"
    left = f"{curve[-1].known} random terms still reveal {harmed:.1%} after publishing"
    return Suggestion(k, m, f"{before}, and {left}, so {'try a larger k' if is_thin else 'a usual k may be enough'}.")
