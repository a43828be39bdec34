from __future__ import annotations

import gzip
import os
from itertools import pairwise
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.attack import uniqueness as room
from disjoin.attack.uniqueness import Uniqueness, uniqueness
from disjoin.errors import InvalidParameter
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples
from oracle.uniqueness import largest_k, unique_records

records_of_terms = st.lists(st.frozensets(st.sampled_from("abcdefgh"), min_size=1), min_size=1, max_size=14)
# every record twice or more, so that nothing is unique and the least support is what has to be found
crowds = st.lists(st.tuples(st.frozensets(st.sampled_from("abcdef"), min_size=1), st.integers(2, 4)), min_size=1).map(
    lambda drawn: [record for record, times in drawn for _ in range(times)]
)
sizes = st.integers(1, 5)


@examples(150)
@given(records_of_terms | crowds, sizes)
def test_it_agrees_with_listing_every_set(records: list[frozenset[str]], largest: int) -> None:
    found = uniqueness(Transactions.from_sets(records), largest)
    assert found == tuple(
        Uniqueness(j, len(unique_records(records, j)), len(records), False, largest_k(records, j))
        for j in range(1, largest + 1)
    )


@examples(60)
@given(records_of_terms, st.integers(1, 4), st.integers(1, 16))
def test_a_sampled_record_is_unique_exactly_when_it_is_so_in_all_the_data(
    records: list[frozenset[str]], largest: int, sample: int
) -> None:
    examined = {(2 * i + 1) * len(records) // (2 * sample) for i in range(sample)}
    for found in uniqueness(Transactions.from_sets(records), largest, sample=sample):
        if sample >= len(records):
            assert found == uniqueness(Transactions.from_sets(records), largest)[found.known - 1]
        else:
            unique = len(examined.intersection(unique_records(records, found.known)))
            assert found == Uniqueness(found.known, unique, sample, True, None)


@examples(40)
@given(records_of_terms | crowds, st.integers(1, 4), st.randoms())
def test_the_order_of_the_records_does_not_matter(records: list[frozenset[str]], largest: int, random: Random) -> None:
    shuffled = random.sample(records, len(records))
    assert uniqueness(Transactions.from_sets(shuffled), largest) == uniqueness(Transactions.from_sets(records), largest)


@examples(40)
@given(records_of_terms | crowds, st.integers(2, 4), st.sampled_from([0.5, 3.0, 1e9]))
def test_where_the_work_is_cut_does_not_matter(records: list[frozenset[str]], largest: int, step: float) -> None:
    data = Transactions.from_sets(records)
    with patch.object(room, "STEP", step):
        cut = uniqueness(data, largest)
    assert cut == uniqueness(data, largest)


@examples(30)
@given(records_of_terms)
def test_who_knows_more_singles_out_no_fewer(records: list[frozenset[str]]) -> None:
    found = uniqueness(Transactions.from_sets(records), 4)
    assert all(a.unique_records <= b.unique_records for a, b in pairwise(found))
    assert all((a.largest_k or 0) >= (b.largest_k or 0) for a, b in pairwise(found))


def test_progress_rises_to_its_total_and_can_be_interrupted() -> None:
    data = Transactions.from_sets([[i, i + 1, i + 2, i % 7, i % 11] for i in range(20, 200)])
    calls: list[tuple[int, int]] = []
    with patch.object(room, "STEP", 50.0):
        uniqueness(data, 3, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) > 5
    assert calls == sorted(calls)
    assert calls[-1][0] == calls[-1][1]

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        uniqueness(data, 3, progress=interrupt)


def test_terms_that_no_record_has_are_ignored() -> None:
    data = Transactions(np.array([0, 1, 2]), np.array([1, 1]), ["a", "b", "c"])  # type: ignore[arg-type]
    assert uniqueness(data, 2) == (Uniqueness(1, 0, 2, False, 2), Uniqueness(2, 0, 2, False, 2))


def test_no_records_means_nothing_unique_and_no_k() -> None:
    empty = uniqueness(Transactions.from_sets([]), 2)
    assert empty == (Uniqueness(1, 0, 0, False, None), Uniqueness(2, 0, 0, False, None))
    assert empty[0].share == 0.0


def test_the_share_is_among_the_records_examined() -> None:
    data = Transactions.from_sets([{"a"}, {"b"}, {"a"}, {"c"}])
    assert uniqueness(data, 1)[0].share == 0.5
    assert uniqueness(data, 1, sample=2)[0].share == 1.0  # records 1 and 3


@pytest.mark.parametrize("wrong", [{"largest": 0}, {"largest": 2.5}, {"sample": 0}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidParameter, match="must be"):
        uniqueness(Transactions.from_sets([{"a"}]), **wrong)


@pytest.mark.realdata
def test_it_agrees_with_listing_every_pair_of_the_groceries() -> None:
    folder = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parents[4] / "shared" / "data"))
    if not (folder / "groceries.dat.gz").exists():
        pytest.skip("the benchmark datasets are not here")
    with gzip.open(folder / "groceries.dat.gz", "rt") as file:
        records = [frozenset(line.split()) for line in file]
    found = uniqueness(Transactions.from_sets(records), 2)
    assert [entry.unique_records for entry in found] == [len(unique_records(records, j)) for j in (1, 2)]
