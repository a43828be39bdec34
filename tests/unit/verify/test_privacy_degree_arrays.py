"""What the arrays of groups can say and the nested form cannot: it is found too, and nothing crashes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin.model import Groups, PrivacyDegree
from disjoin.verify import check
from disjoin.verify.groups.inspection import unseen

SOUND = Groups.from_nested(
    [
        {"records": [[["a"], 1], [["a", "b"], 1]], "sensitive": {"x": 1, "y": 1}},
        {"records": [[[], 1], [["b"], 3]], "sensitive": {"x": 2, "y": 1}},
    ]
)


def found(published: Groups) -> set[str]:
    return {violation.invariant for violation in check(published, PrivacyDegree(2)).violations}


def changed(name: str, position: int, value: int) -> Groups:
    array = np.array(getattr(SOUND, name))
    array[position] = value
    return replace(SOUND, **{name: array})


def test_the_starting_point_is_sound() -> None:
    assert found(SOUND) == set()


@pytest.mark.parametrize(("size", "degree"), [(0, [0, 1]), (-3, [-3, 1]), (2, [2, 1])])
def test_a_size_that_no_group_can_have_still_gives_a_degree(size: int, degree: list[int]) -> None:
    verdict = check(changed("sizes", 0, size), PrivacyDegree(2))
    assert (verdict.facts["degree"], verdict.holds) == (degree, size == 2)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(changed("record_offsets", 0, 1), id="offsets that do not start at 0"),
        pytest.param(changed("record_offsets", 1, 9), id="offsets that descend"),
        pytest.param(changed("record_offsets", 2, 3), id="offsets that end too early"),
        pytest.param(changed("item_offsets", 1, -1), id="negative offsets"),
        pytest.param(changed("item_offsets", 4, 99), id="offsets beyond the end"),
        pytest.param(changed("sensitive_offsets", 2, 3), id="a sensitive item of no group"),
        pytest.param(changed("items", 0, 4), id="an item outside the vocabulary"),
        pytest.param(changed("items", 0, -1), id="an item below the vocabulary"),
        pytest.param(changed("sensitive_items", 0, 4), id="a sensitive item outside the vocabulary"),
        pytest.param(changed("sizes", 0, 2**62), id="more records than can be counted"),
        pytest.param(changed("sizes", 0, -(2**63)), id="fewer records than can be counted"),
        pytest.param(changed("counts", 0, 2**62), id="counts that would wrap around"),
        pytest.param(changed("sensitive_counts", 0, 2**62), id="sensitive counts that would wrap around"),
        pytest.param(replace(SOUND, sizes=[2]), id="a size missing"),
        pytest.param(replace(SOUND, counts=[1, 1, 1]), id="a count missing"),
        pytest.param(replace(SOUND, sensitive_counts=[1, 1, 2]), id="a sensitive count missing"),
        pytest.param(replace(SOUND, item_offsets=[]), id="no offsets at all"),
        pytest.param(replace(SOUND, vocabulary=[]), id="no vocabulary"),
    ],
)
def test_what_cannot_be_read_ends_the_inspection_with_p1(broken: Groups) -> None:
    verdict = check(broken, PrivacyDegree(2))
    assert {violation.invariant for violation in verdict.violations} == {"P1"}
    assert (verdict.checked, verdict.facts) == (("P1",), {})


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(changed("sizes", 0, -3), id="a negative size"),
        pytest.param(changed("counts", 0, 0), id="a count of 0"),
        pytest.param(changed("sensitive_counts", 0, -1), id="a negative sensitive count"),
        pytest.param(changed("record_offsets", 1, 0), id="a group without records"),
        pytest.param(changed("sensitive_items", 1, 2), id="a sensitive item listed twice"),
        pytest.param(changed("items", 2, 0), id="an item twice in a record"),
    ],
)
def test_what_can_be_read_is_judged_to_the_end(broken: Groups) -> None:
    verdict = check(broken, PrivacyDegree(2))
    assert "P1" in {violation.invariant for violation in verdict.violations}
    assert len(verdict.checked) == 5


def test_groups_without_any_item_have_a_verdict() -> None:
    assert "P1" not in found(Groups.from_nested([{"records": [[[], 2]], "sensitive": {}}]))


@pytest.mark.parametrize("blank", ["", None])
def test_a_blank_term_is_refused(blank: Any) -> None:
    broken = replace(SOUND, vocabulary=pa.array([blank, "b", "x", "y"], pa.string()))
    (violation,) = check(broken, PrivacyDegree(2)).violations
    assert (violation.invariant, violation.message) == ("P1", "1 terms of the vocabulary are empty or missing.")


def test_a_term_that_no_group_uses_betrays_what_was_left_out() -> None:
    leaking = replace(SOUND, vocabulary=pa.array(["a", "b", "x", "y", "zsecret"]))
    (violation,) = check(leaking, PrivacyDegree(2)).violations
    assert (violation.invariant, violation.example) == ("P1", ("zsecret",))


def test_a_repeated_vocabulary_entry_hides_no_sensitive_item() -> None:
    """x among the ordinary items, under another number than the x that is counted."""
    hiding = replace(changed("items", 3, 4), vocabulary=pa.array(["a", "b", "x", "y", "x"]))
    assert found(hiding) == {"P1", "P2"}


def test_a_vocabulary_in_another_order_is_refused_and_read_all_the_same() -> None:
    number = np.array([1, 0, 2, 3], dtype=np.int32)
    turned = replace(SOUND, vocabulary=pa.array(["b", "a", "x", "y"]), items=number[SOUND.items])
    verdict = check(turned, PrivacyDegree(2))
    assert [(v.invariant, v.message) for v in verdict.violations] == [("P1", "the vocabulary is not sorted.")]


def test_text_that_is_no_text_is_refused() -> None:
    offsets = pa.py_buffer(np.array([0, 1, 2, 3, 4], dtype=np.int32))
    raw = pa.Array.from_buffers(pa.string(), 4, [None, offsets, pa.py_buffer(b"ab\xff\xff")])
    assert found(replace(SOUND, vocabulary=raw)) == {"P1"}


def test_a_record_listed_twice_is_found_where_nothing_is_sorted() -> None:
    """The same two items in another order, with other records between."""
    mixed = Groups.from_nested(
        [{"records": [[["b", "a"], 1], [["c"], 1], [["a"], 1], [["a", "b"], 1]], "sensitive": {}}]
    )
    found_twice = [v for v in check(mixed, PrivacyDegree(2)).violations if v.invariant == "P1"]
    assert [v.example for v in found_twice] == [("a", "b")]


def test_the_same_record_in_two_groups_is_no_repeat() -> None:
    twins = Groups.from_nested([{"records": [[["b"], 1], [["a"], 1]], "sensitive": {}}] * 2)
    assert found(twins) == {"P4"}


def messages(published: Groups) -> list[str]:
    return [violation.message for violation in check(published, PrivacyDegree(2)).violations]


def test_a_vocabulary_that_repeats_a_term_is_refused_for_that() -> None:
    repeated = replace(SOUND, vocabulary=["a", "b", "x", "x"])
    (first, *_) = check(repeated, PrivacyDegree(2)).violations
    assert (first.message, first.example) == ("terms are in the vocabulary more than once.", ("x",))


def test_a_group_without_records_is_told_once() -> None:
    empty = Groups.from_nested(
        [{"records": [[["a"], 2]], "sensitive": {}}, {"size": 2, "records": [], "sensitive": {}}]
    )
    assert [words for words in messages(empty) if "records" in words] == [
        "it lists no records, but at least 1 is needed."
    ]


def test_a_repeated_item_is_shown() -> None:
    repeated = Groups.from_nested([{"records": [[["a"], 1], [["b", "b", "c"], 1], [["d"], 1]], "sensitive": {}}])
    (violation,) = check(repeated, PrivacyDegree(2)).violations
    assert violation.example == ("b",)


def test_sensitive_items_that_are_not_sorted_are_read_with_their_counts() -> None:
    turned = replace(
        Groups.from_nested([{"records": [[["a"], 4]], "sensitive": {"w": 1, "x": 1, "y": 3}}]),
        sensitive_items=[3, 2, 1],
        sensitive_counts=[3, 1, 1],
    )
    (degree, order) = check(turned, PrivacyDegree(2)).violations
    assert (order.invariant, degree.invariant, degree.example) == ("P4", "P3", ("y",))


def test_a_sensitive_item_listed_twice_is_found_where_nothing_is_sorted() -> None:
    twice = replace(
        Groups.from_nested([{"records": [[["a"], 9]], "sensitive": {"x": 1, "y": 1}}]),
        sensitive_offsets=[0, 3],
        sensitive_items=[2, 1, 2],
        sensitive_counts=[1, 1, 1],
    )
    repeated = [violation for violation in check(twice, PrivacyDegree(2)).violations if violation.invariant == "P1"]
    assert [violation.example for violation in repeated] == [("y",)]


def test_records_without_ordinary_items_are_told_as_not_covered() -> None:
    assert any(
        "Not covered: records without ordinary items (1)" in words for words in unseen(check(SOUND, PrivacyDegree(2)))
    )
    alone = Groups.from_nested([{"records": [[["a"], 2]], "sensitive": {"x": 1}}])
    assert unseen(check(alone, PrivacyDegree(2))) == []
