"""Local recoding, slowly and literally (section D): every number a fraction, every step as in the specification.

A node is (level, name), levels from the leaves. A vector has a node an attribute. Rows have their positions for ids.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

Node = tuple[int, str]
Vector = tuple[Node, ...]
Class = tuple[Vector, tuple[int, ...]]  # what its rows are published as, and the rows in order


@dataclass(frozen=True)
class Problem:
    """A table, its trees (for every leaf the names from the leaf to the root) and what every class must satisfy."""

    trees: tuple[dict[str, tuple[str, ...]], ...]
    rows: tuple[tuple[str, ...], ...]
    secrets: tuple[tuple[str, ...], ...]  # a value a sensitive column, for every row
    k: int
    alpha: Fraction = Fraction(1)
    l: int = 1  # noqa: E741 - the papers' name
    entropy_l: Fraction = Fraction(1)
    weights: str = "uniform"

    @property
    def only_k(self) -> bool:
        return (self.alpha, self.l, self.entropy_l) == (1, 1, 1)

    def height(self, a: int) -> int:
        return len(next(iter(self.trees[a].values()))) - 1

    def leaf_vector(self, row: int) -> Vector:
        return tuple((0, leaf) for leaf in self.rows[row])

    def roots(self) -> Vector:
        return tuple((self.height(a), next(iter(tree.values()))[-1]) for a, tree in enumerate(self.trees))


def above(problem: Problem, a: int, node: Node, level: int) -> Node:
    """Return what a node generalises to at a level that is not below its own."""
    path = next(path for path in problem.trees[a].values() if path[node[0]] == node[1])
    return level, path[level]


def steps(problem: Problem, a: int, low: int, high: int) -> Fraction:
    """WHD between two levels counted from the leaves (D.2 counts from the root, which is 1)."""
    h = problem.height(a) + 1

    def weight(j: int) -> Fraction:
        return Fraction(1) if problem.weights == "uniform" else Fraction(1, j - 1)

    p, q = h - low, h - high
    return sum((weight(j) for j in range(q + 1, p + 1)), Fraction(0)) / sum(weight(j) for j in range(2, h + 1))


def common(problem: Problem, one: Vector, other: Vector) -> Vector:
    """Return the closest common generalisation."""
    found = []
    for a, (left, right) in enumerate(zip(one, other, strict=True)):
        level = max(left[0], right[0])
        while above(problem, a, left, level) != above(problem, a, right, level):
            level += 1
        found.append(above(problem, a, left, level))
    return tuple(found)


def distortion(problem: Problem, one: Vector, raised: Vector) -> Fraction:
    return sum((steps(problem, a, x[0], y[0]) for a, (x, y) in enumerate(zip(one, raised, strict=True))), Fraction(0))


def distance(problem: Problem, one: Vector, other: Vector, n_one: int = 1, n_other: int = 1) -> Fraction:
    g = common(problem, one, other)
    return n_one * distortion(problem, one, g) + n_other * distortion(problem, other, g)


def satisfies(problem: Problem, rows: list[int] | tuple[int, ...]) -> bool:
    n = len(rows)
    if n < problem.k:
        return False
    for column in zip(*(problem.secrets[row] for row in rows), strict=True):
        counts = Counter(column).values()
        if max(counts) > problem.alpha * n or len(counts) < problem.l:
            return False
        # exp(entropy) = n / prod(c^(c/n)) >= l, to the power of n
        if Fraction(n**n, prod(c**c for c in counts)) < problem.entropy_l**n:
            return False
    return True


def join_equal(classes: list[Class]) -> list[Class]:
    joined: dict[Vector, list[int]] = {}
    for vector, rows in classes:
        joined.setdefault(vector, []).extend(rows)
    return sorted((vector, tuple(sorted(rows))) for vector, rows in joined.items())


def by_vector(problem: Problem, rows: list[int]) -> list[Class]:
    return join_equal([(problem.leaf_vector(row), (row,)) for row in rows])


def kaca(problem: Problem, *, stub: bool = True, rows: list[int] | None = None) -> list[Class]:
    classes = by_vector(problem, list(range(len(problem.rows))) if rows is None else rows)
    return merge_small(problem, classes, stub=stub and problem.only_k)


def merge_small(problem: Problem, classes: list[Class], *, stub: bool) -> list[Class]:
    """The loop of KACA, from any classes."""
    while small := [c for c in classes if not satisfies(problem, c[1])]:
        one = min(small, key=lambda c: (len(c[1]), c[1][0]))

        def taken(other: Class, own: int = len(one[1])) -> int:
            missing = problem.k - own
            return missing if stub and len(other[1]) - missing >= problem.k else len(other[1])

        def cost(other: Class, one: Class = one) -> tuple[Fraction, int]:
            return distance(problem, one[0], other[0], len(one[1]), taken(other)), other[1][0]

        nearest = min((c for c in classes if c is not one), key=cost)
        m, g = taken(nearest), common(problem, one[0], nearest[0])
        classes = [c for c in classes if c is not one and c is not nearest]
        classes.append((g, one[1] + nearest[1][:m]))
        if nearest[1][m:]:
            classes.append((nearest[0], nearest[1][m:]))
        classes = join_equal(classes)
    return classes


def children(problem: Problem, a: int, node: Node, rows: list[int]) -> dict[Node, list[int]]:
    split: dict[Node, list[int]] = {}
    for row in rows:
        split.setdefault(above(problem, a, (0, problem.rows[row][a]), node[0] - 1), []).append(row)
    return split


def unspecialise(problem: Problem, split: dict[Node, list[int]]) -> tuple[dict[Node, list[int]], list[int]]:
    """Return the children that satisfy, and the rows of the others, which satisfy as well or are none."""
    fine = {child: list(rows) for child, rows in split.items() if satisfies(problem, rows)}
    left = [row for child, rows in split.items() if child not in fine for row in rows]
    while left and not satisfies(problem, left) and fine:
        largest = max(fine, key=lambda child: (len(fine[child]), child))
        movable = [r for r in fine[largest] if satisfies(problem, [x for x in fine[largest] if x != r])]
        if not movable:
            left += fine.pop(largest)
            continue
        counts = [Counter(column) for column in zip(*(problem.secrets[row] for row in left), strict=True)]

        def rarity(row: int, counts: list[Counter[str]] = counts) -> tuple[int, int]:
            return sum(c[value] for c, value in zip(counts, problem.secrets[row], strict=True)), row

        moved = min(movable, key=rarity)
        fine[largest].remove(moved)
        left.append(moved)
    return fine, sorted(left)


def top_down(problem: Problem) -> list[Class]:
    queue: list[tuple[Vector, list[int], frozenset[int]]] = [
        (problem.roots(), list(range(len(problem.rows))), frozenset())
    ]
    out: list[Class] = []
    while queue:
        vector, rows, blocked = queue.pop()
        best = None
        for a, node in enumerate(vector):
            if a in blocked or node[0] == 0:
                continue
            fine, left = unspecialise(problem, children(problem, a, node, rows))
            score = (sum(map(len, fine.values())), -len(fine), -a)
            if fine and (best is None or score > best[0]):
                best = score, a, fine, left
        if best is None:
            out.append((vector, tuple(rows)))
            continue
        _, a, fine, left = best
        for child, own in fine.items():
            queue.append(((*vector[:a], child, *vector[a + 1 :]), own, frozenset()))
        if left:
            queue.append((vector, left, blocked | {a}))
    return join_equal(out)


def top_down_kaca(problem: Problem, c: int, *, stub: bool = True) -> list[Class]:
    parts = [tuple(range(len(problem.rows)))]
    if len(problem.rows) >= c:
        parts = [rows for _, rows in top_down(replace(problem, k=c))]
    return join_equal([found for part in parts for found in kaca(problem, stub=stub, rows=list(part))])


def raised(problem: Problem, vector: Vector, a: int, level: int) -> Vector:
    return (*vector[:a], above(problem, a, vector[a], max(level, vector[a][0])), *vector[a + 1 :])


def sort_out(problem: Problem, classes: list[Class]) -> tuple[list[Class], list[Class]]:
    done = [c for c in classes if satisfies(problem, c[1])]
    return done, [c for c in classes if c not in done]


def outer_of(problem: Problem, vector: Vector) -> Vector:
    for a in range(len(vector)):
        vector = raised(problem, vector, a, 1)
    return vector


def first_phase(problem: Problem, open_classes: list[Class]) -> tuple[list[Class], list[Class]]:
    """Inside one outer cluster."""
    done: list[Class] = []
    order = sorted(range(len(problem.trees)), key=lambda a: (steps(problem, a, 0, 1), a))
    for a in order:
        groups: dict[Vector, list[Class]] = {}
        for found in open_classes:
            groups.setdefault(raised(problem, found[0], a, 1), []).append(found)
        for vector, members in groups.items():
            rows = tuple(sorted(row for _, own in members for row in own))
            if len(members) >= 2 and satisfies(problem, rows):
                done.append((vector, rows))
                open_classes = [c for c in open_classes if c not in members]
    for a in order:
        open_classes = join_equal([(raised(problem, vector, a, 1), rows) for vector, rows in open_classes])
        more, open_classes = sort_out(problem, open_classes)
        done += more
    return done, open_classes


def second_phase(problem: Problem, open_classes: list[Class]) -> tuple[list[Class], list[Class]]:
    """All outer clusters together."""
    done: list[Class] = []
    levels = [1] * len(problem.trees)
    while open_classes and (below := [a for a, level in enumerate(levels) if level < problem.height(a)]):
        a = min(below, key=lambda a: (steps(problem, a, levels[a], levels[a] + 1), a))
        levels[a] += 1
        open_classes = join_equal([(raised(problem, vector, a, levels[a]), rows) for vector, rows in open_classes])
        more, open_classes = sort_out(problem, open_classes)
        done += more
    return done, open_classes


def third_phase(problem: Problem, done: list[Class], rows: list[int]) -> list[Class]:
    """Remaining rows go to the nearest class that accepts them; if one fits nowhere, all remaining rows are merged."""
    for number, row in enumerate(rows):
        own = problem.leaf_vector(row)
        bearing = [c for c in done if satisfies(problem, (*c[1], row))]
        if not bearing:
            left = tuple(rows[number:])
            vector = problem.leaf_vector(left[0])
            for other in left[1:]:
                vector = common(problem, vector, problem.leaf_vector(other))
            return merge_small(problem, join_equal([*join_equal(done), (vector, left)]), stub=False)
        nearest = min(bearing, key=lambda c: (distance(problem, own, c[0], 1, len(c[1])), c[1][0]))
        done = [c for c in done if c is not nearest]
        done.append((common(problem, own, nearest[0]), tuple(sorted((*nearest[1], row)))))
    return join_equal(done)


def two_level(problem: Problem) -> list[Class]:
    done, rest = sort_out(problem, by_vector(problem, list(range(len(problem.rows)))))
    outer: dict[Vector, list[Class]] = {}
    for found in rest:
        outer.setdefault(outer_of(problem, found[0]), []).append(found)
    rest = []
    for cluster in sorted(outer):
        more, still = first_phase(problem, outer[cluster])
        done, rest = done + more, rest + still
    more, rest = second_phase(problem, rest)
    return third_phase(problem, done + more, sorted(row for _, rows in rest for row in rows))


def sequence_number(ranks: list[int], choices: list[int]) -> int:
    """Return the number of an inner cluster inside its outer one (D.6)."""
    return 1 + sum((rank - 1) * prod(choices[i + 1 :]) for i, rank in enumerate(ranks))


def similar_sets(choices: list[int], i: int) -> list[list[int]]:
    """Return the numbers of clusters that are equal but for attribute i, by strides (D.6)."""
    stride, size = prod(choices[i + 1 :]), prod(choices)
    starts = range(1, size + 1, stride * choices[i])
    return [[b + o + r * stride for r in range(choices[i])] for b in starts for o in range(stride)]


def similar_by_vector(choices: list[int], i: int) -> list[list[int]]:
    """The same without arithmetic: group the vectors of ranks with attribute i left out."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for ranks in product(*(range(1, c + 1) for c in choices)):
        groups.setdefault((*ranks[:i], *ranks[i + 1 :]), []).append(sequence_number(list(ranks), choices))
    return sorted(groups.values())
