"""make fuzz-files SECONDS=60 SEED=1: change the bytes of files, read them, and list what must not happen.

Not allowed are another exception than a sentence for people, a crash, a round of more than half a minute, and a change
in a release that nobody notices. A round is known by its seed and number: --first N --rounds 1 plays it again.
"""

from __future__ import annotations

import argparse
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fuzz_files.rounds import SLOWEST

_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # thousands of folders are written
STARTING = 180  # seconds in which a worker has made its releases; kernels may have to be compiled


class Worker:
    """A process that plays rounds, and what it says."""

    def __init__(self, seed: int, first: int) -> None:
        self._place = tempfile.TemporaryDirectory(dir=_IN_MEMORY)  # ours, as a worker that is ended cannot tidy up
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "fuzz_files.worker", str(seed), str(first)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "TMPDIR": self._place.name, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._said: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)
        self._said.put("")

    def line(self, seconds: float) -> list[str] | str:
        """Return the words of the next line, or how the process ended."""
        try:
            line = self._said.get(timeout=seconds)
        except queue.Empty:
            return f"takes more than {seconds:.0f} seconds"
        return line.rstrip("\n").split("\t", 2) if line else f"ends the process with code {self._process.wait()}"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._place.cleanup()


def outcomes(seed: int, first: int) -> Iterator[tuple[int, str, str]]:
    """Yield (round, file, outcome) without end; a worker that died is a finding, and another goes on behind it."""
    number, worker = first, Worker(seed, first)
    try:
        begun = worker.line(STARTING)
        while True:
            if isinstance(begun, str):
                raise SystemExit(f"No worker could be started: it {begun}.")
            done = worker.line(SLOWEST)
            yield number, begun[2], f"FOUND {done}" if isinstance(done, str) else done[2]
            number += 1
            if isinstance(done, str):
                worker.close()
                worker = Worker(seed, number)
            begun = worker.line(STARTING)
    finally:
        worker.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz_files", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    findings, started = 0, time.monotonic()
    for number, name, outcome in outcomes(given.seed, given.first):
        is_finding = outcome.startswith("FOUND")
        counts["FOUND" if is_finding else outcome] += 1
        if is_finding:
            findings += 1
            sys.stdout.write(f"seed {given.seed}, round {number}, {name}: {outcome}\n")
            sys.stdout.flush()
        if counts.total() >= given.rounds or time.monotonic() - started > given.seconds:
            break
    shown = ", ".join(f"{word}: {count:,}" for word, count in counts.most_common())
    sys.stdout.write(f"{counts.total():,} rounds in {time.monotonic() - started:.0f} s. {shown}.\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
