"""Progress on standard error: a bar where somebody looks at it, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from disjoin.progress import Progress, silent

STAGES = {
    "compiling": "Compiling for this machine, this once",
    "reading": "Reading",
    "splitting": "Splitting into clusters",
    "publishing": "Cutting clusters into chunks",
    "verifying": "Verifying",
    "writing": "Writing",
    "examining": "Looking for unique records",
}


@contextmanager
def shown(*, quiet: bool) -> Iterator[Progress]:
    """Give a progress function that draws one line a stage; it is erased at the end."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(STAGES.get(stage, stage), total=None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield show
