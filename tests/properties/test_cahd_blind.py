"""CAHD's groups by ordinary items alone: the kernels do what their twin does, and who has what decides nothing else."""

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.engine import Local
from disjoin.methods.cahd import Cahd
from disjoin.methods.cahd.cahd_groups import blind_groups_of, lay_blocks, spread
from disjoin.model import Transactions
from disjoin.pipeline import publish
from helpers import cahd_rows
from helpers.hypothesis_profile import examples
from helpers.synthetic import baskets
from oracle import cahd as twin


@given(cahd_rows.feasible(most_rows=60))
@examples(300)
def test_the_kernel_forms_the_groups_of_its_twin_and_all_are_safe(case):
    rows, p, alpha, n_items, n_sensitive = case
    groups, number = blind_groups_of(cahd_rows.as_rows(rows, n_items, n_sensitive), p, alpha)
    found = [np.flatnonzero(groups == group).tolist() for group in range(number)]
    assert found == [sorted(group) for group in twin.blind_groups(rows, p, alpha)]
    assert sorted(row for group in found for row in group) == list(range(len(rows)))
    for group in found:
        size, count = twin.degree(group, rows)
        assert count * p <= size
        assert size >= p


@given(cahd_rows.feasible(most_rows=40), st.randoms(use_true_random=False))
@examples(100)
def test_every_group_is_made_of_whole_blocks_that_ordinary_items_decide(case, chance):
    rows, p, alpha, n_items, n_sensitive = case
    secrets = [secret for _, secret in rows]
    chance.shuffle(secrets)
    changed = [(ordinary, secret) for (ordinary, _), secret in zip(rows, secrets, strict=True)]
    blocks = twin.lay_blocks(rows, p, alpha)
    for these in (rows, changed):
        groups, _ = blind_groups_of(cahd_rows.as_rows(these, n_items, n_sensitive), p, alpha)
        assert all(len({int(groups[row]) for row in block}) == 1 for block in blocks)


def test_one_record_with_a_sensitive_item_stays_in_its_block_whichever_it_is():
    chance = random.Random(3)
    ordinary = [frozenset(i for i in range(5) if chance.random() < 0.4) for _ in range(30)]
    found = set()
    for holder in range(30):
        rows = [(items, frozenset([0] if row == holder else [])) for row, items in enumerate(ordinary)]
        groups, _ = blind_groups_of(cahd_rows.as_rows(rows, 5, 1), 4, 3)
        found.add(tuple(groups.tolist()))
    assert len(found) == 1


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.randoms(use_true_random=False))
@examples(100)
def test_only_rows_with_the_same_ordinary_items_change_places(sizes, chance):
    same = np.repeat(np.arange(len(sizes)), sizes).astype(np.int64)
    order = np.arange(same.size)
    chance.shuffle(order)
    found = spread(order, same)
    assert sorted(found.tolist()) == list(range(same.size))
    assert same[found].tolist() == same[order].tolist()


def test_records_with_the_same_items_that_share_a_secret_are_spread_evenly():
    same = np.zeros(1000, dtype=np.int64)
    holders = np.flatnonzero(spread(np.arange(1000), same) >= 950)
    assert np.diff(holders).max() < 40  # 20 on average


def test_blocks_have_p_records_each_and_the_last_up_to_twice_as_many():
    offsets = np.zeros(24, dtype=np.int64)
    block, number = lay_blocks(offsets, np.zeros(0, dtype=np.int32), 1, 5, 30)
    assert np.bincount(block).tolist() == [5, 5, 5, 8]
    assert number == 4


@given(baskets(most_records=30), st.randoms(use_true_random=False))
@examples(30)
def test_the_order_of_the_input_tells_nothing(records, chance):
    data = [[*record, "zz-flu"] if number % 5 == 0 else record for number, record in enumerate(records)]
    data += [["t00"]] * 10
    first = publish(Transactions.from_sets(data), Cahd(p=3, sensitive=("zz-flu",)), Local(1)).release
    chance.shuffle(data)
    assert (
        publish(Transactions.from_sets(data), Cahd(p=3, sensitive=("zz-flu",)), Local(1)).release.published
        == first.published
    )
