"""The itemsets with the largest estimated supports, from a release alone: exactly the best, no threshold guessed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.analyst.index import Desk, Sets, desk_of_clusters
from disjoin.analyst.mining_levels import Level, Podium, next_level, steady
from disjoin.analyst.pairs import chunks_by_place, expected_pairs, single_estimates
from disjoin.analyst.supports import SCHEMA, examined, table_of
from disjoin.errors import InvalidParameter, described
from disjoin.kernels.looking_up import MIXED
from disjoin.kernels.meeting import occupancy
from disjoin.model import Release
from disjoin.model.arrays import Flags, offsets_of


class Wanted(NamedTuple):
    """What is looked for."""

    top: int | None
    least: float  # estimated records
    max_size: int | None
    once: float


MOST_WANTED = 1_000_000


def mine(
    source: Release | Sets | Desk,
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
    exceed 1; how much, at most, is computed first, and the search goes so much deeper.) An itemset is looked at only
    if all its subsets could still lead to something better than the worst of the best found so far.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> mine(Clusters.from_nested([leaf]), 2)["itemset"].to_pylist()
    [['tea'], ['milk']]
    """
    desk = desk_of_clusters(source, "mine")
    least = _least(min_support, desk.published.n_records)
    wanted = Wanted(_whole("top", top), least, _whole("max_size", max_size), desk.once(rare))
    if wanted.top is None and min_support is None:
        raise InvalidParameter("without top, min_support must say where to stop. Give one of them.")
    if wanted.top is not None and wanted.top > MOST_WANTED:
        raise InvalidParameter(
            f"top can be at most {MOST_WANTED:,}, got {wanted.top:,}: nobody reads so many, and looking for them takes "
            "minutes. Ask for fewer, or use min_support."
        )
    return _ranked(desk, wanted, _candidates(desk, wanted))


def _whole(name: str, given: int | None) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < 1:
        raise InvalidParameter(f"{name} must be a whole number, 1 or more, got {described(given)}.")
    return int(given)


def _least(min_support: float | None, n_records: int) -> float:
    """Return the support asked for, in records."""
    if min_support is None:
        return 0.0
    is_number = isinstance(min_support, (int, float, np.integer, np.floating)) and not isinstance(min_support, bool)
    if is_number and isinstance(min_support, (int, np.integer)) and min_support >= 1:
        return float(min_support)
    if is_number and 0 < min_support < 1:
        return float(min_support) * n_records
    raise InvalidParameter(
        "min_support must be a share of the records between 0 and 1, or a whole number of records, "
        f"got {described(min_support)}."
    )


def _candidates(desk: Desk, wanted: Wanted) -> list[Level]:
    """Return itemsets, by size, among which are all that are wanted."""
    podium = Podium(wanted.top, wanted.least, _exaggeration(desk))
    singles = single_estimates(desk, wanted.once)
    podium.add(singles)
    alive = podium.can_lead(singles)
    terms = np.flatnonzero(singles > 0)
    levels = [Level(terms[:, None], singles[terms])]
    if wanted.max_size != 1:
        levels.append(_pairs(desk, wanted, alive))
        podium.add(levels[-1].estimates)
    while levels[-1].estimates.size and wanted.max_size != len(levels):
        levels.append(next_level(desk, levels[-1], podium, wanted.once))
    return [level.only(podium.can_place(level.estimates)) for level in levels]


def _exaggeration(desk: Desk) -> float:
    """Return by how much, at most, a larger itemset can be estimated above a smaller one: 1 unless trees are mixed."""
    return float(occupancy(desk.index, chunks_by_place(desk))) if desk.index.nodes[MIXED].any() else 1.0


def _pairs(desk: Desk, wanted: Wanted, alive: Flags) -> Level:
    """Return all pairs of terms that can still lead somewhere."""
    matrix = expected_pairs(desk, alive, wanted.once).tocoo()
    upper = (matrix.row < matrix.col) & (matrix.data > 0)
    return Level(np.stack((matrix.row[upper], matrix.col[upper]), axis=1).astype(np.int64), matrix.data[upper])


def _ranked(desk: Desk, wanted: Wanted, levels: list[Level]) -> pa.Table:
    """Examine what is left, sort it and cut it."""
    sizes = np.concatenate([np.full(len(level.itemsets), size + 1) for size, level in enumerate(levels)])
    terms = np.concatenate([level.itemsets.reshape(-1) for level in levels])
    bounds, estimates = examined(desk, offsets_of(sizes), terms, wanted.once)
    names = desk.published.vocabulary.to_pylist()
    cuts = np.split(terms, np.cumsum(sizes)[:-1])
    keys, least = steady(estimates), steady(wanted.least)
    order = sorted(range(sizes.size), key=lambda x: (-keys[x], sizes[x], cuts[x].tolist()))
    order = [x for x in order if keys[x] > 0 and keys[x] >= least][: wanted.top]
    if not order:
        return SCHEMA.empty_table()
    return table_of(desk, [[names[term] for term in cuts[x]] for x in order], bounds[order], estimates[order])
