"""Progress reports of long work; without a display, a line is logged now and then (to standard error)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from disjoin.jit.kernel import Kernel

STAGES = {  # names of stages for people
    "compiling": "Compiling",
    "waiting": "Waiting for executors of Spark",
    "reading": "Reading",
    "ordering": "Ordering similar records",
    "grouping": "Forming groups",
    "generalising": "Generalising terms",
    "dividing": "Dividing records",
    "peeling": "Finding the core",
    "splitting": "Splitting into clusters",
    "publishing": "Cutting clusters into chunks",
    "refining": "Joining clusters",
    "verifying": "Verifying",
    "writing": "Writing",
    "reconstructing": "Making possible originals",
    "evaluating": "Comparing with the original",
    "comparing": "Comparing methods",
    "advising": "Trying settings",
    "examining": "Finding unique records",
    "attacking": "Attacking the release",
}


class Progress(Protocol):
    """Called with the stage, the work done and the total (0: unknown), and further information."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show it."""


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """Show nothing."""


_FIRST, _NEXT = 3.0, 15.0  # seconds until the first line is logged, and between two


class Lines:
    """Progress as plain lines, a few seconds apart."""

    def __init__(self) -> None:
        self._due: float | None = None

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        now = time.monotonic()
        self._due = now + _FIRST if self._due is None else self._due
        if now >= self._due:
            import logging

            self._due = now + _NEXT
            logging.getLogger("disjoin").warning("Compiling %s.", note)


class Count:
    """What has been compiled in this process, and what is still needed."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}  # seconds of every loop, one entry per type of arguments
        self.needed: set[str] = set()
        self.listener: Progress = Lines()
        self._begun: list[float] = []

    @property
    def done(self) -> int:
        return len(self.seconds)

    def begin(self, kernel: Kernel, calls: list[Kernel]) -> None:
        """Report that a loop is being compiled, with all called loops that are not on disk."""
        if not self._begun:
            self.needed.update(one.name for one in calls)
        self._begun.append(time.process_time())
        self._tell()

    def end(self, kernel: Kernel) -> None:
        took = time.process_time() - self._begun.pop()
        self._begun = [began + took for began in self._begun]  # each loop's own seconds
        self.seconds.setdefault(kernel.name, []).append(took)
        self._tell()

    def _tell(self) -> None:
        total = max(self.done, len(self.needed))
        words = f"{min(self.done + 1, total)} of {total}, once per machine"
        self.listener("compiling", self.done, total, words)


count = Count()


@contextmanager
def told_to(listener: Progress) -> Iterator[None]:
    """Send reports to another listener within the block."""
    before, count.listener = count.listener, listener
    try:
        yield
    finally:
        count.listener = before
