"""Shards are values: an engine that sends each, and its result, through another process makes the same release."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disjoin.advise import publisher_of
from disjoin.engine import Local
from disjoin.generate.census import write_census
from disjoin.methods import METHODS
from disjoin.methods.disassociation import Disassociation, bounded, clustering, packing
from disjoin.methods.generalization import Generalization, local_search
from disjoin.model import Transactions
from disjoin.pipeline import publish
from disjoin.readers.tables import read_table


class Elsewhere:
    """Pickles work and shard, lets a process that knows nothing else do it, and takes the pickled result."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self.pool = pool
        self.names: list[str] = []

    def map(
        self,
        work: Callable[[Any], Any],
        sources: Iterable[Any],
        done: Any = None,
        shard_of: Any = lambda source: source,
    ) -> list[Any]:
        sent = []
        for source in sources:
            self.names.append(work.__name__)
            sent.append(self.pool.submit(_unpacked, pickle.dumps((work, shard_of(source)))))
        return [pickle.loads(future.result()) for future in sent]

    def spread(self, work: Callable[[Any], Any], parts: Iterable[Any]) -> list[Any]:
        return Local(2).spread(work, parts)


def _unpacked(parcel: bytes) -> bytes:
    work, shard = pickle.loads(parcel)
    return pickle.dumps(work(shard))


@pytest.fixture(scope="module")
def pool() -> Any:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def records() -> Transactions:
    return Transactions.from_sets(RECORDS)


RNG = np.random.default_rng(5)
RECORDS = [{f"t{term}" for term in RNG.zipf(1.4, RNG.integers(1, 9)) % 60} for _ in range(300)]

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "abandon": {"strategy": "abandon"},
    "remaining": {"strategy": "remaining", "m": 3},
    "core": {"clustering": "core"},
    "core-horpart": {"clustering": "core-horpart", "max_cluster_size": 60},
    "auto": {"clustering": "auto", "refine": False},
    "bounded": {"clustering": "bounded"},
    "sensitive": {"sensitive": ("t3", "t7"), "l": 3},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_another_process_makes_the_same_release(name: str, records: Transactions, pool: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(clustering, "SHARD_RECORDS", 60)
    monkeypatch.setattr(packing, "SHARD_OCCURRENCES", 150)
    monkeypatch.setattr(packing, "GROWN_RECORDS", 40)
    monkeypatch.setattr(bounded, "SHARD_RECORDS", 40)
    monkeypatch.setattr(bounded, "LARGEST_LEAF", 60)
    method, engine = Disassociation(k=3, **SETTINGS[name]), Elsewhere(pool)
    before = records.offsets.copy(), records.items.copy()
    publisher = publisher_of(method)
    far = publish(records, method, engine, publisher=publisher).release
    assert far.published == publish(records, method, threads=1, publisher=publisher).release.published
    assert far.published == publish(records, method, threads=3, publisher=publisher).release.published
    assert all(np.array_equal(old, new) for old, new in zip(before, (records.offsets, records.items), strict=True))
    if name != "core":  # two leaves, packed one beside the other
        assert {"split_shard", "publish_shard"} <= set(engine.names)


@pytest.mark.parametrize("asked", [{}, {"sensitive": ("diagnosis",), "l": 2}], ids=["k", "l"])
def test_another_process_finds_the_same_classes_of_a_large_table(
    asked: dict[str, Any], pool: Any, monkeypatch: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr(local_search, "LARGEST_PART", 50)
    monkeypatch.setattr(local_search, "LARGEST_DIVERSE_PART", 50)
    write_census(300, 1, tmp_path / "census.csv")
    people, engine = read_table(tmp_path / "census.csv"), Elsewhere(pool)
    method = Generalization(k=4, quasi=("age", "hours", "postcode"), drop_unassigned=True, **asked)
    far = publish(people, method, engine).release
    assert far.published == publish(people, method, threads=1).release.published
    assert far.published == publish(people, method, threads=3).release.published
    assert engine.names.count("searched_part") > 3


def test_shards_are_not_made_long_before_they_are_needed() -> None:
    made: list[int] = []
    finished: list[int] = []

    def shards() -> Iterable[int]:
        for number in range(100):
            made.append(number)
            assert len(made) - len(finished) < 30
            yield number

    assert Local(2).map(lambda n: n * n, shards(), finished.append) == [n * n for n in range(100)]
    assert finished == list(range(1, 101))


def test_every_method_says_which_steps_can_be_sharded() -> None:
    assert {name: method.sharded for name, method in METHODS.items() if method.sharded} == {
        "disassociation": ("HORPART", "VERPART"),
        "generalization": ("local search",),
        "mixed": ("HORPART", "VERPART", "local search"),
    }
