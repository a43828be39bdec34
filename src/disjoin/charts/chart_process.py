"""Charts drawn by a process of their own, beside the work.

The chart engine takes more than half a second and 90 MB to wake, and holds the interpreter meanwhile. An artist wakes
it elsewhere as soon as it is hired. Drawings are the same; where no process can be started, they are made here.

The engine ends its whole process where memory is short. That is the child's end and not ours: the chart is given to a
second one, and if that ends too, the user is told.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any

from disjoin.charts.specifications import Specification, draw
from disjoin.errors import CannotWrite

COMMAND = (sys.executable, "-P", "-m", "disjoin.charts.chart_worker")  # -P: load nothing from the current folder


class Artist:
    """Draws charts while it is in use as a context."""

    def __enter__(self) -> Artist:
        self._process = _hired()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def draw(self, chart: Specification) -> str:
        """Return the chart as an SVG element, as `charts.draw` does; raise `CannotWrite` if nobody lives to draw it."""
        if self._process is None:
            return draw(chart)
        drawing = self._drawn(chart)
        if drawing is None:
            ending = self._ending()
            self._process = _hired()
            drawing = self._drawn(chart)
            if drawing is None:
                raise CannotWrite(
                    "The charts of the report cannot be drawn, and nothing was written: the process that draws them "
                    f"ended ({ending}). Free some memory, or raise the limit on it (ulimit -v)."
                )
        return drawing if drawing.startswith("<svg") else draw(chart)

    def _drawn(self, chart: Specification) -> str | None:
        """Return what the process makes of a chart; None if there is none, or it has gone."""
        try:
            self._process.stdin.write(json.dumps(chart) + "\n")
            self._process.stdin.flush()
            drawing: str = json.loads(self._process.stdout.readline())
        except (AttributeError, OSError, ValueError):
            return None
        except BaseException:  # interrupted: what comes out next would be taken for another chart
            self._process.kill()
            raise
        return drawing

    def _ending(self) -> str:
        """Say how a process ended that has closed its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._process.kill()
        self._process.communicate()
        return _name_of(self._process.returncode)


class _House:
    """The worker of this process, started for the first chart; one chart is drawn at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._artist: Artist | None = None

    def draw(self, chart: Specification) -> str:
        """Return the chart as an SVG element."""
        with self._lock:
            if self._artist is None:
                self._artist = Artist().__enter__()
            return self._artist.draw(chart)

    def dismiss(self) -> None:
        """End the process that draws, if there is one; the next chart hires another."""
        with self._lock:
            if self._artist is not None:
                self._artist.__exit__(None, None, None)
            self._artist = None

    def forget(self) -> None:
        """Leave the worker to the process that this one was forked from."""
        self._lock, self._artist = threading.Lock(), None


_house = _House()  # waking the engine for every release of a session would take longer than writing it
atexit.register(_house.dismiss)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_house.forget)
draw_elsewhere, dismiss = _house.draw, _house.dismiss


def _hired() -> Any:
    paths = os.pathsep.join(filter(None, sys.path))  # as somebody may have changed it since the start
    environment = {**os.environ, "PYTHONPATH": paths}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        # In a session of its own, so that Ctrl-C reaches us only; it ends when its input does.
        return subprocess.Popen(COMMAND, **pipes, env=environment, start_new_session=True, text=True, encoding="utf-8")  # type: ignore[call-overload]
    except (OSError, ValueError, TypeError):  # also where Python is part of another program
        return None


def _name_of(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"
