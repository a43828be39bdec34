"""A command line that stops at a known point and reports it, for tests that interrupt it there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_PROGRAM = """
    import importlib, os, signal, subprocess, sys, time

    point, storm = sys.argv[1], sys.argv[2] == "storm"
    started = subprocess.Popen.__init__

    def announced(self, *given, **named):
        started(self, *given, **named)
        print("child", self.pid, flush=True)

    subprocess.Popen.__init__ = announced
    if storm:  # signals that come while things are tidied up
        import shutil
        tidy = shutil.rmtree

        def disturbed(*given, **named):
            os.kill(os.getpid(), signal.SIGTERM)
            tidy(*given, **named)

        shutil.rmtree = disturbed
    if point != "nowhere":
        module, _, name = point.rpartition(".")
        room = importlib.import_module(module)
        owner, _, name = name.rpartition(":")
        home = getattr(room, owner) if owner else room
        original, came = getattr(home, name), []

        def paused(*given, **named):
            if not came:  # the first time only: tidying up may come here too
                came.append(True)
                print("here", flush=True)
                time.sleep(600)
            return original(*given, **named)

        setattr(home, name, paused)
    from disjoin.cli import main

    sys.argv = ["disjoin", *sys.argv[3:]]
    main()
"""


@contextmanager
def paused_at(
    point: str, arguments: Sequence[object], *, storm: bool = False
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Give a process of the command line that waits in the function `point`, and its children."""
    mode = "storm" if storm else "calm"
    command = [sys.executable, "-c", textwrap.dedent(_PROGRAM), point, mode, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process, list(_children_until_here(process))
    finally:
        process.kill()
        process.communicate()


def _children_until_here(process: subprocess.Popen[str]) -> Iterator[int]:
    assert process.stdout is not None
    for line in process.stdout:
        if line == "here\n":
            return
        if line.startswith("child "):
            yield int(line.split()[1])
    assert process.stderr is not None
    raise AssertionError(f"it never came to the point: {process.stderr.read()}")


def stopped(process: subprocess.Popen[str], by: signal.Signals) -> tuple[int, str]:
    """Send a signal, and return the exit code and the text on standard error."""
    process.send_signal(by)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def is_alive(child: int) -> bool:
    """Return whether a process exists."""
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return False
    return True
