"""Rows of items, as every verifier of bags reads them: what is wrong is placed, counted and tidied away (P17)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from disjoin.model import Bag, Transactions
from disjoin.verify.forest import unnamed
from disjoin.verify.inspection import examples
from disjoin.verify.rows import Rows, check_readable, check_structure, is_ascending
from disjoin.verify.source import Source, follow_map


def rows(items: list[int], lengths: list[int], counts: list[int]) -> Rows:
    offsets = np.append(0, np.cumsum(lengths))
    untidy = np.zeros(len(counts), dtype=np.bool_)
    return Rows(pa.array(["a", "b", "c"]), offsets, np.array(items, dtype=np.int32), np.array(counts), untidy)


def test_a_finding_shows_the_first_row_and_counts_the_others() -> None:
    some = rows([0, 1, 2, 0], [2, 1, 1], [1, 1, 1])
    assert some.finding("A1", "Odd.", np.array([], dtype=np.int64)) == []
    (one,), (two,) = some.finding("A1", "Odd.", np.array([1])), some.finding("A1", "Odd.", np.array([0, 2]))
    assert (one.message, one.node, one.example) == ("Odd.", 1, ("c",))
    assert (two.message, two.node, two.example) == ("Odd. This concerns 2 rows.", 0, ("a", "b"))


def test_tidied_rows_have_no_repeated_items_and_no_empty_counts() -> None:
    tidied = rows([0, 0, 1, 2, 1, 1], [3, 1, 2], [1, 0, 2]).tidied()
    assert tidied.offsets.tolist() == [0, 2, 3]
    assert tidied.items.tolist() == [0, 1, 1]
    assert tidied.counts.tolist() == [1, 2]
    assert rows([0, 0, 1], [3], [1]).tidied().items.tolist() == [0, 1]


def test_rows_are_read_in_the_order_of_terms() -> None:
    read = Rows.of(Bag(["b", "a"], [0, 1, 3], [0, 0, 1], [1, 2]))
    assert [examples(read.names, read.row(row)) for row in range(2)] == [("b",), ("a", "b")]
    assert read.untidy.tolist() == [False, True]


def test_a_count_below_one_is_reported() -> None:
    (finding,) = check_structure(pa.array(["a", "b", "c"]), rows([0, 1], [1, 1], [1, -2]), "A1")
    assert (finding.message, finding.node) == ("its count is -2, but at least 1 is needed.", 1)


def test_a_missing_term_counts_as_empty_in_the_order() -> None:
    assert is_ascending(pa.array([None, "b"]))
    assert not is_ascending(pa.array(["b", None]))


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (["a", "b"], []),
        (["a", None, ""], [("2 terms of the list are empty or missing.", ())]),
        (["a", ""], [("1 terms of the list are empty or missing.", ())]),
        (["b", "a", "b", "c"], [("terms are in the list more than once.", ("b",))]),
    ],
)
def test_terms_without_a_name_or_with_the_same_are_found(terms: list[str | None], expected: list[tuple]) -> None:
    found = unnamed(pa.array(terms, pa.string()), "the list", "A2")
    assert [(finding.message, finding.example) for finding in found] == expected


def test_a_map_must_leave_out_as_many_records_as_were_suppressed() -> None:
    data = Transactions.from_sets(["a", "a", "b"])
    source = Source.of(data, data.vocabulary, np.array([0, 0, -1]), 2)
    findings, followed = follow_map(source, np.array([2]), "O1", "cluster")
    assert [finding.message for finding in findings] == ["1 records are in no cluster, but 2 are stated as suppressed."]
    assert followed is source


def test_rows_that_stand_for_nobody_are_tidied_away() -> None:
    tidied = rows([0, 1], [1, 1], [1, 0]).tidied()
    assert (tidied.items.tolist(), tidied.counts.tolist()) == ([0], [1])


def test_an_original_with_a_vocabulary_in_another_order_is_read_in_order() -> None:
    data = Transactions(offsets=np.array([0, 3]), items=np.array([0, 1, 2]), vocabulary=["a", "c", "b"])
    source = Source.of(data, pa.array(["a", "b", "c"]), None, 0)
    assert source.items.tolist() == [0, 1, 2]


def test_every_item_must_be_in_the_vocabulary() -> None:
    for items in ([-1, 0], [0, 2], [-1, 2]):
        (finding,) = check_readable(Bag(["a", "b"], [0, 2], items, [1]), "A1")
        assert finding.message == "items name terms outside the vocabulary, which has 2."
    assert check_readable(Bag(["a", "b"], [0, 2], [0, 1], [1]), "A1") == []


@pytest.mark.parametrize(
    ("terms", "expected"), [("abc", True), ("acb", False), ("bac", False), ("aab", True), ("", True)]
)
def test_terms_ascend_if_all_do(terms: str, expected: bool) -> None:
    assert is_ascending(pa.array(list(terms), pa.string())) == expected
