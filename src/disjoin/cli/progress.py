"""Progress on standard error: a bar where somebody looks at it, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from disjoin.cli.screen import screen
from disjoin.compiling.telling import told_to
from disjoin.progress import STAGES, Progress, silent


@contextmanager
def shown(*, quiet: bool) -> Iterator[Progress]:
    """Give a progress function that draws one line per stage; it is erased at the end.

    Compiling takes long enough to be told, in plain lines now and then, where nobody looks at a bar.
    """
    if quiet:
        with told_to(silent):
            yield silent
        return
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=screen(err=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int, note: str = "") -> None:
            words = STAGES.get(stage, stage)
            if stage not in tasks:
                for earlier in bars.tasks:  # passes that could not tell their number have come to an end
                    if earlier.total is None and earlier.completed:
                        bars.update(earlier.id, total=earlier.completed)
                tasks[stage] = bars.add_task(words, total=None)
            words += f" ({note})" if note else ""
            bars.update(tasks[stage], completed=done, total=total or None, description=words)

        with told_to(show):
            yield show
