"""How likely the possible originals are: uniform where that is promised, and averages that meet their formulas."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from helpers.releases import figure_3
from oracle.reconstruction import runs_of
from unit.analyst.many_worlds import agrees, count_with, draws, is_near
from unit.verify.forests import leaf


def coverings(tree):
    """All ways to lay the chunks of a leaf on its slots so that none is empty, as records in the order of slots."""
    slots = range(tree["size"])
    found = [[frozenset()] * tree["size"]]
    for chunk in tree["record_chunks"]:
        parts = [frozenset(terms) for terms, count in runs_of(chunk) for _ in range(count)]
        laid = {
            tuple(sorted(zip(chosen, order, strict=True), key=lambda place: place[0]))
            for chosen in combinations(slots, len(parts))
            for order in permutations(parts)
        }
        found = [
            [record | dict(where).get(slot, frozenset()) for slot, record in enumerate(world)]
            for world, where in product(found, laid)
        ]
    return [tuple(world) for world in found if all(world)]


def moments(values):
    """Mean and variance of equally likely values."""
    mean = Fraction(sum(values), len(values))
    return mean, Fraction(sum(value**2 for value in values), len(values)) - mean**2


COVERED = {
    "2, 2, 1 in 4": leaf(4, [{"a": 2}, {"b": 2}, {"c": 1}]),
    "3, 2 in 4": leaf(4, [{"a": 3}, {"b": 2}]),
    "2, 2 in 4, exactly": leaf(4, [{"a": 1, "x": 1}, {"b": 2}]),
    "different subrecords": leaf(4, [{"a": 1, "ax": 2}, {"b": 1, "by": 1}]),
    "many small chunks": leaf(3, [{"a": 1}, {"b": 1}, {"c": 1}, {"d": 2}]),
    "a chunk covers alone": leaf(3, [{"a": 2, "x": 1}, {"b": 2}, {"c": 1}]),
}


@pytest.mark.parametrize("name", COVERED)
def test_every_covering_of_a_leaf_is_equally_likely(name):
    tree = COVERED[name]
    every = coverings(tree)
    seen = Counter(draws(tree, copies=max(20_000, 50 * len(every))))
    assert agrees(seen, dict.fromkeys(every, 1 / len(every)))


def test_the_order_of_chunks_does_not_change_the_chances():
    tree = leaf(5, [{"a": 1}, {"b": 4}, {"c": 2}])
    mirrored = {**tree, "record_chunks": tree["record_chunks"][::-1]}
    every = coverings(tree)
    for one in (tree, mirrored):
        assert agrees(Counter(draws(one, copies=20_000)), dict.fromkeys(every, 1 / len(every)))


def test_three_two_and_two_in_five_slots_meet_in_30_of_37_records_and_not_in_the_estimated_1_2():
    tree = leaf(5, [{"a": 3}, {"b": 2}, {"c": 2}])
    mean, variance = moments([count_with(world, "a", "b") for world in coverings(tree)])
    assert mean == Fraction(30, 37)
    seen = [count_with(world, "a", "b") for world in draws(tree, copies=20_000)]
    assert is_near(seen, float(mean), float(variance))
    assert not is_near(seen, 1.2, float(variance))


def test_averages_approach_the_estimate_where_one_chunk_fills_all_records():
    # Figure 2: 5 * (4/5) * (3/5) = 2.4; the number of common records of 4 and 3 out of 5 is hypergeometric.
    flu = {"fi": 1, "fim": 2, "fm": 1, "im": 1}
    tree = leaf(5, [{"as": 3}, flu], "v")
    seen = [count_with(world, "a", "m") for world in draws(tree, copies=20_000)]
    assert is_near(seen, 2.4, 3 * (4 / 5) * (1 / 5) * (5 - 3) / (5 - 1))


def test_averages_approach_the_estimate_in_a_joint_whose_leaves_are_full():
    # Figure 3: 5 * (4/5) * (4/10) = 1.6; 4 records with itunes meet 4 of 10 shared parts.
    [tree] = figure_3().to_nested()
    seen = [count_with(world, "itunes", "ikea") for world in draws(tree, copies=20_000)]
    assert is_near(seen, 1.6, 4 * (4 / 10) * (6 / 10) * (10 - 4) / (10 - 1))


def test_a_term_chunk_term_is_on_any_record_with_the_same_chance_when_none_is_empty():
    tree = leaf(4, [{"a": 4}], "t")
    places = Counter(next(i for i, record in enumerate(world) if "t" in record) for world in draws(tree, copies=8000))
    assert agrees(places, dict.fromkeys(range(4), 1 / 4))


def test_spread_terms_occur_in_every_number_of_records_equally_often():
    tree = leaf(5, [{"a": 5}], "tu")
    seen = Counter(count_with(world, "t") for world in draws(tree, copies=8000, most_repeats=3))
    assert agrees(seen, dict.fromkeys([1, 2, 3], 1 / 3))


def test_a_single_term_fills_as_many_records_as_would_be_empty():
    tree = leaf(6, [{"a": 2}], "t")
    assert {count_with(world, "t") for world in draws(tree, copies=300)} == {4}


def test_empty_records_are_served_before_others():
    tree = leaf(4, [{"a": 2}], "tu")
    for world in draws(tree, copies=300):
        assert sorted(len(record) for record in world) == [1, 1, 1, 1]


def test_record_parts_of_a_joint_may_stay_on_top_of_one_another():
    # N = 4 for 3 slots, inside a joint: repair is needed now and then, and leaves what it must not touch.
    tree = leaf(3, [{"a": 2}, {"b": 2}])
    pair = {
        "size": 6,
        "shared_chunks": [{"subrecords": [[["t"], 2]]}],
        "children": [tree, {**tree, "record_chunks": [{"subrecords": [[["c"], 3]]}]}],
    }
    both = Counter(count_with(world, "a", "b") for world in draws(pair, copies=3000))
    assert set(both) == {1, 2}  # two of both only where a shared part fills the third record
