"""T8 to T11: the inspector's own arithmetic against the slow twin, and violations that are planted."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import InvalidParameter
from disjoin.model import Hierarchy, KAnonymity, Table
from disjoin.model.k_anonymity import DISTANCES, Closeness
from disjoin.verify.table.inspection import judge
from oracle import closeness as oracle

NUMBERS = ["1", "2", "5", "10", "20", "30", "40"]
TREE = Hierarchy.from_rows(
    [[one, "few", "*"] if len(one) == 1 else [one, f"{one[0]}...", "many", "*"] for one in NUMBERS]
)
PATHS = {row[0]: row for row in TREE.rows()}
values = st.sampled_from(["1", "2", "5", "10"])
rows = st.lists(st.tuples(st.sampled_from("xyz"), values), min_size=1, max_size=30)
limits = st.one_of(
    st.builds(Closeness, t=st.sampled_from(["0.1", "1/4", "0.5"]), t_distance=st.sampled_from(DISTANCES)),
    st.builds(Closeness, beta=st.sampled_from(["0.5", "1", "3"]), enhanced_beta=st.booleans()),
    st.builds(Closeness, delta=st.sampled_from(["0.5", "1", "2.5"])),
    st.builds(Closeness, c=st.sampled_from(["0.5", "1", "3"])),
)


@given(rows, limits, st.integers(2, 3))
def test_a_table_is_accepted_exactly_if_the_slow_twin_does(drawn, asked, least):
    drawn += [(q, v) for q in {q for q, _ in drawn} for v in ("20", "30", "40")]  # so that l alone holds
    table = Table.from_columns({"zip": [q for q, _ in drawn], "pay": [s for _, s in drawn]})
    table = table.with_hierarchies({"pay": TREE})
    verdict = judge(table, KAnonymity(2, "zip", "pay", l=least, closeness=asked))
    whole = [s for _, s in drawn]
    classes = [[s for q, s in drawn if q == zip_] for zip_ in {q for q, _ in drawn}]
    assert verdict.holds == all(oracle.is_close(one, whole, asked, least, PATHS) for one in classes)


@given(st.lists(values, min_size=1, max_size=8), st.lists(values, min_size=1, max_size=8), st.lists(values), limits)
def test_the_union_of_two_close_classes_is_close(one, other, rest, asked):
    whole = [*one, *other, *rest]
    if oracle.is_close(one, whole, asked, 2, PATHS) and oracle.is_close(other, whole, asked, 2, PATHS):
        assert oracle.is_close([*one, *other], whole, asked, 2, PATHS)


@given(st.lists(values, min_size=1, max_size=20), limits)
def test_the_whole_table_is_close_to_itself(whole, asked):
    if asked.c is None:
        assert oracle.is_close(whole, whole, asked, 2, PATHS)


EVEN = {"zip": ["a"] * 4 + ["b"] * 4, "pay": ["1", "2", "3", "4"] * 2}
SKEWED = {"zip": ["a"] * 4 + ["b"] * 4, "pay": ["1", "1", "1", "2", "2", "3", "3", "4"]}


@pytest.mark.parametrize(
    ("asked", "invariant"),
    [
        (Closeness(c=1), "T8"),
        (Closeness(t="0.2"), "T9"),
        (Closeness(t="0.2", t_distance="ordered"), "T9"),
        (Closeness(t="0.2", t_distance="hierarchical"), "T9"),
        (Closeness(beta="0.9"), "T10"),
        (Closeness(beta=5, enhanced_beta=True), "T10"),
        (Closeness(delta=1), "T11"),
    ],
)
def test_a_planted_violation_is_found_and_named(asked, invariant):
    guarantee = KAnonymity(4, "zip", "pay", l=2, closeness=asked)
    tree = {"pay": Hierarchy.from_rows([[pay, "low" if pay < "3" else "high", "*"] for pay in "1234"])}
    assert judge(Table.from_columns(EVEN).with_hierarchies(tree), guarantee).holds
    refused = judge(Table.from_columns(SKEWED).with_hierarchies(tree), guarantee)
    assert {violation.invariant for violation in refused.violations} == {invariant}
    assert invariant in refused.checked


def test_equality_is_kept_and_a_hair_more_is_not():
    table = Table.from_columns({"zip": ["a", "a", "b", "b"], "pay": ["1", "1", "2", "2"]})
    assert judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(t="1/2"))).holds
    assert not judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(t="499999999/1000000000"))).holds
    assert judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(beta=1))).holds
    assert not judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(beta="0.999999999"))).holds


def test_other_spellings_of_a_value_are_that_value():
    table = Table.from_columns({"zip": ["a", "a", "b", "b"], "ill": ["flu", "cold", "Flu ", "COLD"]})
    assert judge(table, KAnonymity(2, "zip", "ill", closeness=Closeness(t="1/100"))).holds


def test_what_is_told_is_the_least_that_holds():
    found = judge(Table.from_columns(SKEWED), KAnonymity(2, "zip", "pay")).facts["closeness"]["pay"]
    assert found == {"t": [3, 8], "beta": [1, 1], "c": [3, 1]}
    for name in ("t", "beta"):
        exact = Fraction(*found[name])
        assert judge(
            Table.from_columns(SKEWED), KAnonymity(2, "zip", "pay", closeness=Closeness(**{name: exact}))
        ).holds


def test_the_ordered_distance_of_words_is_refused():
    table = Table.from_columns({"zip": ["a", "a"], "ill": ["flu", "cold"]})
    with pytest.raises(InvalidParameter, match="for numbers, but some values of 'ill' are not numbers"):
        judge(table, KAnonymity(2, "zip", "ill", closeness=Closeness(t="0.1", t_distance="ordered")))


def test_a_hierarchy_that_lacks_values_or_is_not_there_is_said():
    guarantee = KAnonymity(2, "zip", "ill", closeness=Closeness(t="0.1", t_distance="hierarchical"))
    table = Table.from_columns({"zip": ["a", "a"], "ill": ["flu", "cold"]})
    with pytest.raises(InvalidParameter, match="needs its hierarchy"):
        judge(table, guarantee)
    with pytest.raises(InvalidParameter, match="1 of the values of 'ill' are not in its hierarchy"):
        judge(table.with_hierarchies({"ill": Hierarchy.from_rows([["flu", "*"]])}), guarantee)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"t": 2}, "t must be at most 1"),
        ({"t": 0}, "t must be above 0"),
        ({"beta": "x"}, "beta must be a number"),
        ({"delta": "1/12345678901"}, "at most nine digits"),
        ({"t": "0.1", "t_distance": "far"}, "one of equal, ordered, hierarchical"),
        ({"enhanced_beta": True}, "Give beta, too"),
        ({"t_distance": "ordered"}, "Give t, too"),
    ],
)
def test_limits_are_born_valid(given, words):
    with pytest.raises(InvalidParameter, match=words):
        Closeness(**given)


def test_promises_that_do_not_go_together_are_refused():
    with pytest.raises(InvalidParameter, match="needs an l of at least 2"):
        KAnonymity(2, "zip", "ill", closeness=Closeness(c=2))
    with pytest.raises(InvalidParameter, match="about rows, but with person"):
        KAnonymity(2, "zip", "ill", person="id", closeness=Closeness(t="0.1"))
    with pytest.raises(InvalidParameter, match="need a sensitive column"):
        KAnonymity(2, "zip", closeness=Closeness(t="0.1"))


@given(limits)
def test_a_promise_is_read_back_from_json(asked):
    guarantee = KAnonymity(3, "zip", "pay", l=2, closeness=asked)
    assert KAnonymity.from_json(guarantee.to_json()) == guarantee
    assert guarantee.sentence().count(".") >= 3


def test_equal_numbers_are_one_value_of_the_ordered_distance():
    """P6: classes that are all 1 and all 2, in three spellings of a number, were within t = 0.3."""
    pay = ["1", "1.0", "01", "+1", "2", "2.0", "02", "2.00"]
    table = Table.from_columns({"zip": ["a"] * 4 + ["b"] * 4, "pay": pay})
    for distance in ("ordered", "equal"):
        verdict = judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(t="0.49", t_distance=distance)))
        assert {violation.invariant for violation in verdict.violations} == {"T9"}
        assert judge(table, KAnonymity(2, "zip", "pay", closeness=Closeness(t="0.5", t_distance=distance))).holds
    for algorithm in ("kaca", "top-down", "local-search"):
        columns = {"zip": ["1"] * 4 + ["2"] * 4, "pay": pay}
        asked = {"t": "0.3", "t_distance": "ordered", "sensitive_match": "loose", "algorithm": algorithm}
        release = disjoin.generalize(columns, 2, "zip", sensitive="pay", **asked)
        assert release.verdict.facts["classes"] == 1


def test_deep_leaves_that_do_not_occur_do_not_lower_the_distance():
    """P14: an unused leaf at depth 9 made all others nearly equal."""
    flat = Hierarchy.from_rows([["flu", "lung", "*"], ["cold", "lung", "*"], ["ulcer", "gut", "*"]])
    unused = ["x", *(f"x{level}" for level in range(8)), "*"]
    deep = Hierarchy.from_rows([*flat.rows(), unused])
    table = Table.from_columns({"zip": ["a"] * 3 + ["b"] * 3, "ill": ["flu", "flu", "cold", "ulcer", "ulcer", "cold"]})
    asked = KAnonymity(2, "zip", "ill", closeness=Closeness(t="0.3", t_distance="hierarchical"))
    found = [judge(table.with_hierarchies({"ill": tree}), asked) for tree in (flat, deep)]
    assert found[0].facts["closeness"] == found[1].facts["closeness"]
    assert [{violation.invariant for violation in verdict.violations} for verdict in found] == [{"T9"}, {"T9"}]
    numbers = {"zip": ["1", "1", "1", "2", "2", "2"], "ill": table.column("ill").to_pylist()}
    for tree in (flat, deep):
        given = Table.from_columns(numbers).with_hierarchies({"ill": tree})
        release = disjoin.generalize(given, 2, "zip", sensitive="ill", t="0.3", t_distance="hierarchical")
        assert release.verdict.facts["classes"] == 1
        risk = disjoin.verify(release).facts["closeness"]["ill"]["t_hierarchical"]
        assert risk == [0, 1]
