"""Population requirements: k-map and delta-presence.

Fewer than `k_map` people never come from merging classes: what two classes say together includes what each says. A
chance can rise and fall by merging, so it is judged after every round.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.model import Hierarchy, KAnonymity, Table
from disjoin.model.generalized import MISSING
from disjoin.model.intervals import interval_from, number_from
from disjoin.model.ragged import Flags, Ints64

if TYPE_CHECKING:
    from disjoin.methods.generalization.encoding import Classes, Encoded

NOWHERE, BEFORE, ANY_END = -3, -4, 2**31  # a value that no class but one of everything includes, and its ends
NEAR = 1e-9  # sums of shares that are nearer to a limit are added up exactly


class Population(NamedTuple):
    """Kinds of people, who are equal in all quasi-identifiers: each is a stretch of the places that columns have."""

    people: Ints64  # (kinds,)
    lows: Ints64  # (kinds, quasi-identifiers)
    highs: Ints64
    k_map: int  # how many people every class must fit
    presence: tuple[Fraction, Fraction] | None


class Fitting(NamedTuple):
    """What classes say beside a crowd."""

    included: Ints64  # (classes,) people
    is_kept: Flags  # (classes,) whether nothing has to be merged for its sake


def require_population(promise: KAnonymity, table: Table) -> None:
    """Raise if something is promised of a population, and there is none, or one without the columns."""
    if not promise.is_about_population:
        return
    if table.population is None:
        raise InvalidParameter(
            "k_map, least_presence and most_presence are about a population: give a table with a row per person."
        )
    for name in promise.quasi:
        if name not in table.population.schema.names:
            raise InvalidParameter(f"the population has no column {name!r}, which somebody may know. Add it.")


def crowd_of(table: Table, rows: Encoded, promise: KAnonymity) -> Population:
    """Return the population as the classes of these rows see it."""
    population = table.population
    assert population is not None, "asked for beside a population"
    columns = []
    for a, name in enumerate(rows.names):
        texts = population.values_of(name).to_pylist()
        tree = rows.hierarchies[a]
        spans = _among_numbers(tree, texts) if rows.is_hull[a] else _in_tree(tree, texts)
        columns.append(spans[population.codes_of(name)])
    kinds, people = np.unique(np.concatenate(columns, axis=1), axis=0, return_counts=True)
    return Population(
        people.astype(np.int64), kinds[:, 0::2].copy(), kinds[:, 1::2].copy(), promise.k_map or 0, promise.presence
    )


def _in_tree(tree: Hierarchy, texts: list[str]) -> Ints64:
    """Return the first and last leaf under every text's node; the lowest node that is called so."""
    spans, names = leaf_spans(tree), tree.names.to_pylist()
    lowest = {name: node for node, name in reversed(list(enumerate(names)))}
    found = [spans[lowest[text]] if text in lowest else (NOWHERE, ANY_END) for text in texts]
    root_only = (int(spans[tree.root][0]) - 1, int(spans[tree.root][0]) - 1)  # the root alone includes what is missing
    found = [
        root_only if text == MISSING and text not in lowest else span for text, span in zip(texts, found, strict=True)
    ]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def leaf_spans(tree: Hierarchy) -> Ints64:
    """Return the first and the last place that every node includes: the leaves below a node are neighbours.

    >>> leaf_spans(Hierarchy.from_rows([["a", "x", "*"], ["b", "y", "*"], ["c", "x", "*"]])).tolist()
    [[0, 0], [2, 2], [1, 1], [0, 1], [2, 2], [0, 2]]
    """
    paths = tree.paths()
    order = np.lexsort(paths.T)  # the last key, the root, is the first to decide
    places = np.empty(order.size, dtype=np.int64)
    places[order] = np.arange(order.size)
    spans = np.tile(np.array([len(tree), -1], dtype=np.int64), (len(tree), 1))
    for nodes in paths.T:
        np.minimum.at(spans[:, 0], nodes, places)
        np.maximum.at(spans[:, 1], nodes, places)
    return spans


def _among_numbers(tree: Hierarchy, texts: list[str]) -> Ints64:
    """Return the last leaf that a text's number is not below, and the first that it is not above."""
    leaves = tree.names.slice(0, tree.n_leaves).to_pylist()
    numbers = [number for number in map(number_from, leaves) if number is not None]
    found = []
    for text in texts:
        ends = interval_from(text)
        if ends is None:
            found.append((len(numbers),) * 2 if text == MISSING else (NOWHERE, ANY_END))
        else:
            low, high = bisect_right(numbers, ends[0]) - 1, bisect_left(numbers, ends[1])
            found.append((low, high) if low >= 0 and high < len(numbers) else (NOWHERE, ANY_END))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def fitting(rows: Encoded, classes: Classes) -> Fitting:
    """Count the people that every class includes, and tell which classes are to be merged."""
    crowd = rows.crowd
    assert crowd is not None, "asked for beside a population"
    firsts, lasts = _places(rows, classes)
    sizes = np.bincount(classes.class_of_row, minlength=len(classes.vectors))
    included = np.zeros(len(firsts), dtype=np.int64)
    chances = _Chances(crowd.people.size)
    for number, (first, last, near) in enumerate(zip(firsts, lasts, _near(crowd, firsts, lasts), strict=True)):
        fits = np.sort(near[((first <= crowd.lows[near]) & (crowd.highs[near] <= last)).all(axis=1)])
        included[number] = crowd.people[fits].sum()
        if crowd.presence is not None and fits.size:
            chances.add(number, fits, Fraction(int(sizes[number]), int(included[number])))
    is_kept: Flags = included >= crowd.k_map
    if crowd.presence is not None:
        is_kept[chances.to_blame(crowd.presence, len(firsts))] = False
    return Fitting(included, is_kept)


def _near(crowd: Population, firsts: Ints64, lasts: Ints64) -> Iterator[Ints64]:
    """Give for every class the kinds that begin inside it in one column, that in which these are fewest."""
    orders = [np.argsort(lows, kind="stable") for lows in crowd.lows.T]
    ordered = [lows[order] for lows, order in zip(crowd.lows.T, orders, strict=True)]
    begins = [lows.searchsorted(first) for lows, first in zip(ordered, firsts.T, strict=True)]
    ends = [lows.searchsorted(last, side="right") for lows, last in zip(ordered, lasts.T, strict=True)]
    fewest = (np.array(ends) - np.array(begins)).argmin(axis=0)
    for number, a in enumerate(fewest.tolist()):
        yield orders[a][begins[a][number] : ends[a][number]]


class _Chances:
    """How likely every kind of people is in the table: the sum of the shares of the classes that include it."""

    def __init__(self, kinds: int) -> None:
        self.shares: list[tuple[Ints64, Fraction]] = []  # of every class: whom it includes
        self.classes: list[int] = []
        self.sums = np.zeros(kinds)
        self.largest = np.full(kinds, -1.0)
        self.of_class = np.full(kinds, -1, dtype=np.int64)

    def add(self, number: int, fits: Ints64, share: Fraction) -> None:
        """Add the share of a class to the kinds that it includes."""
        self.shares.append((fits, share))
        self.sums[fits] += float(share)
        leads = fits[self.largest[fits] < float(share)]
        self.largest[leads], self.of_class[leads] = float(share), number

    def to_blame(self, allowed: tuple[Fraction, Fraction], n_classes: int) -> Ints64:
        """Return the classes that are to be merged: of everybody who is too likely or not likely enough, the surest."""
        low, high = (float(share) for share in allowed)
        doubtful = np.flatnonzero((self.sums < low + NEAR) | (self.sums > high - NEAR))
        wrong = [kind for kind in doubtful.tolist() if not allowed[0] <= self._exactly(kind) <= allowed[1]]
        blamed = np.unique(self.of_class[wrong]) if wrong else np.zeros(0, dtype=np.int64)
        # Who is in no class may come into any of them.
        return np.arange(n_classes) if blamed.size and blamed[0] < 0 else blamed

    def _exactly(self, kind: int) -> Fraction:
        if self.of_class[kind] < 0:  # in no class
            return Fraction(0)
        inside = (
            share
            for fits, share in self.shares
            if (place := fits.searchsorted(kind)) < fits.size and fits[place] == kind
        )
        return min(sum(inside, Fraction(0)), Fraction(1))


def _places(rows: Encoded, classes: Classes) -> tuple[Ints64, Ints64]:
    """Return the first and the last place that every class includes, column by column: (classes, quasi-identifiers)."""
    n = len(classes.vectors)
    firsts, lasts = np.empty((2, n, len(rows.names)), dtype=np.int64)
    for a, tree in enumerate(rows.hierarchies):
        if rows.is_hull[a]:
            firsts[:, a], lasts[:, a] = _hulls(rows, classes, a)
        else:
            spans = leaf_spans(tree)
            spans[tree.root, 0] -= 1
            nodes = classes.vectors[:, a]
            firsts[:, a], lasts[:, a] = spans[nodes, 0], spans[nodes, 1]
    return firsts, lasts


def _hulls(rows: Encoded, classes: Classes, a: int) -> tuple[Ints64, Ints64]:
    tree = rows.hierarchies[a]
    n, missing = len(classes.vectors), tree.n_leaves - 1
    low, high = np.full(n, tree.n_leaves, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    np.minimum.at(low, classes.class_of_row, rows.leaves[:, a])
    np.maximum.at(high, classes.class_of_row, rows.leaves[:, a])
    says_nothing = np.arange(n) == (-1 if classes.stars is None else classes.stars)
    if tree.names[missing].as_py() == MISSING:
        says_nothing |= (high == missing) & (low < missing)
    low[says_nothing], high[says_nothing] = BEFORE, ANY_END
    return low, high


def refuse_unreachable(found: Fitting, rows: Encoded) -> None:
    """Raise, as one class of all rows does not keep what is promised of the population."""
    crowd, people = rows.crowd, int(found.included[0])
    assert crowd is not None, "asked for beside a population"
    if people < crowd.k_map:
        raise GuaranteeUnreachable(
            f"all rows as one class fit {people:,} people of the population, and k_map asks for {crowd.k_map:,}. "
            f"Lower k_map to {people:,} or less, or spell the population's values as the table does."
        )
    raise GuaranteeUnreachable(
        f"all {len(rows):,} rows as one class fit {people:,} of {int(crowd.people.sum()):,} people of the population, "
        f"so the chance to be in the table is about {len(rows) / max(1, people):.4g} for these and 0 for the others. "
        "Allow that, or give a larger population."
    )
