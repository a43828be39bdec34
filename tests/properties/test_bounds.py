"""Whatever the original was, its supports lie between the bounds that the release gives."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.analyst import support
from disjoin.errors import NotAnonymous
from disjoin.model import Clusters
from helpers.synthetic import cases
from oracle.inspection import violated
from oracle.reconstruction import count_with, reconstructions_of_tree
from oracle.supports import every_itemset
from unit.verify.forests import honest, seeded, slots, strong_forest

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # small clusters, and mode paper on purpose


def supports_in(records, longest=3):
    """How many records have each itemset that occurs at all."""
    found = Counter()
    for record in records:
        for size in range(1, longest + 1):
            found.update(combinations(sorted(record), size))
    return found


def assert_between(published, itemsets, true):
    for row, truth in zip(support(published, itemsets).to_pylist(), true, strict=True):
        assert row["seen"] <= row["at_least"] <= truth <= row["at_most"], (row, truth)


def all_itemsets(records):
    terms = sorted(frozenset().union(*records))
    return [itemset for size in (1, 2, 3) for itemset in combinations(terms, size)]


@given(
    cases(strategies=("abandon", "abandon-next", "adding", "remaining", "cardiff")), st.sampled_from(["safe", "paper"])
)
def test_the_truth_lies_between_the_bounds_of_a_release(case, mode):
    options = {"max_cluster_size": case["limit"], "strategy": case["strategy"], "refine_mode": mode}
    try:
        release = disjoin.disassociate(case["records"], k=case["k"], m=case["m"], **options)
    except NotAnonymous:
        assert mode == "paper"  # its counterexamples are found on data as small as this
        return
    itemsets = all_itemsets(case["records"])
    found = supports_in(case["records"])
    assert_between(release.published, itemsets, [found[itemset] for itemset in itemsets])


@given(seeded(honest))
def test_the_truth_lies_between_the_bounds_of_anything_cut_from_records(made):
    records, trees, _ = made
    found = supports_in(records)
    itemsets = all_itemsets(records)
    assert_between(Clusters.from_nested(trees), itemsets, [found[itemset] for itemset in itemsets])


@given(seeded(lambda random: strong_forest(random, k=2, daring=random.random() < 0.5)))
def test_every_possible_original_lies_between_the_bounds(trees):
    assume(slots(trees) <= 6 and not violated(trees, 2, 2) - {"V9", "V5", "V7", "V8"})
    itemsets = every_itemset(trees, 3)[1:]
    rows = {tuple(row["itemset"]): row for row in support(Clusters.from_nested(trees), itemsets).to_pylist()}
    possible = [sorted(reconstructions_of_tree(tree)) for tree in trees]
    assume(all(possible))
    for itemset in itemsets:
        row = rows[tuple(sorted(itemset))]
        counts = [[count_with(world, itemset) for world in worlds] for worlds in possible]
        assert row["seen"] <= row["at_least"] <= sum(map(min, counts))
        assert sum(map(max, counts)) <= row["at_most"]
        if all(not tree.get("children") for tree in trees):
            assert sum(map(max, counts)) == row["at_most"], itemset  # exact in leaves outside joints


@pytest.mark.parametrize("name", ["wv1", "groceries", "mushroom"])
@pytest.mark.parametrize("mode", ["safe", "paper"])
def test_the_truth_lies_between_the_bounds_on_samples_of_real_data(datasets, name, mode):
    whole = disjoin.read(datasets / f"{name}.dat.gz")
    random = Random(3)
    records = random.sample([sorted(record) for record in whole.to_sets()], 1000)
    release = disjoin.disassociate(records, k=3, m=2, refine_mode=mode)
    common = [term for (term,), _ in supports_in(records, 1).most_common(25)]
    itemsets = [tuple(sorted(itemset)) for size in (1, 2, 3) for itemset in combinations(common, size)]
    itemsets += [tuple(sorted(random.sample(r, min(len(r), random.randint(1, 3))))) for r in records[:300]]
    index = {
        term: {n for n, record in enumerate(records) if term in record} for itemset in itemsets for term in itemset
    }
    true = [len(set.intersection(*(index[term] for term in itemset))) for itemset in itemsets]
    assert_between(release.published, itemsets, true)
