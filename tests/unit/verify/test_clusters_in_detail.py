"""Clusters: what is looked at, what is not, and where a breach is (P17)."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict, clusters
from disjoin.model.ragged import Ragged
from disjoin.verify import check
from disjoin.verify.clusters import inspection, original, structure
from disjoin.verify.clusters.original import CoreSlice, objections_to_slice
from disjoin.verify.forest import MOST_RECORDS, Forest
from oracle.inspection import canonical
from unit.verify.forests import Tree, joint, leaf

PROMISE = KmAnonymity(2, 2)


def told(verdict: Verdict) -> list[tuple[str, str]]:
    return [(violation.place, violation.message) for violation in verdict.violations]


def release(*trees: Tree) -> Clusters:
    return Clusters.from_nested(canonical(list(trees)))


@pytest.mark.parametrize("parts", [[[0], [0, 0]], [0.0, 0.0], ["0", "0"]])
def test_a_map_is_made_of_whole_numbers(parts: Any) -> None:
    published, data = release(leaf(2, [{"a": 2}], "t")), Transactions.from_sets(["a", "at"])
    with pytest.raises(InvalidParameter, match="part_of_record must be integers"):
        check(published, PROMISE, original=data, part_of_record=parts)
    assert check(published, PROMISE, original=data, part_of_record=[0, 0]).holds


def test_a_release_without_any_term_has_a_verdict() -> None:
    verdict = check(Clusters.from_nested([leaf(2, [])]), PROMISE)
    assert "V1" not in {violation.invariant for violation in verdict.violations}


# ------------------------------------------------------------------ range by range

PAIRS = [joint([leaf(2, [{"a": 2}], "t"), leaf(size, [{"b": size}])], [{"s": 2}]) for size in (3, 4, 5)]


def test_many_trees_are_judged_range_by_range_with_the_same_facts() -> None:
    published = release(*PAIRS)
    whole = check(published, PROMISE)
    assert whole.holds
    with patch.object(clusters, "AT_ONCE", 1):
        assert len(published.ranges()) == 3
        assert inspection._sound_by_ranges(published, PROMISE) == whole.facts
        two = Clusters.from_nested(canonical(PAIRS[:2]))
        assert inspection._sound_by_ranges(two, PROMISE) == check(two, PROMISE).facts
        assert inspection._sound_by_ranges(Clusters.from_nested(canonical(PAIRS[:1])), PROMISE) is None
        assert inspection._sound_by_ranges(published, KmAnonymity(3, 2)) is None


def test_an_original_is_compared_however_many_trees_there_are() -> None:
    data = Transactions.from_sets(["a"])
    with patch.object(clusters, "AT_ONCE", 1):
        verdict = check(release(*PAIRS), PROMISE, original=data)
    assert {"O1", "O6"} <= set(verdict.checked)
    assert not verdict.holds


@pytest.mark.parametrize("term", "ablstz")
@pytest.mark.parametrize("size", [2, 9])
def test_the_first_tree_of_a_range_must_follow_the_whole_tree_before(term: str, size: int) -> None:
    pair = joint([leaf(2, [{"b": 2}], "t"), leaf(3, [{"c": 3}], "u")], [{"s": 2}])
    alone = leaf(size, [{term: size}], "v")
    for trees in ([pair, alone], [alone, pair]):
        published = Clusters.from_nested(trees)
        with patch.object(clusters, "AT_ONCE", 1):
            is_sound = inspection._sound_by_ranges(published, PROMISE) is not None
        assert is_sound == check(published, PROMISE).holds == (trees == canonical(trees))


def test_every_border_between_ranges_is_looked_at() -> None:
    first, second, third = canonical(PAIRS)
    with patch.object(clusters, "AT_ONCE", 1):
        for trees in ([first, third, second], [second, first, third]):
            assert inspection._sound_by_ranges(Clusters.from_nested(trees), PROMISE) is None


def test_facts_of_ranges_are_put_together() -> None:
    found = [
        {"leaves_without_term_chunk": bare, "least_slack": slack, "forced_association": rate, "more": bare}
        for bare, slack, rate in ((1, 7, [1, 4]), (2, None, [1, 2]), (3, 5, [2, 4]))
    ]
    together = {"leaves_without_term_chunk": 6, "least_slack": 5, "forced_association": [1, 2], "more": 1}
    assert inspection._together(found) == together
    assert inspection._together(found[1:2])["least_slack"] is None


def test_a_promise_beyond_all_records_stays_beyond_them() -> None:
    huge = KmAnonymity(10**30, 10**30, 10**30, ("x",), slack=10**30, also=((10**31, 1), (2, 10**31)))
    tame = inspection._tame(huge)
    assert (tame.k, tame.m, tame.l, tame.slack) == (MOST_RECORDS + 1, 2**31, MOST_RECORDS + 1, MOST_RECORDS + 1)
    assert tame.also == ((MOST_RECORDS + 2, 1), (2, 2**31 + 1))


# ------------------------------------------------------------------ against the original


def compared(trees: list[Tree], records: list[str], leaves: Any = None, **others: Any) -> Verdict:
    parts = None if leaves is None else np.array(leaves)
    data = Transactions.from_sets(records)
    return check(Clusters.from_nested(trees), KmAnonymity(2, 1), original=data, part_of_record=parts, **others)


def test_malformed_clusters_are_not_compared_chunk_by_chunk() -> None:
    overlap = [leaf(2, [{"a": 2}], "a")]
    assert "O7" not in compared(overlap, ["a", "a"]).checked
    assert "O3" not in compared(overlap, ["a", "a"], [0, 0]).checked


def test_what_cannot_be_read_is_not_compared() -> None:
    damaged = replace(Clusters.from_nested([leaf(2, [{"a": 2}])]), counts=np.array([], dtype=np.int64))
    assert check(damaged, PROMISE, original=Transactions.from_sets(["a", "a"])).checked == ("V1",)


def test_a_breach_of_the_proof_alone_is_weighed_only_if_no_proof_is_claimed() -> None:
    """V7 is broken, V9 is not."""
    trees, records = [leaf(3, [{"a": 2}, {"b": 2}])], ["ab", "a", "b"]
    for proven in (True, False):
        guarantee = KmAnonymity(2, 2, proven=proven)
        verdict = check(Clusters.from_nested(trees), guarantee, original=Transactions.from_sets(records))
        assert ("G1" in verdict.checked) != proven


def test_the_true_association_is_a_fact_only_with_the_map() -> None:
    sound = [leaf(2, [{"a": 2}], "t")]
    assert compared(sound, ["a", "at"], [0, 0]).facts["true_association"] == [0, 1]
    assert "true_association" not in compared(sound, ["a", "at"]).facts


def test_supports_that_were_not_tried_are_not_said_to_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "O7" in compared([leaf(2, [{"a": 2}], "t")], ["a", "at"]).checked
    monkeypatch.setattr(inspection, "check_bounds", lambda *given, **more: ([], {"itemsets": 0, "of": 3}))
    assert "O7" not in compared([leaf(2, [{"a": 2}], "t")], ["a", "at"]).checked


def test_an_original_with_an_empty_record_is_refused() -> None:
    data = Transactions(offsets=np.array([0, 1, 1]), items=np.array([0]), vocabulary=["a"])
    verdict = check(Clusters.from_nested([leaf(2, [{"a": 2}])]), PROMISE, original=data)
    assert told(verdict)[0][1].startswith("1 records of the original are empty")


def test_a_record_with_an_unpublished_subrecord_is_found_where_it_is() -> None:
    """All published subrecords occur; the first record is one more."""
    trees = [leaf(2, [{"a": 2}, {"bc": 2}]), leaf(3, [{"a": 3}, {"d": 3}], "t")]
    stray = compared(trees, ["b", "abc", "abc", "adt", "ad", "ad"], [0, 0, 0, 1, 1, 1])
    assert ("cluster 0, chunk 1", "a record has a subrecord that is not published.") in told(stray)
    miscounted = compared(trees, ["abc", "abc", "adt", "ad", "d"], [0, 0, 1, 1, 1])
    assert told(miscounted) == [("cluster 1, chunk 0", "a subrecord is published for 3 records, but 2 have it.")]
    idle = compared(trees, ["abc", "abc", "ad", "ad", "ad"], [0, 0, 1, 1, 1])
    assert ("cluster 1", "a term of its term chunk is in none of its records.") in told(idle)


SHOWN = CoreSlice(Ragged.from_lists([[0], [0, 1]]), np.array([2, 1]), np.array([2], dtype=np.int32), 4)
ROWS = [[0], [0, 1], [0, 2], [2]]  # of which 2 is sensitive


@pytest.mark.parametrize(
    ("published", "records", "held", "expected"),
    [
        (SHOWN, ROWS, [2], []),
        (SHOWN._replace(size=3), ROWS, [2], ["O1"]),
        (SHOWN, [*ROWS[:3], [1]], [2], ["O3"]),
        (SHOWN._replace(counts=np.array([1, 1])), ROWS, [2], ["O3"]),
        (SHOWN._replace(counts=np.array([3, 0])), [[0], [0], [0], [2]], [2], ["O3"]),
        (SHOWN, ROWS, [], ["O2"]),
        (SHOWN, ROWS, [1, 2], ["O2"]),
        (SHOWN._replace(subrecords=Ragged.from_lists([]), counts=np.array([], dtype=int), size=1), [[2]], [2], []),
    ],
)
def test_a_slice_of_a_cluster_is_held_against_its_records(
    published: CoreSlice, records: list[list[int]], held: list[int], expected: list[str]
) -> None:
    sensitive = np.array([False, False, True])
    found = objections_to_slice(published, Ragged.from_lists(records), np.array(held, dtype=np.int32), sensitive)
    assert [words[:2] for words in found] == expected


@pytest.mark.parametrize(
    ("threads", "worth", "expected"),
    [(1, 0, 1), (2, 16, 3), (2, 15, 3), (2, 17, 1)],
)
def test_records_are_compared_in_parts_if_threads_are_worth_it(
    monkeypatch: pytest.MonkeyPatch, threads: int, worth: int, expected: int
) -> None:
    """The three trees have sixteen records."""
    monkeypatch.setattr(original, "WORTH_THREADS", worth)
    trees = [joint([leaf(2, [{"a": 2}]), leaf(2, [{"b": 2}])], [{"s": 2}]), *(leaf(6, [{term: 6}]) for term in "cd")]
    forest = Forest.of(Clusters.from_nested(trees))
    offsets = np.append(0, np.cumsum(np.where(forest.is_leaf, forest.sizes, 0)))
    spans = original._spans(forest, offsets, threads)
    assert len(spans) == expected
    assert spans in ([(0, 5)], [(0, 3), (3, 4), (4, 5)])


# ------------------------------------------------------------------ structure


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        (["a", "b"], []),
        ([None, "b"], [("1 terms of the vocabulary are empty or missing.", ())]),
        (["", "b"], [("1 terms of the vocabulary are empty or missing.", ())]),
        (["b", "b"], [("terms are in the vocabulary more than once.", ("b",))]),
    ],
)
def test_a_vocabulary_with_a_fault_is_refused_for_that_only(vocabulary: list[str | None], expected: list[Any]) -> None:
    published = replace(Clusters.from_nested([leaf(2, [{"a": 2}], "b")]), vocabulary=pa.array(vocabulary, pa.string()))
    found = structure.check_structure(published.vocabulary, Forest.of(published))
    assert [(finding.message, finding.example) for finding in found] == expected


def test_only_repeated_terms_are_called_repeated() -> None:
    forest = Forest.of(Clusters.from_nested([leaf(2, [{"ba": 2}], "dc"), leaf(2, [{"abb": 2}], "cdc")]))
    found = structure._repeats(forest)
    assert [(finding.message, finding.node, finding.example) for finding in found] == [
        ("a subrecord repeats a term.", 1, ("b",)),
        ("the term chunk repeats a term.", 1, ("c",)),
    ]


def test_a_joint_without_a_shared_chunk_is_refused() -> None:
    forest = Forest.of(Clusters.from_nested([joint([leaf(2, [], "a"), leaf(2, [], "b")], [])]))
    assert [finding.message for finding in structure._nodes(forest)] == ["a joint cluster needs a shared chunk."]


def test_a_term_chunk_of_a_joint_is_refused_for_that_only() -> None:
    tree = joint([leaf(2, [{"a": 2}], "t"), leaf(2, [{"b": 2}], "u")], [{"s": 2}]) | {"term_chunk": ["s"]}
    assert {violation.invariant for violation in check(Clusters.from_nested([tree]), PROMISE).violations} == {"V1"}


def test_only_as_many_chunks_as_terms_are_known_need_spare_subrecords() -> None:
    published = Clusters.from_nested([leaf(3, [{"a": 2}, {"b": 2}])])
    assert check(published, KmAnonymity(2, 1)).holds
    assert {violation.invariant for violation in check(published, PROMISE).violations} == {"V7"}


def test_chunks_have_one_order() -> None:
    chunks = [{"a": 2}, {"b": 3}, {"c": 3}]
    orders = [check(Clusters.from_nested([leaf(3, list(order), "t")]), PROMISE) for order in permutations(chunks)]
    assert sum(verdict.holds for verdict in orders) == 1
    assert all({violation.invariant for violation in verdict.violations} <= {"V12"} for verdict in orders)


def test_too_rare_terms_are_counted_for_each_chunk() -> None:
    published = Clusters.from_nested([leaf(3, [{"a": 1, "b": 1}, {"c": 1, "d": 2}], "t")])
    rare = [v.message for v in check(published, KmAnonymity(2, 1)).violations if v.invariant == "V5"]
    assert [message.partition("needed.")[2] for message in rare] == [" At least 2 combinations are too rare.", ""]


# ------------------------------------------------------------------ what was not looked at


@pytest.mark.parametrize(
    ("guarantee", "told_so"),
    [(KmAnonymity(2, 2, 2, ("x",)), True), (KmAnonymity(2, 2, 1, ("x",)), False), (PROMISE, False)],
)
def test_that_sensitive_terms_were_not_counted_is_told(guarantee: KmAnonymity, told_so: bool) -> None:
    verdict = check(Clusters.from_nested([leaf(2, [{"a": 2}], "t")]), guarantee)
    assert bool(inspection.unseen(verdict)) == told_so
    assert inspection.unseen(replace(verdict, checked=("V1",))) == []
