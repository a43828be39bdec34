"""Start-up time: optional imports of libraries that the command line never needs are blocked.

pyarrow would load pandas and cloud file systems, numba scipy's linear algebra: a second before any work. Only this
process, which is ours alone, declares them absent; the library never does.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder

from disjoin.jit.decision import loading

NEVER_NEEDED = ("pandas", "pyarrow._s3fs", "pyarrow._gcsfs", "pyarrow._azurefs", "pyarrow._hdfs")
_OFTEN_ENOUGH = 50_000  # new objects between two searches for garbage: what is loaded has many, and is none
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # what the C library calls them
_LARGE = 1 << 21  # bytes


class Absent(MetaPathFinder):
    """Import finder that reports some modules as not installed."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self.names:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


def block_optional_imports() -> None:
    """Declare absent what is never needed, and let numba, should it be, load without what it never needs."""
    if not any(isinstance(finder, Absent) for finder in sys.meta_path):
        sys.meta_path.insert(0, Absent(*NEVER_NEEDED))
    loading.lightly = without_linear_algebra
    _give_memory_back()
    gc.set_threshold(_OFTEN_ENOUGH)


def _give_memory_back() -> None:
    """Return large freed arrays to the system at once; the C library and Arrow would keep those of up to 32 MB."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with suppress(OSError, AttributeError, TypeError):  # another C library
        adjust = ctypes.CDLL(None).mallopt
        adjust(_MMAP_THRESHOLD, _LARGE)
        adjust(_TRIM_THRESHOLD, 4 * _LARGE)


def unblock_optional_imports() -> None:
    """Allow blocked imports again: Spark asks for pandas."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Absent)]


@contextmanager
def without_linear_algebra() -> Iterator[None]:
    """Hide what numba loads where it is installed, and no loop uses: linear algebra, and what measures tests."""
    finder = Absent(*(name for name in ("scipy", "coverage") if name not in sys.modules))
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
