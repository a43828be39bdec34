"""How long work tells what it is doing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Is told the stage, how much is done of how much (0: unknown), and what else is worth seeing."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show it."""


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """Show nothing."""
