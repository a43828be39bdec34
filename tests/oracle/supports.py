"""Supports from the published form, word by word after section A.8, on the nested form. Standard library only."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

from oracle.inspection import (
    domain,
    leaves_below,
    lower_bound,
    nodes_of,
    places_of,
    size_of,
    strictly_below,
    term_chunk,
    upper_bound,
    upper_bound_any_mode,
)
from oracle.reconstruction import Record, Tree, bag_of, chunks_of, is_joint, leaf_paths, may_take, terms_of_chunks


def examine(trees: list[Tree], itemset: Record, once: Fraction = Fraction(1)) -> dict[str, Any]:
    """Return all four answers for an itemset of published data in proper form."""
    if not itemset:
        everyone = sum(tree["size"] for tree in trees)
        return {"seen": everyone, "at_least": everyone, "estimate": Fraction(everyone), "at_most": everyone}
    sharp, most = sharp_lower_bound(trees, itemset), sum(upper(tree, itemset) for tree in trees)
    mean = sum((estimate(tree, itemset, once) for tree in trees), Fraction(0))
    return {
        "seen": lower_bound(trees, itemset),
        "at_least": sharp,
        "estimate": min(Fraction(most), max(Fraction(sharp), mean)),
        "at_most": most,
    }


def keeps_apart(tree: Tree) -> bool:
    """V9, and the half of V4 about term chunks: no term of a joint cluster occurs again below it."""
    return not any(
        terms_of_chunks(joint) & (terms_of_chunks(node) | term_chunk(node))
        for joint in nodes_of([tree])
        if is_joint(joint)
        for node in strictly_below(joint)
    )


def upper(tree: Tree, itemset: Record) -> int:
    return upper_bound(tree, itemset) if keeps_apart(tree) else upper_bound_any_mode(tree, itemset)


def having(chunk: dict[str, Any], part: Record) -> int:
    return sum(count for terms, count in bag_of(chunk).items() if part <= terms)


def sharp_lower_bound(trees: list[Tree], itemset: Record) -> int:
    total = 0
    for node in nodes_of(trees):
        if is_joint(node):
            total += sum(having(chunk, itemset) for chunk in chunks_of(node))
        elif itemset <= terms_of_chunks(node):
            parts = [having(chunk, itemset & domain(chunk)) for chunk in chunks_of(node) if itemset & domain(chunk)]
            total += max(0, sum(parts) - (len(parts) - 1) * node["size"])
    if len(itemset) == 1:
        total += sum(forced(path, itemset) for tree in trees for path in leaf_paths(tree))
    return total


def forced(path: tuple[Tree, ...], itemset: Record) -> int:
    """The records of a leaf that need a term of its term chunk, at least 1; 0 if the term is not there."""
    leaf = path[-1]
    if term_chunk(leaf) == itemset:
        return max(1, leaf["size"] - sum(size_of(chunk) for node in path for chunk in chunks_of(node)))
    return int(itemset <= term_chunk(leaf))


def estimate(tree: Tree, itemset: Record, once: Fraction) -> Fraction:
    """Add up the leaves; a term belongs to the lowest place on the way up that has it.

    A mean over placements that leave records empty can be outside the bounds of a tree; a leaf outside joints then has
    the nearest bound, and a lone term of a term chunk at least the records that it must fill.
    """
    found = sum((leaf_estimate(path, itemset, once) for path in leaf_paths(tree)), Fraction(0))
    if is_joint(tree):
        return found
    return min(Fraction(upper(tree, itemset)), max(Fraction(sharp_lower_bound([tree], itemset)), found))


def leaf_estimate(path: tuple[Tree, ...], itemset: Record, once: Fraction) -> Fraction:
    size, cut = path[-1]["size"], places_of(path, itemset)
    if "nowhere" in cut:
        return Fraction(0)
    chances = [min(once, Fraction(size)) / size for _ in cut.get("terms", ())]
    for node in path:
        for chunk in chunks_of(node):
            if id(chunk) in cut:
                part = frozenset(cut[id(chunk)])
                own = node is path[-1]
                chances.append(Fraction(having(chunk, part), size) if own else shared_chance(path, node, chunk, part))
    found = size * prod(chances, start=Fraction(1))
    return max(found, Fraction(forced(path, itemset))) if len(itemset) == 1 else found


def shared_chance(path: tuple[Tree, ...], joint: Tree, chunk: dict[str, Any], part: Record) -> Fraction:
    """The chance that a record of the leaf gets a subrecord with `part`: each goes to any record that may have it."""
    chance = Fraction(0)
    for terms, count in bag_of(chunk).items():
        if part <= terms and may_take(path, joint, terms):
            ways = [other for other in leaf_paths(joint) if may_take(other, joint, terms)]
            chance += Fraction(count, sum(way[-1]["size"] for way in ways))
    return chance


def every_itemset(trees: list[Tree], longest: int) -> list[Record]:
    terms = sorted({term for node in nodes_of(trees) for term in terms_of_chunks(node) | term_chunk(node)})
    return [frozenset(chosen) for size in range(longest + 1) for chosen in combinations(terms, size)]


def mean_over_placements(leaf: Tree, itemset: Record) -> Fraction:
    """Mean support over all ways to lay the parts of a leaf on its records, each way as likely; empty records count.

    Every subrecord of a chunk goes to another record, every term of the term chunk to exactly one.
    """
    assert leaves_below(leaf) == [leaf]
    worlds: list[tuple[Record, ...]] = [(frozenset(),) * leaf["size"]]
    for chunk in chunks_of(leaf):
        worlds = [laid for world in worlds for laid in _layings(world, list(bag_of(chunk).elements()))]
    for term in sorted(term_chunk(leaf)):
        worlds = [laid for world in worlds for laid in _layings(world, [frozenset({term})])]
    return Fraction(sum(sum(itemset <= record for record in world) for world in worlds), len(worlds))


def _layings(world: tuple[Record, ...], parts: list[Record], free: Record | None = None) -> list[tuple[Record, ...]]:
    """All ways to put the parts on distinct records."""
    open_slots = frozenset(range(len(world))) if free is None else free
    if not parts:
        return [world]
    laid = []
    for slot in sorted(open_slots):
        changed = (*world[:slot], world[slot] | parts[0], *world[slot + 1 :])
        laid += _layings(changed, parts[1:], open_slots - {slot})
    return laid
