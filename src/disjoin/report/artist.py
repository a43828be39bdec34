"""Charts drawn by a process of their own, beside the work.

The chart engine takes more than half a second and 90 MB to wake, and holds the interpreter meanwhile. An artist wakes
it elsewhere as soon as it is hired. Drawings are the same; where no process can be started, they are made here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType

from disjoin.report.charts import Specification, draw


class Artist:
    """Draws charts while it is in use as a context."""

    def __enter__(self) -> Artist:
        command = [sys.executable, "-P", "-m", "disjoin.report.easel"]  # -P: load nothing from the current folder
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        try:
            # In a session of its own, so that Ctrl-C reaches us only; it ends when its input does.
            self._process = subprocess.Popen(command, **pipes, start_new_session=True, text=True, encoding="utf-8")  # type: ignore[call-overload]
        except OSError:
            self._process = None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def draw(self, chart: Specification) -> str:
        """Return the chart as an SVG element, as `charts.draw` does."""
        try:
            self._process.stdin.write(json.dumps(chart) + "\n")
            self._process.stdin.flush()
            drawing: str = json.loads(self._process.stdout.readline())
        except (AttributeError, OSError, ValueError):  # there is no process, or it has gone
            return draw(chart)
        return drawing if drawing.startswith("<svg") else draw(chart)
