"""Another miner, at the support that we found, finds the same itemsets: on random data and on real ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import fpgrowth

import disjoin
from disjoin.analyst.top_itemsets import rows_of, top_itemsets
from disjoin.model import Transactions


def peers_itemsets(data, least):
    """Return every itemset that is in at least that many records, with its support, best first."""
    table = np.zeros((len(data), data.n_terms), dtype=np.bool_)
    table[np.repeat(np.arange(len(data)), np.diff(data.offsets)), data.items] = True
    found = fpgrowth(pd.DataFrame(table), min_support=(least - 0.5) / len(data))
    supports = np.rint(found["support"].to_numpy() * len(data)).astype(int).tolist()
    itemsets = [tuple(sorted(map(int, itemset))) for itemset in found["itemsets"]]
    return sorted(zip(itemsets, supports, strict=True), key=lambda row: (-row[1], len(row[0]), row[0]))


def assert_agreement(data, top):
    found = top_itemsets(rows_of(data), top)
    last = int(found.supports[-1])
    expected = peers_itemsets(data, last)
    assert [(found.itemset(i), int(found.supports[i])) for i in range(len(found))] == expected[:top]
    assert found.tied == sum(support == last for _, support in expected)
    assert found.cut == len(expected) - len(found)


def random_data(seed, records, terms, share):
    """Records in which the first terms are frequent, the last rare, and some go together."""
    random = np.random.default_rng(seed)
    rates = share / np.sqrt(np.arange(1, terms + 1))
    marks = random.random((records, terms)) < rates
    marks[:, 1] |= marks[:, 3]
    marks[:, 7] |= marks[:, 2] & marks[:, 5]
    return Transactions.from_sets([map(str, np.flatnonzero(row)) for row in marks])


@pytest.mark.parametrize("top", [1, 50, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_a_peer_agrees_on_random_data(seed, top):
    assert_agreement(random_data(seed, records=400, terms=60, share=0.7), top)


@pytest.mark.parametrize("top", [10, 1000])
def test_a_peer_agrees_on_dense_data(top):
    assert_agreement(random_data(7, records=150, terms=18, share=1.6), top)


@pytest.mark.parametrize("top", [1, 1000, 5000])
def test_a_peer_agrees_on_mushrooms(datasets, top):
    assert_agreement(disjoin.read(datasets / "mushroom.dat.gz"), top)


def test_a_peer_agrees_on_groceries(datasets):
    assert_agreement(disjoin.read(datasets / "groceries.dat.gz"), 1000)
