"""Releases that are inspected part by part: verdicts must cover every record once, and sums must be countable (P17)."""

from __future__ import annotations

import pytest

from disjoin.errors import NotAnonymous
from disjoin.model import Clusters, KmAnonymity
from disjoin.verify import checking, extent_in_parts
from disjoin.verify.checking import Blocks, BlockVerdict, certify_in_blocks
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

PROMISE = KmAnonymity(2, 2)
TREES = canonical([leaf(2, [{"a": 2}], "t"), leaf(3, [{"b": 3}], "t")])
GOOD = [BlockVerdict(0, 2, 2**64 - 3, True), BlockVerdict(1, 3, 10, True)]
BLOCKS = Blocks({0: 2, 1: 3}, 5, 7)


def certified(said: list[BlockVerdict], blocks: Blocks = BLOCKS) -> object:
    return certify_in_blocks(
        Clusters.from_nested(TREES),
        PROMISE,
        method="by hand",
        parameters={},
        suppressed_records=0,
        said=said,
        blocks=blocks,
    )


def test_verdicts_that_cover_all_records_make_a_release() -> None:
    assert certified(GOOD)


@pytest.mark.parametrize(
    ("said", "blocks", "words"),
    [
        ([GOOD[0], GOOD[1]._replace(holds=False)], BLOCKS, "a part of it failed"),
        ([GOOD[0], GOOD[1]._replace(holds=False, complaints=("O3 here", "O4"))], BLOCKS, "O3 here; O4"),
        (GOOD[:1], BLOCKS, "missing or repeated"),
        ([*GOOD, GOOD[1]], BLOCKS, "missing or repeated"),
        ([GOOD[0]._replace(records=3), GOOD[1]._replace(records=2)], BLOCKS, "do not add up"),
        (
            [*(GOOD[0]._replace(records=3), GOOD[1]._replace(records=2)), BlockVerdict(2, 4, 0, True)],
            Blocks({0: 2, 1: 3, 2: 4}, 9, 7),
            "do not add up",
        ),
        (GOOD, BLOCKS._replace(published=6), "do not add up"),
        ([GOOD[0], GOOD[1]._replace(content=11)], BLOCKS, "not those that were read"),
    ],
)
def test_verdicts_that_do_not_cover_all_records_make_none(said: list[BlockVerdict], blocks: Blocks, words: str) -> None:
    with pytest.raises(NotAnonymous, match=words) as refused:
        certified(said, blocks)
    assert [violation.invariant for violation in refused.value.verdict.violations] == ["O1"]


@pytest.mark.parametrize(
    ("trees", "most"),
    [
        (TREES, 5),  # as many records as counts
        ([joint([leaf(2, [], "t"), leaf(2, [], "u")], [{"s": 2}]), leaf(9, [], "t")], 17),  # more records
        ([leaf(2, [{"a": 2}, {"b": 2}, {"c": 2}]), leaf(3, [{"d": 3}, {"e": 3}, {"f": 3}])], 15),  # more counts
    ],
)
def test_sums_over_parts_must_be_countable(monkeypatch: pytest.MonkeyPatch, trees: list[dict], most: int) -> None:
    parts = [Clusters.from_nested([tree]) for tree in canonical(trees)]
    guarantee = KmAnonymity(2, 1)
    monkeypatch.setattr(checking, "MOST_RECORDS", most)
    assert extent_in_parts(parts, guarantee) is not None
    monkeypatch.setattr(checking, "MOST_RECORDS", most - 1)
    assert extent_in_parts(parts, guarantee) is None


def test_whole_trees_of_neighbouring_parts_are_compared() -> None:
    """The first trees differ in their last leaf only."""
    trees = [joint([leaf(2, [{"a": 2}], "t"), leaf(3, [{"b": 3}], term)], [{"s": 2}]) for term in "tu"]
    first, second = (Clusters.from_nested([tree]) for tree in canonical(trees))
    assert extent_in_parts([first, second], PROMISE) == {"records": 10, "terms": 5}
    assert extent_in_parts([second, first], PROMISE) is None


def test_a_part_that_does_not_hold_breaks_the_whole() -> None:
    good, rare = (Clusters.from_nested([leaf(3, [{"a": count}], "t")]) for count in (2, 1))
    assert extent_in_parts([good], PROMISE) == {"records": 3, "terms": 2}
    assert extent_in_parts([rare], PROMISE) is None
    assert extent_in_parts([rare, good], PROMISE) is None
