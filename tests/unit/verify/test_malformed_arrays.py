"""What flat arrays can say and the nested form cannot: it is found too, and nothing crashes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin.model import Clusters, KmAnonymity, Violation
from disjoin.verify import check
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

PROMISE = KmAnonymity(2, 2)


def sound() -> Clusters:
    first, second = leaf(3, [{"a": 2}], "t"), leaf(4, [{"b": 4}], "t")
    return Clusters.from_nested(canonical([joint([first, second], [{"s": 2}])]))


def found(published: Clusters) -> set[str]:
    return {violation.invariant for violation in check(published, PROMISE).violations}


def changed(name: str, position: int, value: int) -> Clusters:
    published = sound()
    array = np.array(getattr(published, name))
    array[position] = value
    return replace(published, **{name: array})


def test_the_starting_point_is_sound() -> None:
    assert found(sound()) == set()


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(changed("parents", 1, 7), id="a parent that does not exist"),
        pytest.param(changed("parents", 1, -5), id="a parent below -1"),
        pytest.param(changed("parents", 0, 0), id="its own parent"),
        pytest.param(changed("parents", 0, 2), id="a cycle"),
        pytest.param(changed("parents", 1, 2), id="a child before its parent"),
        pytest.param(changed("sizes", 0, 2**62), id="more records than can be counted"),
        pytest.param(changed("counts", 0, 2**62), id="counts that would wrap around"),
        pytest.param(changed("items", 0, 99), id="an item outside the vocabulary"),
        pytest.param(changed("term_items", 0, -1), id="an item below the vocabulary"),
        pytest.param(changed("item_offsets", 1, 99), id="offsets beyond the end"),
        pytest.param(changed("chunk_offsets", 0, 1), id="offsets that do not start at 0"),
        pytest.param(changed("parents", 1, 3), id="a parent after the last cluster"),
        pytest.param(changed("items", 0, 4), id="an item just outside the vocabulary"),
        pytest.param(replace(sound(), sizes=[1, 2]), id="sizes missing"),
        pytest.param(replace(sound(), parents=[-1, 0]), id="parents missing"),
        pytest.param(replace(sound(), counts=[2]), id="counts missing"),
        pytest.param(replace(sound(), subrecord_offsets=[]), id="no offsets at all"),
    ],
)
def test_what_cannot_be_read_ends_the_inspection_with_v1(broken: Clusters) -> None:
    verdict = check(broken, PROMISE)
    assert {violation.invariant for violation in verdict.violations} == {"V1"}
    assert verdict.checked == ("V1",)


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        pytest.param(changed("counts", 0, 0), "V1", id="a count of 0"),
        pytest.param(changed("sizes", 1, -3), "V1", id="a negative size"),
        pytest.param(changed("item_offsets", 1, 0), "V1", id="an empty subrecord"),
        pytest.param(changed("subrecord_offsets", 1, 0), "V1", id="an empty chunk"),
    ],
)
def test_what_can_be_read_is_judged_to_the_end(broken: Clusters, expected: str) -> None:
    verdict = check(broken, PROMISE)
    assert expected in {violation.invariant for violation in verdict.violations}
    assert len(verdict.checked) == 12


def test_every_number_may_be_anything() -> None:
    assert "V1" in check(changed("sizes", 0, -(2**63)), KmAnonymity(2**80, 2**80)).checked


@pytest.mark.parametrize("blank", ["", None])
def test_a_blank_term_is_refused(blank: Any) -> None:
    vocabulary = [blank, "b", "s", "t"]
    broken = replace(sound(), vocabulary=pa.array(vocabulary, pa.string()))
    assert "V1" in found(broken)
    assert any("empty or missing" in v.message for v in check(broken, PROMISE).violations)


def test_a_term_that_no_chunk_uses_betrays_what_was_left_out() -> None:
    published = sound()
    leaking = replace(published, vocabulary=pa.array([*published.vocabulary.to_pylist(), "zsecret"]))
    (violation,) = check(leaking, PROMISE).violations
    assert (violation.invariant, violation.example) == ("V1", ("zsecret",))


def test_a_repeated_vocabulary_entry_hides_no_overlap() -> None:
    """a in a record chunk and in the term chunk, under two numbers."""
    hiding = Clusters(
        vocabulary=pa.array(["a", "a"]),
        parents=[-1],
        sizes=[2],
        term_offsets=[0, 1],
        term_items=[1],
        chunk_offsets=[0, 1],
        subrecord_offsets=[0, 1],
        item_offsets=[0, 1],
        items=[0],
        counts=[2],
    )
    assert found(hiding) == {"V1", "V3"}


def test_a_vocabulary_in_another_order_breaks_v12_and_nothing_else() -> None:
    published = sound()
    names = published.vocabulary.to_pylist()
    turned = [names[1], names[0], *names[2:]]
    number = np.array([turned.index(name) for name in names], dtype=np.int32)
    broken = replace(
        published, vocabulary=pa.array(turned), items=number[published.items], term_items=number[published.term_items]
    )
    assert found(broken) == {"V12"}


def test_a_repeated_term_counts_once() -> None:
    """Two a's in one record are no crowd."""
    doubled = Clusters.from_nested([leaf(3, [{"aab": 1, "b": 2}], "t")])
    verdict = check(doubled, PROMISE)
    assert {violation.invariant for violation in verdict.violations} == {"V1", "V5", "V12"}


def test_nodes_out_of_pre_order_break_v12() -> None:
    """Two joints, numbered by level instead of one after the other."""
    one = joint([leaf(2, [], "a"), leaf(2, [], "b")], [{"s": 2}])
    two = joint([leaf(2, [], "c"), leaf(3, [], "d")], [{"s": 2}])
    published = Clusters.from_nested(canonical([one, two]))
    assert found(published) == set()
    order = [0, 3, 1, 2, 4, 5]  # the two roots first
    by_level = replace(
        published,
        parents=[-1, -1, 0, 0, 1, 1],
        sizes=published.sizes[order],
        term_offsets=[0, 0, 0, 1, 2, 3, 4],
        chunk_offsets=[0, 1, 2, 2, 2, 2, 2],
    )
    assert found(by_level) == {"V12"}


def test_text_that_is_no_text_is_refused() -> None:
    raw = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 1], dtype=np.int32)), pa.py_buffer(b"\xff")]
    )
    published = replace(Clusters.from_nested([leaf(2, [], "a")]), vocabulary=raw)
    assert found(published) == {"V1"}


def test_what_a_reader_saw_is_in_the_verdict() -> None:
    seen = Violation("V1", "clusters.parquet", "a column 'record_id' that does not belong there.")
    verdict = check(replace(sound(), anomalies=(seen,)), PROMISE)
    assert verdict.violations == (seen,)
    assert not verdict.holds


def test_an_empty_forest_is_no_release() -> None:
    assert [v.invariant for v in check(Clusters.from_nested([]), PROMISE).violations] == ["V1"]


def test_a_parent_that_does_not_exist_is_called_so() -> None:
    (violation,) = check(changed("parents", 1, 3), PROMISE).violations
    assert violation.message == "its parent 3 does not exist."
