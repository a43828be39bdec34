"""Charts drawn by a process of their own, beside the work.

The chart engine takes more than half a second and 90 MB to wake, and holds the interpreter meanwhile. An artist wakes
it elsewhere as soon as it is hired. Drawings are the same; where no process can be started, they are made here.

The engine ends its whole process where memory is short. That is the child's end and not ours: the chart is given to a
second one, and if that ends too, the user is told.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from types import TracebackType
from typing import Any

from disjoin.errors import CannotWrite
from disjoin.report.charts import Specification, draw

COMMAND = (sys.executable, "-P", "-m", "disjoin.report.easel")  # -P: load nothing from the current folder


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
        return drawing

    def _ending(self) -> str:
        """Say how a process ended that has closed its output."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1)
        self._process.kill()
        self._process.communicate()
        return _name_of(self._process.returncode)


def _hired() -> Any:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    try:
        # In a session of its own, so that Ctrl-C reaches us only; it ends when its input does.
        return subprocess.Popen(COMMAND, **pipes, start_new_session=True, text=True, encoding="utf-8")  # type: ignore[call-overload]
    except OSError:
        return None


def _name_of(code: int) -> str:
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"exit code {code}"
