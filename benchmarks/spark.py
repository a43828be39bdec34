"""Spark on one machine: a million records on `local[2]`, against the same command without Spark.

What Spark costs where it is not needed. The driver is the command itself, executors are Java and the Python processes
below it.

python -m benchmarks.spark 1000000 2000000    how much memory each takes for that many records
python -m benchmarks.spark join 1000000       what the driver holds while clusters are joined, there or in executors
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from benchmarks.bars import MILLION, Bars
from benchmarks.measuring import USUAL, disassociate, run
from disjoin.generate.quest import Quest, write_quest

ON_SPARK = ("--engine", "spark", "--master", "local[2]", "--format", "fimi", "--no-ledger")
_ROOM = "spark.driver.memory=3g"  # of Java, where records are many
_SHARD, _TASKS = 1_000_000, 4  # records of a task at most, where memory is measured, and how many tasks there are
TIMES_LOCAL = 4  # as long, on the clock
_OFTEN = 0.2  # seconds between two looks
_TICKS, _PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE") / 2**20


class Watched(NamedTuple):
    """A command on Spark, with all processes of its session."""

    seconds: float
    worked: float  # of processors
    driver: float  # MB, the most that the command held at once
    anonymous: float  # of the driver, without pages of files, which the system may write out and read again
    java: float
    workers: float  # the most that all Python processes of executors held together, shared pages counted in each


def watched(command: list[str]) -> Watched:
    """Run a command in a session of its own, and look at its processes now and then; it must succeed."""
    began, worked, peaks = time.perf_counter(), {}, dict.fromkeys(("driver", "anonymous", "java", "workers"), 0.0)
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=USUAL, start_new_session=True)
    while child.poll() is None:
        held = dict.fromkeys(peaks, 0.0)
        for pid, role, seconds, megabytes in processes_of(child.pid):
            worked[pid] = seconds
            held[role] += megabytes
        held["anonymous"] = anonymous(child.pid)
        peaks = {role: max(peaks[role], held[role]) for role in peaks}
        time.sleep(_OFTEN)
    if child.returncode:
        raise RuntimeError(f"{' '.join(command)} left with {child.returncode}")
    return Watched(time.perf_counter() - began, sum(worked.values()), **peaks)


def anonymous(pid: int) -> float:
    """Return how much of a process is no file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:  # it has just ended
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


def processes_of(session: int) -> list[tuple[int, str, float, float]]:
    """Return the processes of a session: id, role, seconds of processors, and memory."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                head, _, tail = (place / "stat").read_text().rpartition(")")
            except OSError:  # it has just ended
                continue
            facts, pid = tail.split(), int(place.name)
            if int(facts[3]) == session:
                role = "driver" if pid == session else "java" if head.endswith("(java") else "workers"
                found.append((pid, role, (int(facts[11]) + int(facts[12])) / _TICKS, int(facts[21]) * _PAGE))
    return found


def measure(bars: Bars) -> None:
    """Publish the same records on Spark and without, once each, after a warm-up, and next to nothing on Spark."""
    if shutil.which("java") is None or find_spec("pyspark") is None:
        print("skipped  Spark: it needs Java 17 or newer, and pip install 'disjoin[spark]'")
        return
    run([sys.executable, "-m", "disjoin", "warm-up", "--spark", "--quiet"])
    out = bars.folder / "spark"
    start = watched(disassociate(bars.quest(2_000), out, *ON_SPARK))
    for records in (MILLION // 10, MILLION):
        source = bars.quest(records)
        here, there = run(disassociate(source, out)), watched(disassociate(source, out, *ON_SPARK))
        bar = TIMES_LOCAL if records == MILLION else None
        note = f"{there.seconds:.0f} s against {here.seconds:.0f} s; 2,000 records take {start.seconds:.0f} s on Spark"
        # Java works in processes of its own, which look like others': the run without Spark tells whether it was quiet.
        what = f"{records:,} Quest records, local[2] / without Spark"
        bars.add(f"{what}, on the clock", there.seconds / here.seconds, bar, "x", here, note=note)
        note = f"{there.worked:.0f} s against {here.worked:.0f} s; 2,000 records take {start.worked:.0f} s on Spark"
        bars.add(f"{what}, of processors", there.worked / here.worked, None, "x", note=note)
        note = f"Java {there.java:.0f} MB, Python in executors {there.workers:.0f} MB; "
        note += f"without Spark {here.megabytes:.0f} MB"
        bars.add(f"{records:,} Quest records, memory of the driver", there.driver, None, "MB", note=note)


def hold(sizes: list[int]) -> None:
    """Say what the driver, Java and the Python processes of executors hold for that many records, one run each."""
    for records in sizes:
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "quest.dat"
            write_quest(Quest(records), 1, source)
            shards = ("--shard-records", str(min(_SHARD, records // _TASKS)))
            there = watched(disassociate(source, Path(place) / "out", *ON_SPARK, *shards, "--spark-conf", _ROOM))
        held = f"driver {there.driver:.0f} MB ({there.anonymous:.0f} anonymous), Java {there.java:.0f} MB, "
        held += f"Python in executors {there.workers:.0f} MB"
        print(f"{records:>12,} records: {held}; {there.worked:.0f} s of processors", flush=True)


def join(sizes: list[int]) -> None:
    """Say what the driver holds while clusters are joined, by itself and by executors, each in a process of its own."""
    for records in sizes:
        with tempfile.TemporaryDirectory() as place:
            source = Path(place) / "quest.dat"
            write_quest(Quest(records), 1, source)
            for way, items in (("on the driver", 2**62), ("in executors", 0)):
                print(f"{records:>12,} records, joined {way}:", flush=True)
                arguments = ["-m", "benchmarks.spark", "joined", str(source), str(Path(place) / way), str(items)]
                subprocess.run([sys.executable, *arguments], check=True, env=USUAL)


def joined(source: str, out: str, items: int) -> None:
    """Publish on Spark, and look at the memory of this process before, while and after clusters are joined."""
    from disjoin.cli.main import run as disjoin
    from disjoin.spark import refine
    from disjoin.spark.horpart import Sizes
    from disjoin.spark.settings import SparkSettings

    said: dict[str, float] = {}

    def looked_at(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            with Looking() as looking:
                made = work(*given)
            said.update({f"{name} from": looking.held[0], f"{name} at most": max(looking.held)})
            return made

        return call

    with (
        patch.object(SparkSettings, "sizes", lambda self: Sizes(driver_items=items)),
        patch.object(refine, "plan_levels", looked_at("plan", refine.plan_levels)),
        patch.object(refine, "plan_refine", looked_at("plan", refine.plan_refine)),
        patch.object(refine.JoiningWork, "forest", looked_at("all of REFINE", refine.JoiningWork.forest)),
    ):
        left = disjoin(["disassociate", source, "-o", out, "--quiet", *ON_SPARK, "--spark-conf", _ROOM])
    print("   ", ", ".join(f"{name} {megabytes:.0f} MB" for name, megabytes in said.items()), flush=True)
    sys.exit(left)


class Looking:
    """Looks at the memory of this process that no file backs, in MB, until it is left."""

    def __enter__(self) -> Looking:
        self.held, self.over = [anonymous_memory()], threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def _look(self) -> None:
        while not self.over.wait(_OFTEN / 10):
            self.held.append(anonymous_memory())

    def __exit__(self, *failure: object) -> None:
        self.over.set()
        self.thread.join()
        self.held.append(anonymous_memory())


def anonymous_memory() -> float:
    """Return how many MB this process holds that no file backs."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["joined", source, out, items]:
            joined(source, out, int(items))
        case ["join", *sizes]:
            join([int(each) for each in sizes] or [MILLION])
        case sizes:
            hold([int(each) for each in sizes] or [MILLION])
