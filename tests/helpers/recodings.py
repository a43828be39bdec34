"""Small tables with trees, for the twins of local recoding and for the method."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from disjoin.methods.generalization import Generalization
from disjoin.methods.generalization.choices import ALGORITHMS
from disjoin.methods.generalization.encoding import encoded
from disjoin.methods.generalization.requirements import roles_of
from disjoin.model import Hierarchy, Role, Table
from oracle import generalization as twin

ASKED = [
    {},
    {},
    {"alpha": Fraction(1, 2)},
    {"alpha": Fraction(2, 3), "l": 2},
    {"alpha": Fraction("0.7071067811865475")},
    {"l": 2},
    {"l": 3},
    {"entropy_l": Fraction(2)},
    {"entropy_l": Fraction(3, 2), "alpha": Fraction(3, 4)},
    {"entropy_l": Fraction("1.88")},
]


@st.composite
def trees(draw, least_height=1):
    """Rows of a hierarchy: up to six leaves, up to three levels above them, some leaves padded."""
    n_leaves, height = draw(st.integers(1, 6)), draw(st.integers(least_height, 3))
    rows = []
    for leaf in range(n_leaves):
        path, group = [f"v{leaf}"], leaf
        for level in range(1, height):
            group = draw(st.integers(0, 2)) if level == 1 else group // 2
            path.append(f"n{level}-{group}")
        rows.append((*path, "*"))
    return rows if height == 1 or draw(st.booleans()) else [(rows[0][0], "*"), *rows[1:], ("zz", *rows[0][1:])]


@st.composite
def problems(draw, most_rows=16, asked=ASKED):
    """A table that reaches what is asked, as the twin takes it: rows sorted by content."""
    found = [draw(trees()) for _ in range(draw(st.integers(1, 3)))]
    n_secrets = draw(st.integers(1, 2))
    leaves = [st.sampled_from([row[0] for row in rows]) for rows in found]
    row = st.tuples(st.tuples(*leaves), st.tuples(*[st.sampled_from("abcd")] * n_secrets))
    rows = sorted(draw(st.lists(row, min_size=2, max_size=most_rows)))
    problem = twin.Problem(
        tuple(padded(tree) for tree in found),
        tuple(quasi for quasi, _ in rows),
        tuple(secret for _, secret in rows),
        k=draw(st.integers(2, 4)),
        weights=draw(st.sampled_from(["uniform", "height"])),
        **draw(st.sampled_from(asked)),
    )
    assume(twin.satisfies(problem, range(len(rows))))
    return problem


def padded(rows):
    deepest = max(map(len, rows))
    return {row[0]: (row[0],) * (deepest - len(row)) + tuple(row) for row in rows}


def table_of(problem, order=None):
    """The problem's rows, in some order, as a table with roles and hierarchies."""
    order = range(len(problem.rows)) if order is None else order
    quasi = {f"q{a}": [problem.rows[i][a] for i in order] for a in range(len(problem.trees))}
    secret = {f"s{j}": [problem.secrets[i][j] for i in order] for j in range(len(problem.secrets[0]))}
    roles = dict.fromkeys(quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(secret, Role.SENSITIVE)
    hierarchies = {f"q{a}": Hierarchy.from_rows(tree.values()) for a, tree in enumerate(problem.trees)}
    return Table.from_columns(quasi | secret, roles).with_hierarchies(hierarchies)


def settings_of(problem, algorithm, **more):
    asked = {"alpha": problem.alpha, "l": problem.l, "entropy_l": problem.entropy_l}
    asked = {name: value for name, value in asked.items() if value != 1}
    return Generalization(k=problem.k, algorithm=algorithm, weights=problem.weights, **asked, **more)


def classes_of(problem, algorithm, **more):
    """The classes that an algorithm finds, as the twin writes them; the rows keep their order."""
    table = table_of(problem)
    rows = encoded(table, roles_of(table))
    order = np.argsort(rows.rows)
    rows = replace(rows, leaves=rows.leaves[order], sensitive=rows.sensitive[order], rows=np.arange(len(table)))
    found = ALGORITHMS[algorithm].load()(rows, settings_of(problem, algorithm, **more), lambda *_: None)
    members = {}
    for row, number in enumerate(found.class_of_row.tolist()):
        members.setdefault(number, []).append(row)
    named = []
    for number, vector in enumerate(found.vectors.tolist()):
        nodes = [
            (int(tree.levels[node]), tree.names[node].as_py())
            for tree, node in zip(rows.hierarchies, vector, strict=True)
        ]
        named.append((tuple(nodes), tuple(members[number])))
    return sorted(named)
