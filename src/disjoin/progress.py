"""How long work tells what it is doing."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]  # stage, done, total (0: unknown)


def silent(stage: str, done: int, total: int) -> None:
    """Show nothing."""
