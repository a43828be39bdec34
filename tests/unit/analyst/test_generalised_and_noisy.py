"""What a receiver of generalised or noisy records can do, against counting by hand."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst import mine, pair_matrix, support
from disjoin.analyst.reconstruction import reconstruct, worlds_of
from disjoin.errors import InvalidParameter
from disjoin.model import Bag, GeneralizedItems, Hierarchy, NoisyRecords
from helpers.hypothesis_profile import examples
from helpers.item_releases import pantry, rumours, sealed_items, sealed_noisy, some_items, some_noisy


def holders(rows, itemset):
    """Count the records of (terms, count) that have the whole itemset."""
    return sum(count for terms, count in rows if set(itemset) <= set(terms))


def numbers(table):
    return [tuple(row[name] for name in ("seen", "at_least", "estimate", "at_most")) for row in table.to_pylist()]


def all_itemsets(rows):
    """Count every itemset of the records, best first: support, then size, then terms."""
    found = Counter()
    for terms, count in rows:
        for size in range(1, len(terms) + 1):
            found.update(dict.fromkeys(combinations(terms, size), count))
    return sorted(found.items(), key=lambda entry: (-entry[1], len(entry[0]), entry[0]))


@examples(60)
@given(some_items(), st.data())
def test_published_names_are_counted_exactly(drawn, data):
    published, originals = drawn
    mapping = published.mapping
    itemset = data.draw(st.sets(st.sampled_from(sorted(set(mapping.values()))), max_size=4))
    under = [{term for term in mapping if mapping[term] == name} for name in itemset]
    truth = sum(all(record & terms for terms in under) for record in originals)
    assert numbers(support(published, [itemset])) == [(truth,) * 4]


@examples(60)
@given(some_items(), st.data())
def test_the_true_support_of_terms_and_names_is_within_the_bounds(drawn, data):
    published, originals = drawn
    mapping = published.mapping
    itemset = data.draw(st.sets(st.sampled_from(sorted({*mapping, *mapping.values()})), max_size=4))
    truth = sum(
        all(name in record or any(mapping[term] == name for term in record) for name in itemset) for record in originals
    )
    [(lower, sharp, _, upper)] = numbers(support(published, [itemset]))
    assert lower == sharp <= truth <= upper


@examples(60)
@given(some_items(), st.data())
def test_the_estimate_of_terms_is_that_of_their_names_divided_by_the_terms_under_each(drawn, data):
    published, _ = drawn
    mapping = published.mapping
    itemset = data.draw(st.sets(st.sampled_from(sorted(mapping)), max_size=4))
    expected = holders(published.records.rows(), {mapping[term] for term in itemset})
    upper, is_exact = expected, True
    for term in itemset:
        stands_for = list(mapping.values()).count(mapping[term])
        expected, is_exact = expected / stands_for, is_exact and stands_for == 1
    [(lower, _, estimate, most)] = numbers(support(published, [itemset]))
    assert (lower, most) == (upper if is_exact else 0, upper)
    assert estimate == pytest.approx(expected, rel=1e-12)


def test_the_estimates_of_the_specification_are_met():
    found = support(pantry(), [["tea"], ["bread", "tea"], ["jam", "tea"], ["coffee", "tea"], ["drink", "tea"], []])
    assert numbers(found) == [
        (0, 0, pytest.approx(7 / 3), 7),
        (0, 0, pytest.approx(5 / 3), 5),
        (0, 0, pytest.approx(2 / 6), 2),
        (0, 0, pytest.approx(7 / 9), 7),
        (0, 0, pytest.approx(7 / 3), 7),
        (9, 9, 9.0, 9),
    ]
    assert found["itemset"].to_pylist()[3] == ["coffee", "tea"]


def test_a_term_that_no_record_has_is_in_none():
    assert numbers(support(pantry(), ["mustard", ["bread", "mustard"]])) == [(0, 0, 0.0, 0)] * 2


@pytest.mark.parametrize("name", ["hot", "*", "beer", ""])
def test_what_is_neither_published_nor_a_term_is_refused(name):
    with pytest.raises(InvalidParameter, match=f"'{name}' is neither a published name nor a term".replace("*", r"\*")):
        support(sealed_items(pantry()), [["bread"], ["bread", name]])


def test_a_name_with_one_term_under_it_is_as_exact_as_the_term():
    tree = Hierarchy.from_rows([["tea", "drink", "*"], ["rye", "bread", "*"]])
    published = GeneralizedItems.from_mapping([(["drink"], 3)], {"tea": "drink", "rye": "rye"}, tree)
    assert numbers(support(published, [["tea"], ["drink"]])) == [(3, 3, 3.0, 3)] * 2


def test_very_many_terms_at_once_are_estimated_in_no_record():
    leaves = [f"t{number}" for number in range(400)]
    tree = Hierarchy.from_rows([[leaf, "*"] for leaf in leaves])
    published = GeneralizedItems.from_mapping([(["*"], 5)], dict.fromkeys(leaves, "*"), tree)
    assert numbers(support(published, [leaves])) == [(0, 0, 0.0, 5)]


@examples(60)
@given(some_noisy(), st.data())
def test_noisy_records_are_counted_and_nothing_is_certain(published, data):
    words = [*published.records.vocabulary.to_pylist(), "nowhere to be found"]
    itemset = data.draw(st.sets(st.sampled_from(words), max_size=4))
    counted = holders(published.records.rows(), itemset)
    assert numbers(support(published, [itemset])) == [(0, 0, float(counted), None)]


@examples(40)
@given(some_noisy(), some_items(), st.integers(1, 30), st.integers(1, 4), st.integers(1, 6))
def test_mining_finds_the_most_frequent_itemsets(noisy, drawn, top, longest, least):
    for published in (noisy, drawn[0]):
        rows = published.records.rows()
        expected = [entry for entry in all_itemsets(rows) if len(entry[0]) <= longest and entry[1] >= least][:top]
        found = mine(published, top, min_support=least, max_size=longest)
        assert [tuple(itemset) for itemset in found["itemset"].to_pylist()] == [itemset for itemset, _ in expected]
        bounds = [(0, 0, float(n), None) if published is noisy else (n, n, float(n), n) for _, n in expected]
        assert numbers(found) == bounds


@examples(30)
@given(some_noisy())
def test_pairs_are_those_of_the_records(published):
    rows, (matrix, terms) = published.records.rows(), pair_matrix(published)
    names = terms.to_pylist()
    assert matrix.toarray().tolist() == [[holders(rows, {one, other}) for other in names] for one in names]


@examples(30)
@given(some_noisy(), st.integers(1, 3), st.integers(0, 9))
def test_every_world_of_noisy_records_is_these_records(published, n, seed):
    worlds = list(reconstruct(published, n, seed))
    assert len(worlds) == n
    for world in worlds:
        rows = Counter(tuple(sorted(record)) for record in world.to_sets())
        assert sorted(rows.items()) == sorted(published.records.rows())


def test_a_release_answers_as_what_is_in_it_and_is_laid_out_once():
    for release in (sealed_items(pantry()), sealed_noisy(rumours())):
        assert release.support(["tea"]).equals(support(release.published, ["tea"]))
        assert release.mine(5).equals(mine(release.published, 5))
        assert release.pairs().terms.equals(release.published.records.vocabulary)
    assert len(sealed_noisy(rumours()).to_transactions()) == 19


def test_generalised_records_are_not_reconstructed():
    with pytest.raises(InvalidParameter, match=r"original terms .* are not known.* in records.parquet"):
        sealed_items(pantry()).reconstruct()


@pytest.mark.parametrize("release", [sealed_items(pantry()), sealed_noisy(rumours())])
def test_rare_is_refused_where_there_are_no_term_chunks(release):
    for ask in (lambda: release.support(["tea"], rare="half"), lambda: release.mine(rare="half")):
        with pytest.raises(
            InvalidParameter, match=r"rare is about term chunks, which (generalised|noisy) .* do not have"
        ):
            ask()


def test_rare_is_refused_when_noisy_records_are_handed_out():
    with pytest.raises(InvalidParameter, match="rare is about term chunks, which noisy records do not have"):
        worlds_of(sealed_noisy(rumours()), rare="uniform")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([([], 1)], "no items"),
        ([(["tea", "tea"], 1)], "same term twice"),
        ([(["tea"], 0)], "has a count below 1|stands for no record|has no records"),
        ([(["tea"], -1)], "has a count below 1|stands for no record|has no records"),
    ],
)
def test_records_that_are_not_sound_are_not_counted(rows, words):
    with pytest.raises(InvalidParameter, match=words):
        support(NoisyRecords(Bag.from_rows(rows)), ["tea"])


def test_offsets_that_lead_nowhere_are_refused():
    for offsets in ([0, 5], [1, 1], [0, 1, 1], []):
        bag = Bag(rumours().records.vocabulary, np.array(offsets), np.array([1]), np.array([1]))
        with pytest.raises(InvalidParameter, match=r"Ask disjoin\.verify what is wrong"):
            support(NoisyRecords(bag), ["tea"])


def test_a_mapping_to_what_the_hierarchy_does_not_have_is_refused():
    tree = pantry().hierarchy
    published = GeneralizedItems.from_mapping([(["beer"], 2)], {"tea": "beer"}, tree)
    with pytest.raises(InvalidParameter, match="not sound records"):
        support(published, ["tea"])
