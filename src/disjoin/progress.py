"""How long work tells what it is doing."""

from __future__ import annotations

from typing import Protocol

STAGES = {  # what people read of a stage
    "compiling": "Compiling",
    "reading": "Reading",
    "ordering": "Putting similar records side by side",
    "grouping": "Forming groups",
    "generalising": "Generalising terms",
    "dividing": "Dividing records",
    "peeling": "Looking for the core",
    "splitting": "Splitting into clusters",
    "publishing": "Cutting clusters into chunks",
    "refining": "Joining clusters",
    "verifying": "Verifying",
    "writing": "Writing",
    "reconstructing": "Putting possible originals together",
    "evaluating": "Comparing with the original",
    "comparing": "Comparing methods",
    "advising": "Trying settings",
    "examining": "Looking for unique records",
    "attacking": "Attacking the release",
}


class Progress(Protocol):
    """Is told the stage, how much is done of how much (0: unknown), and what else is worth seeing."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show it."""


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """Show nothing."""
