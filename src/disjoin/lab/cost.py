"""Costs of publishing: measures of the outcome, seconds and bytes, and their growth."""

from __future__ import annotations

import math
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from disjoin.advise.trial import measured
from disjoin.engine import Local
from disjoin.measure import exact_pair_mass, exact_term_mass, exposed_records, universal_terms
from disjoin.measure.definition import Settings
from disjoin.measure.evaluation import EvaluationRow
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation import Disassociation
from disjoin.methods.disassociation.choices import papers
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.progress import Progress, silent

Measured = dict[str, float | None]

_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_memory() -> Callable[[], int]:
    """Return a function for the peak bytes of this process above its current use (outside Linux: since its start)."""
    with suppress(OSError):  # not available on this system
        _FORGET.write_text("5", encoding="ascii")
    before = _status("VmRSS") or _peak_since_the_beginning()
    # ru_maxrss is the fallback, because it starts with the peak of the parent process.
    return lambda: max(0, (_status("VmHWM") or _peak_since_the_beginning()) - before)


def _status(name: str) -> int | None:
    """Return an entry of the process's status in bytes."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) << 10 if found else None


def _peak_since_the_beginning() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


@dataclass(slots=True)
class Watched:
    """A publisher (`Method.publish`) that measures seconds, processor seconds and bytes."""

    publisher: Callable[..., Draft[Any]]
    taken: dict[str, float | None] = field(default_factory=dict)

    def __call__(self, data: Any, engine: Engine, progress: Progress = silent) -> Draft[Any]:
        memory, start, before = peak_memory(), time.perf_counter(), time.process_time()
        draft = self.publisher(data, engine, progress)
        seconds, worked = time.perf_counter() - start, time.process_time() - before
        self.taken = {
            "seconds": round(seconds, 4),
            "processor_seconds": round(worked, 4),
            "memory_mb": round(memory() / 1e6, 1),
        }
        return draft


def seconds_spent(work: Callable[[], object], times: int) -> dict[str, float | None]:
    """Return median, least and largest seconds, wall and processor (all threads), and the load, after one warm-up."""
    laps, worked = [], []
    for _ in range(times + 1):
        start, before = time.perf_counter(), time.process_time()
        work()
        laps.append(time.perf_counter() - start)
        worked.append(time.process_time() - before)
    counted = laps[1:]
    return {
        "seconds": statistics.median(counted),
        "processor seconds": statistics.median(worked[1:]),
        "least seconds": min(counted),
        "most seconds": max(counted),
        "load average": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent with which values grow with size: the slope of the line through their logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return statistics.linear_regression([math.log(x) for x in sizes], [math.log(y) for y in values]).slope


def published(data: Transactions, **parameters: Any) -> tuple[Disassociation, Draft[Clusters]]:
    """Publish without the verifier, which measures do not need; by default with the papers' clusters."""
    method = Disassociation(**{"clustering": papers()} | parameters)
    return method, method.publish(data, Local())


def seconds_of(data: Transactions, times: int, **parameters: Any) -> Measured:
    return seconds_spent(lambda: published(data, **parameters), times)


def masses_of(data: Transactions, method: Disassociation, draft: Draft[Clusters]) -> Measured:
    clusters = draft.published
    return {
        "term mass": exact_term_mass(clusters, data),
        "pair mass": exact_pair_mass(clusters, data),
        "exposed records": exposed_records(clusters, KmAnonymity(method.k, method.m)),
        "universal terms": universal_terms(clusters),
    }


def losses_of(data: Transactions, names: Iterable[str], **parameters: Any) -> Measured:
    return evaluation_of(data, *published(data, **parameters), names)


def evaluation_of(data: Transactions, method: Disassociation, draft: Draft[Clusters], names: Iterable[str]) -> Measured:
    return {row.name: row.value for row in evaluation_rows(data, method, draft, names)}


def evaluation_rows(
    data: Transactions,
    method: Disassociation,
    draft: Draft[Clusters],
    names: Iterable[str],
    *,
    reconstructions: int = 1,
    seed: int = 0,
) -> tuple[EvaluationRow, ...]:
    return measured(
        draft.published,
        data,
        names,
        k=method.k,
        m=method.m,
        suppressed_records=draft.suppressed_records,
        strategy=method.strategy,
        settings=Settings(seed=seed, reconstructions=reconstructions),
    )
