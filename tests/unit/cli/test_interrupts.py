"""A signal that asks the command line to stop is heard as Ctrl-C is: nothing is left, and the exit code says which."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.pausing_cli import is_alive, paused_at, stopped

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")

CODES = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130}
POINTS = ["disjoin.pipeline.certify", "disjoin.release.reader._described", "disjoin.release.destination._put_in_place"]


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.txt"
    path.write_text("tea milk\ntea milk jam\ntea jam\nmilk jam\n" * 5)
    return path


def everything_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize("by", CODES, ids=lambda by: by.name)
@pytest.mark.parametrize("point", POINTS)
def test_wherever_a_signal_comes_nothing_is_left_behind(
    baskets: Path, tmp_path: Path, by: signal.Signals, point: str
) -> None:
    if by is not signal.SIGTERM and point != POINTS[1]:
        pytest.skip("the other signals take the same way")
    arguments = ["disassociate", baskets, "-k", 3, "-o", tmp_path / "deep" / "release"]
    with paused_at(point, arguments) as (process, children):
        code, said = stopped(process, by)
    assert code == CODES[by]
    assert said.endswith("Interrupted; no incomplete result remains.\n")
    assert "Traceback" not in said
    assert everything_in(tmp_path) == {"baskets.txt"}
    assert not children  # publishing starts nobody who could outlive it


def test_a_release_that_was_to_be_overwritten_still_stands(baskets: Path, tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    arguments = ["disassociate", baskets, "-k", 3, "-o", tmp_path / "release", "--overwrite"]
    with paused_at("disjoin.release.destination._put_in_place", arguments) as (process, _):
        assert stopped(process, signal.SIGTERM)[0] == 143
    assert everything_in(tmp_path) == {"baskets.txt", "release"}


def test_further_signals_do_not_cut_tidying_up_short(baskets: Path, tmp_path: Path) -> None:
    arguments = ["disassociate", baskets, "-k", 3, "-o", tmp_path / "release"]
    with paused_at("disjoin.release.reader._described", arguments, storm=True) as (process, _):
        code, said = stopped(process, signal.SIGTERM)
    assert code == 143
    assert "Traceback" not in said
    assert everything_in(tmp_path) == {"baskets.txt"}


def test_a_file_that_is_being_written_is_removed(tmp_path: Path) -> None:
    arguments = ["generate", "baskets", "-n", 20, "-o", tmp_path / "deep" / "x.csv"]
    with paused_at("pathlib.Path:replace", arguments) as (process, _):
        assert [path.suffix for path in (tmp_path / "deep").iterdir()] == [".part"]
        assert stopped(process, signal.SIGTERM)[0] == 143
    assert everything_in(tmp_path) == set()


def test_a_contender_at_work_does_not_outlive_us(
    baskets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "scratch"))
    arguments = ["compare", baskets, "--methods", "disassociation", "-o", tmp_path / "results"]
    with paused_at("subprocess.Popen:wait", arguments) as (process, children):
        assert stopped(process, signal.SIGTERM)[0] == 143
    assert everything_in(tmp_path) == {"baskets.txt", "scratch"}
    assert len(children) == 1
    assert not any(map(is_alive, children))


def test_a_contender_ends_when_who_started_it_was_killed_and_takes_the_data_along(tmp_path: Path) -> None:
    folder = tmp_path / "arena"
    folder.mkdir()
    os.mkfifo(folder / "job.pickle")  # it waits for its job
    command = [sys.executable, "-P", "-m", "disjoin.lab.subprocess_runner", str(folder)]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert worker.stdin is not None
    worker.stdin.close()
    assert worker.wait(timeout=60) == 1
    assert not folder.exists()


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    program = (
        "import signal\nfrom disjoin.signals import listen\n"
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\nlisten()\n"
        "signal.raise_signal(signal.SIGHUP)\nprint('still here')"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "still here\n"


DEAF = """
import resource, sys, time
from pathlib import Path
from numba import njit
from disjoin.signals import listen
from disjoin.atomic import PARTIAL, begun

@njit(nogil=True)
def count_for_ever(number):
    while number > 0:
        number = number % 1000 + 1
    return number

resource.setrlimit(resource.RLIMIT_CPU, (60, 60))  # ends by itself if nobody is left to end it
listen()
with begun(Path(sys.argv[1]) / "release", PARTIAL, Path.mkdir):
    count_for_ever(0)
    print("here", flush=True)
    count_for_ever(1)
"""


def test_a_compiled_loop_that_hears_nothing_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", DEAF, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "0"},  # only a compiled loop is deaf
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    time.sleep(0.5)  # until it is in the loop: before, it hears
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == CODES[signal.SIGINT]
    assert said == "Interrupted; no incomplete result remains.\n"
    assert everything_in(tmp_path) == set()
