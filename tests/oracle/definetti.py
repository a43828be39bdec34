"""The deFinetti attack on groups, record by record. Standard library only.

Every record has the rate exp(b + weights of its ordinary items); a group's number of holders is a Poisson count. The
weights go downhill in small steps until the slope is flat.
"""

from __future__ import annotations

from math import exp, log
from typing import Any

Group = dict[str, Any]
FLAT = 1e-9


def rows_of(group: Group) -> list[tuple[str, ...]]:
    """Return the ordinary items of every record of a group."""
    return [tuple(terms) for terms, count in group["records"] for _ in range(count)]


def rate(weights: dict[str, float], record: tuple[str, ...]) -> float:
    """Return the rate of a record; the weight of "" is that of every record."""
    return exp(weights[""] + sum(weights[item] for item in record))


def loss(groups: list[Group], item: str, weights: dict[str, float], ridge: float) -> float:
    """Return the negative logarithm of the likelihood, with the penalty."""
    found = ridge / 2 * sum(weight**2 for name, weight in weights.items() if name)
    for group in groups:
        expected = sum(rate(weights, record) for record in rows_of(group))
        found += expected - group["sensitive"].get(item, 0) * log(expected)
    return found


def slopes(groups: list[Group], item: str, weights: dict[str, float], ridge: float) -> dict[str, float]:
    """Return how the loss grows with every weight."""
    found = {name: ridge * weight if name else 0.0 for name, weight in weights.items()}
    for group in groups:
        rates = [(rate(weights, record), record) for record in rows_of(group)]
        surplus = 1 - group["sensitive"].get(item, 0) / sum(each for each, _ in rates)
        for each, record in rates:
            for name in ("", *record):
                found[name] += each * surplus
    return found


def weights_of(groups: list[Group], item: str, ridge: float) -> dict[str, float]:
    """Return the weights with the least loss."""
    records = [record for group in groups for record in rows_of(group)]
    weights = dict.fromkeys(["", *(name for record in records for name in record)], 0.0)
    weights[""] = log(sum(group["sensitive"].get(item, 0) for group in groups) / len(records))
    step = 0.1
    while max(map(abs, (down := slopes(groups, item, weights, ridge)).values())) > FLAT:
        here, steep = loss(groups, item, weights, ridge), sum(each**2 for each in down.values())
        while True:
            moved = {name: weight - step * down[name] for name, weight in weights.items()}
            if loss(groups, item, moved, ridge) <= here - step / 2 * steep + 1e-15 * abs(here):
                break
            step /= 2
        weights, step = moved, step * 1.3
    return weights


def guess(group: Group, item: str, weights: dict[str, float]) -> tuple[list[tuple[str, ...]], float]:
    """Return the different records with the highest rate, and the attacker's confidence in one of them."""
    rates = [(rate(weights, record), record) for record in rows_of(group)]
    best = max(each for each, _ in rates)
    named = sorted({record for each, record in rates if each > best * (1 - 1e-6)})
    return named, min(1.0, group["sensitive"][item] * best / sum(each for each, _ in rates))
