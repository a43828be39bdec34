"""Write then read is identity, and the bytes are a function of the content."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model import Clusters
from disjoin.parquet import tables
from disjoin.release.reader import read_release, write_release
from helpers.hypothesis_profile import examples
from helpers.releases import forests, sealed


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@examples(40)
@given(forests(), st.integers(0, 9), st.sampled_from([2, 1 << 20]), st.sampled_from([1, 3, 1 << 24]))
def test_what_is_written_is_read_back_without_a_word_of_doubt(published, suppressed, rows_in_a_group, rows_in_a_part):
    release = sealed(published, 4, 3, suppressed_records=suppressed, sensitive=["x"])
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(tables, "ROWS_IN_A_GROUP", rows_in_a_group)
        patch.setattr(tables, "ROWS_IN_A_PART", rows_in_a_part)
        contents = read_release(write_release(release, Path(folder) / "r", documents={"README.md": "hello\n"}))
    assert contents.published == published
    assert contents.published.anomalies == ()
    assert contents.guarantee == release.guarantee
    assert (contents.method, contents.parameters) == (release.method, release.parameters)
    assert contents.suppressed_records == suppressed
    assert contents.counts == release.counts


@examples(10)
@given(forests())
def test_equal_content_gives_equal_bytes(published):
    again = Clusters.from_nested(published.to_nested())
    with tempfile.TemporaryDirectory() as folder:
        first = write_release(sealed(published), Path(folder) / "first", documents={})
        second = write_release(sealed(again), Path(folder) / "elsewhere" / "second", documents={})
        assert again == published
        assert bytes_of(first) == bytes_of(second)


@examples(20)
@given(forests(), st.randoms(use_true_random=False))
def test_rows_in_another_order_give_the_same_forest_and_are_reported(published, chance: random.Random):
    with tempfile.TemporaryDirectory() as folder:
        path = write_release(sealed(published), Path(folder) / "r", documents={})
        for name in ("subrecords.parquet", "clusters.parquet"):
            table = pq.read_table(path / name)
            order = np.arange(table.num_rows)
            chance.shuffle(order)
            pq.write_table(table.take(order), path / name, store_schema=False)
        found = read_release(path).published
    assert as_bags(found) == as_bags(published)
    if (np.diff(order) < 0).any():
        assert "V12" in {anomaly.invariant for anomaly in found.anomalies}


def as_bags(published: Clusters) -> list:
    chunks = [[sorted(chunk) for chunk in published.chunks_of(node)] for node in range(len(published))]
    terms = [published.term_chunk_of(node) for node in range(len(published))]
    return [published.parents.tolist(), published.sizes.tolist(), chunks, terms]
