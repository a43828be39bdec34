"""The rows of CAHD as sets, for its twin, and as arrays, for the kernels."""

import numpy as np
from hypothesis import strategies as st

from disjoin.methods.cahd.cahd_groups import CahdRows, groups_of
from disjoin.model import Ragged


def as_rows(rows, n_items, n_sensitive):
    """Encode pairs of sets of numbers."""
    ordinary, sensitive = [sorted(a) for a, _ in rows], [sorted(b) for _, b in rows]
    return CahdRows(Ragged.from_lists(ordinary), n_items, Ragged.from_lists(sensitive), n_sensitive)


def formed(rows, p, alpha, n_items, n_sensitive, published_check=False):
    """Return the groups that the kernel forms, as sorted lists of rows in the order of their making."""
    encoded = as_rows(rows, n_items, n_sensitive)
    groups, number = groups_of(encoded, p, alpha, published_check=published_check)
    return [np.flatnonzero(groups == group).tolist() for group in range(number)]


@st.composite
def feasible(draw, most_rows=24):
    """Rows with at least one sensitive item, and p and alpha that fit them."""
    n_items, n_sensitive = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    ordinary = st.frozensets(st.integers(0, n_items - 1), max_size=4)
    plain = st.tuples(ordinary, st.just(frozenset()))
    secret = st.tuples(ordinary, st.frozensets(st.integers(0, n_sensitive - 1), min_size=1, max_size=2))
    rows = draw(st.lists(plain, max_size=most_rows)) + draw(st.lists(secret, min_size=1, max_size=most_rows // 3))
    # In order, rows with the same sensitive items are adjacent, as without further differences.
    rows = draw(st.permutations(rows)) if draw(st.booleans()) else sorted(rows, key=lambda row: sorted(row[1]))
    counts = [sum(s in row[1] for row in rows) for s in range(n_sensitive)]
    largest = len(rows) // max(counts)
    if largest < 2:
        rows = rows + [(frozenset(), frozenset())] * (2 * max(counts) - len(rows))
        largest = 2
    return rows, draw(st.integers(2, min(largest, 8))), draw(st.integers(1, 3)), n_items, n_sensitive
