"""Pairs are counted as one would by hand, whatever the shards."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.disassociation import packing as room
from disjoin.methods.disassociation.packing import pair_table, rows_of
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples

baskets = st.lists(st.sets(st.integers(0, 9).map(str), min_size=1, max_size=5), min_size=1, max_size=14)


def listed(table):
    """Return {(term, other): support} in the order of the table."""
    rows = np.repeat(np.arange(table.first.size - 1), np.diff(table.first)).tolist()
    return dict(zip(zip(rows, table.other.tolist(), strict=True), table.support.tolist(), strict=True))


@examples(40)
@given(baskets, st.sets(st.integers(0, 13)), st.sets(st.integers(0, 9)), st.sampled_from([1, 3, 10**9]))
def test_pairs_are_counted_over_the_records_and_terms_asked_for(sets, left_out, unwanted, shard):
    data = Transactions.from_sets(sets)
    records = np.array([r for r in range(len(data)) if r not in left_out], np.int32)
    wanted = np.array([term not in unwanted for term in range(data.n_terms)])
    kept = [[t for t in data[r].tolist() if wanted[t]] for r in records]
    expected = Counter(pair for terms in kept for pair in permutations(terms, 2))
    before, room.SHARD_PAIRS = room.SHARD_PAIRS, shard
    try:
        table = pair_table(rows_of(data.offsets, data.items, records, wanted), data.n_terms)
    finally:
        room.SHARD_PAIRS = before
    found = listed(table)
    assert found == expected
    assert list(found) == sorted(found), "rows ascend, and terms in them"
    assert table.first.size == data.n_terms + 1
