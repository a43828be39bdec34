"""Threads on this machine. Kernels release the interpreter's lock, so threads are enough."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from disjoin.model.guarantee import require_integer

Shard = TypeVar("Shard")
Result = TypeVar("Result")


def _nobody(finished: int) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Local:
    """Run shards on `threads` threads (default: one for every core that this process may use)."""

    threads: int = 0

    def __post_init__(self) -> None:
        require_integer("threads", self.threads, 0, "it is the number of threads, 0 for one a core.")
        if self.threads == 0:
            object.__setattr__(
                self,
                "threads",
                len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1),
            )

    def map(
        self, work: Callable[[Shard], Result], shards: Iterable[Shard], done: Callable[[int], None] = _nobody
    ) -> list[Result]:
        """Return `work(shard)` for every shard, in the order of the shards."""
        shards = list(shards)
        if self.threads == 1 or len(shards) == 1:
            results = []
            for number, shard in enumerate(shards):
                results.append(work(shard))
                done(number + 1)
            return results
        with ThreadPoolExecutor(self.threads) as pool:
            waiting = [pool.submit(work, shard) for shard in shards]
            try:
                pending = set(waiting)
                while pending:
                    _, pending = wait(pending, return_when=FIRST_COMPLETED)
                    done(len(waiting) - len(pending))
                return [future.result() for future in waiting]
            except BaseException:  # also Ctrl-C: do not start what has not begun
                pool.shutdown(wait=False, cancel_futures=True)
                raise
