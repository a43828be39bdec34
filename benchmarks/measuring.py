"""Run commands apart from one another and note seconds on the clock, seconds of processors and peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

# What a user has: bytecode is kept between runs.
_USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Run(NamedTuple):
    """One run of a command, its children included; or several: the median seconds, and the largest memory."""

    seconds: float  # on the clock
    worked: float  # of processors; of several runs the least, as others on the machine can only add to it
    megabytes: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.worked:.2f} s of processors), {self.megabytes:.0f} MB"


def run(command: list[str], environment: Mapping[str, str] | None = None) -> Run:
    """Run a command in a process of its own; it must succeed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**_USUAL, **(environment or {})})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} left with {child.returncode}")
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(commands: dict[str, list[str]], times: int) -> dict[str, Run]:
    """Run all commands in turn, several times."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {name: _together(found) for name, found in runs.items()}


def _together(found: list[Run]) -> Run:
    return Run(
        statistics.median(each.seconds for each in found),
        min(each.worked for each in found),
        max(each.megabytes for each in found),
    )


def python(*arguments: str) -> list[str]:
    """Return a command that runs this interpreter."""
    return [sys.executable, *arguments]


def disjoin(*arguments: object) -> list[str]:
    """Return a command of disjoin."""
    return python("-m", "disjoin", *map(str, arguments))


def disassociate(source: Path, out: Path, *more: str) -> list[str]:
    """Return the command that publishes a file from reading to the written, verified release."""
    return disjoin("disassociate", source, "-o", out, "--overwrite", "--quiet", *more)


def read_and_count(source: Path) -> list[str]:
    """Return the baseline's command."""
    return python("-m", "benchmarks.read_and_count", str(source))


def machine() -> str:
    """Say on what this was measured."""
    cores = len(os.sched_getaffinity(0))
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown processor")
    return f"{cores} cores ({model}), Python {sys.version.split()[0]}"
