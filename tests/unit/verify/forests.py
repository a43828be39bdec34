"""Tiny published forests: some honest, some sound, some broken in every way.

Forests are made by a seeded generator and not drawn part by part: hypothesis cannot shrink them, but they are tiny
anyway, and fifty times as many are tried in the same time.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from hypothesis import strategies as st

from oracle.inspection import canonical, nodes_of

Tree = dict[str, Any]
Chunk = dict[str, Any]

LETTERS = "abcdef"


def leaf(size: int, chunks: list[dict[str, int]], terms: str = "") -> Tree:
    """Write a leaf briefly: chunks as {"ab": 2, "a": 1}, the term chunk as a string of letters."""
    return {"size": size, "record_chunks": [chunk(bag) for bag in chunks], "term_chunk": list(terms)}


def joint(children: list[Tree], chunks: list[dict[str, int]]) -> Tree:
    size = sum(child["size"] for child in children)
    return {"size": size, "shared_chunks": [chunk(bag) for bag in chunks], "children": children}


def chunk(bag: dict[str, int]) -> Chunk:
    return {"subrecords": [[list(terms), count] for terms, count in bag.items()]}


def slots(trees: list[Tree]) -> int:
    return sum(max(0, node["size"]) for node in nodes_of(trees) if not node.get("children"))


def seeded(make: Any) -> st.SearchStrategy[Any]:
    """Turn a function of a random generator into a strategy."""
    return st.integers(0, 2**32 - 1).map(lambda seed: make(Random(seed)))


# ------------------------------------------------------------------ anything goes


def _rarely(random: Random, odd: bool) -> bool:
    return odd and random.random() < 0.05


def _any_chunk(random: Random, letters: str, odd: bool) -> Chunk:
    subrecords = []
    for _ in range(0 if _rarely(random, odd) else random.randint(1, 3)):
        length = 0 if _rarely(random, odd) else random.choice([1, 1, 2, 3])
        terms = random.sample(letters, min(length, len(letters)))
        if _rarely(random, odd):
            terms += terms[:1]
        subrecords.append([terms, 0 if _rarely(random, odd) else random.randint(1, 3)])
    return {"subrecords": subrecords}


def _any_tree(random: Random, odd: bool, depth: int) -> Tree:
    letters = random.choice([LETTERS, "abc", "cdef", "ef", "eE"])
    chunks = [_any_chunk(random, letters, odd) for _ in range(random.choice([0, 1, 1, 2]))]
    if depth == 0 or random.random() < 0.5:
        terms = random.sample(letters, random.choice([0, 0, 1, 2]))
        if _rarely(random, odd):
            terms += terms[:1]
        size = random.randint(-1, 0) if _rarely(random, odd) else random.randint(1, 4)
        return {"size": size, "record_chunks": chunks, "term_chunk": terms}
    children = [_any_tree(random, odd, depth - 1) for _ in range(1 if _rarely(random, odd) else random.randint(2, 3))]
    tree = joint(children, [])
    tree["shared_chunks"] = chunks or ([] if _rarely(random, odd) else [chunk({"f": 2})])
    tree["size"] += _rarely(random, odd)
    tree["term_chunk"] = ["a"] if _rarely(random, odd) else []
    return tree


def any_forest(random: Random) -> list[Tree]:
    """A forest that may break anything, in canonical order or not."""
    odd = random.random() < 0.5
    while True:
        trees = [_any_tree(random, odd, depth=2) for _ in range(random.choice([1, 1, 2]))]
        if slots(trees) <= 8:
            return canonical(trees) if random.random() < 0.6 else trees


# ------------------------------------------------------------------ mostly sound


def _strong_chunk(random: Random, letters: str, size: int, k: int) -> Chunk:
    """A chunk of one or two terms, often k^m-anonymous."""
    if len(letters) == 1 or random.random() < 0.4:
        return chunk({letters[0]: random.randint(min(k, size), size)})
    both = random.randint(0, size)
    first = random.randint(0, size - both)
    second = random.randint(0, size - both - first)
    bag = {letters[0]: first, letters: both, letters[1]: second}
    return chunk({terms: count for terms, count in bag.items() if count} or {letters[0]: size})


def _strong_leaf(random: Random, letters: list[str], k: int) -> Tree:
    size = random.randint(k, k + 1)
    tree = leaf(size, [], letters.pop() if random.random() < 0.4 else "")
    for _ in range(random.randint(0 if tree["term_chunk"] else 1, 2)):
        mine = "".join(sorted(letters.pop() for _ in range(random.randint(1, 2))))
        tree["record_chunks"].append(_strong_chunk(random, mine, size, k))
    return tree


def strong_forest(random: Random, k: int, *, daring: bool = False) -> list[Tree]:
    """A forest that mostly keeps V1-V8; terms are fresh everywhere unless `daring`, which may break V9."""
    letters = list("zyxwvutsrqponmlkjihgfedcba")
    tree = _strong_leaf(random, letters, k)
    for _ in range(random.choice([0, 1, 1, 2])):
        tree = joint([tree, _strong_leaf(random, letters, k)], [])
        below = sorted(
            {t for node in nodes_of([tree]) for c in node.get("record_chunks", []) for t in c["subrecords"][0][0]}
        )
        own = random.choice(below) if daring and below and random.random() < 0.7 else letters.pop()
        tree["shared_chunks"] = [_strong_chunk(random, own, k, k)]
    others = [_strong_leaf(random, letters, k)] if random.random() < 0.2 else []
    return canonical([tree, *others])


# ------------------------------------------------------------------ made from records


def honest(random: Random) -> tuple[list[frozenset[str]], list[Tree], list[int]]:
    """Records, what is published of them (any k, cut along random domains), and the leaf of each record."""
    parts = [
        [frozenset(random.sample("abcde", random.randint(1, 4))) for _ in range(random.randint(1, 3))]
        for _ in range(random.randint(1, 3))
    ]
    shared = frozenset(random.sample("de", random.randint(0, 2))) if len(parts) >= 2 else frozenset()
    left_over: Counter[frozenset[str]] = Counter()
    leaves: list[Tree] = []
    records: list[frozenset[str]] = []
    for part in parts:
        made = _honest_leaf(random, part, shared, left_over)
        made["records"] = list(range(len(records), len(records) + len(part)))
        records += part
        leaves.append(made)
    trees = leaves
    if left_over:
        trees = [joint(leaves, [])]
        trees[0]["shared_chunks"] = [{"subrecords": [[sorted(terms), n] for terms, n in left_over.items()]}]
    trees = canonical(trees)
    part_of_record = [-1] * len(records)
    for number, node in enumerate(nodes_of(trees)):
        for record in node.pop("records", ()):
            part_of_record[record] = number
    return records, trees, part_of_record


def _honest_leaf(random: Random, part: list[frozenset[str]], shared: frozenset[str], left_over: Counter[Any]) -> Tree:
    """Cut the records of a leaf; what is shared, and not kept in the leaf's own chunks, goes to `left_over`."""
    terms = sorted(frozenset().union(*part))
    kept = {term for term in terms if term not in shared or random.random() < 0.2}
    place = {term: random.randint(0, 1 if term in shared else 2) for term in terms if term in kept}
    made = leaf(len(part), [], "".join(term for term, where in place.items() if where == 2))
    for number in (0, 1):
        bag = Counter(frozenset(t for t in record if place.get(t) == number) for record in part)
        bag.pop(frozenset(), None)
        if bag:
            made["record_chunks"].append({"subrecords": [[sorted(terms), n] for terms, n in bag.items()]})
    for record in part:
        rest = record & shared - kept
        if rest:
            left_over[rest] += 1
    return made
