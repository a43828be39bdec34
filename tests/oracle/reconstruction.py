"""All ways to put tiny published data together again (section A.7), slow and obvious. Standard library only."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

Tree = dict[str, Any]
Record = frozenset[str]
Dataset = tuple[tuple[str, ...], ...]  # records as sorted tuples, sorted: a multiset


def runs_of(chunk: dict[str, Any]) -> list[tuple[tuple[str, ...], int]]:
    """Return the subrecords of a chunk with their counts, as written; equal plain neighbours are one run."""
    runs: list[tuple[tuple[str, ...], int]] = []
    for entry in chunk["subrecords"]:
        coded = len(entry) > 0 and isinstance(entry[0], list)
        terms, count = (tuple(entry[0]), entry[1]) if coded else (tuple(entry), 1)
        if runs and not coded and runs[-1][0] == terms:
            runs[-1] = (terms, runs[-1][1] + count)
        else:
            runs.append((terms, count))
    return runs


def bag_of(chunk: dict[str, Any]) -> Counter[Record]:
    """Return the contents of a chunk: non-empty subrecords with a count of at least one."""
    bag: Counter[Record] = Counter()
    for terms, count in runs_of(chunk):
        if terms and count >= 1:
            bag[frozenset(terms)] += count
    return bag


def is_joint(tree: Tree) -> bool:
    return bool(tree.get("children"))


def chunks_of(tree: Tree) -> list[dict[str, Any]]:
    return list(tree.get("record_chunks", [])) + list(tree.get("shared_chunks", []))


def terms_of_chunks(tree: Tree) -> Record:
    return frozenset(term for chunk in chunks_of(tree) for terms in bag_of(chunk) for term in terms)


def leaf_paths(tree: Tree, above: tuple[Tree, ...] = ()) -> list[tuple[Tree, ...]]:
    """Return for every leaf the way to it, from the root to the leaf itself."""
    if not is_joint(tree):
        return [(*above, tree)]
    return [path for child in tree["children"] for path in leaf_paths(child, (*above, tree))]


def may_take(path: tuple[Tree, ...], owner: Tree, subrecord: Record) -> bool:
    """Return whether a subrecord of a chunk of `owner` may go to the leaf at the end of the path."""
    leaf = path[-1]
    depth = next((i for i, node in enumerate(path) if node is owner), None)
    if depth is None:
        return False
    if owner is leaf:
        return True
    taken = terms_of_chunks(leaf) | frozenset(leaf.get("term_chunk", ()))
    for between in path[depth + 1 : -1]:
        taken |= terms_of_chunks(between)
    return not subrecord & taken


# A state is, for every leaf, the sorted tuple of its slots; a slot is (has a part of the current chunk, terms).
State = tuple[tuple[tuple[bool, tuple[str, ...]], ...], ...]


def _ordered(state: list[list[tuple[bool, tuple[str, ...]]]]) -> State:
    return tuple(tuple(sorted(leaf)) for leaf in state)


def _with_part(state: State, leaf: int, slot: int, terms: Record, used: bool) -> State:
    changed = [list(slots) for slots in state]
    changed[leaf][slot] = (used, tuple(sorted({*changed[leaf][slot][1], *terms})))
    return _ordered(changed)


def _place_part(states: set[State], terms: Record, allowed: list[int]) -> set[State]:
    """Put one part into each free slot of each allowed leaf."""
    return {
        _with_part(state, leaf, slot, terms, used=True)
        for state in states
        for leaf in allowed
        for slot, (used, _) in enumerate(state[leaf])
        if not used
    }


def _place_term(states: set[State], leaf: int, term: str) -> set[State]:
    """Put a term of the term chunk into every non-empty choice of slots."""
    placed = set()
    for state in states:
        for size in range(1, len(state[leaf]) + 1):
            for chosen in combinations(range(len(state[leaf])), size):
                changed = [list(slots) for slots in state]
                for slot in chosen:
                    changed[leaf][slot] = (False, tuple(sorted({*changed[leaf][slot][1], term})))
                placed.add(_ordered(changed))
    return placed


def _nodes(tree: Tree) -> list[Tree]:
    return [tree] + [node for child in tree.get("children", ()) for node in _nodes(child)]


def _without_term_chunks(tree: Tree) -> tuple[list[tuple[Tree, ...]], set[State]]:
    """Return the ways to the leaves, and every way to place all subrecords."""
    paths = leaf_paths(tree)
    states: set[State] = {tuple(tuple((False, ()) for _ in range(path[-1]["size"])) for path in paths)}
    for node in _nodes(tree):
        for chunk in chunks_of(node):
            for terms in sorted(bag_of(chunk).elements(), key=sorted):
                allowed = [leaf for leaf, path in enumerate(paths) if may_take(path, node, terms)]
                states = _place_part(states, terms, allowed)
            states = {tuple(tuple(sorted((False, t) for _, t in leaf)) for leaf in state) for state in states}
    return paths, states


def reconstructions_of_tree(tree: Tree) -> set[Dataset]:
    """Return every multiset of records that a tree can come from, in the constructive reading."""
    paths, states = _without_term_chunks(tree)
    for leaf, path in enumerate(paths):
        for term in sorted(set(path[-1].get("term_chunk", ()))):
            states = _place_term(states, leaf, term)
    full = [state for state in states if all(terms for leaf in state for _, terms in leaf)]
    return {tuple(sorted(terms for leaf in state for _, terms in leaf)) for state in full}


def exists(tree: Tree) -> bool:
    """V10 by trying everything; term chunks fill any slot of their leaf, if it has one."""
    paths, states = _without_term_chunks(tree)
    fills = [bool(path[-1].get("term_chunk")) for path in paths]
    if any(fill and path[-1]["size"] < 1 for fill, path in zip(fills, paths, strict=True)):
        return False
    return any(
        all(fill or all(terms for _, terms in slots) for fill, slots in zip(fills, state, strict=True))
        for state in states
    )


def count_with(dataset: Dataset, itemset: frozenset[str]) -> int:
    return sum(itemset <= frozenset(record) for record in dataset)


def most_records(trees: list[Tree], itemset: frozenset[str]) -> int:
    """Return in how many records an itemset can be, at most; trees are independent of one another."""
    return sum(max((count_with(d, itemset) for d in reconstructions_of_tree(tree)), default=0) for tree in trees)


def guarantee_breaches(trees: list[Tree], k: int, m: int) -> list[frozenset[str]]:
    """G1 for whatever the original was: itemsets of up to m terms that can occur, but never in k records."""
    most: Counter[frozenset[str]] = Counter()
    for tree in trees:
        here: Counter[frozenset[str]] = Counter()
        for dataset in reconstructions_of_tree(tree):
            there: Counter[frozenset[str]] = Counter()
            for record in dataset:
                for size in range(1, m + 1):
                    there.update(frozenset(itemset) for itemset in combinations(record, size))
            here |= there
        most += here
    return [itemset for itemset, count in most.items() if 0 < count < k]
