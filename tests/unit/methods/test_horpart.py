"""The splitting kernel against its slow twin, and on inputs made to hurt it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.arrays.ordering import sort_keys, sort_ties
from disjoin.engine import Local
from disjoin.jit.decision import decision
from disjoin.jit.kernel import kernel, plain_names
from disjoin.methods.disassociation import Disassociation, clustering, horpart
from disjoin.methods.disassociation.clustering import Task
from disjoin.model import Transactions
from disjoin.progress import silent
from helpers.synthetic import cases
from oracle import disassociation as oracle


def clusters_of(case, ties="lex", shard=100_000, threads=1):
    data = Transactions.from_sets(case["records"], keep_order=True).with_sensitive(case["sensitive"])
    method = Disassociation(
        k=case["k"], m=case["m"], max_cluster_size=case["limit"], strategy=case["strategy"], ties=ties
    )
    before, clustering.SHARD_RECORDS = clustering.SHARD_RECORDS, shard
    try:
        partition = clustering.horpart(Task(method, data, Local(threads), silent)).partition
    finally:
        clustering.SHARD_RECORDS = before
    parts = np.split(partition.records, partition.ends[1:-1])
    return [sorted(sorted(case["records"][r]) for r in part) for part in parts]


def twin_of(case, ties="lex"):
    clusters, _ = oracle.horpart(
        case["records"], case["limit"], case["k"], case["strategy"], ties, set(case["sensitive"])
    )
    return [sorted(sorted(case["records"][r]) for r in cluster) for cluster in clusters]


@given(cases(), st.sampled_from(["lex", "first"]))
def test_clusters_and_their_order_are_those_of_the_slow_twin(case, ties):
    expected = twin_of(case, ties)
    if expected:
        assert clusters_of(case, ties) == expected


@given(cases(("abandon", "abandon-next", "remaining")), st.integers(1, 9))
def test_neither_shards_nor_threads_change_the_clusters(case, shard):
    assert clusters_of(case, shard=shard, threads=2) == clusters_of(case)


@given(cases(("abandon", "abandon-next", "adding", "remaining", "cardiff")))
def test_every_record_is_in_one_cluster_and_no_cluster_is_too_small(case):
    clusters = clusters_of(case)
    assert sorted(r for c in clusters for r in c) == sorted(sorted(r) for r in case["records"])
    assert min(len(c) for c in clusters) >= case["k"]


def chain(n):
    """Record i has a term of its own and all terms that halve the rest again and again: the splits are lopsided."""
    return [[f"own{i:05d}"] + [f"step{j:05d}" for j in range(max(0, i - 3), i)] for i in range(n)]


HOSTILE = {
    "all terms unique": lambda n: [[f"t{i:06d}"] for i in range(n)],
    "all records equal": lambda n: [["a", "b", "c"]] * n,
    "one term only": lambda n: [["a"]] * n,
    "a chain of lopsided splits": chain,
    "one record equal to the whole domain": lambda n: (
        [[f"t{i:06d}"] for i in range(n)] + [[f"t{i:06d}" for i in range(n)]]
    ),
    "a term in all records": lambda n: [["all", f"t{i % 50:02d}", f"u{i % 7}"] for i in range(n)],
}


@pytest.mark.parametrize("shape", HOSTILE)
@pytest.mark.parametrize("strategy", [s for s in oracle.STRATEGIES if s != "suppression"])
def test_hostile_shapes_end_and_keep_the_least_size(shape, strategy):
    records = HOSTILE[shape](60)
    case = {"records": records, "k": 4, "m": 2, "limit": 9, "strategy": strategy, "sensitive": ()}
    assert clusters_of(case) == twin_of(case)


def test_the_work_grows_almost_linearly_where_splits_are_lopsided(monkeypatch):
    if decision.compiled:  # compiled kernels cannot be watched: look again without the compiler
        again = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "almost_linearly"]
        environment = os.environ | {"DISJOIN_COMPILE": "never"}
        result = subprocess.run(again, env=environment, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout
        return
    # Every split cuts few records off. Reading the rest anew each time would visit some n^2 / 2 items.
    visits = []

    def counted(name, range_of):
        plain = plain_names(vars(horpart))  # what interpreted loops call
        kernel = plain[name]

        def count(*arguments):
            lo, hi = range_of(arguments)
            visits.append(hi - lo)
            return kernel(*arguments)

        monkeypatch.setitem(plain, name, count)

    counted("build", lambda a: (a[5], a[6]))
    counted("subtract", lambda a: (a[3], a[4]))
    for rule in (
        "abandon",
        "abandon-next",
        "adding",
        "suppression",
        "cardiff",
    ):  # `remaining` makes as many passes as it needs
        visits.clear()
        n = 1500
        case = {"records": chain(n), "k": 4, "m": 2, "limit": 9, "strategy": rule, "sensitive": ()}
        assert sum(len(c) for c in clusters_of(case)) <= n
        assert visits, "the kernels were not counted"
        assert sum(visits) < 3 * n * np.log2(n), rule


@kernel
def sort_some(keys, n):
    sort_keys(keys, n)


@given(st.lists(st.integers(-(2**40), 2**40)))
def test_keys_are_sorted(values):
    keys = np.array([*values, 7], np.int64)
    sort_some(keys, len(values))
    assert keys.tolist() == [*sorted(values), 7]


@given(st.lists(st.lists(st.integers(0, 4), max_size=4)))
def test_lists_are_sorted_with_a_proper_prefix_first(lists):
    items = np.array([i for entry in lists for i in entry] or [0], np.int32)
    lengths = np.array([len(entry) for entry in lists], np.int64)
    starts = np.cumsum(lengths) - lengths
    index = np.arange(len(lists))
    sort_ties(items, starts, lengths, np.zeros(len(lists), np.uint64), index, np.empty_like(index))
    assert [lists[i] for i in index] == sorted(lists)
