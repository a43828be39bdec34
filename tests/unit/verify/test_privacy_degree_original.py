"""Groups against their original, one thing wrong at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disjoin.model import Groups, PrivacyDegree, Transactions, Verdict
from disjoin.verify import certify, check
from oracle.groups_inspection import publish

RECORDS = [("a", "x"), ("a", "b"), ("x",), ("b", "y"), ("b", "c"), ("c",)]
GROUPS, PARTS = publish(RECORDS, {"x", "y"}, [0, 0, 1, 1, 1, 1])
PROMISE = PrivacyDegree(2)


def compare(records: Any = RECORDS, groups: Any = GROUPS, parts: Any = None, suppressed: int = 0) -> Verdict:
    return check(
        Groups.from_nested(groups),
        PROMISE,
        original=records if isinstance(records, Transactions) else Transactions.from_sets(records),
        part_of_record=parts if parts is None else np.array(parts, dtype=np.int64),
        suppressed_records=suppressed,
    )


def names(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def with_record(number: int, *terms: str) -> list[tuple[str, ...]]:
    return [terms if position == number else row for position, row in enumerate(RECORDS)]


@pytest.mark.parametrize("parts", [None, PARTS])
def test_the_starting_point_is_sound(parts: Any) -> None:
    verdict = compare(parts=parts)
    assert verdict.holds
    assert verdict.checked == ("P1", "P2", "P3", "P4", "P5", "Q1", "Q2", "Q3", "Q4")


WITH_AN_EMPTY_RECORD = Transactions(
    offsets=np.array([0, 2, 4, 4, 5, 7, 8]), items=np.array([0, 3, 0, 1, 1, 1, 2, 2]), vocabulary=["a", "b", "c", "x"]
)
PLANTED = {
    # what happened: the arguments, and what is found without the map and with it
    "Q1 a record more": ({"records": [*RECORDS, ("c",)], "parts": [*PARTS, 1]}, {"Q1", "Q3"}, {"Q1", "Q3"}),
    "Q1 a record less": ({"records": RECORDS[:-1], "parts": PARTS[:-1]}, {"Q1", "Q3"}, {"Q1", "Q3"}),
    "Q1 a suppressed record that is not": ({"suppressed": 1}, {"Q1"}, {"Q1"}),
    "Q1 the map is too short": ({"parts": PARTS[:-1]}, set(), {"Q1"}),
    "Q1 the map leads nowhere": ({"parts": [2, *PARTS[1:]]}, set(), {"Q1"}),
    "Q1 the map leads below nowhere": ({"parts": [-2, *PARTS[1:]]}, set(), {"Q1"}),
    "Q1 the map leaves a record out": ({"parts": [*PARTS[:-1], -1]}, set(), {"Q1", "Q3"}),
    "Q1 the map has other sizes": ({"parts": [*PARTS[:-1], 0]}, set(), {"Q1", "Q3"}),
    "Q2 a term is missing": ({"records": with_record(5, "c", "d")}, {"Q2", "Q3"}, {"Q2", "Q3"}),
    "Q2 a term is new": ({"records": with_record(3, "b")}, {"Q2", "Q4"}, {"Q2", "Q4"}),
    "Q3 another ordinary item": ({"records": with_record(5, "b")}, {"Q3"}, {"Q3"}),
    "Q3 an ordinary item less": ({"records": with_record(4, "c")}, {"Q3"}, {"Q3"}),
    "Q3 records in each other's group": ({"parts": [0, 1, 1, 1, 1, 0]}, set(), {"Q3"}),
    "Q4 a sensitive item more": ({"records": with_record(5, "c", "y")}, {"Q4"}, {"Q4"}),
    "Q4 a sensitive item instead of another": ({"records": with_record(2, "y")}, {"Q4"}, {"Q4"}),
    "Q4 a sensitive item in another group": (
        {"records": [("a", "y"), *RECORDS[1:3], ("b", "x"), *RECORDS[4:]]},
        set(),
        {"Q4"},
    ),
}


@pytest.mark.parametrize(("arguments", "unmapped", "mapped"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_difference_is_refused_by_its_name(
    arguments: dict[str, Any], unmapped: set[str], mapped: set[str]
) -> None:
    assert names(compare(**{**arguments, "parts": None})) == unmapped
    verdict = compare(**{"parts": PARTS, **arguments})
    assert names(verdict) == mapped
    assert all(violation.message.endswith(".") for violation in verdict.violations)


def test_an_empty_record_is_refused() -> None:
    verdict = compare(WITH_AN_EMPTY_RECORD)
    assert [v.message for v in verdict.violations if v.invariant == "Q1"] == [
        "1 records of the original are empty, but no record may be."
    ]


def test_a_difference_is_said_with_both_numbers_and_its_place() -> None:
    (without,) = compare(with_record(5, "b", "x")).violations[:1]
    assert (
        str(without) == "Q3 at the release: a record is published 1x, but the original has it 2x (1 more differ). (b)"
    )
    found = compare(with_record(5, "c", "y"), parts=PARTS).violations
    assert [str(v) for v in found] == [
        "Q4 at group 1: a sensitive item is counted 1x, but the original has it 2x. (y)",
    ]


def test_a_bare_record_is_a_record_too() -> None:
    (violation,) = [v for v in compare(with_record(2, "c", "x")).violations if "without" in v.message]
    assert violation.message.startswith("a record without ordinary items is published 1x, but the original has it 0x")


def test_a_sensitive_item_that_the_release_hides_is_missed() -> None:
    """z is sensitive by the promise, and published nowhere: neither as an item nor in a count."""
    data = Transactions.from_sets([*RECORDS[:5], ("c", "z")])
    verdict = check(Groups.from_nested(GROUPS), PrivacyDegree(2, ("z",)), original=data)
    assert names(verdict) == {"Q2", "Q4"}
    assert {violation.example for violation in verdict.violations} == {("z",)}


def test_nothing_is_compared_with_groups_that_are_not_well_formed() -> None:
    broken = [{**GROUPS[0], "size": 3}, GROUPS[1]]
    verdict = compare(groups=broken)
    assert names(verdict) == {"P1", "Q1"}
    assert verdict.checked == ("P1", "P2", "P3", "P4", "P5", "Q1", "Q2")


def test_records_that_were_left_out_may_be_any_without_the_map_and_are_known_with_it() -> None:
    more, nowhere = [*RECORDS, ("d", "y")], [*PARTS, -1]
    assert compare(more, suppressed=1).holds
    assert compare(more, parts=nowhere, suppressed=1).holds
    assert names(compare([*RECORDS[:-1], ("d",), ("d",)], suppressed=1)) == {"Q3"}
    assert names(compare(with_record(5, "c", "x"), parts=[*PARTS[:-1], -1], suppressed=1)) == {"Q1", "Q3"}


def test_a_vocabulary_of_the_original_in_another_order_is_the_same() -> None:
    data = Transactions.from_sets(RECORDS)
    names_backwards = data.vocabulary.to_pylist()[::-1]
    numbers = np.array([names_backwards.index(name) for name in data.vocabulary.to_pylist()])
    rows = [sorted(numbers[row].tolist()) for row in data]
    backwards = Transactions(data.offsets, [item for row in rows for item in row], names_backwards)
    assert compare(backwards, parts=PARTS).holds
    assert compare(backwards).holds


def test_the_order_of_the_original_does_not_matter() -> None:
    assert compare(RECORDS[::-1], parts=PARTS[::-1]).holds


def test_the_seal_is_given_against_the_original_and_says_nothing_of_it() -> None:
    release = certify(
        Groups.from_nested(GROUPS),
        PROMISE,
        method="cahd",
        parameters={"p": 2},
        original=Transactions.from_sets(RECORDS),
        part_of_record=np.array(PARTS),
    )
    assert set(release.verdict.facts) == {"degree", "bare_records"}
    assert release.verdict.checked[-4:] == ("Q1", "Q2", "Q3", "Q4")


def test_a_record_that_differs_is_shown_without_terms_that_are_not_published() -> None:
    (shown,) = [v.example for v in compare([*RECORDS, ("a", "zebra")]).violations if v.invariant == "Q3"]
    assert shown == ("a",)


def test_another_spelling_of_a_listed_sensitive_item_is_no_ordinary_item() -> None:
    """X is not published; nobody named x as sensitive, but a group lists it."""
    verdict = compare(with_record(5, "c", "X"))
    assert "Q3" not in names(verdict)
    assert "Q4" in names(verdict)


def test_groups_that_cannot_be_read_are_not_compared() -> None:
    damaged = replace(Groups.from_nested(GROUPS), counts=np.array([1]))
    assert check(damaged, PROMISE, original=Transactions.from_sets(RECORDS)).checked == ("P1",)


def test_a_sensitive_item_may_be_the_first_of_the_vocabulary() -> None:
    records = [("a", "m"), ("m",), ("n",)]
    groups, _ = publish(records, {"a"}, [0, 0, 0])
    assert compare(records, groups).holds
