"""Mining finds exactly the best: compared with asking for every itemset there is."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.analyst import mine, support
from disjoin.analyst.mining import steady
from disjoin.errors import InvalidParameter
from disjoin.model import Clusters
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, sealed
from unit.analyst.trees import deep_forest, mixed_forest
from unit.verify.forests import joint, leaf, seeded, strong_forest


def everything(published, largest=None, **options):
    """All itemsets with an estimate, in the order that is promised."""
    terms = published.vocabulary.to_pylist()
    itemsets = [c for size in range(1, (largest or len(terms)) + 1) for c in combinations(terms, size)]
    rows = [row for row in support(published, itemsets, **options).to_pylist() if row["estimate"] > 0]
    return sorted(rows, key=lambda row: (-float(steady(row["estimate"])), len(row["itemset"]), row["itemset"]))


@examples(40)
@given(seeded(deep_forest), st.integers(1, 60))
def test_the_best_are_found_with_their_bounds(trees, top):
    published = Clusters.from_nested(trees)
    assert mine(published, top).to_pylist() == everything(published)[:top]


@given(seeded(deep_forest), st.integers(1, 60))
def test_every_part_of_a_mined_itemset_is_mined_too_so_rules_can_be_made_of_the_table(trees, top):
    mined = {tuple(itemset) for itemset in mine(Clusters.from_nested(trees), top)["itemset"].to_pylist()}
    assert all(part in mined for x in mined if len(x) > 1 for part in combinations(x, len(x) - 1))


@pytest.mark.slow
@given(seeded(mixed_forest), st.integers(1, 60))
def test_the_best_are_found_where_terms_stand_above_themselves(trees, top):
    published = Clusters.from_nested(trees)
    assert mine(published, top).to_pylist() == everything(published)[:top]


@given(seeded(lambda random: strong_forest(random, k=2)), st.floats(0.1, 0.9))
def test_all_that_reach_the_support_are_found(trees, share):
    published = Clusters.from_nested(trees)
    rows, limit = everything(published, 6), share * published.n_records
    assume(all(abs(row["estimate"] - limit) > 1e-9 for row in rows))  # closer than that, rounding decides
    wanted = [row for row in rows if row["estimate"] >= limit]
    assert mine(published, None, min_support=share).to_pylist() == wanted


def test_means_can_grow_in_mixed_trees_and_the_best_are_still_found():
    # The record of the small leaf gets {h, p}, which may go nowhere else, and expects 5/6 of the others with h, too.
    big, small = leaf(5, [{"p": 5}]), leaf(1, [{"q": 1}])
    tree = joint([big, small], [{"hp": 1, "h": 5}])
    published = Clusters.from_nested([tree])
    assert mine(published, 100).to_pylist() == everything(published)
    alone, both = support(published, ["q", ["q", "h"]])["estimate"].to_pylist()
    assert both == alone == 1  # P13: by chance 1 5/6 records have both, and the leaf has one record


def test_the_estimate_never_grows_with_the_itemset_where_terms_are_kept_apart():
    for seed in range(30):
        published = Clusters.from_nested(deep_forest(Random(seed)))
        found = {tuple(row["itemset"]): row["estimate"] for row in everything(published, 4)}
        for itemset, estimate in found.items():
            for without in range(len(itemset) if len(itemset) > 1 else 0):
                assert estimate <= found[itemset[:without] + itemset[without + 1 :]] * (1 + 1e-12)


def test_size_and_count_can_be_limited():
    release = sealed(figure_3())
    assert {len(itemset) for itemset in release.mine(max_size=1)["itemset"].to_pylist()} == {1}
    assert {len(itemset) for itemset in release.mine(max_size=2)["itemset"].to_pylist()} == {1, 2}
    assert min(release.mine(min_support=3)["estimate"].to_pylist()) >= 3
    assert release.mine(min_support=0.3).equals(release.mine(min_support=3))
    assert release.mine(3, min_support=3).num_rows == 3
    assert release.mine(min_support=9).num_rows == 0
    assert release.mine(min_support=9).schema == release.mine(3).schema


def test_what_ties_with_the_last_is_cut_by_size_and_then_by_terms():
    published = Clusters.from_nested([leaf(4, [{"abc": 3}]), leaf(4, [{"d": 3}])])
    rows = mine(published, 5)["itemset"].to_pylist()
    assert rows == [["a"], ["b"], ["c"], ["d"], ["a", "b"]]


def test_terms_of_term_chunks_can_be_taken_for_half_of_k():
    release = sealed(figure_3(), k=8)
    wanted = sorted(everything_of(release), key=lambda row: -row["estimate"])[:5]
    assert release.mine(5, rare="half")["estimate"].to_pylist() == pytest.approx([row["estimate"] for row in wanted])


def everything_of(release):
    terms = release.published.vocabulary.to_pylist()
    return release.support([c for n in (1, 2) for c in combinations(terms, n)], rare="half").to_pylist()


def test_nothing_published_gives_nothing():
    assert mine(Clusters.from_nested([])).num_rows == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top": 0}, "top must be a whole number of at least 1, got 0"),
        ({"top": 2.5}, "top must be a whole number"),
        ({"top": True}, "top must be a whole number"),
        ({"top": 1_000_001}, "top can be at most 1,000,000, got 1,000,001"),
        ({"max_size": 0}, "max_size must be a whole number"),
        ({"min_support": 0}, "min_support must be a share of the records between 0 and 1, or a whole number"),
        ({"min_support": 1.0}, "min_support must be"),
        ({"min_support": 2.5}, "min_support must be"),
        ({"min_support": float("nan")}, "min_support must be"),
        ({"min_support": "0.1"}, "min_support must be"),
        ({"min_support": True}, "min_support must be"),
        ({"top": None}, "give top or min_support"),
        ({"rare": "often"}, "'once' or 'half'"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(options, message):
    with pytest.raises(InvalidParameter, match=message):
        mine(figure_3(), **options)


def test_a_search_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("disjoin.analyst.mining.MOST", 10)
    published = Clusters.from_nested([leaf(4, [{"abcdefgh": 3}])])
    with pytest.raises(InvalidParameter, match="more than 10 itemsets of 3 terms"):
        mine(published, None, min_support=1)


def test_what_is_mined_from_a_real_release_is_what_it_says_one_by_one():
    records = [Random(seed).sample("abcdefghijklmnop", 1 + seed % 6) for seed in range(300)]
    release = disjoin.disassociate(records, k=3, m=2)
    found = release.mine(50)
    assert found.equals(release.support(found["itemset"]))
    assert found.to_pylist() == everything(release.published, 4)[:50]
