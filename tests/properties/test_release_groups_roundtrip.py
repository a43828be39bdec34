"""Groups: write then read is identity, and the bytes are a function of the content."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model import Groups
from disjoin.parquet import tables
from disjoin.release.reader import read_release, write_release
from helpers.group_releases import sealed_groups, some_groups
from helpers.hypothesis_profile import examples

TABLES = ("groups.parquet", "records.parquet", "sensitive.parquet")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@examples(40)
@given(some_groups(), st.sampled_from([2, 1 << 20]))
def test_groups_are_read_back_without_a_word_of_doubt(published, rows_in_a_group):
    release = sealed_groups(published, 4, alpha=3)
    usual = tables.ROWS_IN_A_GROUP
    tables.ROWS_IN_A_GROUP = rows_in_a_group
    try:
        with tempfile.TemporaryDirectory() as folder:
            contents = read_release(write_release(release, Path(folder) / "r", documents={"README.md": "hello\n"}))
    finally:
        tables.ROWS_IN_A_GROUP = usual
    assert contents.published == published
    assert contents.published.anomalies == ()
    assert contents.guarantee == release.guarantee
    assert (contents.method, contents.parameters) == (release.method, release.parameters)
    assert contents.counts == release.counts


@examples(10)
@given(some_groups())
def test_equal_groups_give_equal_bytes(published):
    again = Groups.from_nested(published.to_nested())
    with tempfile.TemporaryDirectory() as folder:
        first = write_release(sealed_groups(published), Path(folder) / "first", documents={})
        second = write_release(sealed_groups(again), Path(folder) / "elsewhere" / "second", documents={})
        assert again == published
        assert bytes_of(first) == bytes_of(second)


@examples(20)
@given(some_groups(), st.randoms(use_true_random=False))
def test_rows_in_another_order_give_the_same_groups_and_are_reported(published, chance: random.Random):
    disordered = set()
    with tempfile.TemporaryDirectory() as folder:
        path = write_release(sealed_groups(published), Path(folder) / "r", documents={})
        for name in TABLES:
            table = pq.read_table(path / name)
            order = np.arange(table.num_rows)
            chance.shuffle(order)
            shuffled = table.take(order)
            pq.write_table(shuffled, path / name, store_schema=False)
            if (np.diff(shuffled["group"].to_numpy()) < 0).any():
                disordered.add(name)
        found = read_release(path).published
    assert as_bags(found) == as_bags(published)
    assert {anomaly.place for anomaly in found.anomalies if anomaly.invariant == "P4"} == disordered


def as_bags(published: Groups) -> list:
    groups = range(len(published))
    records = [sorted(published.records_of(group)) for group in groups]
    return [published.sizes.tolist(), records, [published.sensitive_of(group) for group in groups]]
