"""Random published trees for the analyst's tests: joints three deep, with terms kept apart or not."""

from __future__ import annotations

from random import Random
from typing import Any

from oracle.reconstruction import bag_of, leaf_paths, may_take
from unit.verify.forests import chunk, joint, leaf

Tree = dict[str, Any]


def deep_forest(random: Random) -> list[Tree]:
    """One or two trees, joints up to three deep; a term is never both in a joint and below it."""
    return [_tree(random, depth=3, letters="abcdefghij", apart=True) for _ in range(random.randint(1, 2))]


def mixed_forest(random: Random) -> list[Tree]:
    """Likewise, but a joint may share a term that is below it, too, where it still has a leaf to go to."""
    return [_tree(random, depth=3, letters="abcdefghij", apart=False) for _ in range(random.randint(1, 2))]


def _tree(random: Random, depth: int, letters: str, apart: bool) -> Tree:
    mine = "".join(random.sample(letters, min(len(letters), random.randint(1, 3))))
    if depth == 0 or random.random() < 0.3:
        return _leaf(random, letters)
    below = "".join(c for c in letters if c not in mine) if apart or random.random() < 0.5 else letters
    children = [_tree(random, depth - 1, below, apart) for _ in range(random.choice([2, 2, 3]))]
    tree = joint(children, [])
    tree["shared_chunks"] = _chunks(random, mine, tree["size"])
    tree["shared_chunks"] = [made for made in tree["shared_chunks"] if _finds_a_place(tree, made)] or [
        chunk({"xyz"[depth - 1]: 1})
    ]
    return tree


def _finds_a_place(tree: Tree, shared: dict[str, Any]) -> bool:
    """Every subrecord may go to some leaf; without that nothing is expected of it."""
    return all(any(may_take(path, tree, terms) for path in leaf_paths(tree)) for terms in bag_of(shared))


def _leaf(random: Random, letters: str) -> Tree:
    size = random.randint(2, 5)
    terms = random.sample(letters, min(len(letters), random.randint(1, 6)))
    cut = random.randint(0, len(terms))
    tree = leaf(size, [], "".join(terms[cut:]))
    tree["record_chunks"] = _chunks(random, "".join(terms[:cut]), size)
    return tree


def _chunks(random: Random, letters: str, size: int) -> list[dict[str, Any]]:
    """Cut letters into chunks of up to three, each with up to `size` subrecords."""
    chunks, rest = [], letters
    while rest:
        many = random.randint(1, 3)
        mine, rest = rest[:many], rest[many:]
        bag = {"".join(sorted(random.sample(mine, random.randint(1, len(mine))))): 1 for _ in range(size // 2 + 1)}
        chunks.append(chunk({terms: random.randint(1, max(1, size // len(bag))) for terms in bag}))
    return chunks
