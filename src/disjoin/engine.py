"""Engines: threads on this machine, and others that are installed; their interface is in `methods/contract.py`."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from disjoin.model.parameters import require_integer
from disjoin.model.plugins import Registry

Source = TypeVar("Source")
Shard = TypeVar("Shard")
Result = TypeVar("Result")
_AHEAD = 4  # waiting shards per thread


class RemoteEngine(Protocol):
    """Another engine: a dataclass whose settings are declared with `setting(...)`, like those of methods.
    Only `publish` is needed for methods, `inspect` if `runs` names it, and `warm_up` for `disjoin warm-up`."""

    name: ClassVar[str]
    runs: ClassVar[tuple[str, ...]]  # names of methods, and "inspect"

    def in_folder(self, folder: Path) -> RemoteEngine:
        """Return the same engine with paths relative to the folder of a plan."""

    def publish(self, plan: Any, progress: Any) -> Any:
        """Return the outcome of a plan: read, published and verified."""

    def inspect(self, source: Any, reading: Any, known: int | None, progress: Any) -> Any:
        """Return the result of `disjoin.inspect`."""

    @classmethod
    def warm_up(cls, folder: Path) -> Path | None:
        """Prepare files in the folder of compiled loops, so that later runs start sooner."""


ENGINES: Registry[type[RemoteEngine]] = Registry("disjoin.engines", (type,), reserved=("local",))


@dataclass(frozen=True, slots=True)
class Local:
    """Run shards on `threads` threads (default: one for every core that this process may use)."""

    threads: int = 0

    def __post_init__(self) -> None:
        require_integer("threads", self.threads, 0, "it is the number of threads, 0 for one per core.")
        if self.threads == 0:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
            object.__setattr__(self, "threads", cores)

    def map(
        self,
        work: Callable[[Shard], Result],
        sources: Iterable[Source],
        done: Callable[[int], None] = lambda finished: None,
        shard_of: Callable[[Any], Any] = lambda source: source,
    ) -> list[Result]:
        """Return `work(shard_of(source))` in order; sources are requested only as needed, because shards are copies."""
        results: list[Result] = []

        def finish(result: Result) -> None:
            results.append(result)
            done(len(results))

        if self.threads == 1:
            for source in sources:
                finish(work(shard_of(source)))
            return results
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[Future[Result]] = deque()
        try:
            for source in sources:
                waiting.append(pool.submit(lambda source: work(shard_of(source)), source))
                if len(waiting) > _AHEAD * self.threads:
                    finish(waiting.popleft().result())
            while waiting:
                finish(waiting.popleft().result())
            return results
        finally:  # after Ctrl-C, waiting work is not started, and running work is not awaited
            pool.shutdown(wait=False, cancel_futures=True)

    def spread(self, work: Callable[[Shard], Result], parts: Iterable[Shard]) -> list[Result]:
        return self.map(work, parts)
