"""Which subrecords hold a rare set is found as if all sets were listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.kernels.exposing_chunks import exposed_subrecords
from disjoin.kernels.published_chunks import Chunks
from disjoin.model.arrays import frozen, offsets_of
from effort import examples
from oracle.exposure import exposed

TERMS = 9
rows = st.frozensets(st.integers(0, TERMS - 1), max_size=7)
chunks = st.lists(st.dictionaries(rows, st.integers(1, 4), max_size=25), min_size=1, max_size=3)


def found(drawn, k, width):
    listed = [(sorted(row), count) for chunk in drawn for row, count in chunk.items()]
    chunks = Chunks(
        frozen(offsets_of([len(chunk) for chunk in drawn]), np.int64),
        frozen(offsets_of([len(row) for row, _ in listed]), np.int64),
        frozen([term for row, _ in listed for term in row], np.int32),
        frozen([count for _, count in listed], np.int64),
    )
    return exposed_subrecords(chunks, TERMS, k, width).tolist()


@examples(150)
@given(chunks, st.integers(1, 9), st.integers(2, 4))
def test_every_subrecord_with_a_rare_set_is_found_and_no_other(drawn, k, width):
    slow = [is_exposed for chunk in drawn for is_exposed in exposed(list(chunk.items()), k, width)]
    assert found(drawn, k, width) == slow


@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_in_a_crowd_of_similar_rows_only_the_odd_one_is_found(width):
    """All sets of five terms are in five of the six rows, but those with the sixth term of the last row."""
    crowd = {frozenset(range(5 + extra)): 1 for extra in range(4)} | {frozenset({0, 1, 2, 3, 4, 8}): 1}
    is_exposed = found([{**crowd, frozenset({0, 1}): 3}], 5, width)
    assert is_exposed == [False, True, True, True, True, False]
