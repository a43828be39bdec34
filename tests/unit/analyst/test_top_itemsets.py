"""The most frequent itemsets are exactly these, in this order: compared with looking at all there are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin.analyst.top_itemsets as top_itemsets_module
from disjoin.analyst.top_itemsets import ItemRows, rows_of, top_itemsets
from disjoin.errors import InvalidParameter
from disjoin.model import Transactions
from disjoin.model.ragged import offsets_of
from oracle.top_itemsets import best, every_itemset, ties

TERMS = 9


def rows_from(bags, n_terms=TERMS):
    """Build rows from (items, weight) pairs."""
    items = [item for bag, _ in bags for item in sorted(bag)]
    return ItemRows(
        offsets_of([len(bag) for bag, _ in bags]),
        np.array(items, dtype=np.int32),
        np.array([weight for _, weight in bags], dtype=np.int64),
        n_terms,
    )


def listed(found):
    return [(found.itemset(i), int(found.supports[i])) for i in range(len(found))]


def weighted(bag):
    return st.tuples(bag, st.integers(1, 4))


sparse = st.lists(weighted(st.frozensets(st.integers(0, TERMS - 1), max_size=5)), max_size=70)
dense = st.lists(weighted(st.frozensets(st.integers(0, TERMS - 1), min_size=TERMS - 3)), max_size=12)
# One record of many makes an item sparse in 1/32 of the weight.
lopsided = st.tuples(sparse, st.integers(100, 1000)).map(lambda drawn: [*drawn[0], (frozenset({2, 5}), drawn[1])])
tops = st.one_of(st.integers(1, 12), st.integers(1, 600), st.just(10**30))


@given(st.one_of(sparse, dense, lopsided), tops)
def test_the_best_are_listed_in_order_and_ties_are_counted(bags, top):
    found = top_itemsets(rows_from(bags), top)
    supports = every_itemset(bags)
    assert listed(found) == best(supports, top)
    assert (found.tied, found.cut) == ties(supports, top)
    assert found.ties_are_exact


parents = st.lists(st.integers(-1, TERMS - 1), min_size=TERMS, max_size=TERMS).map(
    lambda drawn: [parent if parent > item else -1 for item, parent in enumerate(drawn)]
)


@given(st.one_of(sparse, dense, lopsided), tops, parents, st.permutations(range(TERMS)))
def test_no_itemset_has_an_item_and_its_ancestor(bags, top, tree, names):
    related = np.full(TERMS, -1, dtype=np.int32)
    for item, parent in enumerate(tree):
        related[names[item]] = names[parent] if parent >= 0 else -1
    found = top_itemsets(rows_from(bags), top, related=related)
    supports = every_itemset(bags, dict(enumerate(related.tolist())))
    assert listed(found) == best(supports, top)
    assert (found.tied, found.cut) == ties(supports, top)


@given(st.one_of(sparse, dense), tops)
def test_a_weight_stands_for_as_many_records(bags, top):
    written_out = [(bag, 1) for bag, weight in bags for _ in range(weight)]
    one, other = top_itemsets(rows_from(bags), top), top_itemsets(rows_from(written_out), top)
    assert listed(one) == listed(other)
    assert (one.tied, one.cut) == (other.tied, other.cut)


@given(st.one_of(sparse, lopsided), tops)
def test_bits_and_lists_count_alike(bags, top):
    found = []
    for dense in (1, 8, 10**6):  # of the records, one in that many makes an item dense
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(top_itemsets_module, "DENSE", dense)
            found.append(listed(top_itemsets(rows_from(bags), top)))
    assert found[0] == found[1] == found[2]


@given(st.one_of(sparse, dense), tops)
def test_pairs_may_be_counted_in_any_number_of_blocks(bags, top):
    found = []
    for cells in (1, 6200, 10**6):  # lines of one item, of three, of all
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(top_itemsets_module, "CELLS", cells)
            found.append(listed(top_itemsets(rows_from(bags), top)))
    assert found[0] == found[1] == found[2]


@given(st.one_of(sparse, dense), st.integers(1, 40))
def test_where_pairs_are_too_many_the_best_are_listed_all_the_same(bags, top):
    supports = every_itemset(bags)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(top_itemsets_module, "MOST_PAIRS", 2)
        patch.setattr(top_itemsets_module, "CELLS", 1)
        found = top_itemsets(rows_from(bags), top)
    assert listed(found) == best(supports, top)
    tied, cut = ties(supports, top)
    assert (found.tied, found.cut) == (tied, cut) if found.ties_are_exact else (found.tied <= tied)
    assert found.tied - found.cut == tied - cut


@pytest.mark.parametrize("top", [7, 60, 200])  # many more wait than are wanted
def test_one_record_of_many_items_has_more_ties_than_can_be_listed(top):
    found = top_itemsets(rows_from([(frozenset(range(60)), 7)], 60), top)
    expected = [(item,) for item in range(60)] + list(combinations(range(60), 2))
    assert listed(found) == [(itemset, 7) for itemset in expected[:top]]
    assert (found.tied, found.cut) == (2**60 - 1, 2**60 - 1 - top)


def test_more_ties_than_a_number_can_hold_are_said_to_be_at_least_so_many():
    found = top_itemsets(rows_from([(frozenset(range(100)), 1)] * 3, 100), 3)
    assert not found.ties_are_exact
    assert 2**60 <= found.cut < found.tied < 2**100


def test_a_longer_list_begins_with_the_shorter_one():
    random = np.random.default_rng(5)
    bags = [(frozenset(np.flatnonzero(random.random(12) < 0.4).tolist()), 1) for _ in range(200)]
    everything = listed(top_itemsets(rows_from(bags, 12), 10**6))
    assert everything == best(every_itemset(bags), 10**6)
    for top in (1, 12, 300, 2048, 2500):
        assert listed(top_itemsets(rows_from(bags, 12), top)) == everything[:top]


def test_itemsets_come_by_name_and_as_sets():
    data = Transactions.from_sets([{"tea", "milk"}, {"tea"}])
    found = top_itemsets(rows_of(data), 3)
    assert found.named(data.vocabulary) == [("tea",), ("milk",), ("milk", "tea")]
    assert found.as_sets() == {frozenset({0}), frozenset({1}), frozenset({0, 1})}
    assert found.tied == 2


def test_nothing_comes_of_nothing():
    for bags in ([], [(frozenset(), 5)]):
        found = top_itemsets(rows_from(bags), 10)
        assert (listed(found), found.tied, found.cut) == ([], 0, 0)


@pytest.mark.parametrize("top", [0, -1, True, 2.5, "10"])
def test_a_list_has_a_whole_number_of_places(top):
    with pytest.raises(InvalidParameter, match="top must be a whole number"):
        top_itemsets(rows_from([(frozenset({1}), 1)]), top)


def test_what_is_related_must_be_a_forest():
    rows = rows_from([(frozenset({1}), 1)], 3)
    with pytest.raises(InvalidParameter, match="circle"):
        top_itemsets(rows, related=np.array([1, 0, -1], dtype=np.int32))
    with pytest.raises(InvalidParameter, match="each of 3 items"):
        top_itemsets(rows, related=np.array([-1], dtype=np.int32))
