from __future__ import annotations

from dataclasses import FrozenInstanceError
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import Intake, Transactions

terms = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=3)
record_lists = st.lists(st.lists(terms, max_size=6), max_size=10)


@given(record_lists)
def test_records_come_back_as_sets_and_only_the_blank_ones_are_dropped(records: list[list[str]]) -> None:
    data = Transactions.from_sets(records)
    assert data.to_sets() == [frozenset(record) for record in records if record]
    assert data.intake.blank_records == sum(not record for record in records)
    assert data.intake.repeated_terms == sum(len(record) - len(set(record)) for record in records)


@given(record_lists)
def test_items_ascend_without_repeats_and_compare_as_their_terms_do(records: list[list[str]]) -> None:
    data = Transactions.from_sets(records)
    names = data.vocabulary.to_pylist()
    assert names == sorted({term for record in records for term in record})
    for record in data:
        assert record.tolist() == sorted(set(record.tolist()))
        assert [names[item] for item in record] == sorted(names[item] for item in record)


@given(record_lists)
def test_supports_count_the_records_of_each_term(records: list[list[str]]) -> None:
    data = Transactions.from_sets(records)
    expected = [sum(term in record for record in records) for term in data.vocabulary.to_pylist()]
    assert data.supports().tolist() == expected
    assert data.supports().dtype == np.int64


@given(record_lists)
def test_an_arrow_table_has_every_record_as_a_sorted_list(records: list[list[str]]) -> None:
    table = Transactions.from_sets(records).to_arrow()
    assert table.column_names == ["terms"]
    assert table["terms"].to_pylist() == [sorted(set(record)) for record in records if record]


def test_what_leaves_as_an_arrow_table_can_be_read_back() -> None:
    data = Transactions.from_sets([["tea", "milk"], ["tea"], ["über, all"]])
    assert disjoin.read(data.to_arrow()).to_sets() == data.to_sets()


@given(record_lists)
def test_the_order_of_the_source_is_kept_on_request_only(records: list[list[str]]) -> None:
    assert Transactions.from_sets(records).written is None
    data = Transactions.from_sets(records, keep_order=True)
    names = data.vocabulary.to_pylist()
    assert data.written is not None
    assert [names[item] for item in data.written] == [term for record in records for term in dict.fromkeys(record)]


@given(record_lists, st.randoms())
def test_the_order_inside_a_record_leaves_no_trace(records: list[list[str]], random: Random) -> None:
    shuffled = [random.sample(record, len(record)) for record in records]
    one, other = Transactions.from_sets(records), Transactions.from_sets(shuffled)
    assert one.items.tolist() == other.items.tolist()
    assert one.offsets.tolist() == other.offsets.tolist()


def test_terms_stay_as_written() -> None:
    data = Transactions.from_sets([["007", "7"], ["Nausea", "nausea", " nausea"], [7, np.int32(8)]])
    assert data.vocabulary.to_pylist() == [" nausea", "007", "7", "8", "Nausea", "nausea"]


def test_a_record_is_found_by_its_number_from_either_end() -> None:
    data = Transactions.from_sets([{"a"}, {"b"}, {"c"}])
    assert (data[0].tolist(), data[2].tolist(), data[-1].tolist(), data[-3].tolist()) == ([0], [2], [2], [0])
    for beyond in (3, -4):
        with pytest.raises(IndexError, match="of 3"):
            data[beyond]
    with pytest.raises(IndexError):
        Transactions.from_sets([])[0]


@pytest.mark.parametrize("wrong", [None, 1.5, True, ("a",), b"a"])
def test_a_term_that_is_no_string_is_refused_with_its_record(wrong: object) -> None:
    with pytest.raises(InvalidParameter, match="record 1"):
        Transactions.from_sets([["a"], [wrong]])  # type: ignore[list-item]


def test_an_empty_term_is_refused_with_its_record() -> None:
    with pytest.raises(UnreadableInput, match="record 1 contains an empty term"):
        Transactions.from_sets([["a"], ["b", ""]])


def test_sensitive_terms_are_marked_and_absent_ones_ignored() -> None:
    data = Transactions.from_sets([{"flu", "tea"}, {"tea"}])
    marked = data.with_sensitive(["flu", "gout"])
    assert marked.sensitive is not None
    assert marked.sensitive.tolist() == [True, False]
    assert data.sensitive is None
    assert marked.to_sets() == data.to_sets()


def test_nothing_can_be_changed() -> None:
    data = Transactions.from_sets([{"a", "b"}], keep_order=True).with_sensitive(["a"])
    for array in (data.offsets, data.items, data.sensitive, data.written, data[0]):
        assert array is not None
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        data.items = np.zeros(2, dtype=np.int32)  # type: ignore[misc]
    with pytest.raises((AttributeError, TypeError)):
        data.note = "slots"  # type: ignore[attr-defined]


def test_arrays_of_any_width_become_the_promised_ones() -> None:
    data = Transactions(np.array([0, 2], dtype=np.int16), np.array([0, 1], dtype=np.int64), ["a", "b"])  # type: ignore[arg-type]
    assert (data.offsets.dtype, data.items.dtype) == (np.int64, np.int32)
    assert data.intake == Intake()
