"""Attacks that are played through find what is there to be found, and nothing where nothing is."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.attack import simulated
from disjoin.attack.possible_records import wilson
from disjoin.attack.simulated import draws_of, played, simulate
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions
from helpers.hypothesis_profile import examples
from oracle.supports import examine

TINY = Fraction(1, 10**9)
PAIRS = [["a", "b"], ["a", "c"], ["b", "c"]]


def one_chunk(records: list[list[str]]) -> Clusters:
    """Publish records as they are, in one chunk: a release that hides nothing."""
    rows = [[record, 1] for record in sorted(records)]
    leaf = {"size": len(records), "record_chunks": [{"subrecords": rows}], "term_chunk": []}
    return Clusters.from_nested([leaf])


def test_a_record_with_a_visible_rare_set_is_found():
    records = [["a", "b", "c"], *PAIRS * 5]
    found = simulate(one_chunk(records), as_transactions(records), terms=3, draws=400, k=5)
    assert found.found == found.harmed > 0
    assert found.share == pytest.approx(1 / 16, abs=0.05)


def test_what_all_records_of_a_cluster_have_is_learned_if_the_others_do_not_have_it():
    told = [["a", "b", "y"]] * 2
    others = [["a", "b"]] * 8
    leaf = {"size": 2, "record_chunks": [{"subrecords": [[["y"], 2]]}], "term_chunk": ["a", "b"]}
    rest = {"size": 8, "record_chunks": [{"subrecords": [[["a"], 1]]}, {"subrecords": [[["b"], 1]]}], "term_chunk": []}
    clusters = Clusters.from_nested([leaf, rest])
    found = simulate(clusters, as_transactions(told + others), terms=2, draws=300, k=2)
    assert found.learned > 0
    assert found.found == 0


def test_what_the_other_records_say_is_not_learned_from_the_release():
    records = [["a", "b", "y"]] * 10
    found = simulate(one_chunk(records), as_transactions(records), terms=2, draws=100, k=5)
    assert (found.harmed, found.learned, found.found) == (0, 0, 0)
    assert found.said_by_others == found.certain == 100


def test_records_with_too_few_terms_are_safe():
    records = [["a"]] * 10
    found = simulate(one_chunk(records), as_transactions(records), terms=3, draws=50, k=5)
    assert (found.draws, found.harmed) == (50, 0)


def test_a_release_knows_k_and_how_many_terms_to_try():
    data = [{"tea", "milk"}, {"tea", "jam"}, {"milk"}] * 5
    found = simulate(disjoin.disassociate(data, k=3, m=2), as_transactions(data), draws=10)
    assert (found.k, found.terms) == (3, 3)


def test_the_interval_holds_the_share():
    for count in (0, 3, 50, 100):
        low, high = wilson(count, 100)
        assert 0 <= low <= count / 100 <= high <= 1


def test_draws_and_terms_are_asked_for_in_whole_numbers():
    with pytest.raises(disjoin.InvalidParameter, match="draws must be"):
        simulate(one_chunk(PAIRS), as_transactions(PAIRS), draws=0)
    with pytest.raises(disjoin.InvalidParameter, match="terms must be"):
        simulate(one_chunk(PAIRS), as_transactions(PAIRS), terms=0)


def test_other_orders_of_the_same_records_are_attacked_alike():
    records = [["a", "b", "c"], ["a", "d"], ["b", "c", "d"], ["a", "b", "d"], ["c"]] * 4
    found = [
        simulate(one_chunk(records), as_transactions(each), terms=2, draws=60) for each in (records, records[::-1])
    ]
    assert found[0] == found[1]


def test_attacks_end_when_enough_did_harm_and_find_the_same_until_then(monkeypatch):
    monkeypatch.setattr(simulated, "AT_ONCE", 7)
    records = [["a", "b", "c"], *PAIRS * 2]
    clusters, data = one_chunk(records), as_transactions(records)
    drawn = draws_of(data, 3, 400)
    whole = simulate(clusters, data, terms=3, draws=400, k=5)
    assert played(clusters, data, drawn, 5) == whole
    assert played(clusters, data, drawn, 5, enough=whole.harmed) == whole, "no more than that many do harm"
    ended = played(clusters, data, drawn, 5, enough=10)
    assert 10 < ended.harmed <= 17 < whole.harmed


def slow_marks(trees: list, records: list[set[str]], known: set[str], record: set[str], k: int) -> tuple[bool, bool]:
    """Tell whether a record is found and whether something is learned of it, by the words of the measure's page.

    Where a figure lies on its limit, floats may put it on either side.
    """
    here = examine(trees, frozenset(known))
    expected = here["estimate"]
    assume(abs(2 * here["seen"] - expected) > TINY)
    is_found = 1 <= here["seen"] < k and 2 * here["seen"] >= expected
    others = [each for each in records if known <= each]
    others.remove(record)
    learned = False
    for term in record - known:
        confidence = examine(trees, frozenset({*known, term}))["estimate"] / expected if expected else 0
        alone = sum(term in each for each in others) / len(others) if others else 0
        assume(abs(confidence - Fraction(8, 10)) > TINY)
        learned |= confidence >= Fraction(8, 10) and alone < Fraction(8, 10)
    return is_found, learned


@examples(15)
@given(st.lists(st.sets(st.sampled_from("abcde"), min_size=1), min_size=4, max_size=9), st.integers(1, 3))
def test_harm_is_that_of_the_measure_page_draw_by_draw(records, terms):
    release = disjoin.disassociate(records, k=2, m=1)
    data, trees = as_transactions(records), release.published.to_nested()
    drawn = draws_of(data, terms, 12)
    names = data.vocabulary.to_pylist()
    marks = []
    for known, more in zip(drawn.known.tolist(), drawn.more.to_lists(), strict=True):
        record = {names[term] for term in (*known, *more)}
        marks.append(slow_marks(trees, records, {names[term] for term in known}, record, 2))
    found = played(release, data, drawn, 2)
    assert found.found == sum(is_found for is_found, _ in marks)
    assert found.learned == sum(learned for _, learned in marks)
    assert found.harmed == sum(is_found or learned for is_found, learned in marks)


@given(st.lists(st.sets(st.integers(0, 40), min_size=1), min_size=1, max_size=30), st.integers(1, 3))
def test_bits_count_the_records_that_lists_count(records, known):
    data = as_transactions([{str(term) for term in record} for record in records])
    for record in range(len(data)):
        terms = data.items[data.offsets[record] : data.offsets[record + 1]].astype(np.int64)
        of_known, more = terms[:known], terms[known:]
        found = [ways(data)(of_known, more) for ways in (simulated._by_lists, simulated._by_bits)]
        (in_lists, counts), (in_bits, others) = found
        assert in_lists == in_bits == sum(set(of_known) <= set(row) for row in data.records.to_lists())
        assert counts.tolist() == others.tolist()
