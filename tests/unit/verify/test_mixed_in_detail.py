"""Mixed data: everything that is found in clusters, rows and the original reaches the verdict (P17)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin.model import Bag, Clusters, Mixed, MixedRecords, Role, Table, Verdict, Violation, clusters
from disjoin.model.mixed_anonymity import Exclusion
from disjoin.verify import check
from disjoin.verify.mixed import original, rows, rows_and_chunks
from disjoin.verify.mixed.inspection import unseen
from disjoin.verify.table.assignment import Outcome
from unit.verify.generalized import TREE
from unit.verify.test_mixed import ORIGINAL, PROMISE, broken, leaf, mixed

ALONE = ("V1", "V2", "V3", "V4", "V5", "V6", "V8", "V9", "V10", "V11", "V12")
ROWS = ("R1", "R2", "R3", "R4")
RIGHT = mixed(leaf(rows=[("1", ("x",), 2), ("2", (), 2)]))
PARTS = [0, 1, 0, 1]


def told(verdict: Verdict) -> list[str]:
    return [violation.message for violation in verdict.violations]


# ------------------------------------------------------------------ the verdict


def test_a_sound_verdict_lists_all_that_was_checked_and_measured() -> None:
    verdict = check(RIGHT, PROMISE)
    assert verdict.holds
    assert set(verdict.checked) == {*ALONE, *ROWS, "R8", "R9"}
    assert verdict.facts == {"forced_association": [0, 1], "classes": 2, "least_class": 2}
    uneven = mixed(leaf(size=5, chunks=((("a",), 5),), rows=[("1", (), 3), ("2", (), 2)]))
    assert check(uneven, PROMISE).facts["least_class"] == 2


@pytest.mark.parametrize(
    ("more", "invariant"),
    [
        ({"sensitive_columns": ("illness",), "alpha": "1/2"}, {"R5"}),
        ({"sensitive_columns": ("illness",), "column_l": 2}, {"R6"}),
        ({"sensitive_columns": ("illness",), "exclusions": ("q:age=5",)}, {"R7"}),
    ],
)
def test_what_is_promised_besides_is_said_to_be_checked(more: dict[str, Any], invariant: set[str]) -> None:
    published = mixed(
        leaf(rows=[("1", (), 2), ("1", (), 2)]),
        columns={"illness": ["cold", "flu"]},
        roles={"illness": Role.SENSITIVE},
    )
    verdict = check(published, replace(PROMISE, **more))
    assert verdict.holds
    assert set(verdict.checked) & {"R5", "R6", "R7"} == invariant


def test_what_is_wrong_with_clusters_breaks_the_promise() -> None:
    assert broken(mixed(leaf(chunks=((("a",), 1),), terms=("t",)))) == {"V5"}
    assert broken(mixed(leaf(chunks=((("a",), 5),)))) == {"V2", "V10"}
    assert broken(mixed(leaf(size=1, chunks=(), terms=("t",), rows=[("1", (), 1)]))) == {"V6", "R2"}
    unused = mixed(leaf())
    unused = replace(unused, clusters=replace(unused.clusters, vocabulary=pa.array(["a", "b"])))
    verdict = check(unused, PROMISE, original=ORIGINAL)
    assert {violation.invariant for violation in verdict.violations} == {"V1"}
    assert not {"R2", "W1"} & set(verdict.checked)


def test_clusters_that_cannot_be_read_are_refused() -> None:
    published = mixed(leaf())
    damaged = replace(published, clusters=replace(published.clusters, sizes=np.array([2**62])))
    verdict = check(damaged, PROMISE, original=ORIGINAL)
    assert {violation.invariant for violation in verdict.violations} == {"V1"}
    assert set(verdict.checked) == {"V1", "R1", "R9"}


def test_violations_are_in_the_order_of_the_invariants_after_what_a_reader_saw() -> None:
    seen = Violation("F1", "a file", "odd.")
    rare = mixed(leaf(chunks=((("a",), 1),), terms=("t",), rows=[("1", (), 3), ("2", (), 1)]))
    verdict = check(replace(rare, anomalies=(seen,)), PROMISE, original=ORIGINAL, part_of_record=[0, 0, 0, 0])
    names = [violation.invariant for violation in verdict.violations]
    assert names[:3] == ["F1", "V5", "R2"]
    assert names[3:] == sorted(names[3:])


def test_damaged_rows_are_not_compared() -> None:
    damaged = replace(RIGHT, leaves=np.array([0, 7]))
    assert broken(damaged, original=ORIGINAL) == {"R1"}


# ------------------------------------------------------------------ the original


def test_a_comparison_lists_all_that_was_checked_and_measured() -> None:
    by_map = check(RIGHT, PROMISE, original=ORIGINAL, part_of_record=PARTS)
    assert by_map.holds
    assert {"W1", "W2", "O1", "O2", "O3", "O4", "O5", "O6"} <= set(by_map.checked)
    assert by_map.facts["true_association"] == [0, 1]
    alone = check(RIGHT, PROMISE, original=ORIGINAL)
    assert {"W1", "W3", "O1", "O6", "O7"} <= set(alone.checked)
    assert alone.facts["W3"]["decided"] is True
    assert alone.facts["O7"]["itemsets"] == 3


def test_people_that_were_left_out_are_counted() -> None:
    more = MixedRecords.from_people({"age": ["1", "2", "1", "2", "9"]}, [{"a", "x"}, {"a"}, {"a", "x"}, {"a"}, {"a"}])
    parts = [*PARTS, -1]
    assert broken(RIGHT, original=more, part_of_record=parts, suppressed_records=1) == set()
    verdict = check(RIGHT, PROMISE, original=more, suppressed_records=2)
    assert "4 people published and 2 left out, but 5 given." in told(verdict)
    assert "4 people published, but 5 given." in told(check(RIGHT, PROMISE, original=more))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([0, 1, 0], "the map has 3 entries for 4 people."),
        ([0, 1, 0, 2], "the map names rows that do not exist."),
        ([0, 1, 0, -2], "the map names rows that do not exist."),
        ([0, 1, 0, -1], "1 people have it, but its count is 2."),
    ],
)
def test_a_map_that_cannot_be_followed_is_refused(parts: list[int], words: str) -> None:
    verdict = check(RIGHT, PROMISE, original=ORIGINAL, part_of_record=np.array(parts))
    assert words in told(verdict)
    assert not {"W2", "W3"} & set(verdict.checked)


def test_a_column_that_the_original_does_not_have_is_refused() -> None:
    published = mixed(leaf(rows=[("1", (), 4)]), columns={"sex": ["1"]}, roles={"sex": Role.QUASI_IDENTIFIER})
    data = MixedRecords.from_people({"age": ["1"] * 4}, [{"a"}] * 4)
    verdict = check(published, replace(PROMISE, quasi=("age", "sex")), original=data)
    assert "column 'sex' is not in the original." in told(verdict)


def test_rows_that_could_not_be_matched_in_time_are_not_said_to_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided = Outcome([], (), "too many rows")
    monkeypatch.setattr(original, "check_assignment", lambda comparison: undecided)
    verdict = check(RIGHT, PROMISE, original=ORIGINAL)
    assert "W3" not in verdict.checked
    assert verdict.facts["W3"]["decided"] is False


def test_a_sensitive_term_that_too_many_of_a_cluster_have_is_found_with_the_map() -> None:
    published = mixed(leaf(terms=("h",), rows=[("1", (), 4)]))
    guarantee = replace(PROMISE, sensitive=("h",), l=2)
    data = MixedRecords.from_people({"age": ["1"] * 4}, [{"a", "h"}, {"a", "h"}, {"a", "h"}, {"a"}])
    verdict = check(published, guarantee, original=data, part_of_record=[0, 0, 0, 0])
    assert told(verdict) == ["3 of its 4 records have a sensitive term, but 1 in 2 is allowed."]
    shown = mixed(leaf(chunks=((("ah"), 4),), rows=[("1", (), 4)]))
    everybody = MixedRecords.from_people({"age": ["1"] * 4}, [{"a", "h"}] * 4)
    verdict = check(shown, replace(guarantee, l=1), original=everybody, part_of_record=[0, 0, 0, 0])
    assert told(verdict) == ["sensitive terms, in any spelling, must be in term chunks only."]


def test_terms_beside_the_first_row_are_compared_too() -> None:
    published = mixed(leaf(rows=[("1", (), 2), ("2", ("x",), 2)]))
    data = MixedRecords.from_people({"age": ["1", "1", "2", "2"]}, [{"a", "x"}, {"a"}, {"a", "x"}, {"a", "x"}])
    assert "W2" in broken(published, original=data, part_of_record=[0, 0, 1, 1])


# ------------------------------------------------------------------ rows


def shape(**arrays: Any) -> list[str]:
    """Return what is wrong with two rows of terms (x), (x, y)."""
    people = Bag(pa.array(["x", "y"]), np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), np.array([2, 2]))
    table = Table.from_columns({"age": ["1", "2"]}, {"age": Role.QUASI_IDENTIFIER})
    clusters = Clusters.from_nested([leaf()[0]])
    leaves = arrays.pop("leaves", np.array([0, 0]))
    return [finding.message for finding in rows.check_shape(Mixed(clusters, leaves, table, replace(people, **arrays)))]


NOT_TEXT = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], dtype=np.int32)), pa.py_buffer(b"a\xff")]
)


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({}, []),
        ({"items": np.array([0, 0, 2], np.int32)}, ["are not in the vocabulary"]),
        ({"vocabulary": NOT_TEXT}, ["are not in the vocabulary"]),
        ({"counts": np.array([2**62, 2])}, ["more than the largest number of people"]),
        ({"leaves": np.array([0, 1])}, ["1 rows belong to a cluster that does not exist"]),
        ({"leaves": np.array([0, -1])}, ["1 rows belong to a cluster that does not exist"]),
        ({"vocabulary": pa.array(["", "y"])}, ["empty, repeated, or in no row"]),
        ({"vocabulary": pa.array(["y", "y"])}, ["empty, repeated, or in no row"]),
        ({"vocabulary": pa.array(["x", "y", "z"])}, ["empty, repeated, or in no row"]),
        ({"items": np.array([0, 1, 1], np.int32)}, ["a row has the same term twice"]),
        ({"counts": np.array([0, 2])}, ["a row has a count below 1"]),
    ],
)
def test_rows_that_are_malformed_are_refused_for_that_only(arrays: dict[str, Any], words: list[str]) -> None:
    found = shape(**arrays)
    assert len(found) == len(words)
    assert all(part in message for part, message in zip(words, found, strict=True))


def test_a_rare_row_or_set_of_terms_is_shown() -> None:
    (few,) = check(mixed(leaf(rows=[("1", (), 1), ("2", (), 3)])), PROMISE).violations
    assert (few.message, few.example) == ("1 people have this row, but at least 2 are needed.", ("age: 1",))
    (rare,) = check(mixed(leaf(rows=[("1", (), 3), ("1", ("x",), 1)])), PROMISE).violations
    assert rare.message == "these terms occur together 1x with this row, but at least 2x is needed."
    assert rare.example == ("age: 1", "x")


def test_values_are_counted_in_each_class() -> None:
    """Three classes of four: cold 2, flu 2; cold 3, flu 1; gout 4."""
    values = ["cold", "flu", "cold", "flu", "gout"]
    entries = [("1", (), 2), ("1", (), 2), ("2", (), 3), ("2", (), 1), ("3", (), 4)]
    published = mixed(
        leaf(size=12, chunks=((("a",), 12),), rows=entries),
        columns={"illness": values},
        roles={"illness": Role.SENSITIVE},
    )
    guarantee = replace(PROMISE, sensitive_columns=("illness",))
    found = check(published, replace(guarantee, alpha="1/2")).violations
    assert [violation.example[0] for violation in found] == ["age: 2", "age: 3"]
    found = check(published, replace(guarantee, column_l=2)).violations
    assert [violation.example[0] for violation in found] == ["age: 3"]
    assert found[0].message == "it has 1 different illness."


def test_a_cluster_with_two_chunks_needs_subrecords_for_both() -> None:
    enough = mixed(leaf(chunks=((("a",), 3), (("b",), 3))))
    assert broken(enough) == set()
    assert broken(mixed(leaf(chunks=((("a",), 3), (("b",), 2))))) == {"R4"}


def test_an_overlap_of_clusters_is_not_told_again_for_rows() -> None:
    assert "R3" not in broken(mixed(leaf(terms=("a",), rows=[("1", ("x",), 4)])))


# ------------------------------------------------------------------ exclusions


def excluded(exclusion: str, values: list[str], column: str = "job") -> list[str]:
    """Return the values that are excluded."""
    table = Table.from_columns({column: values}, {column: Role.QUASI_IDENTIFIER})
    if column == "job":
        table = table.with_hierarchies({"job": TREE})
    nothing = np.zeros(len(values) + 1, int)
    people = Bag(pa.array([], pa.string()), nothing, np.array([], np.int32), np.ones(len(values)))
    published = Mixed(Clusters.from_nested([leaf()[0]]), np.zeros(len(values)), table, people)
    flags = rows_and_chunks.excluded_values(published, column, {*Exclusion.read(exclusion).values}).tolist()
    return [value for value, is_excluded in zip(table.values_of(column).to_pylist(), flags, strict=True) if is_excluded]


JOBS = ["*", "cook", "doctor", "king", "kitchen", "nurse", "queen", "ward"]


@pytest.mark.parametrize(
    ("exclusion", "expected"),
    [
        ("a:job=kitchen", ["cook", "kitchen"]),
        ("a:job=cook", ["cook"]),
        ("a:job=cook|baker", ["cook", "kitchen"]),
        ("a:job=king|nurse", ["king", "nurse"]),
        ("a:job=cook|ward", ["cook", "doctor", "nurse", "ward"]),
        ("a:job=*", ["*", "cook", "doctor", "kitchen", "nurse", "ward"]),
    ],
)
def test_a_value_is_excluded_if_all_below_it_are(exclusion: str, expected: list[str]) -> None:
    assert excluded(exclusion, JOBS) == expected


def test_an_interval_is_excluded_if_its_ends_are() -> None:
    ages = ["0", "17", "18", "29", "30", "[0, 17]", "[3, 35]", "[3, 20]", "old", "young"]
    assert set(excluded("a:age=[0, 17]|[30, 40]|old", ages, "age")) == {"0", "17", "30", "[0, 17]", "[3, 35]", "old"}


def test_a_cluster_has_a_term_also_from_above_and_beside_its_rows() -> None:
    trees = [
        {"size": 4, "record_chunks": [{"subrecords": [[["b"], 4]]}], "term_chunk": []},
        {
            "size": 4,
            "shared_chunks": [{"subrecords": [[["s"], 2]]}],
            "children": [{"size": 2, "record_chunks": [], "term_chunk": [term]} for term in "pq"],
        },
    ]
    table = Table.from_columns({"age": ["1", "1", "1"]}, {"age": Role.QUASI_IDENTIFIER})
    people = Bag(pa.array(["x"]), np.array([0, 1, 1, 1]), np.array([0], np.int32), np.array([4, 2, 2]))
    published = Mixed(Clusters.from_nested(trees), np.array([0, 2, 3]), table, people)
    where = {term: rows_and_chunks.nodes_with(published, Exclusion.read(f"{term}:age=1")).tolist() for term in "bspx"}
    assert where == {
        "b": [True, False, False, False],
        "s": [False, True, True, True],
        "p": [False, False, True, False],
        "x": [True, False, False, False],
    }
    turned = replace(published, clusters=Clusters.from_nested(trees[1:]), leaves=np.array([1, 1, 2]))
    assert rows_and_chunks.nodes_with(turned, Exclusion.read("s:age=1")).tolist() == [True, True, True]


# ------------------------------------------------------------------ order


def in_order(names: list[str], items: list[int]) -> list[str]:
    people = Bag(pa.array(names), np.array([0, 2]), np.array(items, np.int32), np.array([4]))
    table = Table.from_columns({"age": ["1"]}, {"age": Role.QUASI_IDENTIFIER})
    found = rows_and_chunks.check_order(Mixed(Clusters.from_nested([leaf()[0]]), np.array([0]), table, people))
    return [finding.message.partition(" are")[0] for finding in found]


def test_terms_beside_rows_are_sorted() -> None:
    assert in_order(["x", "y"], [0, 1]) == []
    assert in_order(["y", "x"], [0, 1]) == ["the terms with rows"]
    assert in_order(["x", "y"], [1, 0]) == ["the terms of a row"]


def test_equal_clusters_with_equal_rows_may_follow_one_another() -> None:
    assert broken(mixed(leaf(), leaf())) == set()


# ------------------------------------------------------------------ what was not looked at


def test_what_nobody_could_count_is_told() -> None:
    guarded = replace(PROMISE, sensitive=("x",), l=2)
    alone, decided = Verdict(guarded, (), ("V1",), {}), Verdict(PROMISE, (), ("W3",), {"W3": {"decided": True}})
    assert [words[:11] for words in unseen(alone)] == ["Not checked"]
    assert unseen(replace(alone, checked=("W2",))) == []
    assert unseen(replace(alone, guarantee=replace(PROMISE, sensitive=("x",)))) == []
    assert unseen(replace(alone, guarantee=PROMISE)) == []
    assert [words[:8] for words in unseen(decided)] == ["Only the"]
    assert unseen(replace(decided, violations=(Violation("W3", "row 1", "odd."),))) == []
    undecided = Verdict(PROMISE, (), (), {"W3": {"decided": False, "how": "there are too many"}})
    assert unseen(undecided) == ["Not decided: W3, whether every row can belong to a person: there are too many."]
    assert unseen(Verdict("another promise", (), (), {})) == []  # type: ignore[arg-type]


# ------------------------------------------------------------------ people who need no term of a chunk


FORCED = replace(PROMISE, sensitive=("s", "u"), l=2)


def test_how_many_must_have_a_sensitive_term_is_reported_once() -> None:
    alone = mixed(leaf(size=4, chunks=(), terms=("s",)))
    people = MixedRecords.from_people({"age": ["1", "1", "2", "2"]}, [{"s"}, {"s"}, {"s"}, {"s"}])
    forced = "at least 4 of 4 records must have its only term, but 1 in 2 is allowed."
    true = "4 of its 4 records have a sensitive term, but 1 in 2 is allowed."
    assert told(check(alone, FORCED, original=people, part_of_record=[0] * 4)) == [forced, true]
    without = replace(FORCED, without_terms=True)
    assert told(check(alone, without, original=people, part_of_record=[0] * 4)) == [true]


@pytest.mark.parametrize("l", [1, 2])  # with l = 1 the number is reported, and nothing is limited
def test_people_with_terms_are_spared_range_by_range_too(l: int, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: E741
    rows_of = [("1", (), 2), ("1", ("x",), 2)]
    two = mixed(*(leaf(size=4, chunks=(), terms=(term,), rows=rows_of) for term in "su"))
    asked = replace(FORCED, l=l)
    whole = check(two, asked)
    monkeypatch.setattr(clusters, "AT_ONCE", 1)
    assert len(two.clusters.ranges()) == 2
    assert check(two, asked) == whole
    assert whole.facts["forced_association"] == [2, 4]


@pytest.mark.parametrize("leaves", [[-1], [1]])
def test_rows_that_cannot_be_read_spare_nobody(leaves: list[int]) -> None:
    damaged = replace(mixed(leaf(size=4, chunks=(), terms=("s",))), leaves=np.array(leaves))
    assert rows.spared_people(damaged, FORCED).tolist() == [0]
    assert "R1" in broken(damaged, FORCED)


def test_exclusions_of_other_columns_are_judged_apart() -> None:
    published = mixed(
        leaf(rows=[("1", (), 2), ("2", (), 2)]), columns={"size": ["2", "1"]}, roles={"size": Role.QUASI_IDENTIFIER}
    )
    both = replace(PROMISE, quasi=("age", "size"), exclusions=("a:age=3", "a:size=3"))
    assert broken(published, both) == set()
    assert broken(published, replace(both, exclusions=("a:age=3", "a:size=1"))) == {"R7"}
    crossed = mixed(leaf(rows=[("1", (), 4)]), columns={"size": ["2"]}, roles={"size": Role.QUASI_IDENTIFIER})
    assert broken(crossed, replace(both, exclusions=("a:age=2", "a:size=1"))) == set()
