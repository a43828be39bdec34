"""Children for many first looks: one process has loaded Arrow, and a fork of it does each look, with all its limits.

Each check then takes milliseconds. The program itself starts a process per check, which has separate tests.
`python forked_readers.py` is that process: a request per line on standard input, an answer per line on standard output.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from disjoin.parquet import untrusted
from disjoin.parquet.untrusted import CHILD, ChildLimits, ChildResult, ended
from disjoin.parquet.untrusted_child import WORD, main


class ForkedReaders:
    """Does what `first_look.ended` does, quickly; start it, and put `ended` of it in the place of that function."""

    is_possible = Path("/proc/self/fd").is_dir() and hasattr(os, "fork")

    def __init__(self):
        self._process = None

    def ended(self, look: ChildLimits, paths=(), file=None) -> ChildResult:
        if look.child != CHILD:
            return ended(look, paths, file)
        if self._process is None or self._process.poll() is not None:
            self._process = self._started()
        given = None if file is None else f"/proc/{os.getpid()}/fd/{file.fileno()}"
        request = {"arguments": look.command(paths)[4:], "seconds": look.seconds, "file": given}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return ChildResult(*json.loads(self._process.stdout.readline()))

    def close(self):
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()

    @staticmethod
    def _started():
        more = {"ARROW_DEFAULT_MEMORY_POOL": "system", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.Popen(
            [sys.executable, "-P", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **untrusted._FRUGAL, **more},
            text=True,
        )


def _child(request, pipe):
    os.dup2(os.open(request["file"] or os.devnull, os.O_RDONLY), 0)
    os.dup2(pipe, 1)
    os._exit(main(request["arguments"]))


def _answer(request):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _child(request, writing)
    os.close(writing)
    until, said, is_late = time.monotonic() + request["seconds"], b"", False
    while not is_late:
        is_late = not select.select([reading], [], [], max(until - time.monotonic(), 0))[0]
        block = b"" if is_late else os.read(reading, 4096)
        said += block
        if not block:
            break
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return [None, 0] if is_late else [os.waitstatus_to_exitcode(status), said.decode().split().count(WORD)]


if __name__ == "__main__":
    import pyarrow.parquet  # noqa: F401

    for line in sys.stdin:
        sys.stdout.write(json.dumps(_answer(json.loads(line))) + "\n")
        sys.stdout.flush()
