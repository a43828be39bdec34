"""Threads on this machine. Kernels release the interpreter's lock, so threads are enough."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from disjoin.model.guarantee import require_integer

Source = TypeVar("Source")
Shard = TypeVar("Shard")
Result = TypeVar("Result")
_AHEAD = 4  # shards per thread that wait


def itself(source: Any) -> Any:
    """Return what is a shard already."""
    return source


def _nobody(finished: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Local:
    """Run shards on `threads` threads (default: one for every core that this process may use)."""

    threads: int = 0

    def __post_init__(self) -> None:
        require_integer("threads", self.threads, 0, "it is the number of threads, 0 for one per core.")
        if self.threads == 0:
            object.__setattr__(
                self,
                "threads",
                len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1),
            )

    def map(
        self,
        work: Callable[[Shard], Result],
        sources: Iterable[Source],
        done: Callable[[int], None] = _nobody,
        shard_of: Callable[[Source], Shard] = itself,
    ) -> list[Result]:
        """Return `work(shard_of(source))` for every source, in their order; work begins while sources are still found.

        No more are asked for than are worked on soon: a shard is a copy of its records.
        """

        def worked(source: Source) -> Result:
            return work(shard_of(source))

        if self.threads == 1:
            return [_told(worked(source), done, number) for number, source in enumerate(sources)]
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[Future[Result]] = deque()
        results: list[Result] = []
        try:
            for source in sources:
                waiting.append(pool.submit(worked, source))
                if len(waiting) > _AHEAD * self.threads:
                    results.append(_told(waiting.popleft().result(), done, len(results)))
            while waiting:
                results.append(_told(waiting.popleft().result(), done, len(results)))
            return results
        finally:  # after Ctrl-C, what has not begun is not started, and nobody waits for what has
            pool.shutdown(wait=False, cancel_futures=True)

    def spread(self, work: Callable[[Shard], Result], parts: Iterable[Shard]) -> list[Result]:
        """Do what `map` does with parts that share memory."""
        return self.map(work, parts)


def _told(result: Result, done: Callable[[int], None], number: int) -> Result:
    done(number + 1)
    return result
