"""The program run backwards, literally: which originals would have given just this release? Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product

from oracle.reconstruction import Dataset, Tree, count_with, reconstructions_of_tree


def reconstructions(trees: Sequence[Tree]) -> set[Dataset]:
    """Return every dataset that fits the trees, which are independent of one another."""
    choices = [reconstructions_of_tree(tree) for tree in trees]
    return {tuple(sorted(record for part in chosen for record in part)) for chosen in product(*choices)}


def origins(trees: list[Tree], publish: Callable[[Dataset], list[Tree]]) -> set[Dataset]:
    """Return the datasets that fit the trees and that the program turns into just these trees."""
    return {dataset for dataset in reconstructions(trees) if publish(dataset) == trees}


def candidates(datasets: set[Dataset], itemset: frozenset[str]) -> int:
    """Return how many records can have the itemset, at most, if one of these datasets is the original."""
    return max(count_with(dataset, itemset) for dataset in datasets)


def too_few(original: Dataset, datasets: set[Dataset], k: int, m: int) -> list[frozenset[str]]:
    """Return the sets of up to m terms of a record that have fewer than k candidates."""
    known = {frozenset(s) for record in original for size in range(1, m + 1) for s in combinations(record, size)}
    return sorted((s for s in known if candidates(datasets, s) < k), key=sorted)
