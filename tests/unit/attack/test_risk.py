"""What a file gives away: planted giveaways, agreement with brute force, and a suggestion with its reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.attack.risk import RiskPoint, risk, suggestion
from disjoin.readers.read import as_transactions
from helpers.hypothesis_profile import examples
from oracle.risk import share_below, singled_out_by

PLAIN = [{"tea", "milk"}] * 20


def risk_of(records, k=3, m=2):
    data = as_transactions(records)
    return risk(data, disjoin.disassociate(data, k, m, threads=1))


def test_nothing_is_given_away_where_all_are_alike():
    found = risk_of(PLAIN)
    assert [(p.singled_out, p.below_k, p.afterwards) for p in found.curve] == [(0, 0, 0)] * 3
    assert (found.terms, found.pairs, found.harmed) == ((), (), 0)


def test_a_term_that_one_record_has_is_a_giveaway_and_hidden_when_published():
    found = risk_of([*PLAIN, {"tea", "hiv"}])
    assert found.curve[0].singled_out == found.curve[0].below_k == pytest.approx(1 / 21)
    assert found.curve[0].afterwards == found.curve[1].afterwards == 0
    assert dict(found.terms) == {"hiv": 1, "tea": 1}
    assert found.pairs == ((("hiv", "tea"), 1),)


RECORDS = st.lists(st.frozensets(st.sampled_from("abcde"), min_size=1), min_size=4, max_size=12)


@examples(30)
@given(RECORDS, st.integers(1, 2))
def test_the_curve_and_the_giveaways_are_those_of_all_sets(records, m):
    found = risk_of(records, k=2, m=m)
    for point in found.curve:
        assert point.below_k == pytest.approx(share_below(records, point.known, 2))
        assert point.singled_out == pytest.approx(share_below(records, point.known, 2))
        assert point.known > m or point.afterwards == 0
    for term, count in found.terms:
        assert count == singled_out_by(records, term)


def curve(*shares):
    return tuple(RiskPoint(known, share, share, 0.0) for known, share in enumerate(shares, start=1))


@pytest.mark.parametrize(
    ("shares", "harmed", "records", "expected"),
    [
        ((0.0, 0.3, 0.6), 0.01, 1000, (5, 2)),
        ((0.0, 0.05, 0.3), 0.01, 1000, (5, 3)),
        ((0.0, 0.0, 0.01), 0.0, 1000, (5, 2)),
        ((0.0, 0.3, 0.6), 0.2, 1000, (10, 2)),
        ((0.0, 0.3, 0.6), 0.2, 6, (3, 2)),
    ],
)
def test_the_suggestion_follows_from_the_curve_and_from_what_is_left(shares, harmed, records, expected):
    found = suggestion(curve(*shares), harmed, records)
    assert (found.k, found.m) == expected
    assert f"single out {shares[found.m - 1]:.1%} of the records" in found.reason


def test_others_than_clusters_are_refused():
    groups = disjoin.cahd([["a", "x"], ["a", "b"], ["b"], ["a"]], ["x"], 2)
    with pytest.raises(disjoin.InvalidParameter, match="risk is about clusters"):
        risk(as_transactions(PLAIN), groups)
