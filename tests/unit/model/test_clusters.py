from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model import Clusters, Violation

JOINT: dict[str, Any] = {
    "size": 7,
    "shared_chunks": [{"subrecords": [["milk"], ["milk"], ["tea"]]}],
    "children": [
        {"size": 3, "record_chunks": [{"subrecords": [["a", "b"], ["a", "b"], ["a"]]}], "term_chunk": ["x"]},
        {"size": 4, "record_chunks": [], "term_chunk": ["y", "z"]},
    ],
}
SIMPLE: dict[str, Any] = {"size": 2, "record_chunks": [{"subrecords": [["a"], ["a"]]}], "term_chunk": []}

names = st.sampled_from("abcdef")
subrecords = st.lists(names, min_size=1, max_size=3, unique=True).map(sorted)
chunks = st.fixed_dictionaries({"subrecords": st.lists(subrecords, min_size=1, max_size=4).map(sorted)})
simple = st.fixed_dictionaries(
    {
        "size": st.integers(1, 9),
        "record_chunks": st.lists(chunks, max_size=3),
        "term_chunk": st.lists(names, max_size=3, unique=True).map(sorted),
    }
)
forests = st.lists(
    st.recursive(
        simple,
        lambda below: st.fixed_dictionaries(
            {
                "size": st.integers(1, 99),
                "shared_chunks": st.lists(chunks, max_size=2),
                "children": st.lists(below, min_size=1, max_size=3),
            }
        ),
        max_leaves=6,
    ),
    max_size=4,
)


def plain(tree: dict[str, Any]) -> dict[str, Any]:
    """Undo the run-length coding and the type of a nested tree."""
    copied = {key: value for key, value in tree.items() if key != "type"}
    for key in ("record_chunks", "shared_chunks"):
        if key in tree:
            copied[key] = [
                {"subrecords": [terms for terms, count in chunk["subrecords"] for _ in range(count)]}
                for chunk in tree[key]
            ]
    if "children" in tree:
        copied["children"] = [plain(child) for child in tree["children"]]
    return copied


@given(forests)
def test_nested_form_and_arrays_are_two_forms_of_the_same(forest: list[dict[str, Any]]) -> None:
    clusters = Clusters.from_nested(forest)
    assert [plain(tree) for tree in clusters.to_nested()] == forest
    assert Clusters.from_nested(clusters.to_nested()) == clusters
    assert hash(Clusters.from_nested(clusters.to_nested())) == hash(clusters)


@given(forests)
def test_the_vocabulary_is_sorted_and_has_published_terms_only(forest: list[dict[str, Any]]) -> None:
    clusters = Clusters.from_nested(forest)
    listed = clusters.vocabulary.to_pylist()
    used = {listed[item] for item in (*clusters.items, *clusters.term_items)}
    assert listed == sorted(used)


@given(forests)
def test_a_parent_comes_before_its_children_and_is_a_joint_cluster(forest: list[dict[str, Any]]) -> None:
    clusters = Clusters.from_nested(forest)
    assert all(parent < node for node, parent in enumerate(clusters.parents))
    assert set(np.flatnonzero(clusters.is_joint)) == {parent for parent in clusters.parents if parent >= 0}


@given(forests)
def test_the_records_are_those_of_the_roots(forest: list[dict[str, Any]]) -> None:
    assert Clusters.from_nested(forest).n_records == sum(tree["size"] for tree in forest)


def test_chunks_can_be_read_by_people() -> None:
    clusters = Clusters.from_nested([JOINT, SIMPLE])
    assert len(clusters) == 4
    assert clusters.parents.tolist() == [-1, 0, 0, -1]
    assert clusters.is_joint.tolist() == [True, False, False, False]
    assert clusters.chunks_of(0) == [[(("milk",), 2), (("tea",), 1)]]
    assert clusters.chunks_of(1) == [[(("a", "b"), 2), (("a",), 1)]]
    assert clusters.chunks_of(2) == []
    assert [clusters.term_chunk_of(node) for node in range(4)] == [(), ("x",), ("y", "z"), ()]


@pytest.mark.parametrize(
    "change",
    [
        {"size": 3},
        {"term_chunk": ["b"]},
        {"record_chunks": []},
        {"record_chunks": [{"subrecords": [["a"]]}]},
        {"record_chunks": [{"subrecords": [["b"], ["b"]]}]},
        {"record_chunks": [{"subrecords": [["a"]]}, {"subrecords": [["a"]]}]},
    ],
)
def test_any_difference_makes_other_clusters(change: dict[str, Any]) -> None:
    assert Clusters.from_nested([SIMPLE | change]) != Clusters.from_nested([SIMPLE])
    assert Clusters.from_nested([SIMPLE]) != SIMPLE


def test_a_parent_that_does_not_exist_is_left_to_the_inspector() -> None:
    clusters = replace(Clusters.from_nested([SIMPLE]), parents=np.array([9]))
    assert clusters.is_joint.tolist() == [False]
    assert clusters.n_records == 0


def test_nothing_can_be_changed() -> None:
    clusters = Clusters.from_nested([JOINT])
    for name in Clusters.__slots__:
        value = getattr(clusters, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[0] = 0
    with pytest.raises(FrozenInstanceError):
        clusters.sizes = np.zeros(3, dtype=np.int64)  # type: ignore[misc]


def test_there_is_no_room_for_record_ids() -> None:
    # what could hold one is either a count by node or subrecord, or a term: every field is listed here on purpose
    assert set(Clusters.__slots__) == {
        *("vocabulary", "parents", "sizes", "term_offsets", "term_items", "chunk_offsets", "subrecord_offsets"),
        *("item_offsets", "items", "counts", "anomalies"),
        "is_joint",  # cannot be given: it follows from the parents
        "pages",  # a folder for unnamed files, which is never written
    }


def test_anomalies_of_a_file_travel_with_the_clusters() -> None:
    seen = Violation("V1", "cluster 0", "a subrecord is empty")
    assert replace(Clusters.from_nested([SIMPLE]), anomalies=(seen,)).anomalies == (seen,)
