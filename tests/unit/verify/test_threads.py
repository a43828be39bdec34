"""Threads find what one finds, wherever trees are cut apart."""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.verify import check
from disjoin.verify.clusters import original
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import at_once
from oracle.inspection import canonical
from unit.verify.forests import joint, leaf

PROMISE = KmAnonymity(2, 2)
TREES = [
    joint([leaf(2, [{"a": 2}], "t"), leaf(3, [{"bc": 2, "b": 1}], "u")], [{"s": 2}]),
    joint([leaf(2, [{"d": 2}], "t"), leaf(3, [{"ef": 2, "e": 1}], "u")], [{"s": 2}]),
    leaf(4, [{"g": 4}], "v"),
    leaf(5, [{"h": 5}], "v"),
]
RECORDS = {"a": ["as", "at"], "b": ["bcs", "bcu", "b"], "d": ["ds", "dt"], "e": ["efs", "efu", "e"]}
RECORDS |= {"g": ["gv", "g", "g", "g"], "h": ["hv", "h", "h", "h", "h"]}


def mapped(release: Clusters) -> tuple[list[str], list[int]]:
    """Return the records and the leaf of each, which is the one that has their first letter in a chunk."""
    leaves = {}
    for node in range(len(release)):
        for chunk in release.chunks_of(node):
            leaves |= {term: node for terms, _ in chunk for term in terms if not release.is_joint[node]}
    records = list(chain.from_iterable(RECORDS.values()))
    return records, [leaves[record[0]] for record in records]


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(original, "WORTH_THREADS", 0)


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
@pytest.mark.parametrize("instead", [None, "gs", "hz", "eu", "cs", "ds"])
def test_the_verdict_is_the_same_for_any_number_of_threads(threads: int, instead: str | None) -> None:
    release = Clusters.from_nested(canonical(TREES))
    records, leaves = mapped(release)
    if instead is not None:
        records[-6] = instead
    given: dict[str, Any] = {"original": Transactions.from_sets(records), "part_of_record": np.array(leaves)}
    one, many = (check(release, PROMISE, **given, threads=n) for n in (1, threads))
    assert one == many
    assert one.holds == (instead is None)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_spans_are_whole_trees_and_cover_the_forest(threads: int) -> None:
    forest = Forest.of(Clusters.from_nested(canonical(TREES)))
    offsets = np.append(0, np.cumsum(np.where(forest.is_leaf, forest.sizes, 0)))
    spans = original._spans(forest, offsets, threads)
    assert [first for first, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == len(forest)
    assert all(forest.parents[forest.positions.walk[first]] < 0 for first, _ in spans)


def test_what_goes_wrong_in_a_thread_is_told() -> None:
    def fail(part: int) -> None:
        raise ValueError(part)

    with pytest.raises(ValueError, match="1"):
        at_once(fail, [1, 2, 3], 2)


def test_two_threads_work_at_the_same_time() -> None:
    both = threading.Barrier(2)
    at_once(lambda part: both.wait(10), [1, 2], 2)


@pytest.mark.parametrize(("parts", "threads"), [([1, 2, 3], 1), ([1], 4)])
def test_no_thread_is_started_for_one(parts: list[int], threads: int) -> None:
    where = set()
    at_once(lambda part: where.add(threading.get_ident()), parts, threads)
    assert where == {threading.get_ident()}


def test_after_an_error_no_further_part_is_begun() -> None:
    begun = []

    def fail_first(part: int) -> None:
        begun.append(part)
        if part == 0:
            raise ValueError
        time.sleep(0.01)

    with pytest.raises(ValueError):
        at_once(fail_first, range(20), 2)
    time.sleep(0.2)
    assert len(begun) < 20


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
def test_a_number_of_threads_that_is_none_is_refused(threads: Any) -> None:
    with pytest.raises(InvalidParameter, match="threads"):
        check(Clusters.from_nested(canonical(TREES)), PROMISE, threads=threads)
