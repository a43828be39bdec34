"""The inspector's own threads: its loops release the interpreter's lock, so threads are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Part = TypeVar("Part")


def at_once(work: Callable[[Part], None], parts: Sequence[Part], threads: int) -> None:
    """Do `work(part)` for every part, up to `threads` at once; parts write to places of their own.

    >>> done = []
    >>> at_once(done.append, [1, 2], 1)
    >>> done
    [1, 2]
    """
    if threads == 1 or len(parts) < 2:
        for part in parts:
            work(part)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        for waiting in [pool.submit(work, part) for part in parts]:
            waiting.result()
    finally:  # after Ctrl-C, what has not begun is not started
        pool.shutdown(wait=False, cancel_futures=True)
