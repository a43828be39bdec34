"""Terms are packed into chunks as slow, obvious twins would, whatever the order of the records."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.disassociation import packing as pack_clusters
from disjoin.methods.disassociation.horpart import Records
from disjoin.methods.disassociation.leaves import (
    Leaves,
    close_leaf,
    in_order,
    new_leaves,
    new_pieces,
    open_leaf,
    publish_clusters,
)
from disjoin.methods.disassociation.packing import (
    MOST_READ,
    TRIES,
    WAYS,
    TermRows,
    first_fit,
    packed_leaf,
    packing_of,
    pair_gain,
    pair_table,
)
from disjoin.methods.disassociation.verpart import new_desk
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets
from oracle import packing as twin
from oracle.disassociation import is_km_anonymous

TWINS = {first_fit: twin.first_fit, pair_gain: twin.pair_gain}

for_each_way = pytest.mark.parametrize("way", WAYS)


@st.composite
def crowded(draw):
    """Few terms in many records: most pairs are frequent, many larger sets are not."""
    random = Random(draw(st.integers(0, 2**32 - 1)))
    names = NAMES[: random.randint(4, 8)]
    return [random.sample(names, random.randint(1, 4)) for _ in range(random.randint(12, 40))]


clusters = given(
    st.one_of(baskets(), crowded()), st.integers(2, 3), st.integers(1, 4), st.sets(st.sampled_from(NAMES), max_size=2)
)


class Leaf:
    """A cluster of all records on a desk."""

    def __init__(self, records, k, m, hidden=(), tries=TRIES, read=MOST_READ):
        self.data = Transactions.from_sets(records).with_sensitive(hidden)
        self.secret = np.zeros(self.data.n_terms, np.bool_) if self.data.sensitive is None else self.data.sensitive
        self.rows = Records(
            self.data.offsets, self.data.items, np.arange(len(records), dtype=np.int32), np.empty(0, np.int32)
        )
        longest = max(map(len, records))
        self.limits = (k, min(m, self.data.n_terms), longest)
        self.desk = new_desk(self.data.n_terms, self.data.items.size, len(records), min(m, longest))
        self.known, self.frequent = open_leaf(self.rows, self.desk, k, self.secret)
        self.inside = (k, min(m, longest), self.frequent, len(records), tries, read)
        self.table = pair_table(TermRows(self.desk.row_first, self.desk.row_ranks), self.frequent)

    def named(self, chunk):
        """Return the chunks of the ranks as sorted lists of terms."""
        terms = [self.data.vocabulary[int(key) % self.data.n_terms].as_py() for key in self.desk.keys[: self.frequent]]
        found = {}
        for rank, term in enumerate(terms):
            found.setdefault(int(chunk[rank]), []).append(term)
        return [sorted(found[number]) for number in sorted(found)]

    def packed(self, way):
        way(self.table, self.desk, pack_clusters.new_tray(self.frequent), self.inside)
        return self.named(self.desk.chunk)


def in_any_order(chunks):
    return sorted(map(sorted, chunks))


@for_each_way
@pytest.mark.parametrize("tries", [1, TRIES])
@clusters
@examples(40)
def test_each_way_packs_as_its_twin(way, tries, records, k, m, hidden):
    leaf, cluster = Leaf(records, k, max(m, 2), hidden, tries), twin.Cluster(records, k, max(m, 2), hidden)
    expected = TWINS[way](cluster, tries)
    assert leaf.packed(way) == [sorted(chunk) for chunk in expected]
    assert pack_clusters.pair_mass(leaf.table, leaf.desk.chunk) == cluster.mass(expected)


@for_each_way
@pytest.mark.parametrize("tries", [1, TRIES])
@clusters
@examples(40)
def test_terms_move_as_in_the_twin_and_the_mass_is_kept_count_of(way, tries, records, k, m, hidden):
    leaf, cluster = Leaf(records, k, max(m, 2), hidden, tries), twin.Cluster(records, k, max(m, 2), hidden)
    leaf.packed(way)
    before = pack_clusters.pair_mass(leaf.table, leaf.desk.chunk)
    mass = pack_clusters.move_terms(leaf.table, leaf.desk, pack_clusters.new_tray(leaf.frequent), leaf.inside, before)
    expected = twin.with_moves(cluster, TWINS[way](cluster, tries), pack_clusters.YIELD, tries)
    assert in_any_order(leaf.named(leaf.desk.chunk)) == in_any_order(expected)
    assert before <= mass == pack_clusters.pair_mass(leaf.table, leaf.desk.chunk)


@clusters
@examples(60)
def test_first_fit_gives_the_leaf_of_verpart(records, k, m, hidden):
    leaf = Leaf(records, k, m, hidden)
    chunks = first_fit(leaf.table, leaf.desk, pack_clusters.new_tray(leaf.frequent), leaf.inside)
    out = new_leaves(1, leaf.data.items.size)
    found = (leaf.known, leaf.frequent, chunks)
    close_leaf(leaf.rows, leaf.desk, new_pieces(leaf.data.items.size, leaf.secret.size), out, found, leaf.limits)
    one = np.array([0, len(records)])
    verpart = publish_clusters(leaf.rows, one, leaf.limits, leaf.secret)
    for name, mine, theirs in zip(Leaves._fields, in_order(out), verpart, strict=True):
        assert mine.tolist() == theirs.tolist(), name


@clusters
@examples(80)
def test_what_is_chosen_is_anonymous_and_keeps_most_pairs(records, k, m, hidden):
    leaf, cluster = Leaf(records, k, m, hidden), twin.Cluster(records, k, m, hidden)
    chunks = leaf.named(packing_of(leaf.desk, leaf.inside))
    assert sorted(term for chunk in chunks for term in chunk) == sorted(cluster.terms), "each has one place"
    assert all(is_km_anonymous(records, chunk, k, m) for chunk in chunks)
    moved = [twin.with_moves(cluster, way(cluster), pack_clusters.YIELD, TRIES) for way in TWINS.values()]
    assert cluster.mass(chunks) == max(map(cluster.mass, moved))
    assert cluster.mass(chunks) >= cluster.mass(twin.first_fit(cluster))


@given(crowded(), st.integers(2, 3), st.sampled_from([0, 5, 20]), st.randoms(use_true_random=False))
@examples(40)
def test_what_is_not_tested_does_not_join_whatever_the_order_of_records(records, k, read, chance):
    leaf, again = (Leaf(each, k, 3, read=read) for each in (records, chance.sample(records, len(records))))
    found = in_any_order(leaf.named(packing_of(leaf.desk, leaf.inside)))
    assert sorted(term for chunk in found for term in chunk) == sorted(twin.Cluster(records, k, 3).terms)
    assert all(is_km_anonymous(records, chunk, k, 3) for chunk in found)
    assert in_any_order(again.named(packing_of(again.desk, again.inside))) == found


def test_a_bound_of_nothing_leaves_pairs_alone():
    records = [{"a", "b", "c"}] * 5
    assert [len(chunk) for chunk in _chunks(records, MOST_READ)] == [3]
    assert [len(chunk) for chunk in _chunks(records, 0)] == [2, 1]


def _chunks(records, read):
    leaf = Leaf(records, 5, 3, read=read)
    return leaf.named(packing_of(leaf.desk, leaf.inside))


@given(baskets(least_records=4), st.integers(2, 3), st.integers(1, 4), st.randoms(use_true_random=False))
@examples(30)
def test_the_order_of_the_records_does_not_matter(records, k, m, random):
    shuffled = random.sample(records, len(records))
    one, other = (Leaf(each, k, m) for each in (records, shuffled))
    for name, mine, theirs in zip(
        Leaves._fields,
        packed_leaf(one.rows, one.limits, one.secret),
        packed_leaf(other.rows, other.limits, other.secret),
        strict=True,
    ):
        assert mine.tolist() == theirs.tolist(), name


def test_each_way_keeps_more_pairs_than_the_other_on_some_records():
    random, better = Random(8), set()
    for _ in range(60):
        records = [random.sample(NAMES, random.randint(1, 6)) for _ in range(24)]
        cluster = twin.Cluster(records, 3, 2)
        one, other = (cluster.mass(twin.with_moves(cluster, way(cluster))) for way in TWINS.values())
        better.add(np.sign(one - other))
    assert {-1, 1} <= better


def test_a_term_joins_what_it_occurs_with_rather_than_what_it_never_meets():
    # First-fit would put the two most frequent terms together, which never meet, and leave `c` alone.
    records = [["a", "c"]] * 4 + [["a"]] * 4 + [["b"]] * 6 + [["b", "c"]]
    assert Leaf(records, 2, 2).packed(first_fit) == [["a", "b"], ["c"]]
    leaf = Leaf(records, 2, 2)
    assert leaf.named(packing_of(leaf.desk, leaf.inside)) in ([["a", "c"], ["b"]], [["b"], ["a", "c"]])
