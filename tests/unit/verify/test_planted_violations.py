"""Plant one violation of each of V1-V12 in a sound release: it is found, and for the right reason."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from disjoin.model import Clusters, KmAnonymity, Verdict
from disjoin.verify import check
from oracle.inspection import canonical, nodes_of, violated
from unit.verify.forests import chunk, joint, leaf

Tree = dict[str, Any]


def sound() -> list[Tree]:
    """A joint of two leaves that share s, and a leaf of its own; k = m = 2."""
    first = leaf(4, [{"ab": 3, "b": 1}, {"c": 4}], "t")
    second = leaf(4, [{"d": 3}, {"e": 3}])
    alone = leaf(5, [{"fg": 2, "g": 2}], "hv")
    return canonical([joint([first, second], [{"s": 2}]), alone])


def node_with(trees: list[Tree], term: str) -> Tree:
    """Return the node that has the term in a chunk or in its term chunk."""
    return next(
        node
        for node in nodes_of(trees)
        if term in node.get("term_chunk", ())
        or any(
            term in row[0]
            for c in [*node.get("record_chunks", []), *node.get("shared_chunks", [])]
            for row in c["subrecords"]
        )
    )


def without_a_second_child(trees: list[Tree]) -> None:
    node_with(trees, "s")["children"] = [node_with(trees, "d")]
    node_with(trees, "s")["size"] = 4


def larger_than_its_children(trees: list[Tree]) -> None:
    node_with(trees, "s")["size"] += 1


def one_chunk_too_full(trees: list[Tree]) -> None:
    node_with(trees, "c")["record_chunks"] = [chunk({"ab": 3, "b": 1}), chunk({"c": 5})]


def one_term_in_two_chunks(trees: list[Tree]) -> None:
    node_with(trees, "c")["record_chunks"] = [chunk({"ab": 3, "b": 1}), chunk({"b": 4})]


def one_term_in_chunk_and_term_chunk(trees: list[Tree]) -> None:
    node_with(trees, "h")["term_chunk"] = ["f", "h", "v"]


def one_term_in_two_shared_chunks(trees: list[Tree]) -> None:
    node_with(trees, "s")["shared_chunks"] = [chunk({"s": 2}), chunk({"rs": 2})]


def a_shared_term_in_a_term_chunk_below(trees: list[Tree]) -> None:
    node_with(trees, "t")["term_chunk"] = ["s", "t"]


def a_rare_pair(trees: list[Tree]) -> None:
    node_with(trees, "f")["record_chunks"] = [chunk({"f": 2, "fg": 1, "g": 2})]


def a_small_leaf(trees: list[Tree]) -> None:
    trees.append(leaf(1, [], "w"))


def too_few_subrecords(trees: list[Tree]) -> None:
    node_with(trees, "d")["record_chunks"] = [chunk({"d": 3}), chunk({"e": 2})]


def a_rare_shared_term(trees: list[Tree]) -> None:
    node_with(trees, "s")["shared_chunks"] = [chunk({"s": 1})]


def a_rare_subrecord_of_terms_from_below(trees: list[Tree]) -> None:
    node_with(trees, "s")["shared_chunks"] = [chunk({"ds": 2, "d": 1})]


def a_shared_term_in_a_record_chunk_below(trees: list[Tree]) -> None:
    node_with(trees, "s")["shared_chunks"] = [chunk({"d": 2})]


def shared_parts_that_fit_nowhere(trees: list[Tree]) -> None:
    node_with(trees, "c")["record_chunks"] = [chunk({"a": 4}), chunk({"d": 4})]
    node_with(trees, "s")["shared_chunks"] = [chunk({"d": 2})]


def subrecords_in_another_order(trees: list[Tree]) -> None:
    node_with(trees, "f")["record_chunks"][0]["subrecords"].reverse()


def a_subrecord_written_twice(trees: list[Tree]) -> None:
    node_with(trees, "f")["record_chunks"][0]["subrecords"] = [[["f", "g"], 1], [["f", "g"], 1], [["g"], 2]]


PLANTED: list[tuple[Callable[[list[Tree]], None], set[str]]] = [
    (without_a_second_child, {"V1"}),
    (larger_than_its_children, {"V1"}),
    (one_chunk_too_full, {"V2", "V10"}),  # five parts never fit into four records
    (one_term_in_two_chunks, {"V3"}),
    (one_term_in_chunk_and_term_chunk, {"V3"}),
    (one_term_in_two_shared_chunks, {"V4"}),
    (a_shared_term_in_a_term_chunk_below, {"V4"}),
    (a_rare_pair, {"V5"}),
    (a_small_leaf, {"V6"}),
    (too_few_subrecords, {"V7"}),
    (a_rare_shared_term, {"V8"}),
    (a_rare_subrecord_of_terms_from_below, {"V8", "V9"}),  # Property 1 is asked only where V9 is broken
    (a_shared_term_in_a_record_chunk_below, {"V9"}),
    (shared_parts_that_fit_nowhere, {"V9", "V10"}),  # with V9 there is always a reconstruction
    (subrecords_in_another_order, {"V12"}),
    (a_subrecord_written_twice, {"V12"}),
]


def inspect(trees: list[Tree], **guarantee: Any) -> Verdict:
    return check(Clusters.from_nested(trees), KmAnonymity(**{"k": 2, "m": 2} | guarantee))


def found(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def test_the_sound_release_holds() -> None:
    verdict = inspect(sound())
    assert verdict.holds
    assert verdict.checked == tuple(f"V{number}" for number in range(1, 13))
    assert violated(sound(), 2, 2) == set()


@pytest.mark.parametrize(("plant", "expected"), PLANTED, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_violation_is_found(plant: Callable[[list[Tree]], None], expected: set[str]) -> None:
    trees = sound()
    plant(trees)
    ordered = trees if expected == {"V12"} else canonical(trees)
    assert violated(ordered, 2, 2) == expected
    assert found(inspect(ordered)) == expected


def test_violations_name_place_and_example() -> None:
    trees = sound()
    a_rare_pair(trees)
    (violation,) = inspect(canonical(trees)).violations
    assert (violation.invariant, violation.place, violation.example) == ("V5", "cluster 0, chunk 0", ("f", "g"))
    assert "1x" in violation.message


@pytest.mark.parametrize("size", [1, 2, 3])
def test_all_sizes_up_to_m_are_tested(size: int) -> None:
    """A test of exactly three terms would not see a rare pair that never meets a third term."""
    rows = {1: {"a": 1}, 2: {"a": 2, "ab": 1, "b": 2}, 3: {"ab": 2, "ac": 2, "bc": 2, "abc": 1}}[size]
    trees = canonical([leaf(9, [rows], "t")])
    assert found(inspect(trees, m=3)) == {"V5"}
    assert found(inspect(trees, m=max(1, size - 1))) == (set() if size > 1 else {"V5"})


def test_every_violation_is_listed() -> None:
    trees = canonical([leaf(1, [{"ab": 1}], "t") for _ in range(3)])
    verdict = inspect(trees)
    assert [(v.invariant, v.place) for v in verdict.violations] == [
        *(("V5", f"cluster {number}, chunk 0") for number in range(3)),
        *(("V6", f"cluster {number}") for number in range(3)),
    ]


def test_sensitive_terms_belong_in_term_chunks() -> None:
    trees = sound()
    assert found(inspect(trees, sensitive=("v",))) == set()
    assert found(inspect(trees, sensitive=("s",))) == {"V11"}
    assert found(inspect(trees, sensitive=("g",))) == {"V11"}


def test_a_leaf_with_a_sensitive_term_has_at_least_l_records() -> None:
    trees = sound()
    assert found(inspect(trees, sensitive=("v",), l=5)) == set()
    assert found(inspect(trees, sensitive=("v",), l=6)) == {"V6"}
    assert found(inspect(trees, sensitive=("t",), l=5)) == {"V6"}
    assert found(inspect(trees, sensitive=("absent",), l=9)) == set()


@pytest.mark.parametrize(
    ("filled", "l", "holds"), [(0, 2, False), (3, 2, True), (2, 2, False), (2, 1, True), (5, 6, True)]
)
def test_no_term_chunk_forces_a_sensitive_term_on_too_many(filled: int, l: int, holds: bool) -> None:  # noqa: E741
    trees = canonical([leaf(6, [{"a": filled}] if filled else [], "v")])
    verdict = inspect(trees, sensitive=("v",), l=l)
    assert found(verdict) == (set() if holds else {"V11"})
    assert verdict.facts["forced_association"] == [6 - filled, 6]


@pytest.mark.parametrize(("shared", "l", "holds"), [(2, 3, True), (2, 4, False), (3, 4, True), (4, 6, True)])
def test_inside_a_joint_shared_subrecords_may_fill_the_records_instead(shared: int, l: int, holds: bool) -> None:  # noqa: E741
    trees = canonical([joint([leaf(6, [{"a": 2}], "v"), leaf(2, [{"b": 2}])], [{"s": shared}])])
    verdict = inspect(trees, sensitive=("v",), l=l)
    assert found(verdict) == (set() if holds else {"V11"})
    forced = max(0, 6 - 2 - shared)
    assert verdict.facts["forced_association"] == ([forced, 6] if forced else [0, 1])


def test_the_shared_chunks_of_all_ancestors_count_and_those_beside_do_not() -> None:
    lonely = leaf(10, [{"a": 2}], "v")
    inner = joint([lonely, leaf(2, [{"b": 2}])], [{"s": 2}])
    beside = joint([leaf(3, [{"c": 3}]), leaf(3, [{"d": 3}])], [{"e": 3}])
    verdict = inspect(canonical([joint([inner, beside], [{"t": 3}, {"u": 2}])]), sensitive=("v",))
    assert verdict.facts["forced_association"] == [10 - 2 - 2 - 3 - 2, 10]


def test_the_slack_is_the_least_over_leaves_without_a_term_chunk() -> None:
    roomy, tight = leaf(4, [{"a": 4}, {"b": 4}]), leaf(4, [{"c": 3}, {"d": 3}])
    facts = inspect(canonical([roomy, tight, leaf(2, [], "t")])).facts
    assert (facts["leaves_without_term_chunk"], facts["least_slack"]) == (2, 0)
    assert inspect(canonical([leaf(2, [], "t")])).facts["least_slack"] is None


def test_without_v9_the_guarantee_is_called_not_proven() -> None:
    trees = sound()
    a_shared_term_in_a_record_chunk_below(trees)
    (violation,) = inspect(canonical(trees)).violations
    assert "not proven" in violation.message


def test_the_input_is_left_as_it_was() -> None:
    trees = sound()
    published, twin = Clusters.from_nested(trees), Clusters.from_nested(deepcopy(trees))
    check(published, KmAnonymity(2, 2))
    assert published == twin
