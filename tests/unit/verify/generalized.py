"""A small table that keeps its promise, and ways to spoil it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from disjoin.model import Hierarchy, KAnonymity, Role, Table, Violation

ROLES = {"job": Role.QUASI_IDENTIFIER, "age": Role.QUASI_IDENTIFIER, "disease": Role.SENSITIVE}
TREE = Hierarchy.from_rows(
    [["cook", "kitchen", "*"], ["baker", "kitchen", "*"], ["nurse", "ward", "*"], ["doctor", "ward", "*"], ["?", "*"]]
)
PROMISE = KAnonymity(2, ("job", "age"), ("disease",), Fraction(1, 2), 2, Fraction(2))
ORIGINAL = [
    ("nurse", "31", "cold", "x"),
    ("cook", "20", "flu", "x"),
    ("doctor", "31", "flu", "y"),
    ("baker", "25.5", "gout", "y"),
    ("?", "7", "flu", "x"),
    ("nurse", "?", "gout", "z"),
]
SOUND = [
    ("*", "*", "flu", "x"),
    ("*", "*", "gout", "z"),
    ("kitchen", "[20, 25.5]", "flu", "x"),
    ("kitchen", "[20, 25.5]", "gout", "y"),
    ("ward", "31", "cold", "x"),
    ("ward", "31", "flu", "y"),
]
PARTS = np.array([4, 2, 5, 3, 0, 1])
Rows = list[tuple[str, ...]]


def table_of(rows: Rows, names: str = "job age disease note", **roles: Role) -> Table:
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names.split())}
    known = {name: role for name, role in {**ROLES, **roles}.items() if name in columns}
    return Table.from_columns(columns, known).with_hierarchies({"job": TREE} if "job" in columns else {})


def changed(row: int, **cells: str) -> Rows:
    """Return the sound rows, in order, one of them with other cells."""
    cell = dict(zip(("job", "age", "disease", "note"), SOUND[row], strict=True)) | cells
    return sorted([*SOUND[:row], tuple(cell.values()), *SOUND[row + 1 :]])


def names(violations: tuple[Violation, ...]) -> set[str]:
    return {violation.invariant for violation in violations}
