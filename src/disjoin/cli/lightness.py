"""Keep out of this process what the command line never needs.

Libraries that we use load others when these happen to be installed: pyarrow loads pandas and cloud file systems, numba
loads scipy's linear algebra. That is a second of waiting before any work. This process is ours alone, so they can be
declared absent; the library itself never does that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder

from disjoin.compiling.decision import loader

NEVER_NEEDED = ("pandas", "pyarrow._s3fs", "pyarrow._gcsfs", "pyarrow._azurefs", "pyarrow._hdfs")


class Absent(MetaPathFinder):
    """Says of some modules that they are not installed."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a module of ours; know nothing of the others."""
        if name in self.names:
            raise ModuleNotFoundError(f"{name} is not needed here", name=name)


def travel_light() -> None:
    """Declare absent what is never needed, and let numba, should it be, load without what it never needs."""
    if not any(isinstance(finder, Absent) for finder in sys.meta_path):
        sys.meta_path.insert(0, Absent(*NEVER_NEEDED))
    loader.first = load_numba


def load_numba() -> None:
    """Load numba without the linear algebra that none of our loops use."""
    if "scipy" not in sys.modules:
        with _without("scipy"):
            import numba.np.arraymath  # noqa: F401 - looks for linear algebra when it is first loaded


@contextmanager
def _without(name: str) -> Iterator[None]:
    finder = Absent(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
