"""Threads on this machine. Kernels release the interpreter's lock, so threads are enough."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from disjoin.model.guarantee import require_integer

Shard = TypeVar("Shard")
Result = TypeVar("Result")
_AHEAD = 4  # shards per thread that wait


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
        self, work: Callable[[Shard], Result], shards: Iterable[Shard], done: Callable[[int], None] = _nobody
    ) -> list[Result]:
        """Return `work(shard)` for every shard, in the order of the shards; work begins while shards are still made.

        No more shards are made than are worked on soon: each is a copy of its records.
        """
        if self.threads == 1:
            return [_told(work(shard), done, number) for number, shard in enumerate(shards)]
        pool = ThreadPoolExecutor(self.threads)
        waiting: deque[Future[Result]] = deque()
        results: list[Result] = []
        try:
            for shard in shards:
                waiting.append(pool.submit(work, shard))
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
