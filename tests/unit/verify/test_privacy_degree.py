"""Groups, one thing wrong at a time: each invariant refuses what it is there to refuse, and nothing else does."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.model import Clusters, Groups, KmAnonymity, PrivacyDegree, Transactions, Violation
from disjoin.verify import certify, check
from oracle.groups_inspection import Group

# The figure of the paper: {Bob, David, Ellen} with degree 3 and {Andrea, Claire} with degree 2.
FIGURE: list[Group] = [
    {"records": [[["Cream", "Strawberries"], 1], [["Meat", "Strawberries"], 1]], "sensitive": {"Pregnancy Test": 1}},
    {"records": [[["Cream", "Meat", "Wine"], 1], [["Meat", "Wine"], 2]], "sensitive": {"Viagra": 1}},
]
SOUND: list[Group] = [
    {"records": [[["a"], 1], [["a", "b"], 1]], "sensitive": {"x": 1}},
    {"records": [[["a"], 1], [["a", "b"], 1]], "sensitive": {"y": 1}},
    {"records": [[[], 1], [["b"], 1], [["c"], 2]], "sensitive": {"x": 2, "y": 1}},
]


def violations(groups: list[Group], guarantee: PrivacyDegree) -> tuple[Violation, ...]:
    return check(Groups.from_nested(groups), guarantee).violations


def changed(**parts: Any) -> list[Group]:
    """Return sound groups whose last one has other parts."""
    return [*SOUND[:-1], {**deepcopy(SOUND[-1]), **parts}]


def test_the_starting_point_is_sound() -> None:
    verdict = check(Groups.from_nested(SOUND), PrivacyDegree(2))
    assert verdict.holds
    assert verdict.checked == ("P1", "P2", "P3", "P4", "P5")
    assert verdict.facts == {"degree": [2, 1], "bare_records": 1}


X = {"x": 2, "y": 1}
PLANTED = {
    # a name and what happened: the broken groups, and the only invariants that may complain
    "P1 size below 1": (changed(size=0, sensitive={}, records=[[["b"], 0]]), {"P1"}),
    "P1 size too large": (changed(size=5), {"P1"}),
    "P1 size too small": (changed(size=3, sensitive={"x": 1, "y": 1}), {"P1"}),
    "P1 no records": (changed(records=[], size=4), {"P1"}),
    "P1 a record that stands for none": (changed(records=[[[], 1], [["b"], 0], [["c"], 3]]), {"P1"}),
    "P1 a record that stands for less than none": (changed(records=[[[], 1], [["b"], -1], [["c"], 4]]), {"P1"}),
    "P1 a sensitive item in no record": (changed(sensitive={"x": 2, "y": 0}), {"P1"}),
    "P1 a record listed twice": (changed(records=[[[], 1], [["b"], 1], [["c"], 1], [["c"], 1]]), {"P1"}),
    "P1 a bare record listed twice": (changed(records=[[[], 1], [[], 1], [["c"], 2]]), {"P1"}),
    "P1 an item twice in a record": (changed(records=[[[], 1], [["b", "b"], 1], [["c"], 2]]), {"P1"}),
    "P1 an empty ordinary term": (changed(records=[[[], 1], [["", "b"], 1], [["c"], 2]]), {"P1"}),
    "P1 an empty sensitive term": (changed(sensitive={"": 1, **X}), {"P1"}),
    "P1 nothing published": ([], {"P1"}),
    "P2 its own sensitive item shown": (changed(records=[[[], 1], [["b", "x"], 1], [["c"], 2]]), {"P2"}),
    "P2 another group's sensitive item shown": (
        [*SOUND, {"records": [[["x"], 5]], "sensitive": {}}],
        {"P2"},
    ),
    "P3 one too many": (changed(sensitive={"x": 3}), {"P3"}),
    "P3 a record alone with its item": ([{"records": [[["a"], 1]], "sensitive": {"x": 1}}, *SOUND], {"P3"}),
    "P4 items of a record": (changed(records=[[[], 1], [["c", "b"], 1], [["d"], 2]]), {"P4"}),
    "P4 records": (changed(records=[[[], 1], [["c"], 2], [["b"], 1]]), {"P4"}),
    "P4 the bare record last": (changed(records=[[["b"], 1], [["c"], 2], [[], 1]]), {"P4"}),
    "P4 the longer record before its prefix": (changed(records=[[["b", "c"], 1], [["b"], 3]]), {"P4"}),
    "P4 sensitive items": (changed(sensitive={"y": 1, "x": 2}), {"P4"}),
    "P4 groups by size": ([SOUND[0], SOUND[2], SOUND[1]], {"P4"}),
    "P4 groups by records": ([{"records": [[["b"], 2]], "sensitive": {}}, *SOUND], {"P4"}),
    "P4 groups by repeats of records": (
        [
            {"records": [[["a"], 1], [["b"], 2]], "sensitive": {}},
            {"records": [[["a"], 2], [["b"], 1]], "sensitive": {}},
        ],
        {"P4"},
    ),
    "P4 groups by sensitive items": ([SOUND[1], SOUND[0], SOUND[2]], {"P4"}),
    "P4 groups by sensitive counts": (
        [
            {"records": [[["a"], 4]], "sensitive": {"x": 1, "y": 1}},
            {"records": [[["a"], 4]], "sensitive": {"x": 2, "y": 1}},
        ],
        {"P4"},
    ),
    "P5 bare records without anything": (changed(sensitive={}), {"P5"}),
    "P5 too many bare records": (changed(records=[[[], 4]]), {"P5"}),
    "P5 an item in more records than there are": (changed(sensitive={"x": 5}), {"P3", "P5"}),
}


@pytest.mark.parametrize(("groups", "expected"), PLANTED.values(), ids=PLANTED.keys())
def test_a_planted_violation_is_refused_by_its_name(groups: list[Group], expected: set[str]) -> None:
    found = violations(groups, PrivacyDegree(2))
    assert {violation.invariant for violation in found} == expected
    assert all(violation.message.endswith(".") for violation in found)


def test_equal_groups_are_in_order() -> None:
    assert violations([SOUND[0], SOUND[0], *SOUND[1:]], PrivacyDegree(2)) == ()


def test_what_the_promise_calls_sensitive_must_not_be_shown() -> None:
    (violation,) = violations(SOUND, PrivacyDegree(2, ("c", "nowhere")))
    assert str(violation) == (
        "P2 at group 2: a sensitive item, in some spelling, is among the ordinary items of its records. (c)"
    )


def test_a_violation_names_the_group_the_numbers_and_the_item() -> None:
    (violation,) = violations(FIGURE, PrivacyDegree(3))
    assert str(violation) == (
        "P3 at group 0: 1 of its 2 records has the sensitive item, but at most one in 3 may. (Pregnancy Test)"
    )


def test_the_figure_has_the_degrees_of_the_paper() -> None:
    degrees = [check(Groups.from_nested([group]), PrivacyDegree(2)).facts["degree"] for group in FIGURE]
    assert degrees == [[2, 1], [3, 1]]
    assert check(Groups.from_nested(FIGURE), PrivacyDegree(2)).facts["degree"] == [2, 1]


def test_a_degree_between_whole_numbers_is_exact() -> None:
    groups = [{"records": [[["a"], 7]], "sensitive": {"x": 3, "y": 1}}]
    verdict = check(Groups.from_nested(groups), PrivacyDegree(2))
    assert (verdict.holds, verdict.facts["degree"]) == (True, [7, 3])
    assert not check(Groups.from_nested(groups), PrivacyDegree(3)).holds


def test_degrees_that_floating_point_cannot_tell_apart_are_told_apart() -> None:
    most = 2**36
    near = [{"records": [[["a"], most + more]], "sensitive": {"x": most // 4 + more // 3}} for more in (0, 3)]
    verdict = check(Groups.from_nested(near), PrivacyDegree(3))
    assert verdict.holds
    assert verdict.facts["degree"] == [most + 3, most // 4 + 1]


def test_where_nothing_is_sensitive_there_is_no_degree() -> None:
    verdict = check(Groups.from_nested([{"records": [[["a"], 1]], "sensitive": {}}]), PrivacyDegree(2))
    assert (verdict.holds, verdict.facts) == (True, {"degree": None, "bare_records": 0})


@pytest.mark.parametrize("p", [2**31, 2**40, 2**40 + 1, 2**64, 10**30])
def test_no_p_is_too_large_to_be_counted_exactly(p: int) -> None:
    verdict = check(Groups.from_nested(SOUND), PrivacyDegree(p))
    assert [violation.invariant for violation in verdict.violations] == ["P3"] * 4
    assert f"at most one in {p} may" in verdict.violations[0].message
    assert check(
        Groups.from_nested([{"records": [[["a"], 2**40]], "sensitive": {"x": 1}}]), PrivacyDegree(p)
    ).holds == (p <= 2**40)


def test_what_a_reader_saw_is_in_the_verdict() -> None:
    seen = Violation("P1", "groups.parquet", "a column 'record_id' that does not belong there.")
    verdict = check(replace(Groups.from_nested(SOUND), anomalies=(seen,)), PrivacyDegree(2))
    assert verdict.violations == (seen,)


def test_a_promise_of_another_form_is_refused() -> None:
    clusters = Clusters.from_nested([{"size": 2, "record_chunks": [], "term_chunk": ["a"]}])
    with pytest.raises(
        InvalidParameter, match=r"release of groups needs a PrivacyDegree as guarantee, got a KmAnonymity"
    ):
        check(Groups.from_nested(SOUND), KmAnonymity(2, 2))
    with pytest.raises(
        InvalidParameter, match=r"release of clusters needs a KmAnonymity as guarantee, got a PrivacyDegree"
    ):
        check(clusters, PrivacyDegree(2))


def test_there_is_no_more_exact_check_to_ask_for() -> None:
    groups, data = Groups.from_nested(SOUND), Transactions.from_sets([["a"]])
    with pytest.raises(InvalidParameter, match="the exact check is for clusters"):
        check(groups, PrivacyDegree(2), exact=True)
    assert check(groups, PrivacyDegree(2), original=data, exact=False).checked[:5] == ("P1", "P2", "P3", "P4", "P5")
    with pytest.raises(InvalidParameter, match="give the original, too"):
        check(groups, PrivacyDegree(2), part_of_record=np.zeros(8, dtype=np.int64))


def test_only_what_the_inspector_accepts_gets_the_seal() -> None:
    release = certify(Groups.from_nested(FIGURE), PrivacyDegree(2), method="cahd", parameters={"p": 2})
    assert release.verdict.facts == {"degree": [2, 1], "bare_records": 0}
    with pytest.raises(NotAnonymous, match=r"found 1 violation.*P3 at group 0") as refused:
        certify(Groups.from_nested(FIGURE), PrivacyDegree(3), method="cahd", parameters={"p": 3})
    assert not refused.value.verdict.holds
