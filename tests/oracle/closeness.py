"""How far a class is from the whole table, and whether it may be: slow, with fractions, by the definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, log

from disjoin.model.k_anonymity import Closeness


def shares(values: Sequence[str], every: Sequence[str]) -> dict[str, Fraction]:
    """Return the share of each value of the table among these."""
    counts = Counter(values)
    return {value: Fraction(counts[value], len(values)) for value in every}


def equal_distance(values: Sequence[str], table: Sequence[str]) -> Fraction:
    every = sorted({*table})
    p, whole = shares(values, every), shares(table, every)
    return sum((abs(p[value] - whole[value]) for value in every), Fraction(0)) / 2


def ordered_distance(values: Sequence[str], table: Sequence[str]) -> Fraction:
    every = sorted({*table}, key=Fraction)
    p, whole = shares(values, every), shares(table, every)
    moved, far = Fraction(0), Fraction(0)
    for value in every[:-1]:
        far += p[value] - whole[value]
        moved += abs(far)
    return moved / (len(every) - 1) if len(every) > 1 else Fraction(0)


def occurring_paths(paths: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the paths in the tree of these leaves alone, level by level: each groups them otherwise than the last."""
    found: dict[str, list[str]] = {leaf: [] for leaf in paths}
    before = None
    for level in range(len(next(iter(paths.values())))):
        groups = {frozenset(leaf for leaf in paths if paths[leaf][level:] == paths[other][level:]) for other in paths}
        if groups != before:
            for leaf in paths:
                found[leaf].append(paths[leaf][level])
        before = groups
    return found


def hierarchical_distance(values: Sequence[str], table: Sequence[str], paths: Mapping[str, Sequence[str]]) -> Fraction:
    """By the closed form of the paper: at a node as much is moved as some children have too much, others too little.

    `paths` has, for every leaf, the names from the leaf to the root, all of one length.
    """
    every = sorted({*table})
    p, whole = shares(values, every), shares(table, every)
    paths = occurring_paths({value: paths[value] for value in every})
    height = max(1, len(next(iter(paths.values()))) - 1)
    extra = {(0, *paths[value]): p[value] - whole[value] for value in every}
    cost = Fraction(0)
    for level in range(1, len(next(iter(paths.values())))):
        above: dict[tuple[object, ...], list[Fraction]] = {}
        for (_, *names), rest in extra.items():
            above.setdefault((level, *names[1:]), []).append(rest)
        for children in above.values():
            much, little = sum(c for c in children if c > 0), -sum(c for c in children if c < 0)
            cost += Fraction(level, height) * min(much, little)
        extra = {node: sum(children, Fraction(0)) for node, children in above.items()}
    return cost


def largest_gain(values: Sequence[str], table: Sequence[str]) -> Fraction:
    every = sorted({*table})
    p, whole = shares(values, every), shares(table, every)
    return max((p[value] - whole[value]) / whole[value] for value in every)


def recursive_ratio(values: Sequence[str], l: int) -> Fraction | None:  # noqa: E741 - the papers' name
    """Return r1 / (r_l + ... + r_n), or None if the denominator is 0."""
    counts = sorted(Counter(values).values(), reverse=True)
    left = sum(counts[l - 1 :])
    return Fraction(counts[0], left) if left else None


def is_close(
    values: Sequence[str],
    table: Sequence[str],
    limits: Closeness,
    l: int,  # noqa: E741 - the papers' name
    paths: Mapping[str, Sequence[str]] | None = None,
) -> bool:
    """Return whether a class satisfies all limits; logarithms are floats, so tests avoid equality there."""
    every = sorted({*table})
    p, whole = shares(values, every), shares(table, every)
    if limits.c is not None:
        ratio = recursive_ratio(values, l)
        if ratio is None or ratio >= limits.c:
            return False
    if limits.t is not None:
        if limits.t_distance == "hierarchical":
            distance = hierarchical_distance(values, table, paths or {})
        else:
            distance = (equal_distance if limits.t_distance == "equal" else ordered_distance)(values, table)
        if distance > limits.t:
            return False
    if limits.beta is not None:
        for value in every:
            gain = (p[value] - whole[value]) / whole[value]
            if gain > limits.beta or (limits.enhanced_beta and float(gain) > -log(whole[value]) + 1e-12):
                return False
    if limits.delta is not None:
        for value in every:
            ratio = float(p[value] / whole[value])
            if not exp(-limits.delta) < ratio < exp(limits.delta):
                return False
    return True
