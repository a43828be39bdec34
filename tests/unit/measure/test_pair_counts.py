"""Pairs of terms are counted row by row where loops are compiled, and all at once where they are not: the same."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.measure import pair_counts
from disjoin.model.ragged import Ragged
from helpers.hypothesis_profile import examples

TERMS = 8
rows = st.lists(st.frozensets(st.integers(0, TERMS - 1)), min_size=1, max_size=12)


class Compiled:
    """Stands for a loop that is compiled, and runs it as it is written."""

    is_compiled = True
    run = staticmethod(pair_counts.add_pairs.function)

    def __call__(self, *arguments):
        return self.run(*arguments)


@examples(60)
@given(rows, st.permutations(range(TERMS)), st.integers(1, TERMS), st.booleans(), st.randoms())
def test_pairs_are_counted_as_one_would_by_hand(drawn, order, number, is_weighted, random):
    listed, wanted = [sorted(row) for row in drawn], np.array(order[:number])
    weights = np.array([random.randint(1, 4) for _ in listed]) if is_weighted else None
    by_hand = Counter()
    for row, times in zip(listed, [1] * len(listed) if weights is None else weights, strict=True):
        for pair in combinations_with_replacement(sorted(set(row) & set(wanted.tolist())), 2):
            by_hand[pair] += int(times)
    expected = [[by_hand[min(a, b), max(a, b)] for b in wanted.tolist()] for a in wanted.tolist()]
    ragged = Ragged.from_lists(listed)
    at_once = pair_counts.count_pairs(ragged, TERMS, wanted, weights)
    with patch.object(pair_counts, "add_pairs", Compiled()):
        row_by_row = pair_counts.count_pairs(ragged, TERMS, wanted, weights)
    assert at_once.tolist() == row_by_row.tolist() == expected
