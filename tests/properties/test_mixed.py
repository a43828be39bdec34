"""Whatever is published of people keeps RT-G1, which is tried on all reconstructions; the inspector knows R1 to R8."""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.mixed import LINKS, MixedDisassociation
from disjoin.methods.mixed.people import taken
from disjoin.model import MixedRecords
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from helpers.people import covers, nested_of, people_of, tiny_people
from oracle import mixed as oracle
from oracle.reconstruction import bag_of, chunks_of

QUASI = ("age", "sex")
ways = st.builds(
    lambda m, link, clustering: MixedDisassociation(k=2, m=m, quasi=QUASI, link=link, clustering=clustering),
    st.integers(1, 2),
    st.sampled_from(LINKS),
    st.sampled_from(["core", "horpart", "core-horpart"]),
)


def published(method, data):
    draft = method.publish(data, Local(1))
    verdict = check(
        draft.published, method.claim(draft), original=method.prepared(data), part_of_record=draft.part_of_record
    )
    assert verdict.holds, verdict.violations
    return draft


def is_tiny(trees):
    """Few enough ways to put it together."""
    sizes = [tree["size"] for tree in trees]
    return max(sizes) <= 7 and all(
        prod(sum(bag_of(chunk).values()) + 1 for chunk in chunks_of(tree)) * 8 ** len(tree.get("term_chunk", ())) < 4000
        for tree in trees
    )


@examples(40)
@given(tiny_people(), ways)
def test_whoever_knows_all_values_and_m_terms_finds_k_people_in_some_reconstruction(data, method):
    draft = published(method, data)
    trees = nested_of(draft.published, QUASI)
    assume(is_tiny(trees))
    empty = bool(data.without_terms)
    assert not oracle.violated(trees, method.k, method.m, may_be_empty=empty)
    assert not oracle.exposed(trees, people_of(data, QUASI), method.k, method.m, covers, may_be_empty=empty)


@given(tiny_people(6, 14), ways, st.randoms(use_true_random=False))
def test_the_order_of_people_changes_nothing(data, method, shuffle):
    order = np.array(shuffle.sample(range(len(data)), len(data)))
    mixed_up = taken(data, order)
    assert published(method, data).published == published(method, mixed_up).published


@given(tiny_people(6, 12), ways)
def test_without_the_map_the_original_still_fits(data, method):
    draft = published(method, data)
    verdict = check(draft.published, method.claim(draft), original=method.prepared(data))
    assert verdict.holds, verdict.violations
    assert "W3" in verdict.checked


def test_people_without_terms_leave_room_for_those_who_have_several_parts():
    terms = [*map(set, ("abcd", "abd", "bc", "abc")), *[set()] * 5]
    ages = ["30", "31", "30", "40", "31", "31", "30", "40", "31"]
    data = MixedRecords.from_people({"age": ages, "sex": list("mmfmfffff")}, terms)
    method = MixedDisassociation(k=2, m=1, quasi=QUASI, link="terms", clustering="core")
    draft = method.publish(data, Local(1))
    verdict = check(draft.published, method.claim(draft), original=method.prepared(data))
    assert verdict.holds, verdict.violations


@given(tiny_people(6, 12, empty=False), st.integers(0, 11), st.booleans())
def test_people_who_are_not_those_of_the_release_do_not_fit(data, person, with_map):
    method = MixedDisassociation(k=2, m=2, quasi=QUASI)
    draft = published(method, data)
    columns = {name: data.table.column(name).to_pylist() for name in QUASI}
    columns["age"][person % len(data)] = "99"
    other = method.prepared(MixedRecords.from_people(columns, [terms for _, terms in people_of(data, QUASI)]))
    parts = draft.part_of_record if with_map else None
    verdict = check(draft.published, method.claim(draft), original=other, part_of_record=parts)
    assert {violation.invariant for violation in verdict.violations} == {"W2" if with_map else "W3"}


def test_people_with_excluded_values_are_never_beside_the_term():
    shuffle = random.Random(3)
    sexes = [shuffle.choice("fm") for _ in range(60)]
    terms = [{shuffle.choice("abc")} | ({"birth"} if sex == "f" and shuffle.random() < 0.5 else set()) for sex in sexes]
    data = MixedRecords.from_people({"sex": sexes}, terms)
    method = MixedDisassociation(k=5, m=2, quasi=("sex",), exclusions=("birth:sex=m",))
    draft = published(method, data)
    for tree in nested_of(draft.published, ("sex",)):
        if any("birth" in terms for chunk in chunks_of(tree) for terms in bag_of(chunk)):
            assert {row for row, _, _ in tree["rows"]} == {("f",)}
    careless = replace(method, exclusions=()).publish(data, Local(1))
    verdict = check(careless.published, method.claim(draft))
    assert {violation.invariant for violation in verdict.violations} == {"R7"}


def test_exclusions_of_a_term_part_people_together():
    """P9: people whom one exclusion or another of a term is about are one part; the term has many spellings."""
    ages = ["5", "12", "5", "12", "30", "31", "32", "30"]
    terms = [{"x"}] * 4 + [{"O80", "x"}, {"x"}, {"O80"}, {"x"}]
    data = MixedRecords.from_people({"age": ages}, terms)
    method = MixedDisassociation(k=2, m=2, quasi=("age",), exclusions=("O80:age=0..9", "o80 :age=10..19"))
    draft = published(method, data)
    assert check(draft.published, method.claim(draft)).holds
    assert {age for tree in nested_of(draft.published, ("age",)) for (age,), _, _ in tree["rows"]} >= {"5", "12"}
    with pytest.raises(InvalidParameter, match="in the data"):
        published(method, MixedRecords.from_people({"age": ages}, [{"o80"}, *terms[1:]]))


def test_people_without_terms_are_published_with_l():
    """P10: V11 refused valid data, as if somebody had to have the sensitive term."""
    data = MixedRecords.from_people({"age": ["1"] * 4}, [{"s"}, set(), set(), set()])
    method = MixedDisassociation(k=2, m=2, quasi=("age",), sensitive=("s",), l=2)
    draft = published(method, data)
    assert check(draft.published, method.claim(draft), original=method.prepared(data)).holds


def test_a_group_that_exclusions_tell_apart_and_is_too_small_is_refused():
    data = MixedRecords.from_people({"sex": ["m"] * 3 + ["f"] * 20}, [{"a"}] * 23)
    method = MixedDisassociation(k=5, m=2, quasi=("sex",), exclusions=("birth:sex=m",))
    try:
        method.publish(data, Local(1))
    except GuaranteeUnreachable as refusal:
        assert "a group of 3 people" in str(refusal)
    else:
        raise AssertionError("three men cannot hide among women who may give birth")


def test_terms_that_look_like_values_of_a_column_are_refused():
    data = MixedRecords.from_people({"sex": ["f"] * 9}, [{"sex=f", "a"}] * 9)
    with pytest.raises(InvalidParameter, match="terms that begin with sex="):
        MixedDisassociation(k=3, quasi=("sex",)).publish(data, Local(1))
