"""Names that stand at several levels of a hierarchy for different things, told apart by their level.

Catalogues do that: there is the item detergent, and the category detergent, which has softener too. Where every row has
a name for every level, as in files of ARX, the level says which one is meant. What is published is a name alone, so
each must mean one node: the item keeps its name, and the category becomes `detergent (level 1)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from disjoin.words import counted

Rows = Sequence[Sequence[str]]


def told_apart(rows: Rows) -> tuple[Rows, tuple[str, ...]]:
    """Return the rows with one name per node, and the names that were made up; rows of different lengths as they are.

    A leaf keeps its name, and so does the root, unless a leaf has it. A name that is merely repeated upwards, with the
    same leaves below it, stays one node.

    >>> told_apart([["detergent", "detergent", "*"], ["softener", "detergent", "*"]])
    ([['detergent', 'detergent (level 1)', '*'], ['softener', 'detergent (level 1)', '*']], ('detergent (level 1)',))
    """
    if len({*map(len, rows)}) != 1:
        return rows, ()
    levels = [{*level} for level in zip(*rows, strict=True)]
    repeated = {name for name, times in Counter(name for level in levels for name in level).items() if times > 1}
    taken = set().union(*levels)
    renamed: dict[tuple[int, str], str] = {}
    for name, below in _places(rows, repeated).items():
        nodes = _nodes(below)
        is_root_kept = nodes[-1][-1] == len(levels) - 1 and nodes[0][0] > 0
        for node in nodes[:-1] if is_root_kept else nodes[1:]:
            new = _free(f"{name} (level {node[0]})", taken)
            taken.add(new)
            renamed |= {(level, name): new for level in node}
    if not renamed:
        return rows, ()
    told = [[renamed.get(cell, cell[1]) for cell in enumerate(row)] for row in rows]
    return told, tuple(sorted({*renamed.values()}))


def told_apart_words(names: Sequence[str]) -> str:
    """Say which names were made up.

    >>> told_apart_words(("detergent (level 1)",))
    "a name stands at two levels for different things: the upper one is called 'detergent (level 1)'"
    """
    if len(names) == 1:
        return f"a name stands at two levels for different things: the upper one is called {names[0]!r}"
    upper = counted(len(names), "node")
    return f"names stand at several levels for different things: {upper} got the level added, such as {names[0]!r}"


def _places(rows: Rows, names: set[str]) -> dict[str, dict[int, list[int]]]:
    """Return for each of the names, by level, the rows that have it there."""
    found: dict[str, dict[int, list[int]]] = {name: {} for name in sorted(names)}
    for place, row in enumerate(rows):
        for level, name in enumerate(row):
            if name in found:
                found[name].setdefault(level, []).append(place)
    return found


def _nodes(below: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Return the levels of a name, those together that follow each other and have the same rows below them."""
    nodes: list[list[int]] = []
    for level in sorted(below):
        if nodes and level == nodes[-1][-1] + 1 and below[level] == below[level - 1]:
            nodes[-1].append(level)
        else:
            nodes.append([level])
    return nodes


def _free(wanted: str, taken: set[str]) -> str:
    """Return a name that nothing else has."""
    while wanted in taken:
        wanted += "'"
    return wanted
