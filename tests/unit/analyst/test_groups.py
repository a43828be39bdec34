"""What a receiver of groups can do: supports and possible originals, against every original there can have been."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst import mine, pair_matrix, support
from disjoin.analyst.as_clusters import as_clusters
from disjoin.analyst.index import desk_of
from disjoin.analyst.reconstruction import reconstruct, worlds_of
from disjoin.errors import InvalidParameter
from disjoin.model import Groups
from helpers.hypothesis_profile import examples
from oracle import groups_utility as twin
from unit.measure.crowds import ORDINARY, SENSITIVE, crowd, crowds, sealed_groups

ITEMSETS = st.sets(st.sampled_from([*ORDINARY, *SENSITIVE]), max_size=4)


def asked(published, *itemsets):
    return support(published, itemsets).to_pylist()


@examples(60)
@given(crowds(), ITEMSETS)
def test_bounds_are_those_of_all_possible_originals_and_the_estimate_is_the_mean(drawn, itemset):
    [found] = asked(drawn.published, itemset)
    assert (found["seen"], found["at_most"]) == twin.bounds_over_worlds(drawn.nested, itemset)
    assert found["at_least"] == found["seen"]
    assert found["estimate"] == pytest.approx(float(twin.mean_over_placements(drawn.nested, itemset)), rel=1e-12)


@examples(60)
@given(crowds(most_groups=6, most_records=12), ITEMSETS)
def test_larger_groups_are_answered_by_the_formulas_and_the_truth_is_within(drawn, itemset):
    [found] = asked(drawn.published, itemset)
    wanted = twin.examine(drawn.nested, itemset, drawn.sensitive)
    assert found["estimate"] == pytest.approx(float(wanted.pop("estimate")), rel=1e-12)
    assert {name: found[name] for name in wanted} == wanted
    assert found["seen"] <= twin.holders(drawn.original.to_sets(), itemset) <= found["at_most"]


@examples(30)
@given(crowds(most_groups=4, most_records=9), st.sets(st.sampled_from(ORDINARY)), st.sampled_from(SENSITIVE))
def test_ordinary_items_and_single_sensitive_ones_are_counted_exactly(drawn, ordinary, sensitive):
    records = drawn.original.to_sets()
    for itemset, found in zip((ordinary, {sensitive}), asked(drawn.published, ordinary, {sensitive}), strict=True):
        truth = twin.holders(records, itemset)
        assert (found["seen"], found["estimate"], found["at_most"]) == (truth, truth, truth)


@examples(30)
@given(crowds(), st.integers(0, 10**6))
def test_every_world_is_a_possible_original(drawn, seed):
    possible = [twin.worlds_of(group) for group in drawn.nested]
    for world in reconstruct(drawn.published, 3, seed):
        records, first = world.to_sets(), 0
        for group, worlds in zip(drawn.groups, possible, strict=True):
            part = records[first : first + len(group)]
            assert tuple(sorted(part, key=sorted)) in worlds
            first += len(group)


def test_every_possible_original_is_drawn_and_all_placements_are_equally_likely():
    bare = crowd([{"tea"}, {"tea", "jam"}, {"pills"}, {"rum", "pills"}])
    chances = Counter(tuple(sorted(placed, key=sorted)) for placed in twin.placements_of(bare.nested[0]) if all(placed))
    draws, whole = 4000, sum(chances.values())
    found = Counter(tuple(sorted(w.to_sets(), key=sorted)) for w in reconstruct(bare.published, draws))
    assert found.keys() == chances.keys() == twin.worlds_of(bare.nested[0])
    for world, ways in chances.items():
        wanted = draws * ways / whole
        assert abs(found[world] - wanted) < 5 * wanted**0.5, world


def test_a_large_group_with_bare_records_leaves_none_of_them_empty():
    published = Groups.from_nested(
        [{"records": [[[], 300], [["tea"], 300]], "sensitive": {"pills": 200, "rum": 90, "wig": 30}}]
    )
    [world] = reconstruct(published, 1, 7)
    records = Counter(frozenset(record) for record in world.to_sets())
    assert sum(records.values()) == 600
    assert frozenset() not in records
    assert sum(n for record, n in records.items() if "tea" in record) == 300
    for term, count in (("pills", 200), ("rum", 90), ("wig", 30)):
        assert sum(n for record, n in records.items() if term in record) == count


def test_a_release_of_groups_keeps_its_desk_and_answers_as_bare_groups_do():
    drawn = crowd([{"tea", "pills"}, {"tea", "jam"}], [{"rum"}, {"tea"}])
    release = sealed_groups(drawn.published)
    assert desk_of(release) is desk_of(release)
    itemsets = [["tea", "pills"], "rum", [], ["unknown"], ["tea", "unknown"]]
    assert release.support(itemsets).equals(support(drawn.published, itemsets))
    assert release.support(["unknown"])["at_most"].to_pylist() == [0]
    [world] = worlds_of(release, 1, 3)
    assert release.to_transactions(3).to_sets() == world.to_sets() == release.reconstruct(1, 3)[0].to_sets()


def test_what_is_not_done_with_groups_says_what_is():
    release = sealed_groups(crowd([{"tea", "pills"}, {"tea"}]).published)
    for work in (release.mine, release.pairs, lambda: mine(release.published), lambda: pair_matrix(desk_of(release))):
        with pytest.raises(InvalidParameter, match="works with clusters, and this release has groups: ask support"):
            work()
    with pytest.raises(InvalidParameter, match="term chunks, which groups do not have"):
        release.support(["tea"], rare="half")
    with pytest.raises(InvalidParameter, match="term chunks, which groups do not have"):
        release.reconstruct(rare="uniform")


@pytest.mark.parametrize(
    ("group", "finding"),
    [
        ({"size": 3, "records": [[["tea"], 2]], "sensitive": {}}, "not the sum of its counts"),
        ({"records": [[["tea"], 0], [["jam"], 1]], "sensitive": {}}, "has a count below 1"),
        ({"records": [], "sensitive": {}}, "has no records"),
        ({"records": [[["tea", "tea"], 1]], "sensitive": {}}, "the same item twice"),
        ({"records": [[["tea"], 1]], "sensitive": {"tea": 1}}, "sensitive and ordinary"),
        ({"records": [[["tea"], 1]], "sensitive": {"pills": 2}}, "or in more than it has"),
        ({"records": [[["tea"], 1], [[], 2]], "sensitive": {"pills": 1}}, "fewer sensitive items than records"),
    ],
)
def test_groups_that_do_not_add_up_are_refused(group, finding):
    for work in (lambda groups: support(groups, ["tea"]), lambda groups: reconstruct(groups)):
        with pytest.raises(InvalidParameter, match=finding):
            work(Groups.from_nested([group]))


def test_records_in_any_order_are_taken():
    groups = Groups.from_nested([{"records": [[["tea", "jam"], 1], [["bread"], 1]], "sensitive": {"pills": 1}}])
    assert len(as_clusters(groups)) == 1
    assert asked(groups, ["jam", "tea", "pills"])[0]["estimate"] == 0.5
