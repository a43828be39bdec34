"""What inspect tells of classes beside the whole table is what the definitions say."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.attack.table_risk import table_risk
from disjoin.model import Table
from disjoin.report.profile_tables import table_inspection, table_inspection_text
from oracle import closeness as oracle

rows = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from(["1", "2", "5", "10"])), min_size=1, max_size=30)


@given(rows)
def test_the_limits_that_hold_are_those_of_the_slow_twin(drawn):
    table = Table.from_columns({"zip": [q for q, _ in drawn], "pay": [s for _, s in drawn]})
    found = table_risk(table, ["zip"], ["pay"]).diversity[0].closeness
    whole = [s for _, s in drawn]
    classes = [[s for q, s in drawn if q == zip_] for zip_ in sorted({q for q, _ in drawn})]
    assert found.t == max(oracle.equal_distance(one, whole) for one in classes)
    assert found.t_ordered == max(oracle.ordered_distance(one, whole) for one in classes)
    assert found.beta == max(oracle.largest_gain(one, whole) for one in classes)
    ratios = [oracle.recursive_ratio(one, 2) for one in classes]
    assert found.c == (None if None in ratios else max(ratios))
    every = sorted({*whole})
    shares = [(oracle.shares(one, every)[v], oracle.shares(whole, every)[v]) for one in classes for v in every]
    if any(not p for p, _ in shares):
        assert found.delta is None
    else:
        assert found.delta == pytest.approx(max(abs(log(p / whole)) for p, whole in shares), abs=1e-9)


def test_words_have_no_order_and_risk_is_told_by_its_names():
    table = Table.from_columns({"zip": ["a", "a", "b", "b"], "ill": ["flu", "cold", "flu", "cold"]})
    facts = table_inspection(table_risk(table, ["zip"], ["ill"]))
    assert facts["sensitive"][0]["t_ordered"] is None
    assert facts["risk"]["prosecutor"] == {
        "highest": 0.5,
        "mean": 0.5,
        "rows_above": {"0.05": 1.0, "0.09": 1.0, "0.2": 1.0, "0.33": 1.0},
    }
    text = table_inspection_text(facts)
    assert "Compared to the whole table: t = 0, beta = 0, c for l = 2 = 1, delta = 0." in text
    for name in ("prosecutor", "journalist", "marketer"):
        assert name in text
