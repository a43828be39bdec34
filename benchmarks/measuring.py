"""Run commands apart from one another and note seconds and peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

# What a user has: bytecode is kept between runs.
_USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Run:
    """One run of a command."""

    seconds: float
    megabytes: float


def run(command: list[str]) -> Run:
    """Run a command in a process of its own; it must succeed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=_USUAL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} left with {child.returncode}")
    return Run(time.perf_counter() - start, usage.ru_maxrss / 1024)


def interleaved(commands: dict[str, list[str]], times: int) -> dict[str, Run]:
    """Run all commands in turn, several times, and return the median seconds and the largest memory of each."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            runs[name].append(run(command))
    return {
        name: Run(statistics.median(r.seconds for r in found), max(r.megabytes for r in found))
        for name, found in runs.items()
    }


def python(*arguments: str) -> list[str]:
    """Return a command that runs this interpreter."""
    return [sys.executable, *arguments]


def disassociate(source: Path, out: Path, *more: str) -> list[str]:
    """Return the command that publishes a file from reading to the written, verified release."""
    return python("-m", "disjoin", "disassociate", str(source), "-o", str(out), "--overwrite", "--quiet", *more)


def machine() -> str:
    """Say on what this was measured."""
    cores = len(os.sched_getaffinity(0))
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown processor")
    return f"{cores} cores ({model}), Python {sys.version.split()[0]}"
