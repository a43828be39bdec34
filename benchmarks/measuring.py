"""Seconds on the clock, seconds of processors, peak memory, and how busy others kept the machine meanwhile."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

# What a user has: bytecode is kept between runs.
USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
CORES = len(os.sched_getaffinity(0))
MOST_BUSY = 0.1  # of the processors' time taken by others: beyond that, the clock tells nothing


class Run(NamedTuple):
    """One run of a command, its children included; or several: median seconds, the largest memory, the busiest."""

    seconds: float  # on the clock
    worked: float  # of processors; of several runs the least, as others on the machine can only add to it
    megabytes: float
    others: float = 0.0  # share of the processors' time that others took meanwhile

    @property
    def is_quiet(self) -> bool:
        """Whether the clock can be believed."""
        return self.others <= MOST_BUSY

    def __str__(self) -> str:
        memory = f", {self.megabytes:.0f} MB" if self.megabytes else ""
        return f"{self.seconds:.2f} s ({self.worked:.2f} s of processors){memory}"


def run(command: list[str], environment: Mapping[str, str] | None = None) -> Run:
    """Run a command in a process of its own; it must succeed."""
    start, busy = time.perf_counter(), _busy()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**USUAL, **(environment or {})})
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} left with {child.returncode}")
    seconds, worked = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return Run(seconds, worked, usage.ru_maxrss / 1024, _others(_busy() - busy - worked, seconds))


def timed(work: Callable[[], object]) -> Run:
    """Do some work in this process."""
    start, busy, began = time.perf_counter(), _busy(), time.process_time()
    work()
    seconds, worked = time.perf_counter() - start, time.process_time() - began
    return Run(seconds, worked, 0.0, _others(_busy() - busy - worked, seconds))


def others_during(work: Callable[[], object]) -> float:
    """Do some work, with commands among it, and return the share of the processors' time that others took."""
    start, busy, own = time.perf_counter(), _busy(), sum(os.times()[:4])
    work()
    return _others(_busy() - busy - (sum(os.times()[:4]) - own), time.perf_counter() - start)


def several(work: Callable[[], object], times: int) -> Run:
    """Do some work several times, after once that may compile."""
    work()
    return together(timed(work) for _ in range(times))


def interleaved(
    commands: dict[str, list[str]], times: int, environment: Mapping[str, str] | None = None
) -> dict[str, Run]:
    """Run all commands in turn, several times."""
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(times):
        for name, command in commands.items():
            runs[name].append(run(command, environment))
    return {name: together(found) for name, found in runs.items()}


def together(runs: Iterable[Run]) -> Run:
    """Return several runs of the same as one."""
    found = list(runs)
    return Run(
        statistics.median(each.seconds for each in found),
        min(each.worked for each in found),
        max(each.megabytes for each in found),
        statistics.median(each.others for each in found),
    )


def _busy() -> float:
    """Return for how many seconds the machine's processors have worked, for whomever, or were taken away."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def _others(seconds: float, on_the_clock: float) -> float:
    return max(0.0, seconds) / max(on_the_clock * CORES, 1 / os.sysconf("SC_CLK_TCK"))


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
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "unknown processor")
    return f"{CORES} cores ({model}), Python {sys.version.split()[0]}"
