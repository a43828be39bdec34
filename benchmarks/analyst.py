"""Asking a release: processor seconds of supports, itemsets and pairs of a million records."""

from __future__ import annotations

import resource
from collections.abc import Callable
from itertools import combinations

import numpy as np

import disjoin
from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import interleaved, python, read_and_count, run, several
from disjoin.analyst.index import SupportIndex, desk_of
from disjoin.model import Release, Transactions
from disjoin.model.ragged import Ints64

PAIRS = 1000
MINED = 1000
MOST_TERMS = 46  # their pairs are enough for a thousand questions
REAL = {"wv1": 5, "retail": 10}


def seconds(work: Callable[[], object], times: int) -> float:
    """Return the processor seconds of some work, the least of several runs, after one that may compile."""
    return several(work, times).worked


def questions(data: Transactions, release: Release) -> dict[str, list[list[str]]]:
    """Return a thousand pairs each of the most frequent terms, of those in most places, and of any terms."""
    names, published = data.vocabulary.to_pylist(), release.published.vocabulary.to_pylist()
    entries = np.diff(desk_of(release).index.starts)
    frequent = [names[term] for term in np.argsort(-data.supports(), kind="stable")[:MOST_TERMS]]
    scattered = [published[term] for term in np.argsort(-entries, kind="stable")[:MOST_TERMS]]
    drawn = np.random.default_rng(1).integers(len(published), size=(PAIRS, 2))
    return {
        "of the most frequent terms": [list(pair) for pair in combinations(frequent, 2)][:PAIRS],
        "of the terms in most places": [list(pair) for pair in combinations(scattered, 2)][:PAIRS],
        "of any terms": [[published[a], published[b]] for a, b in drawn],
    }


def lists_of(data: Transactions) -> dict[str, Ints64]:
    """Return for every term the records that have it, ascending."""
    records = np.repeat(np.arange(len(data)), np.diff(data.offsets))[np.argsort(data.items, kind="stable")]
    cuts = np.split(records, np.cumsum(data.supports())[:-1])
    return dict(zip(data.vocabulary.to_pylist(), cuts, strict=True))


def count(lists: dict[str, Ints64], pairs: list[list[str]]) -> list[int]:
    """Count pairs in the original, with such lists at hand: what asking costs who has everything."""
    return [np.intersect1d(lists[a], lists[b], assume_unique=True).size for a, b in pairs]


def large(bars: Bars) -> None:
    """Ask a release of made-up records."""
    records, times = MILLION, bars.times
    data = disjoin.read(bars.quest(records))
    release = disjoin.disassociate(data, k=5, m=2)
    label = f"{records:,} Quest records"
    note = f"{release.published!r}, joints up to {desk_of(release).depth} deep"
    bars.add(f"{label}, index", seconds(lambda: SupportIndex(release.published), times), 1, "s", note=note)
    asked = questions(data, release)
    for kind, pairs in asked.items():
        found = seconds(lambda pairs=pairs: release.support(pairs), times)
        bars.add(f"{label}, {PAIRS:,} pairs {kind}", found, 1, "s")
    frequent = asked["of the most frequent terms"]
    lists = lists_of(data)
    baseline = seconds(lambda: count(lists, frequent), times)
    found = seconds(lambda: release.support(frequent), times)
    note = f"{found:.3f} s against {baseline:.3f} s"
    bars.add(f"{label}, these / counting them in the original", found / baseline, 1, "x", note=note)
    bars.add(f"{label}, top {MINED:,} itemsets", seconds(lambda: release.mine(MINED), 1), 10, "s")
    bars.add(f"{label}, all pairs as a matrix", seconds(release.pairs, 1), 20, "s")


def real(bars: Bars) -> None:
    """Ask releases of real data."""
    for name, bar in REAL.items():
        source = bars.real(name)
        if source is None:
            continue
        release = disjoin.disassociate(disjoin.read(source), k=5, m=2)
        bars.add(f"{name}, top {MINED:,} itemsets", seconds(lambda r=release: r.mine(MINED), bars.times), bar, "s")
        note = f"{release.pairs().matrix.nnz:,} entries"
        bars.add(f"{name}, all pairs as a matrix", seconds(release.pairs, 1), 20, "s", note=note)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    bars.add("peak memory of all of this", peak, 4000, "MB")


def against_counting(bars: Bars) -> None:
    """Find the most frequent itemsets, from reading on, against reading and counting the terms."""
    source = bars.quest(MILLION // 2)
    commands = {
        "baseline": read_and_count(source),
        "ours": python("-m", "benchmarks.top_itemsets", str(source)),
    }
    run(commands["ours"])  # compiles
    base, ours = interleaved(commands, bars.times).values()
    what = "top-1000 itemsets of 500k baskets / read-and-count"
    bars.add(what, ours.seconds / base.seconds, 10, "x", ours, base, note=f"{ours} against {base}")


def measure(bars: Bars) -> None:
    """Ask made-up and real releases."""
    large(bars)
    real(bars)
    against_counting(bars)
