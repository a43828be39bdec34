"""V10 and G1, number by number: which originals are possible, and when that is not asked (P17)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.verify.clusters import reconstructions
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding
from disjoin.verify.source import Source
from unit.verify.forests import Tree, joint, leaf

PROMISE = KmAnonymity(2, 2)


def read(*trees: Tree) -> Forest:
    return Forest.of(Clusters.from_nested(list(trees)))


def pair(size: int = 2, shared: int = 2) -> Tree:
    """Two leaves with a term chunk each, under a joint."""
    return joint([leaf(size, [{"a": 2}], "t"), leaf(2, [{"b": 2}], "u")], [{"s": shared}])


# ------------------------------------------------------------------ existence


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (pair(), True),
        (pair(shared=5), False),
        (joint([leaf(0, [], "t"), leaf(2, [{"b": 2}])], [{"s": 2}]), False),  # a term chunk and nobody to have it
        (joint([leaf(3, [{"a": 1}]), leaf(2, [{"b": 2}], "t")], [{"s": 1}]), False),  # two parts for three records
        (leaf(2, [{"a": 1}, {"b": 3}], "t"), False),
        (leaf(1, [], "t"), True),
        (leaf(0, [], "t"), False),
        (leaf(2, [{"a": 2}]), True),
        (leaf(3, [{"a": 2}]), False),
        (leaf(1, [{"a": 2}], "t"), False),
    ],
)
def test_whether_records_can_be_put_together(tree: Tree, expected: bool) -> None:
    forest = read(tree)
    assert reconstructions.has_reconstruction(forest, 0) is expected


def test_a_leaf_takes_nothing_from_its_own_chunks() -> None:
    forest = read(leaf(2, [{"a": 2}], "at"))
    assert reconstructions._taken(forest, {0: frozenset({0})}, 0, 0) == frozenset()


def test_the_work_of_a_tree_is_its_subrecords_times_its_leaves() -> None:
    forest = read(leaf(9, [{"z": 9}]), joint([leaf(2, [{"a": 2, "b": 1}]), leaf(2, [{"c": 2}])], [{"s": 2}]))
    assert [reconstructions._links(forest, root) for root in (0, 1)] == [0, 4 * 2]


def decided(nodes: list[int]) -> tuple[list[int], dict[str, Any]]:
    """Three trees, of work 6, 6 and 6, of which the first and the last have no reconstruction."""
    forest = read(pair(shared=5), pair(), pair(shared=5))
    broken, facts = reconstructions.check_existence(forest, [Finding("V2", "", node) for node in nodes])
    return [finding.node for finding in broken], facts


def test_only_trees_with_a_breach_are_decided() -> None:
    assert decided([]) == ([], {})
    assert decided([-1]) == ([], {})
    assert decided([1]) == ([0], {"trees_put_together": 1, "trees_too_large": 0})
    assert decided([1, 4, 7]) == ([0, 6], {"trees_put_together": 3, "trees_too_large": 0})
    forest = read(pair(shared=5))
    assert reconstructions.check_existence(forest, [Finding("V5", "", 0)]) == ([], {})


@pytest.mark.parametrize(
    ("limits", "enough", "broken", "too_large"),
    [
        ("MOST_LINKS", 6, [], 3),
        ("MOST_LINKS_IN_ALL", 18, [0], 1),
        ("MOST_PLACED", 3 * 8, [], 3),
    ],
)
def test_trees_that_are_too_large_are_counted_and_not_decided(
    monkeypatch: pytest.MonkeyPatch, limits: str, enough: int, broken: list[int], too_large: int
) -> None:
    monkeypatch.setattr(reconstructions, limits, enough)
    assert decided([0, 3, 6]) == ([0, 6], {"trees_put_together": 3, "trees_too_large": 0})
    monkeypatch.setattr(reconstructions, limits, enough - 1)
    assert decided([0, 3, 6]) == (broken, {"trees_put_together": 3 - too_large, "trees_too_large": too_large})


@pytest.mark.parametrize("tree", [leaf(9, [{"a": 1}]), leaf(1, [{"a": 9}]), leaf(-5, [{"a": 9}])])
def test_records_and_counts_are_both_limited(monkeypatch: pytest.MonkeyPatch, tree: Tree) -> None:
    forest = read(tree)
    for most, too_large in ((9, 0), (8, 1)):
        monkeypatch.setattr(reconstructions, "MOST_PLACED", most)
        _, facts = reconstructions.check_existence(forest, [Finding("V2", "", 0)])
        assert facts["trees_too_large"] == too_large


# ------------------------------------------------------------------ the exact guarantee


def most(trees: list[Tree], wanted: str) -> int:
    forest = read(*trees)
    names = forest.names.to_pylist()
    return reconstructions.most_records(forest, [names.index(term) for term in wanted])


def test_how_many_records_can_have_some_terms() -> None:
    assert most([leaf(4, [{"ab": 1, "a": 2, "b": 1}], "t")], "ab") == 1
    assert most([leaf(4, [{"ab": 1, "a": 2, "b": 1}], "t")], "at") == 3
    assert most([leaf(3, [{"a": 2}, {"b": 2}])], "ab") == 1
    assert most([pair()], "as") == 2
    assert most([pair()], "ab") == 0
    assert most([pair(shared=5)], "as") == 0  # there is no original


def test_a_leaf_without_a_joint_needs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconstructions, "MOST_VARIABLES", 0)
    assert most([leaf(4, [{"ab": 1, "a": 3}], "t")], "a") == 4
    with pytest.raises(InvalidParameter, match=r"cluster 0 would need 20 variables, at most 0 are possible"):
        most([pair()], "as")


def test_a_program_may_have_as_many_variables_as_are_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconstructions, "MOST_VARIABLES", 20)
    assert most([pair()], "as") == 2


def source_of(records: list[str], names: str, leaves: Any = None, suppressed: int = 0) -> Source:
    data = Transactions.from_sets(records)
    vocabulary = Transactions.from_sets([names]).vocabulary
    return Source.of(data, vocabulary, None if leaves is None else np.array(leaves), suppressed)


def test_itemsets_of_suppressed_records_are_not_asked_about() -> None:
    source = source_of(["abd", "c", "az"], "abcd", leaves=[0, -1, 1], suppressed=1)
    expected = ([0], [1], [3], [0, 1], [0, 3], [1, 3])
    assert reconstructions.occurring(source, 2) == [frozenset(items) for items in expected]


def test_the_exact_check_needs_few_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(["abc", "ab"], "abc")  # 6 + 3
    monkeypatch.setattr(reconstructions, "MOST_COMBINATIONS", 9)
    reconstructions._require_tiny(source, 2)
    monkeypatch.setattr(reconstructions, "MOST_COMBINATIONS", 8)
    with pytest.raises(
        InvalidParameter, match="the records have 9 combinations of up to 2 terms, at most 8 are possible"
    ):
        reconstructions._require_tiny(source, 2)


@pytest.mark.parametrize(
    ("limit", "enough"),
    [("MOST_RECORDS", 4), ("MOST_VARIABLES", 4 * 4 + 2 + 2), ("MOST_ITEMSETS", 9)],
)
def test_tiny_data_has_few_records_variables_and_itemsets(
    monkeypatch: pytest.MonkeyPatch, limit: str, enough: int
) -> None:
    forest = read(pair())  # 3 subrecords
    source = source_of(["ast", "a", "b", "u"][:4], "abstu")
    assert reconstructions.is_tiny(source, forest, KmAnonymity(2, 2))
    monkeypatch.setattr(reconstructions, limit, enough)
    assert reconstructions.is_tiny(source, forest, KmAnonymity(2, 2))
    monkeypatch.setattr(reconstructions, limit, enough - 1)
    assert not reconstructions.is_tiny(source, forest, KmAnonymity(2, 2))


def test_tiny_data_has_few_subrecords(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = read(leaf(4, [{"a": 4}, {"b": 3}]))
    source = source_of(["a"], "ab")
    monkeypatch.setattr(reconstructions, "MOST_ITEMSETS", 7)
    assert reconstructions.is_tiny(source, forest, PROMISE)
    monkeypatch.setattr(reconstructions, "MOST_ITEMSETS", 6)
    assert not reconstructions.is_tiny(source, forest, PROMISE)


def test_where_records_were_suppressed_the_map_is_needed() -> None:
    forest = read(leaf(1, [], "a"))
    assert not reconstructions.is_tiny(source_of(["a", "a"], "a", suppressed=1), forest, PROMISE)
    assert reconstructions.is_tiny(source_of(["a", "a"], "a", leaves=[0, -1], suppressed=1), forest, PROMISE)
