"""Compressed rows against lists of lists."""

from __future__ import annotations

from itertools import pairwise
from types import GenericAlias
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disjoin.model import Bag, Clusters, Groups, Ragged, Spans, Transactions
from disjoin.model.ragged import Flags, Ints64, _number_type, new_state, offsets_of, ranks_of, used_by

ITEMS = 5
Lists = list[list[int]]
lists = st.lists(st.lists(st.integers(0, ITEMS - 1), max_size=4), max_size=7)


@given(lists)
def test_rows_come_back_as_they_were_given(rows: Lists) -> None:
    ragged = Ragged.from_lists(rows)
    assert ragged.to_lists() == rows
    assert len(ragged) == len(rows)
    assert ragged.is_sound(len(rows), ITEMS)


@given(lists)
def test_lengths_and_owners_are_those_of_the_lists(rows: Lists) -> None:
    ragged = Ragged.from_lists(rows)
    assert ragged.lengths.tolist() == [len(row) for row in rows]
    assert ragged.longest == max(map(len, rows), default=0)
    assert ragged.owners().tolist() == [number for number, row in enumerate(rows) for _ in row]
    names = np.array([f"row {number}" for number in range(len(rows))], dtype=object)
    assert ragged.spread(names).tolist() == [f"row {number}" for number, row in enumerate(rows) for _ in row]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64, np.uint64, np.bool_])
@given(rows=lists)
def test_sums_are_those_of_the_lists_and_nothing_for_an_empty_row(dtype: type, rows: Lists) -> None:
    ragged = Ragged.from_lists(rows)
    values = ragged.items.astype(dtype)
    assert ragged.sums(values).tolist() == [sum(int(dtype(item)) for item in row) for row in rows]


def test_unsigned_sums_wrap_around_and_are_right_all_the_same() -> None:
    largest = np.iinfo(np.uint64).max
    values = np.array([largest, 2, 5], dtype=np.uint64)
    assert Spans.of([2, 1]).sums(values).tolist() == [1, 5]


@given(lists, st.data())
def test_rows_can_be_taken_in_any_order_and_several_times(rows: Lists, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)) if rows else []
    for dtype in (np.int32, np.int64):
        taken = Ragged.from_lists(rows).take(np.array(chosen, dtype=dtype))
        assert taken.to_lists() == [rows[row] for row in chosen]


@given(lists, st.sets(st.integers(0, ITEMS - 1)))
def test_items_that_are_not_wanted_leave_their_row(rows: Lists, wanted: set[int]) -> None:
    ragged = Ragged.from_lists(rows)
    left = ragged.where(np.isin(ragged.items, sorted(wanted)))
    assert left.to_lists() == [[item for item in row if item in wanted] for row in rows]


@given(lists)
def test_a_posting_list_has_the_rows_of_its_item_ascending(rows: Lists) -> None:
    posted = Ragged.from_lists(rows).transposed(ITEMS)
    assert posted.to_lists() == [[n for n, row in enumerate(rows) for i in row if i == item] for item in range(ITEMS)]
    assert posted.transposed(len(rows)).to_lists() == [sorted(row) for row in rows], "transposed twice is sorted"


@given(lists)
def test_a_vocabulary_can_be_reduced_to_what_is_used(rows: Lists) -> None:
    ragged = Ragged.from_lists(rows)
    used, there = ragged.used(ITEMS), sorted({item for row in rows for item in row})
    assert np.flatnonzero(used).tolist() == there
    assert ragged.renumbered(ranks_of(used)).to_lists() == [[there.index(item) for item in row] for row in rows]
    assert used_by(ITEMS, ragged.items[:0]).sum() == 0


@given(lists)
def test_supports_weigh_the_rows_of_an_item(rows: Lists) -> None:
    weights = np.arange(1, len(rows) + 1)
    expected = [sum(n * row.count(item) for n, row in enumerate(rows, start=1)) for item in range(ITEMS)]
    assert Ragged.from_lists(rows).supports(weights, ITEMS).tolist() == expected


@given(lists)
def test_order_and_repeats_are_seen_within_rows_only(rows: Lists) -> None:
    ragged = Ragged.from_lists(rows)
    assert ragged.are_ascending() == all(a < b for row in rows for a, b in pairwise(row))
    assert ragged.have_repeats() == any(len(set(row)) < len(row) for row in rows)


@given(lists)
def test_rows_that_are_equal_to_the_one_before_are_told(rows: Lists) -> None:
    rows.sort()
    ragged = Ragged.from_lists(rows)
    fresh = [number == 0 or rows[number] != rows[number - 1] for number in range(len(rows))]
    assert ragged.differ_from_previous().tolist() == fresh
    distinct, numbers = ragged.distinct()
    assert distinct.to_lists() == sorted(map(list, set(map(tuple, rows))))
    assert [distinct[number].tolist() for number in numbers] == rows


@given(st.lists(lists, max_size=4))
def test_rows_of_rows_are_rows_of_what_these_have(parts: list[Lists]) -> None:
    rows = [row for part in parts for row in part]
    outer = Spans.of([len(part) for part in parts])
    assert outer.over(Ragged.from_lists(rows)).lengths.tolist() == [sum(map(len, part)) for part in parts]


UNSOUND = {
    "a row too few": ([0, 2], [0, 1]),
    "an end before the last item": ([0, 1, 1], [0, 1]),
    "an end after the last item": ([0, 1, 3], [0, 1]),
    "a first row that begins late": ([1, 1, 2], [0, 1]),
    "a row that ends before it begins": ([0, 3, 2], [0, 1]),
    "no offsets at all": ([], []),
    "an item that is too large": ([0, 1, 2], [0, 5]),
    "an item below zero": ([0, 1, 2], [-1, 0]),
}


@pytest.mark.parametrize("offsets, items", UNSOUND.values(), ids=UNSOUND)
def test_rows_that_lead_nowhere_are_not_sound(offsets: list[int], items: list[int]) -> None:
    rows = Ragged(np.array(offsets, dtype=np.int64), np.array(items, dtype=np.int32))
    assert not rows.is_sound(2, ITEMS)
    assert len(rows) in (0, 1, 2), "whatever they are, they can be counted"


@pytest.mark.parametrize("row", [3, -4])
def test_a_row_that_is_not_there_is_an_error(row: int) -> None:
    rows = Ragged.from_lists([[1], [], [2]])
    assert rows[-1].tolist() == rows[2].tolist() == [2]
    with pytest.raises(IndexError, match="of 3"):
        rows[row]


@pytest.mark.parametrize("lengths", [[], [2.0, 0.0], [True, False], np.array([2, 1], np.int32), [2, 0, 3]])
def test_offsets_are_whole_whatever_lengths_are_written_as(lengths: list[float]) -> None:
    offsets = offsets_of(lengths)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(lengths[:n]) for n in range(len(lengths) + 1)]


def test_nouns_show_their_arrays_as_rows_without_copying() -> None:
    data = Transactions.from_sets([{"tea"}, {"tea", "milk"}])
    assert data.records.to_lists() == [[1], [0, 1]]
    assert data.records.items is data.items
    bag = Bag.from_rows([(["tea", "milk"], 2)])
    assert bag.sets.to_lists() == [[0, 1]]
    leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2], [["rye"], 1]]}], "term_chunk": ["milk"]}
    clusters = Clusters.from_nested([leaf])
    assert clusters.nodes.lengths.tolist() == [1]
    assert clusters.chunks.lengths.tolist() == [2]
    assert (clusters.subrecords.to_lists(), clusters.term_chunks.to_lists()) == ([[2], [1]], [[0]])
    groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    assert groups.groups.lengths.tolist() == [2]
    assert (groups.records.to_lists(), groups.secrets.to_lists()) == ([[1], []], [[0]])


def test_a_bag_holds_the_terms_of_its_rows_only() -> None:
    names = pa.array(["milk", "rye", "tea"])
    bag = Bag.of(names, Ragged.from_lists([[0, 2], [2]]), np.array([1, 3]))
    assert bag == Bag.from_rows([(["milk", "tea"], 1), (["tea"], 3)])


class Counters(NamedTuple):
    """Arrays as loops share them."""

    counts: Ints64
    seen: Flags


def test_a_new_state_has_arrays_of_the_declared_types():
    state = new_state(Counters, 3, seen=(2, 0))
    assert (state.counts.dtype, state.counts.tolist()) == (np.int64, [0, 0, 0])
    assert (state.seen.dtype, state.seen.shape) == (np.bool_, (2, 0))


@pytest.mark.parametrize(
    "hint",
    [
        np.ndarray[tuple[int, ...], np.dtype[np.int32]],  # what NDArray[np.int32] is up to numpy 2.4
        GenericAlias(NDArray, (np.int32,)),  # what it is from numpy 2.5 on
    ],
)
def test_the_type_of_numbers_is_found_in_every_version_of_numpy(hint):
    assert _number_type(hint) is np.int32
