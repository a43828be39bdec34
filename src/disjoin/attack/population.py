"""Population risk: k-map and journalist risk with a population table or its size.

A population table has a row per person of whom the file is a part, with the same quasi-identifiers. From its size
alone, how many people are unique in it can only be estimated; there are three estimates, and a choice among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lgamma, log

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model.k_anonymity import column_names
from disjoin.model.ragged import Ints64
from disjoin.model.table import Table


@dataclass(frozen=True, slots=True)
class PopulationRisk:
    """The classes of a file, compared to those of the population that contains it."""

    people: int  # rows of the population
    k_map: int  # every row of the file has at least that many rows of the population alike
    least_presence: Fraction  # of all rows of the population, how likely one is in the file
    most_presence: Fraction
    journalist: Fraction  # the highest risk
    marketer: Fraction  # the expected share of rows that are found


def population_risk(table: Table, quasi: Iterable[str] | str, population: Table) -> PopulationRisk:
    """Return the risk of a table next to its population; raise if it is no part of it.

    >>> some = Table.from_columns({"sex": ["f", "m"]})
    >>> everybody = Table.from_columns({"sex": ["f", "f", "f", "m", "m"]})
    >>> population_risk(some, "sex", everybody).k_map
    2
    """
    names = column_names("quasi", quasi)
    for name in names:
        table.schema.position(name), population.schema.position(name)  # complain
    here, there = _class_counts(table, population, names)
    if bool((here > there).any()):
        few = int((here > there).sum())
        raise InvalidParameter(
            f"the population must contain everybody in the file; {few:,} combinations of {', '.join(names)} are in "
            "the file more often. Spell values alike, or give a larger population."
        )
    pairs = Counter(zip(here.tolist(), there.tolist(), strict=True))  # of sizes, with how often each occurs
    shares = [Fraction(f, F) for f, F in pairs]
    k_map = int(there[here > 0].min())
    return PopulationRisk(
        people=int(there.sum()),
        k_map=k_map,
        least_presence=min(shares),
        most_presence=max(shares),
        journalist=Fraction(1, k_map),
        marketer=sum((Fraction(f * n, F) for (f, F), n in pairs.items()), Fraction(0)) / int(here.sum()),
    )


def _class_counts(table: Table, population: Table, names: tuple[str, ...]) -> tuple[Ints64, Ints64]:
    """Return how many rows of the table and of the population have each combination of values that occurs."""
    keys = np.zeros(len(table) + len(population), dtype=np.int64)
    for name in names:
        texts = {*table.values_of(name).to_pylist(), *population.values_of(name).to_pylist()}
        number = {text: place for place, text in enumerate(sorted(texts))}
        codes = [
            np.array([number[text] for text in one.values_of(name).to_pylist()], dtype=np.int64)[one.codes_of(name)]
            for one in (table, population)
        ]
        keys = np.unique(keys * len(number) + np.concatenate(codes), return_inverse=True)[1].ravel()
    here = np.bincount(keys[: len(table)], minlength=int(keys.max()) + 1)
    return here, np.bincount(keys[len(table) :], minlength=here.size)


@dataclass(frozen=True, slots=True)
class UniquenessEstimate:
    """Estimates of the share of the population that is unique, None where a model does not fit; and whom to trust."""

    zayatz: float | None
    snb: float | None  # slide negative binomial
    pitman: float | None
    chosen: str  # by the rule of Dankar and others
    share: float | None


def estimated_uniqueness(sizes: Ints64, population: int) -> UniquenessEstimate:
    """Estimate how many people of a population of that size are unique, from the classes of a sample of it. Never a
    proof: it assumes that the file is a random sample."""
    rows = int(sizes.sum())
    if population < rows:
        raise InvalidParameter(
            f"the population must be at least as large as the file, which has {rows:,} rows; got {population:,}."
        )
    values, counts = np.unique(sizes, return_counts=True)
    frequencies = dict(zip(values.tolist(), counts.tolist(), strict=True))
    if frequencies.get(1, 0) == 0:
        return UniquenessEstimate(0.0, 0.0, 0.0, "zayatz", 0.0)
    if population == rows:
        exact = frequencies[1] / rows
        return UniquenessEstimate(exact, exact, exact, "zayatz", exact)
    found = {name: model(frequencies, rows, population) for name, model in _MODELS.items()}
    # As Dankar, El Emam, Neisa and Roffey do: Pitman for small samples, else the smaller of the other two.
    others = {name: share for name in ("zayatz", "snb") if (share := found[name]) is not None}
    is_small = rows / population <= 0.1 and found["pitman"] is not None
    chosen = "pitman" if is_small or not others else min(others, key=others.__getitem__)
    return UniquenessEstimate(**found, chosen=chosen, share=found[chosen])


def zayatz(frequencies: dict[int, int], rows: int, population: int) -> float | None:
    """Weigh the classes of the sample by how likely one of that size in the population shows a single row."""
    classes = sum(frequencies.values())

    def single(size: int) -> float:  # of `size` people in the population exactly one is drawn
        if population - size < rows - 1:
            return 0.0
        return size * exp(_log_choose(population - size, rows - 1) - _log_choose(population, rows))

    total = sum(count / classes * single(size) for size, count in frequencies.items())
    if not total:
        return None
    sure = frequencies[1] / classes * single(1) / total
    return _clamped(sure * frequencies[1] / rows)


def snb(frequencies: dict[int, int], rows: int, population: int) -> float | None:
    """Fit classes of 1 + a negative binomial number of people, each drawn with the sampling fraction."""
    from scipy.optimize import least_squares

    fraction, classes, alone = rows / population, sum(frequencies.values()), frequencies[1]

    def generated(s: float, shape: float, q: float) -> float:
        return float(((1 - q) / (1 - q * s)) ** shape)

    def missed(logs: list[float]) -> list[float]:
        shape, q = exp(logs[0]), 1 / (1 + exp(-logs[1]))
        number = population / (1 + shape * q / (1 - q))
        unseen = 1 - fraction
        slope = shape * q / (1 - q * unseen) * generated(unseen, shape, q)
        seen = number * (1 - unseen * generated(unseen, shape, q))
        once = number * fraction * (generated(unseen, shape, q) + unseen * slope)
        return [seen / classes - 1, once / alone - 1]

    best = least_squares(missed, [0.0, 0.0], bounds=([-14, -20], [14, 20]))
    if max(abs(best.fun)) > 1e-3:
        return None
    shape, q = exp(best.x[0]), 1 / (1 + exp(-best.x[1]))
    number = population / (1 + shape * q / (1 - q))
    return _clamped(number * (1 - q) ** shape / population)


def pitman(frequencies: dict[int, int], rows: int, population: int) -> float | None:
    """Fit Pitman's sampling formula by its likelihood, and let the sample grow to the population."""
    from scipy.optimize import minimize

    classes = sum(frequencies.values())

    def unlikely(given: list[float]) -> float:
        theta, alpha = exp(given[0]), 1 / (1 + exp(-given[1]))
        steps = np.log(theta + alpha * np.arange(1, classes)).sum()
        within = sum(
            count * (lgamma(size - alpha) - lgamma(1 - alpha)) for size, count in frequencies.items() if size > 1
        )
        return float(lgamma(theta + rows) - lgamma(theta + 1) - steps - within)

    best = minimize(unlikely, [log(max(1.0, classes / 10)), 0.0], method="Nelder-Mead", options={"maxiter": 2000})
    if not best.success:
        return None
    theta, alpha = exp(best.x[0]), 1 / (1 + exp(-best.x[1]))
    grown = lgamma(theta + alpha + population - 1) - lgamma(theta + population)
    return _clamped(exp(lgamma(theta + 1) - lgamma(theta + alpha) + grown))


_MODELS = {"zayatz": zayatz, "snb": snb, "pitman": pitman}


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _clamped(share: float) -> float:
    return min(1.0, max(0.0, share))
