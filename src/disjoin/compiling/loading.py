"""How numba comes into this process; a process that is ours alone may do it its own way."""

from __future__ import annotations

from collections.abc import Callable


class Loader:
    """Loads numba when the first loop is compiled, and not before."""

    def __init__(self) -> None:
        self.first: Callable[[], None] | None = None  # is called before numba is imported

    def load(self) -> None:
        """Make numba ready."""
        if self.first is not None:
            self.first()


loader = Loader()
