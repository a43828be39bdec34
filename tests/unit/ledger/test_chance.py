"""What is common to two sets of records by accident, and what is not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.ledger.overlap import shared_records
from disjoin.ledger.store import fingerprints_of
from oracle import ledger as oracle

KEY = bytes(32)


def hashes(numbers):
    return np.sort(np.array(numbers, np.uint64))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.lists(st.integers(0, 3), min_size=1, max_size=5))
def test_chance_is_what_every_way_to_deal_the_records_out_gives(left, right):
    found = shared_records(hashes(left), hashes(right))
    mean, variance = oracle.moments(left, right)
    assert found.records == oracle.shared(left, right)
    assert found.by_chance == pytest.approx(mean)
    assert found.deviation**2 == pytest.approx(variance, abs=1e-9)
    assert found.is_same == (sorted(left) == sorted(right))


def test_no_records_have_nothing_in_common():
    assert not shared_records(hashes([]), hashes([])).is_telling
    assert not shared_records(hashes([1]), hashes([])).is_telling


@pytest.mark.parametrize("seed", range(10))
def test_frequent_short_records_of_other_people_are_no_evidence(seed):
    random = np.random.default_rng(seed)
    left, right = (random.zipf(1.5, 2000) for _ in range(2))
    assert shared_records(hashes(left), hashes(right)).records > 1000
    assert not shared_records(hashes(left), hashes(right)).is_telling


@pytest.mark.parametrize("seed", range(10))
def test_one_more_record_is_an_update_however_frequent_records_are(seed):
    records = np.random.default_rng(seed).zipf(1.5, 2000)
    assert shared_records(hashes(records), hashes(records[:-1])).is_telling


@pytest.mark.parametrize("name", ["groceries", "wv1", "mushroom"])
def test_halves_of_real_data_are_strangers_until_one_in_ten_is_in_both(name, datasets):
    contents = fingerprints_of(disjoin.read(datasets / f"{name}.dat.gz"), KEY).contents
    mixed = np.random.default_rng(0).permutation(contents)
    half = mixed.size // 2
    assert not shared_records(np.sort(mixed[:half]), np.sort(mixed[half:])).is_telling
    assert shared_records(np.sort(mixed[:half]), np.sort(mixed[half - half // 10 :])).is_telling
