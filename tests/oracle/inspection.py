"""The invariants V1-V12 and O1-O7 word by word on the nested form (sections A.6-A.11). Standard library only."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from oracle.reconstruction import (
    Record,
    Tree,
    bag_of,
    chunks_of,
    exists,
    is_joint,
    leaf_paths,
    runs_of,
    terms_of_chunks,
)


def nodes_of(trees: list[Tree]) -> list[Tree]:
    """Return all nodes in pre-order: a node's place here is its number."""
    return [node for tree in trees for node in [tree, *nodes_of(tree.get("children", []))]]


def leaves_below(node: Tree) -> list[Tree]:
    return [path[-1] for path in leaf_paths(node)]


def strictly_below(node: Tree) -> list[Tree]:
    return nodes_of(node.get("children", []))


def domain(chunk: dict[str, Any]) -> Record:
    return frozenset(term for terms in bag_of(chunk) for term in terms)


def size_of(chunk: dict[str, Any]) -> int:
    return sum(bag_of(chunk).values())


def term_chunk(node: Tree) -> Record:
    return frozenset(node.get("term_chunk", ()))


# ------------------------------------------------------------------ V1-V12


def violated(trees: list[Tree], k: int, m: int, l: int = 1, sensitive: tuple[str, ...] = ()) -> set[str]:  # noqa: E741
    """Return the names of the invariants that do not hold."""
    nodes = nodes_of(trees)
    leaves = [node for node in nodes if not is_joint(node)]
    joints = [node for node in nodes if is_joint(node)]
    holds = {
        "V1": all(map(is_well_formed, nodes)),
        "V2": all(size_of(chunk) <= node["size"] for node in nodes for chunk in chunks_of(node)),
        "V3": all(are_disjoint([*map(domain, chunks_of(leaf)), term_chunk(leaf)]) for leaf in leaves),
        "V4": all(
            are_disjoint([domain(chunk) for chunk in chunks_of(joint)])
            and not any(terms_of_chunks(joint) & term_chunk(leaf) for leaf in leaves_below(joint))
            for joint in joints
        ),
        "V5": all(is_km_anonymous(chunk, k, m) for leaf in leaves for chunk in chunks_of(leaf)),
        "V6": all(leaf["size"] >= (max(k, l) if has_sensitive(leaf, sensitive) else k) for leaf in leaves),
        "V7": all(term_chunk(leaf) or counts_suffice(leaf, k, m) for leaf in leaves),
        "V8": all(
            is_km_anonymous(chunk, k, m) and (not domain(chunk) & below(joint) or min(bag_of(chunk).values()) >= k)
            for joint in joints
            for chunk in chunks_of(joint)
        ),
        "V9": not any(domain(chunk) & below(joint) for joint in joints for chunk in chunks_of(joint)),
        "V10": all(exists(tree) for tree in trees),
        "V11": not any(is_secret(term, sensitive) for node in nodes for term in terms_of_chunks(node))
        and not any(forces_association(path, l, sensitive) for tree in trees for path in leaf_paths(tree)),
        "V12": is_canonical(trees),
    }
    return {name for name, held in holds.items() if not held}


def is_well_formed(node: Tree) -> bool:
    runs = [run for chunk in chunks_of(node) for run in runs_of(chunk)]
    terms = list(node.get("term_chunk", ()))
    right_kind = not is_joint(node) or (
        len(node["children"]) >= 2
        and len(chunks_of(node)) >= 1
        and not terms
        and node["size"] == sum(child["size"] for child in node["children"])
    )
    return (
        node["size"] >= 1
        and right_kind
        and all(runs_of(chunk) for chunk in chunks_of(node))
        and all(count >= 1 and row and len(set(row)) == len(row) and all(row) for row, count in runs)
        and len(set(terms)) == len(terms)
        and all(terms)
    )


def are_disjoint(sets: list[Record]) -> bool:
    return sum(map(len, sets)) == len(frozenset().union(*sets))


def is_km_anonymous(chunk: dict[str, Any], k: int, m: int) -> bool:
    support: Counter[tuple[str, ...]] = Counter()
    for terms, count in bag_of(chunk).items():
        for size in range(1, m + 1):
            for itemset in combinations(sorted(terms), size):
                support[itemset] += count
    return all(count >= k for count in support.values())


def has_sensitive(leaf: Tree, sensitive: tuple[str, ...]) -> bool:
    return any(is_secret(term, sensitive) for term in terms_of_chunks(leaf) | term_chunk(leaf))


def word(text: str) -> str:
    """What a reader takes a term for, whatever its spelling; the spellings here have no invisible letters."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def is_secret(term: str, sensitive: tuple[str, ...]) -> bool:
    return word(term) in map(word, sensitive)


def counts_suffice(leaf: Tree, k: int, m: int) -> bool:
    h = max(1, min(m, len(chunks_of(leaf))))
    return sum(map(size_of, chunks_of(leaf))) >= leaf["size"] + k * (h - 1)


def below(joint: Tree) -> Record:
    """T^r: the terms of record chunks of the leaves and of shared chunks of proper descendants."""
    return frozenset(term for node in strictly_below(joint) for term in terms_of_chunks(node))


def forces_association(path: tuple[Tree, ...], l: int, sensitive: tuple[str, ...]) -> bool:  # noqa: E741
    """The way to a leaf: its own subrecords and the shared ones above it are all that can fill its records."""
    leaf, fillers = path[-1], sum(size_of(chunk) for node in path for chunk in chunks_of(node))
    alone = len(set(map(word, term_chunk(leaf)))) == 1 and all(is_secret(term, sensitive) for term in term_chunk(leaf))
    return alone and (leaf["size"] - fillers) * l > leaf["size"]


# ------------------------------------------------------------------ canonical order


# Keys are compared after the insides have been sorted; that the insides are sorted is asked apart.


def chunk_key(chunk: dict[str, Any]) -> list[tuple[str, ...]]:
    return sorted(tuple(sorted(terms)) for terms in bag_of(chunk).elements())


def node_key(node: Tree) -> tuple[Any, ...]:
    chunks = [chunk_key(chunk) for chunk in chunks_of(node)]
    if is_joint(node):
        return node["size"], 1, chunks, [node_key(child) for child in node["children"]]
    return node["size"], 0, chunks, sorted(term_chunk(node))


def is_canonical(trees: list[Tree]) -> bool:
    def ascends(things: list[Any]) -> bool:
        return all(a <= b for a, b in pairwise(things))

    def strictly(things: list[Any]) -> bool:
        return all(a < b for a, b in pairwise(things))

    nodes = nodes_of(trees)
    families = [trees, *(node["children"] for node in nodes if is_joint(node))]
    return (
        all(strictly(list(terms)) for node in nodes for chunk in chunks_of(node) for terms, _ in runs_of(chunk))
        and all(strictly([terms for terms, _ in runs_of(chunk)]) for node in nodes for chunk in chunks_of(node))
        and all(strictly(list(node.get("term_chunk", ()))) for node in nodes)
        and all(ascends([chunk_key(chunk) for chunk in chunks_of(node)]) for node in nodes)
        and all(ascends([node_key(node) for node in family]) for family in families)
    )


def canonical(trees: list[Tree]) -> list[Tree]:
    """Return the same forest in canonical order, run-length coded; what else a node carries is kept."""
    return sorted(map(_canonical_node, trees), key=node_key)


def _canonical_node(node: Tree) -> Tree:
    chunks = [
        {"subrecords": [[list(terms), count] for terms, count in sorted((tuple(sorted(t)), c) for t, c in bag.items())]}
        for bag in map(bag_of, chunks_of(node))
    ]
    chunks.sort(key=chunk_key)
    if is_joint(node):
        return {**node, "shared_chunks": chunks, "children": canonical(node["children"])}
    return {**node, "record_chunks": chunks, "term_chunk": sorted(term_chunk(node))}


# ------------------------------------------------------------------ O1-O7


def violated_beside(
    trees: list[Tree], records: list[Record], part_of_record: list[int], suppressed: int = 0
) -> set[str]:
    """Return which of O1-O6 do not hold, given for every record the number of its leaf (-1: suppressed)."""
    nodes = nodes_of(trees)
    paths = dict(numbered_paths(trees))
    mine = {number: [r for r, leaf in zip(records, part_of_record, strict=True) if leaf == number] for number in paths}
    kept = [r for r, leaf in zip(records, part_of_record, strict=True) if leaf >= 0]
    places = {number: [places_of(path, record) for record in mine[number]] for number, path in paths.items()}
    made: dict[int, Counter[Record]] = {id(chunk): Counter() for node in nodes for chunk in chunks_of(node)}
    for cut in (cut for cuts in places.values() for cut in cuts):
        for key, terms in cut.items():
            if key in made:
                made[key][frozenset(terms)] += 1
    published = frozenset(term for node in nodes for term in terms_of_chunks(node) | term_chunk(node))
    holds = {
        "O1": all(len(mine[number]) == paths[number][-1]["size"] for number in paths)
        and part_of_record.count(-1) == suppressed
        and sum(tree["size"] for tree in trees) + suppressed == len(records)
        and set(part_of_record) <= {-1, *paths},
        "O2": not any("nowhere" in cut for cuts in places.values() for cut in cuts),
        "O3": all(made[id(c)] == bag_of(c) for node in nodes if not is_joint(node) for c in chunks_of(node)),
        "O4": all(term_chunk(path[-1]) <= frozenset().union(*mine[number]) for number, path in paths.items()),
        "O5": all(made[id(c)] == bag_of(c) for node in nodes if is_joint(node) for c in chunks_of(node)),
        "O6": published == frozenset().union(*kept),
    }
    return {name for name, held in holds.items() if not held}


def numbered_paths(trees: list[Tree]) -> Iterator[tuple[int, tuple[Tree, ...]]]:
    numbers = {id(node): number for number, node in enumerate(nodes_of(trees))}
    for tree in trees:
        for path in leaf_paths(tree):
            yield numbers[id(path[-1])], path


def places_of(path: tuple[Tree, ...], record: Record) -> dict[Any, set[str]]:
    """Cut a record of a leaf: each term goes to the lowest chunk on the way up that has it."""
    cut: dict[Any, set[str]] = {}
    for term in record:
        found: Any = "terms" if term in term_chunk(path[-1]) else None
        for node in reversed(path):
            for chunk in chunks_of(node):
                if found is None and term in domain(chunk):
                    found = id(chunk)
        cut.setdefault("nowhere" if found is None else found, set()).add(term)
    return cut


def lower_bound(trees: list[Tree], itemset: Record) -> int:
    nodes = nodes_of(trees)
    seen = sum(count for n in nodes for c in chunks_of(n) for terms, count in bag_of(c).items() if itemset <= terms)
    return seen + (sum(itemset <= term_chunk(node) for node in nodes) if len(itemset) == 1 else 0)


def upper_bound(tree: Tree, itemset: Record, *, is_root: bool = True) -> int:
    """The bound for forms that satisfy V9: exact in a leaf, without the floor term inside a joint."""
    parts = [(chunk, itemset & domain(chunk)) for chunk in chunks_of(tree) if itemset & domain(chunk)]
    within = [sum(n for terms, n in bag_of(chunk).items() if part <= terms) for chunk, part in parts]
    if is_joint(tree):
        rest = itemset - terms_of_chunks(tree)
        return min([sum(upper_bound(child, rest, is_root=False) for child in tree["children"]), *within])
    if not itemset <= terms_of_chunks(tree) | term_chunk(tree):
        return 0
    bound = min([tree["size"], *within])
    spare = sum(map(size_of, chunks_of(tree))) - tree["size"]
    if is_root and not term_chunk(tree) and len(parts) >= 2:
        bound = min(bound, max(0, spare // (len(parts) - 1)))
    return bound


def upper_bound_any_mode(tree: Tree, itemset: Record) -> int:
    """The bound that needs no V9: leaf by leaf, each term at its lowest place."""
    return sum(_leaf_bound(path, itemset) for path in leaf_paths(tree))


def _leaf_bound(path: tuple[Tree, ...], itemset: Record) -> int:
    cut = places_of(path, itemset)
    if "nowhere" in cut:
        return 0
    chunks = {id(chunk): chunk for node in path for chunk in chunks_of(node)}
    within = [sum(n for t, n in bag_of(chunks[key]).items() if part <= t) for key, part in cut.items() if key in chunks]
    bound = min([path[-1]["size"], *within])
    leaf, parts = path[-1], len([key for key in cut if key in chunks])
    if len(path) == 1 and not term_chunk(leaf) and parts >= 2:
        bound = min(bound, max(0, (sum(map(size_of, chunks_of(leaf))) - leaf["size"]) // (parts - 1)))
    return bound
