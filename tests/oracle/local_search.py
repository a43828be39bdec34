"""The slow twin of joining by losses: all pairs, exact fractions, lists of rows."""

from __future__ import annotations

from fractions import Fraction
from math import inf


def loss_of(paths, rows):
    """What each of the rows loses when they are published together; `paths` has a tree a column, `rows` leaves."""
    total = Fraction(0)
    for column, tree in enumerate(paths):
        leaves = {row[column] for row in rows}
        shared = next(
            level for level in range(len(next(iter(tree.values())))) if len({tree[leaf][level] for leaf in leaves}) == 1
        )
        node = tree[rows[0][column]][shared]
        under = sum(path[shared] == node for path in tree.values())
        total += Fraction(under - 1, max(1, len(tree) - 1))
    return total


def whole_loss(paths, rows, classes):
    """The sum of the losses of all rows."""
    return sum(len(members) * loss_of(paths, [rows[i] for i in members]) for members in classes)


def join_small(paths, rows, k):
    """Join what has fewer than k rows; `rows` are sorted. A price is asked when a class comes to the front."""
    classes = {}
    for number, row in enumerate(rows):
        classes.setdefault(row, []).append(number)
    classes = list(classes.values())
    losses = [Fraction(0)] * len(classes)
    changes = [0] * len(classes)
    asked = {number: (-inf, None, 0) for number, members in enumerate(classes) if len(members) < k}

    def given(one, other):
        missing = k - len(classes[one])
        return missing if missing <= len(classes[other]) - k else len(classes[other])

    def price(one, other):
        many = given(one, other)
        together = loss_of(paths, [rows[i] for i in classes[one] + classes[other]])
        return (len(classes[one]) + many) * together - len(classes[one]) * losses[one] - many * losses[other]

    def ask(one):
        others = [other for other in range(len(classes)) if other != one and classes[other]]
        best = min(others, key=lambda other: (price(one, other), other))
        asked[one] = (price(one, best), best, changes[best])

    while asked:
        one = min(asked, key=lambda number: (asked[number][0], number))
        _, other, seen = asked[one]
        if other is not None and classes[other] and changes[other] == seen:
            for _ in range(given(one, other)):
                classes[one].insert(0, classes[other].pop(0))
            changes[one] += 1
            changes[other] += 1
            for number in (one, other):
                losses[number] = loss_of(paths, [rows[i] for i in classes[number]]) if classes[number] else Fraction(0)
            if not classes[other]:
                asked.pop(other, None)
            if len(classes[one]) >= k:
                del asked[one]
                continue
        ask(one)
    return sorted(sorted(members) for members in classes if members)
