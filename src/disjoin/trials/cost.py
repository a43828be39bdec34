"""What work takes, in seconds and in bytes, and on what machine it was done."""

from __future__ import annotations

import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from disjoin._version import __version__
from disjoin.methods.contract import Engine, Method
from disjoin.model import Draft, Published
from disjoin.progress import Progress, silent

_LIBRARIES = ("numpy", "numba", "pyarrow", "scipy", "opendp")
_STATUS, _FORGET = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def machine_in_words() -> str:
    """Say in general words on what this runs."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{cores} core{'s' if cores != 1 else ''}, {platform.system()}, Python {platform.python_version()}"


def versions() -> dict[str, str]:
    """Return the versions of what does the work; an absent library is left out."""
    found = {"disjoin": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class PeakMemory:
    """How many bytes this process holds at most from now on, beyond what it holds now.

    Linux counts the peak anew when it is asked to. Elsewhere it is the peak since the process began, which says less
    if the process held more before than now.
    """

    def __init__(self) -> None:
        _forget_the_peak()
        self._before = _status("VmRSS") or _peak_since_the_beginning()

    def bytes(self) -> int:
        """Return the peak so far, less what was there before."""
        # Not ru_maxrss where there is something better: at the start it takes over the peak of the parent process.
        peak = _status("VmHWM") or _peak_since_the_beginning()
        return max(0, peak - self._before)


def _forget_the_peak() -> None:
    try:
        _FORGET.write_text("5", encoding="ascii")
    except OSError:  # no such system, or not allowed here
        return


def _status(name: str) -> int | None:
    """Return an entry of the process's status in bytes."""
    try:
        found = re.search(rf"^{name}:\s+(\d+) kB$", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) << 10 if found else None


def _peak_since_the_beginning() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


@dataclass(slots=True)
class Watched:
    """A method that notes what publishing takes: seconds, processor seconds, bytes."""

    method: Method
    taken: dict[str, float | None] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        """Be the method in all other respects."""
        return getattr(self.method, name)

    def publish(self, data: Any, engine: Engine, progress: Progress = silent) -> Draft[Published]:
        """Do the work, and note what it took."""
        memory, start, before = PeakMemory(), time.perf_counter(), time.process_time()
        draft = self.method.publish(data, engine, progress)
        seconds, worked = time.perf_counter() - start, time.process_time() - before
        self.taken = {
            "seconds": round(seconds, 4),
            "processor_seconds": round(worked, 4),
            "memory_mb": round(memory.bytes() / 1e6, 1),
        }
        return draft


def seconds_spent(work: Callable[[], object], times: int) -> dict[str, float | None]:
    """Return the median, least and largest seconds of some work, after one run that does not count.

    Processor seconds, of all threads together, depend less on what else the machine does. The load average tells how
    many processes wanted a core meanwhile, this one among them.
    """
    laps, worked = [], []
    for _ in range(times + 1):
        start, before = time.perf_counter(), time.process_time()
        work()
        laps.append(time.perf_counter() - start)
        worked.append(time.process_time() - before)
    counted = laps[1:]
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    noise: dict[str, float | None] = {"least seconds": min(counted), "most seconds": max(counted), "load average": load}
    median = statistics.median
    return {"seconds": median(counted), "processor seconds": median(worked[1:]), **noise}
