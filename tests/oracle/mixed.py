"""RT-G1 by trying all reconstructions of tiny mixed releases, and R1-R7 word by word. Standard library only.

Trees are nested as those of clusters; a leaf also has "rows": [values, terms, count], values a tuple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from oracle.reconstruction import (
    Record,
    State,
    Tree,
    _nodes,
    _place_part,
    _place_term,
    bag_of,
    chunks_of,
    leaf_paths,
    may_take,
    terms_of_chunks,
)

Values = tuple[str, ...]
Person = tuple[Values, Record]
Covers = Callable[[Values, Values], bool]  # whether a published row may be that of a person with these values
MARK = "\0"  # before the number of a row: no term begins so


def rows_of(leaf: Tree) -> list[tuple[Values, Record]]:
    """The rows of a leaf, one for each person."""
    return [(tuple(values), frozenset(terms)) for values, terms, count in leaf["rows"] for _ in range(count)]


def standing(leaf: Tree) -> Record:
    """I_0: the terms that are published with rows."""
    return frozenset(term for _, terms in rows_of(leaf) for term in terms)


def reconstructions(tree: Tree, *, may_be_empty: bool = False) -> Iterator[list[tuple[Values, Record]]]:
    """Every way to reconstruct the people of a tree: rows are on the slots, and all parts are placed on them."""
    paths = leaf_paths(tree)
    names = sorted({values for path in paths for values, _ in rows_of(path[-1])})
    number = {values: f"{MARK}{i}" for i, values in enumerate(names)}
    start = tuple(
        tuple(sorted((False, (number[values], *sorted(terms))) for values, terms in rows_of(path[-1])))
        for path in paths
    )
    states: set[State] = {start}
    for node in _nodes(tree):
        for chunk in chunks_of(node):
            for terms in sorted(bag_of(chunk).elements(), key=sorted):
                allowed = [leaf for leaf, path in enumerate(paths) if _may_take(path, node, terms)]
                states = _place_part(states, terms, allowed)
            states = {tuple(tuple(sorted((False, t) for _, t in leaf)) for leaf in state) for state in states}
    for leaf, path in enumerate(paths):
        for term in path[-1].get("term_chunk", ()):
            states = _place_term(states, leaf, term)
    for state in states:
        people = [_person(slot, names) for leaf in state for _, slot in leaf]
        if may_be_empty or all(terms for _, terms in people):
            yield people


def _may_take(path: tuple[Tree, ...], owner: Tree, terms: Record) -> bool:
    return may_take(path, owner, terms) and (owner is path[-1] or not terms & standing(path[-1]))


def _person(slot: tuple[str, ...], names: list[Values]) -> tuple[Values, Record]:
    row = next(term for term in slot if term.startswith(MARK))
    return names[int(row[1:])], frozenset(slot) - {row}


def exposed(
    trees: list[Tree], people: list[Person], k: int, m: int, covers: Covers, *, may_be_empty: bool = False
) -> list[tuple[Values, Record, int]]:
    """Known values and terms without k candidates in any reconstruction, with the most that one has."""
    wanted = {
        (values, frozenset(known))
        for values, terms in people
        for size in range(m + 1)
        for known in combinations(sorted(terms), size)
    }
    most: Counter[tuple[Values, Record]] = Counter()
    for tree in trees:
        here: Counter[tuple[Values, Record]] = Counter()
        for world in reconstructions(tree, may_be_empty=may_be_empty):
            for values, known in wanted:
                found = sum(covers(row, values) and known <= terms for row, terms in world)
                here[values, known] = max(here[values, known], found)
        most.update(here)
    return [
        (values, known, most[values, known]) for values, known in sorted(wanted, key=repr) if most[values, known] < k
    ]


def violated(trees: list[Tree], k: int, m: int, *, may_be_empty: bool = False) -> set[str]:
    """Return which of R1-R4 do not hold."""
    leaves = [path[-1] for tree in trees for path in leaf_paths(tree)]
    holds = {
        "R1": all(len(rows_of(leaf)) == leaf["size"] for leaf in leaves),
        "R2": all(_is_crowded(leaf, k, m) for leaf in leaves),
        "R3": not any(standing(path[-1]) & _elsewhere(path) for tree in trees for path in leaf_paths(tree)),
        "R4": may_be_empty or all(_can_be_filled(leaf, k, m) for leaf in leaves),
    }
    return {name for name, held in holds.items() if not held}


def _is_crowded(leaf: Tree, k: int, m: int) -> bool:
    rows = rows_of(leaf)
    return all(
        sum(other == values and set(known) <= theirs for other, theirs in rows) >= k
        for values, terms in rows
        for size in range(m + 1)
        for known in combinations(sorted(terms), size)
    )


def _elsewhere(path: tuple[Tree, ...]) -> Record:
    return frozenset(path[-1].get("term_chunk", ())).union(*(terms_of_chunks(node) for node in path))


def _can_be_filled(leaf: Tree, k: int, m: int) -> bool:
    if leaf.get("term_chunk"):
        return True
    parts = sum(sum(bag_of(chunk).values()) for chunk in chunks_of(leaf))
    empty = sum(not terms for _, terms in rows_of(leaf))
    if not empty:
        return True
    h = max(1, min(m, len(chunks_of(leaf))))
    return parts >= min(empty, leaf["size"] - k) + k * h
