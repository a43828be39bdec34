"""Slow, obvious twins of the measures of tables and of the risk view.

Rows are dicts; a tree is a dict from each leaf to its path, leaf first and root last, all equally long, and None for a
column of numbers. Standard library only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import exp, log, log2

Tree = dict[str, tuple[str, ...]]
Trees = dict[str, Tree | None]
Row = dict[str, str]


def ends_of(value: str) -> tuple[Fraction, Fraction] | None:
    """Return the ends of a number or an interval; None for ? and for *."""
    if value in ("?", "*"):
        return None
    low, _, high = value.strip("[]").partition(", ")
    return Fraction(low), Fraction(high or low)


def width(value: str, column: list[str]) -> Fraction:
    """Return (hi - lo) / (max - min) over the published column."""
    if value in ("?", "*"):
        return Fraction(value == "*")
    known = [ends for ends in map(ends_of, column) if ends]
    span = max(high for _, high in known) - min(low for low, _ in known)
    low, high = ends_of(value)  # type: ignore[misc]
    return (high - low) / span if span else Fraction(0)


def leaves_below(tree: Tree, value: str) -> set[str]:
    """Return the leaves that a published name covers."""
    return {leaf for leaf, path in tree.items() if value == "*" or value in path}


def level(tree: Tree, value: str) -> int:
    """Return the lowest level of a name; the root's for *."""
    found = [path.index(value) for path in tree.values() if value in path]
    return min(found) if found else height(tree)


def height(tree: Tree) -> int:
    """Return how many steps there are to the root."""
    return len(next(iter(tree.values()))) - 1


def whd(tree: Tree, value: str, weight: Callable[[int], Fraction]) -> Fraction:
    """Return D.2's distance from a leaf: levels are numbered from the root, 1, to the leaves, h."""
    h = height(tree) + 1
    q = h - level(tree, value)
    whole = sum(weight(j) for j in range(2, h + 1))
    return Fraction(sum(weight(j) for j in range(q + 1, h + 1))) / whole if whole else Fraction(0)


def uniform(tree: Tree, value: str) -> Fraction:
    """Return the distance where every step weighs 1."""
    return whd(tree, value, lambda j: Fraction(1))


def by_height(tree: Tree, value: str) -> Fraction:
    """Return the distance where the step from level j to j - 1 weighs 1/(j - 1)."""
    return whd(tree, value, lambda j: Fraction(1, j - 1))


def iloss(tree: Tree, value: str) -> Fraction:
    """Return (leaves - 1) / all leaves."""
    return Fraction(len(leaves_below(tree, value)) - 1, len(tree))


def ncp(tree: Tree, value: str) -> Fraction:
    """Return leaves / all leaves, 0 for a leaf."""
    return Fraction(0) if value in tree else Fraction(len(leaves_below(tree, value)), len(tree))


def spread(tree: Tree, value: str) -> Fraction:
    """Return (leaves - 1) / (all leaves - 1)."""
    return Fraction(len(leaves_below(tree, value)) - 1, len(tree) - 1) if len(tree) > 1 else Fraction(0)


def total(published: list[Row], trees: Trees, loss: Callable[[Tree, str], Fraction], suppressed: int = 0) -> Fraction:
    """Return the sum over all cells of quasi-identifiers; suppressed rows are rows of *."""
    cost = Fraction(0)
    for name, tree in trees.items():
        column = [row[name] for row in published]
        for value in column + ["*"] * suppressed:
            cost += width(value, column) if tree is None else loss(tree, value)
    return cost


def classes_of(rows: list[Row], names: list[str] | tuple[str, ...]) -> list[list[Row]]:
    """Return the rows by their values in some columns."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    return list(found.values())


def discernibility(published: list[Row], names: list[str], rows: int) -> int:
    """Count ordered pairs of rows of one class, and all rows for each suppressed one."""
    pairs = sum(1 for a in published for b in published if all(a[name] == b[name] for name in names))
    return pairs + (rows - len(published)) * rows


def classification_metric(published: list[Row], names: list[str], label: str, rows: int) -> Fraction:
    """Return the share of rows that lack the majority label of their class (ties: the smallest) or are suppressed."""
    wrong = rows - len(published)
    for members in classes_of(published, names):
        counts = Counter(row[label] for row in members)
        majority = min(counts, key=lambda value: (-counts[value], value))
        wrong += sum(row[label] != majority for row in members)
    return Fraction(wrong, rows)


def entropy(values: list[str]) -> float:
    """Return the entropy of a list of values, in bits."""
    return -sum(n / len(values) * log2(n / len(values)) for n in Counter(values).values())


def igpl(before: list[Row], after: list[Row], names: list[str], label: str, qids: list[list[str]]) -> float:
    """Return D.8's IG/(PL+1), for rows that are aligned."""

    def unsure(rows: list[Row]) -> float:
        return sum(len(c) / len(rows) * entropy([row[label] for row in c]) for c in classes_of(rows, names))

    def smallest(rows: list[Row], qid: list[str]) -> int:
        return min(map(len, classes_of(rows, qid)))

    changed = {name for name in names if any(a[name] != b[name] for a, b in zip(before, after, strict=True))}
    lost = [smallest(before, qid) - smallest(after, qid) for qid in qids if changed & set(qid)]
    return (unsure(before) - unsure(after)) / ((sum(lost) / len(lost) if lost else 0) + 1)


def entropy_loss(pairs: list[tuple[Row, Row | None]], trees: Trees) -> float:
    """Return the mean share of entropy lost, from rows and what each of them was published as (None: suppressed)."""
    lost = []
    for name, tree in trees.items():
        column = [row[name] for row, _ in pairs]
        whole = entropy(column)
        bits = 0.0
        for row, shown in pairs:
            value = "*" if shown is None else shown[name]
            covered = sum(stands_for(tree, value, other) for other in column)
            bits += log2(covered / column.count(row[name])) / len(pairs)
        lost.append(bits / whole if whole else 0.0)
    return sum(lost) / len(lost)


def stands_for(tree: Tree | None, value: str, original: str) -> bool:
    """Return whether a published value covers an original one."""
    if value == "*":
        return True
    if tree is not None:
        return value in tree[original]
    ends, number = ends_of(value), ends_of(original)
    return value == original if ends is None or number is None else ends[0] <= number[0] <= ends[1]


def risks(rows: list[Row], names: list[str], largest: int) -> dict[tuple[str, ...], tuple[int, int]]:
    """Return unique rows and classes for every set of up to `largest` columns."""
    found = {}
    for size in range(1, min(largest, len(names)) + 1):
        for known in combinations(names, size):
            sizes = [len(members) for members in classes_of(rows, known)]
            found[known] = (sizes.count(1), len(sizes))
    return found


def diversity(rows: list[Row], names: list[str], secret: str) -> tuple[int, float, Fraction]:
    """Return the largest distinct l, the largest entropy l and the smallest alpha that all classes satisfy."""
    counts = [Counter(row[secret] for row in members) for members in classes_of(rows, names)]
    evenness = [exp(-sum(n / c.total() * log(n / c.total()) for n in c.values())) for c in counts]
    return min(map(len, counts)), min(evenness), max(Fraction(max(c.values()), c.total()) for c in counts)
