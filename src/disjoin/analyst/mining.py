"""Frequent itemsets and association rules of a release."""

from __future__ import annotations

from itertools import combinations, groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.analyst.as_clusters import Sets, with_terms_of_rows
from disjoin.analyst.index import SupportIndex, desk_of_clusters
from disjoin.analyst.pairs import Floats, chunks_by_place, expected_pairs, occupancy, single_estimates
from disjoin.analyst.supports import SCHEMA, examined, support, table_of
from disjoin.errors import InvalidParameter, described
from disjoin.model import Groups, Mixed, Release
from disjoin.model.parameters import require_integer
from disjoin.model.ragged import Flags, Ints64, offsets_of

DIGITS = 12
AT_ONCE = 2048  # itemsets that are examined before the bar is looked at again
MOST = 5_000_000  # itemsets of one size that are worth looking at
MOST_WANTED = 1_000_000


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
    """Itemsets of one size, terms ascending, with their estimates or upper limits of them."""

    itemsets: Ints64  # (itemsets, size)
    estimates: Floats

    def only(self, chosen: Flags) -> Level:
        return Level(self.itemsets[chosen], self.estimates[chosen])


class Podium:
    """The best estimates so far, and what may still join them."""

    def __init__(self, top: int | None, least: float, exaggeration: float) -> None:
        self._top, self._least, self._exaggeration = top, float(steady(least)), exaggeration
        self._best = np.zeros(0)

    def add(self, estimates: Floats) -> None:
        self._best = np.concatenate((self._best, steady(estimates[estimates > 0])))
        if self._top is not None and self._best.size > self._top:
            self._best = np.partition(self._best, self._best.size - self._top)[-self._top :]

    @property
    def _bar(self) -> float:
        """The worst of the best, if there are as many as are wanted."""
        return float(self._best.min()) if self._top is not None and self._best.size >= self._top else 0.0

    def can_place(self, estimates: Floats) -> Flags:
        """Report which itemsets can be among the wanted ones."""
        keys = steady(estimates)
        flags: Flags = (keys > 0) & (keys >= max(self._least, self._bar))
        return flags

    def can_lead(self, estimates: Floats) -> Flags:
        """Report which itemsets can have wanted supersets; these come after all of the same estimate found before."""
        keys = steady(estimates * self._exaggeration)
        flags: Flags = (keys > self._bar) & (keys >= self._least)
        return flags


def single_terms(release: Release) -> pa.Table:
    """Return every term with bounds and an estimate of its support, the most frequent first."""
    published = release.published
    if isinstance(published, Groups):  # whose items are counted exactly, and not mined
        found = support(release, [[term] for term in published.vocabulary.to_pylist()])
        return found.take(np.lexsort((np.arange(len(found)), -found["estimate"].to_numpy())))
    if isinstance(published, Mixed):
        people = with_terms_of_rows(published)
        return mine(people, max(1, len(people.vocabulary)), max_size=1)
    return mine(release, max(1, release.counts.get("terms", release.counts["records"])), max_size=1)


def mine(
    source: Release | Sets | SupportIndex,
    top: int | None = 1000,
    *,
    min_support: float | None = None,
    max_size: int | None = None,
    rare: str = "once",
) -> pa.Table:
    """Return the `top` itemsets by estimated support, with their bounds, as the table of `support`.

    Sorted by estimate (to twelve digits) from the largest, then by size, then by terms; what ties with the last row
    and comes after it in this order is cut. `min_support` is a share of the records if it is a float below 1, a count
    if it is a whole number; with it `top` may be None: everything that reaches it. Itemsets whose estimate is 0 are
    never listed. `rare` as for `support`. Of generalised and noisy records, the itemsets of published names; not for
    groups.

    Notes
    -----
    Level by level: the estimate of an itemset is at most that of each of its subsets, because every leaf's share is a
    product of rates that are at most 1, and another term adds a rate, or makes one smaller. (In mode paper rates can
    exceed 1; how much, at most, is computed first, and the search goes that much deeper.) An itemset is looked at only
    if all its subsets could still lead to something better than the worst of the best found so far.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> mine(Clusters.from_nested([leaf]), 2)["itemset"].to_pylist()
    [['tea'], ['milk']]
    """
    desk = desk_of_clusters(source, "mine")
    least = _least(min_support, desk.published.n_records)
    once = desk.once(rare)
    top = None if top is None else require_integer("top", top, 1, "it is the number of itemsets to list.")
    if max_size is not None:
        max_size = require_integer("max_size", max_size, 1, "an itemset has a term.")
    if top is None and min_support is None:
        raise InvalidParameter("give top or min_support: one of them ends the search.")
    if top is not None and top > MOST_WANTED:
        raise InvalidParameter(
            f"top can be at most {MOST_WANTED:,}, got {top:,}: looking for them "
            "takes minutes. Ask for fewer, or use min_support."
        )
    is_mixed = desk.index.is_mixed.any()  # only then can a larger itemset be estimated above a smaller one
    podium = Podium(top, least, float(occupancy(desk.index, chunks_by_place(desk))) if is_mixed else 1.0)
    levels = _candidates(desk, podium, max_size, once)
    sizes = np.concatenate([np.full(len(level.itemsets), size + 1) for size, level in enumerate(levels)])
    terms = np.concatenate([level.itemsets.reshape(-1) for level in levels])
    bounds, estimates = examined(desk, offsets_of(sizes), terms, once)
    names, cuts = desk.published.vocabulary.to_pylist(), np.split(terms, np.cumsum(sizes)[:-1])
    keys = steady(estimates)
    order = sorted(range(sizes.size), key=lambda x: (-keys[x], sizes[x], cuts[x].tolist()))
    order = [x for x in order if keys[x] > 0 and keys[x] >= steady(least)][:top]
    if not order:
        return SCHEMA.empty_table()
    return table_of(desk, [[names[term] for term in cuts[x]] for x in order], bounds[order], estimates[order])


def _least(min_support: float | None, n_records: int) -> float:
    if min_support is None:
        return 0.0
    if isinstance(min_support, (int, np.integer)) and not isinstance(min_support, bool) and min_support >= 1:
        return float(min_support)
    if isinstance(min_support, (float, np.floating)) and 0 < min_support < 1:
        return float(min_support) * n_records
    raise InvalidParameter(
        "min_support must be a share of the records between 0 and 1, or a whole number of records, "
        f"got {described(min_support)}."
    )


def _candidates(desk: SupportIndex, podium: Podium, max_size: int | None, once: float) -> list[Level]:
    """Return itemsets, by size, among which are all that are wanted."""
    singles = single_estimates(desk, once)
    podium.add(singles)
    alive, terms = podium.can_lead(singles), np.flatnonzero(singles > 0)
    levels = [Level(terms[:, None], singles[terms])]
    while levels[-1].estimates.size and max_size != len(levels):
        if len(levels) == 1:
            matrix = expected_pairs(desk, alive, once).tocoo()
            upper = (matrix.row < matrix.col) & (matrix.data > 0)
            pairs = np.stack((matrix.row[upper], matrix.col[upper]), axis=1).astype(np.int64)
            limits = Level(pairs, matrix.data[upper])
        else:
            limits = _joined(levels[-1].only(podium.can_lead(levels[-1].estimates)))
        levels.append(_examined_in_turn(desk, limits, podium, once))
    return [level.only(podium.can_place(level.estimates)) for level in levels]


def _examined_in_turn(desk: SupportIndex, level: Level, podium: Podium, once: float) -> Level:
    """Replace upper limits of estimates by the estimates, the highest first, as long as an itemset can be wanted."""
    itemsets, limits = level
    order = np.argsort(-limits, kind="stable")
    kept = [Level(itemsets[:0], limits[:0])]
    for first in range(0, order.size, AT_ONCE):
        batch = order[first : first + AT_ONCE]
        batch = batch[podium.can_lead(limits[batch])]
        if not batch.size:
            break
        offsets = np.arange(batch.size + 1, dtype=np.int64) * itemsets.shape[1]
        _, estimates = examined(desk, offsets, itemsets[batch].reshape(-1), once)
        podium.add(estimates)
        kept.append(Level(itemsets[batch], estimates).only(estimates > 0))
    return Level(*(np.concatenate(parts) for parts in zip(*kept, strict=True)))


def _joined(level: Level) -> Level:
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
    return Level(np.array(itemsets, dtype=np.int64).reshape(-1, size + 1), np.array(limits, dtype=np.float64))


_OF_RULES = [name + bound for name in ("support", "confidence", "lift") for bound in ("", "_at_least", "_at_most")]
RULES_SCHEMA = pa.schema(
    {name: pa.list_(pa.string()) for name in ("antecedents", "consequents")} | dict.fromkeys(_OF_RULES, pa.float64())
)


def rules(release: Release, *, min_support: float = 0.015, min_confidence: float = 0.3, max_size: int = 3) -> pa.Table:
    """Return association rules from frequent itemsets of up to `max_size` terms, the largest certain confidence first.

    Consequents are single terms. `support` (a share of the records), `confidence` and `lift` are estimates, named as in
    mlxtend; `min_confidence` is about the estimate. `confidence_at_least`, `confidence_at_most` and so on bound them
    for every possible original; of noisy records nothing is certain, and the bounds are null.
    """
    mined = mine(release, None, min_support=min_support, max_size=max_size)
    known = {tuple(row["itemset"]): row for row in mined.to_pylist()}
    records = release.counts["records"]
    found = [
        rule
        for itemset in known
        for term in (itemset if len(itemset) > 1 else ())
        if (rule := _rule(known, itemset, term, records))["confidence"] >= min_confidence
    ]
    found.sort(key=lambda rule: (rule["antecedents"], rule["consequents"]))
    found.sort(key=lambda rule: (-rule.get("confidence_at_least", 0), -rule["confidence"]))
    return pa.Table.from_pylist(found, schema=RULES_SCHEMA)


def _rule(known: dict[tuple[str, ...], Any], itemset: tuple[str, ...], consequent: str, records: int) -> dict[str, Any]:
    """Return a rule; a quotient is least if its numerator is least and its denominator largest."""
    antecedents = tuple(term for term in itemset if term != consequent)
    both, first, second = known[itemset], known[antecedents], known[consequent,]
    confidence = both["estimate"] / first["estimate"]
    rule = {
        "antecedents": list(antecedents),
        "consequents": [consequent],
        "support": both["estimate"] / records,
        "confidence": confidence,
        "lift": confidence * records / second["estimate"],
    }
    if both["at_most"] is None:
        return rule
    least_first, least_second = max(1, first["at_least"]), max(1, second["at_least"])  # both are in a record
    confidence_at_most = min(1.0, both["at_most"] / least_first)
    return rule | {
        "support_at_least": both["at_least"] / records,
        "support_at_most": both["at_most"] / records,
        "confidence_at_least": both["at_least"] / first["at_most"],
        "confidence_at_most": confidence_at_most,
        "lift_at_least": both["at_least"] * records / (first["at_most"] * second["at_most"]),
        "lift_at_most": records * min(confidence_at_most / least_second, 1 / least_first),  # both <= second
    }
