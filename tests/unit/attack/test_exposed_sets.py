"""Which subrecords hold a rare set is found as if all sets were listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.attack import exposed_sets
from disjoin.attack.exposed_sets import CHUNK, PAUSE, STEPS, Chunks, exposed_subrecords
from disjoin.model.ragged import frozen, offsets_of
from helpers.hypothesis_profile import examples
from oracle.exposure import exposed

TERMS = 9
rows = st.frozensets(st.integers(0, TERMS - 1), max_size=7)
chunks = st.lists(st.dictionaries(rows, st.integers(1, 4), max_size=25), min_size=1, max_size=3)


def chunks_from(drawn):
    listed = [(sorted(row), count) for chunk in drawn for row, count in chunk.items()]
    return Chunks(
        frozen(offsets_of([len(chunk) for chunk in drawn]), np.int64),
        frozen(offsets_of([len(row) for row, _ in listed]), np.int64),
        frozen([term for row, _ in listed for term in row], np.int32),
        frozen([count for _, count in listed], np.int64),
    )


def found(drawn, k, width, **more):
    return exposed_subrecords(chunks_from(drawn), TERMS, k, width, **more).tolist()


@examples(150)
@given(chunks, st.integers(1, 9), st.integers(2, 4), st.sampled_from([0, 16, 100]))
def test_every_subrecord_with_a_rare_set_is_found_and_no_other(drawn, k, width, room):
    """Whether pairs are counted in a table (with room for all, some or none) or found row by row."""
    slow = [is_exposed for chunk in drawn for is_exposed in exposed(list(chunk.items()), k, width)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exposed_sets, "MOST_PAIRS", room)
        assert found(drawn, k, width) == slow


@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_in_a_crowd_of_similar_rows_only_the_odd_one_is_found(width):
    """All sets of five terms are in five of the six rows, but those with the sixth term of the last row."""
    crowd = {frozenset(range(5 + extra)): 1 for extra in range(4)} | {frozenset({0, 1, 2, 3, 4, 8}): 1}
    is_exposed = found([{**crowd, frozenset({0, 1}): 3}], 5, width)
    assert is_exposed == [False, True, True, True, True, False]


@examples(60)
@given(chunks, st.integers(1, 9), st.integers(2, 4), st.integers(1, 30))
def test_a_search_that_pauses_finds_the_same(drawn, k, width, breath):
    whole = found(drawn, k, width)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exposed_sets, "BREATH", breath)
        assert found(drawn, k, width) == whole


def nested(length):
    """Record i has the terms 0 to i: every set of terms is in some records, and few are rare."""
    lengths = np.arange(1, length + 1)
    items = frozen(np.concatenate([np.arange(each) for each in lengths]), np.int32)
    ones = frozen(np.ones(length), np.int64)
    return Chunks(frozen([0, length], np.int64), frozen(offsets_of(lengths), np.int64), items, ones)


def test_long_records_that_hold_one_another_are_given_up_after_so_many_steps():
    assert exposed_subrecords(nested(60), 60, 5, 3, 10_000) is None
    assert exposed_subrecords(nested(60), 60, 5, 3) is not None


def paused(monkeypatch, breath):
    """Return the steps done whenever the search came back to Python, and what was found."""
    steps, go_on = [], exposed_sets.mark_exposed

    def spied(*arguments):
        go_on(*arguments)
        pace = arguments[5].pace
        steps.append((int(pace[STEPS]), int(pace[PAUSE]), int(pace[CHUNK])))

    monkeypatch.setattr(exposed_sets, "mark_exposed", spied)
    monkeypatch.setattr(exposed_sets, "BREATH", breath)
    monkeypatch.setattr(exposed_sets, "MOST_PAIRS", 0)  # a table is counted in one turn
    return steps, exposed_subrecords(nested(60), 60, 5, 3, 10_000)


def test_the_search_comes_back_to_python_and_gives_up_at_the_same_step_however_often(monkeypatch):
    often, _ = paused(monkeypatch, 1_000)
    monkeypatch.undo()
    seldom, _ = paused(monkeypatch, 5_000)
    occurrences = 60 * 61 // 2  # what a single turn may read, and copy
    assert all(done - pause <= 3 * occurrences for done, pause, _ in often)
    assert often[-1][0] == seldom[-1][0] >= 10_000
    assert len(often) > len(seldom) > 1
