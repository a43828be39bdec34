"""The top tree, finished by HORPART's kernel, makes the same clusters in the same order as the kernel alone."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT, LISTING, Records, split_records
from disjoin.model.ragged import Ragged
from disjoin.spark.top_tree import (
    OPEN,
    HorpartPart,
    Subtree,
    TopLimits,
    _Expansion,
    expanded,
    may_split,
    routed,
    routes_through,
    sketched,
    top_terms,
)
from helpers.hypothesis_profile import examples

records = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=5), min_size=1, max_size=40)
repeated = st.builds(lambda some, times: some * times, records, st.integers(1, 3))  # so that there are ties


def split_by_kernel(rows, limits, secret):
    numbers = np.arange(len(rows), dtype=np.int32)
    data = Records(rows.offsets, rows.items, numbers.copy(), numbers.copy())
    rule = limits.largest, limits.least, limits.rule
    ends = split_records(data, np.array([0, len(rows)]), rule, secret)
    return [data.order[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def bounds_checked(inside, described, secret):
    """Whenever a choice is made, count what is bounded; masks stand for one record each, in their order."""
    chosen = _Expansion._choice

    def choice(self, node):
        counts = np.bincount(inside.take(node.rows).items, minlength=secret.size)
        assert node.counts.tolist() == counts[self.top].tolist()
        assert (node.bounds >= counts[self.further]).all()
        others = ~secret & may_split(counts, node.size, self.limits)
        others[[*self.top, *described.further]] = False
        assert (counts[others] <= self.behind[0]).all()
        return chosen(self, node)

    return patch.object(_Expansion, "_choice", choice)


def grown(rows, limits, room, secret):
    """The top tree of records, and in how many rounds it was made; checks the bounds on the way."""
    root, rounds = HorpartPart(len(rows)), 0
    n_terms = secret.size
    while any(part.term == OPEN for part in root.ends()):
        rounds += 1
        ends = list(root.ends())
        parts = routed(routes_through(root, n_terms), rows.offsets, rows.items)
        described = {}
        for number, part in enumerate(ends):
            inside = rows.take(np.flatnonzero(parts == number))
            assert len(inside) == part.size
            counts = np.bincount(inside.items, minlength=n_terms)
            terms = np.flatnonzero((counts > 0) & ~secret).astype(np.int32)
            if part.term == OPEN:
                described[number] = top_terms(terms, counts[terms], part.size, limits, room)
        sketch = sketched(parts, rows.offsets, rows.items, described, n_terms)
        for number in described:
            here = np.flatnonzero(sketch.mask_parts == number)
            weights = np.ones(here.size, np.int64)
            cells = sketch.cells[sketch.cell_parts == number]
            inside = rows.take(np.flatnonzero(parts == number))
            with bounds_checked(inside, described[number], secret):
                subtree = expanded(described[number], sketch.masks.take(here), weights, cells, limits)
            assert len(subtree.terms) > 1 or subtree.terms[0] != OPEN, "every round makes a split"
            ends[number].replace(subtree)
    return root, rounds


@given(
    rows=repeated,
    hidden=st.sets(st.integers(0, 7), max_size=2),
    largest=st.integers(2, 12),
    least=st.integers(1, 4),
    rule=st.sampled_from([LISTING, LISTING, ABANDON, ABANDON_NEXT]),
    shard=st.tuples(st.integers(1, 40), st.integers(1, 80)),
    room=st.tuples(st.integers(1, 5), st.integers(0, 6)),
)
@examples(400)
def test_the_top_tree_and_the_kernel_split_like_the_kernel_alone(rows, hidden, largest, least, rule, shard, room):
    rows = Ragged.from_lists([sorted(row) for row in rows])
    secret = np.zeros(8, np.bool_)
    secret[list(hidden)] = True
    limits = TopLimits(largest, least, rule, *shard)
    root, _ = grown(rows, limits, room, secret)
    parts = routed(routes_through(root, 8), rows.offsets, rows.items)
    clusters = []
    for number, part in enumerate(root.ends()):
        inside = np.flatnonzero(parts == number)
        assert inside.size == part.size
        clusters += [inside[cluster] for cluster in split_by_kernel(rows.take(inside), limits, secret)]
    expected = split_by_kernel(rows, limits, secret)
    assert [sorted(cluster.tolist()) for cluster in clusters] == [sorted(cluster.tolist()) for cluster in expected]


def test_a_record_leaves_the_chain_at_the_first_term_that_it_has():
    root = HorpartPart(6)
    root.replace(Subtree([3, 1, -1, -1, 2, -1, -1], [6, 3, 1, 2, 3, 1, 2]))
    routes = routes_through(root, 5)
    rows = Ragged.from_lists([[1, 3], [2, 3], [1, 2], [0], [4], [3]])
    assert routed(routes, rows.offsets, rows.items).tolist() == [0, 1, 2, 3, 3, 1]
    assert [part.size for part in root.ends()] == [1, 2, 1, 2]


@pytest.mark.parametrize("room", [(1, 0), (3, 2), (64, 8192)])
def test_a_chain_of_terms_that_one_record_each_has_is_routed(room):
    rows = Ragged.from_lists([[n] for n in range(50)])
    limits = TopLimits(2, 1, LISTING, 1, 1)
    root, rounds = grown(rows, limits, room, np.zeros(50, np.bool_))
    assert [part.size for part in root.ends()] == [1] * 50
    assert rounds == {1: 49, 3: 17, 64: 1}[room[0]]
    assert routed(routes_through(root, 50), rows.offsets, rows.items).tolist() == list(range(50))
