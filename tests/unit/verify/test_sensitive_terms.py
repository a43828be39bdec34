"""V11, number by number: how many records are forced to have a sensitive term, or do (P17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.verify.clusters import sensitive
from disjoin.verify.forest import Forest
from disjoin.verify.source import Source, is_among
from unit.verify.forests import Tree, joint, leaf

PROMISE = KmAnonymity(2, 2, sensitive=("x", "y"), l=2)


def forced(*trees: Tree) -> tuple[list[str], list[int]]:
    forest = Forest.of(Clusters.from_nested(list(trees)))
    marks = is_among(forest.names, PROMISE.sensitive)
    findings, rate = sensitive.check_sensitive(forest, PROMISE, marks)
    return [finding.message for finding in findings], rate


MUST = "at least {} of {} records must have its only term, but 1 in 2 is allowed."


@pytest.mark.parametrize(
    ("trees", "messages", "rate"),
    [
        ([leaf(4, [{"a": 2}], "x")], [], [2, 4]),
        ([leaf(4, [{"a": 1}], "x")], [MUST.format(3, 4)], [3, 4]),
        ([leaf(4, [{"a": 1}], "xy")], [], [0, 1]),  # it can be either
        ([leaf(4, [{"a": 1}], "xt")], [], [0, 1]),
        ([leaf(1, [], "x")], [MUST.format(1, 1)], [1, 1]),
        ([leaf(0, [], "x")], [], [0, 1]),
        ([leaf(-1, [], "x")], [], [0, 1]),
        ([leaf(2, [{"a": 2}], "x")], [], [0, 1]),
        ([leaf(5, [{"a": 2}])], [], [0, 1]),  # no term chunk; that V7 is broken is another matter
        ([leaf(4, [{"a": 2}], "x"), leaf(4, [{"a": 3}], "x")], [], [2, 4]),  # the larger of two
        ([leaf(4, [{"a": 2}], "x"), leaf(6, [{"a": 3}], "x")], [], [2, 4]),  # the first of equal ones
        ([joint([leaf(4, [{"a": 1}], "x"), leaf(2, [{"b": 2}])], [{"s": 1}])], [], [2, 4]),
        ([leaf(4, [{"a": 4}], "t")], [], [0, 1]),
    ],
)
def test_how_many_records_are_forced_to_have_a_sensitive_term(
    trees: list[Tree], messages: list[str], rate: list[int]
) -> None:
    assert forced(*trees) == (messages, rate)


def test_a_joint_has_no_term_chunk_that_forces_anybody() -> None:
    tree = joint([leaf(2, [{"a": 2}]), leaf(2, [{"b": 2}])], [{"s": 1}])
    assert forced(tree | {"term_chunk": ["x"]}) == ([], [0, 1])


def test_sensitive_terms_are_found_in_chunks_and_in_term_chunks() -> None:
    forest = Forest.of(Clusters.from_nested([leaf(2, [{"ax": 2}], "t"), leaf(2, [], "y"), leaf(2, [{"b": 2}], "t")]))
    marks = is_among(forest.names, PROMISE.sensitive)
    assert sensitive.leaves_with_sensitive(forest, marks).tolist() == [True, True, False]


def compared(trees: list[Tree], records: list[str], leaves: Any = None, suppressed: int = 0) -> Any:
    forest = Forest.of(Clusters.from_nested(trees))
    parts = None if leaves is None else np.array(leaves)
    source = Source.of(Transactions.from_sets(records), forest.names, parts, suppressed)
    marks = is_among(forest.names, PROMISE.sensitive)
    if leaves is None:
        return [finding.message for finding in sensitive.check_possible_association(source, forest, PROMISE, marks)]
    findings, rate = sensitive.true_association(source, forest, PROMISE, marks)
    return [finding.message for finding in findings], rate


def test_without_the_map_a_sensitive_term_must_fit_into_its_clusters() -> None:
    trees = [leaf(4, [{"a": 4}], "xy"), leaf(4, [{"a": 4}], "y")]  # room for two x and four y
    assert compared(trees, ["ax", "ax", "ay", "ay", "ay", "ay", "a", "a"]) == []
    too_many = "3 records of the original have it, but 1 in 2 of each cluster: 2."
    assert compared(trees, ["ax", "ax", "ax", "ay"]) == [too_many]
    assert compared(trees, ["ax", "ax", "ax", "ay"], suppressed=1) == []
    assert compared(trees, ["ay"] * 5) == ["5 records of the original have it, but 1 in 2 of each cluster: 4."]


def test_terms_that_are_not_published_are_not_sensitive_ones() -> None:
    assert compared([leaf(2, [{"a": 2}], "y")], ["az", "az"]) == []
    assert compared([leaf(2, [{"a": 2}], "y")], ["az", "az"], [0, 0]) == ([], [0, 1])


def test_with_the_map_records_are_counted_in_each_cluster() -> None:
    trees = [leaf(4, [{"a": 4}], "x"), leaf(6, [{"a": 6}], "x")]
    assert compared(trees, ["ax", "ax", "a", "ax", "ax", "ax"], [0, 0, 0, 1, 1, 1]) == (
        [],
        [2, 4],
    )  # the first of equal
    assert compared(trees, ["ax", "ax", "a", "ax"], [0, 0, 0, 1]) == ([], [2, 4])
    assert compared(trees, ["ax", "ax", "ax"], [0, 0, -1]) == ([], [2, 4])
    too_many = "3 of its 4 records have a sensitive term, but 1 in 2 is allowed."
    assert compared(trees, ["ax", "ax", "ax"], [0, 0, 0]) == ([too_many], [3, 4])


@pytest.mark.parametrize(("size", "rate"), [(1, [1, 1]), (0, [0, 1]), (-1, [0, 1])])
def test_clusters_of_one_record_or_of_none_are_judged_too(size: int, rate: list[int]) -> None:
    message = f"1 of its {size} records have a sensitive term, but 1 in 2 is allowed."
    assert compared([leaf(size, [], "x")], ["x"], [0]) == ([message], rate)
