"""A generalisation tree as its rows, all padded to one length by repeating the leaf."""

from __future__ import annotations

Rows = dict[str, tuple[str, ...]]


def padded(rows: list[tuple[str, ...]]) -> Rows:
    """Return, for every leaf, the names at levels 0, 1, ... up to the root."""
    deepest = max(len(row) for row in rows)
    return {row[0]: (row[0],) * (deepest - len(row)) + row for row in rows}


def lifted(rows: Rows, leaf: str, level: int) -> str:
    """Return the name that a leaf generalises to."""
    return rows[leaf][level]


def common_ancestor(rows: Rows, left: tuple[int, str], right: tuple[int, str]) -> tuple[int, str]:
    """Return the lowest (level, name) that has all the leaves of two nodes below it."""
    wanted = leaves_under(rows, left) | leaves_under(rows, right)
    nodes = {(level, name) for row in rows.values() for level, name in enumerate(row)}
    above = {node for node in nodes if node[0] >= max(left[0], right[0]) and wanted <= leaves_under(rows, node)}
    return min(above)


def leaves_under(rows: Rows, node: tuple[int, str]) -> set[str]:
    """Return the leaves under a node."""
    return {leaf for leaf, row in rows.items() if row[node[0]] == node[1]}
