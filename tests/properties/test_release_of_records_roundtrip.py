"""Generalised and noisy records come back from a folder as they were, and only what they say shapes its bytes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model import Bag, GeneralizedItems, NoisyRecords, Release
from disjoin.release.reader import read_release, write_release
from helpers.hypothesis_profile import examples
from helpers.item_releases import sealed_items, sealed_noisy, some_items, some_noisy


def written(release: Release, place: str) -> dict[str, bytes]:
    folder = write_release(release, Path(place) / "release", documents={}, overwrite=True)
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@given(some_items())
@examples(40)
def test_generalised_records_come_back_as_they_were(drawn):
    published, _ = drawn
    with tempfile.TemporaryDirectory() as place:
        files = written(sealed_items(published), place)
        found = read_release(Path(place) / "release")
        mapping = pq.read_table(Path(place) / "release" / "mapping.parquet")
    assert found.published == published
    assert found.published.anomalies == ()
    assert found.counts == {"records": published.n_records, "suppressed_records": 0} | published.extent
    assert list(files) == ["datapackage.json", "hierarchy.csv", "mapping.parquet", "records.parquet"]
    assert mapping.to_pydict() == {"term": published.terms.to_pylist(), "published": published.images.to_pylist()}
    assert mapping.schema.types == [pa.string(), pa.string()]


@given(some_noisy())
@examples(40)
def test_noisy_records_come_back_as_they_were(published):
    with tempfile.TemporaryDirectory() as place:
        files = written(sealed_noisy(published), place)
        found = read_release(Path(place) / "release")
        rows = pq.read_table(Path(place) / "release" / "records.parquet").to_pylist()
    assert found.published == published
    assert found.published.anomalies == ()
    assert found.guarantee == sealed_noisy(published).guarantee
    assert list(files) == ["datapackage.json", "records.parquet"]
    assert [(tuple(row["terms"]), row["count"]) for row in rows] == published.records.rows()


@given(some_items(), some_noisy(), st.randoms(use_true_random=False))
@examples(20)
def test_any_order_of_the_same_records_gives_the_same_bytes(drawn, noisy, chance):
    published, _ = drawn
    shuffled = NoisyRecords(Bag.from_rows(_shuffled(noisy.records, chance)))
    mapping = list(published.mapping.items())
    chance.shuffle(mapping)
    again = GeneralizedItems.from_mapping(_shuffled(published.records, chance), dict(mapping), published.hierarchy)
    with tempfile.TemporaryDirectory() as place:
        assert written(sealed_items(published), place) == written(sealed_items(again), place)
        assert written(sealed_noisy(noisy), place) == written(sealed_noisy(shuffled), place)


def _shuffled(records: Bag, chance) -> list[tuple[list[str], int]]:
    rows = [(chance.sample(terms, len(terms)), count) for terms, count in records.rows()]
    return chance.sample(rows, len(rows))
