"""The staging folder: executors that do not share it (simulated by mount namespaces), permissions, and its removal."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from spark.test_stopping import Command

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(
        shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], check=False).returncode != 0,
        reason="another view of folders cannot be made here (that takes root)",
    ),
]

# A Java that runs executors where the staging folder is another one, and everything else as it is.
JAVA = """#!/bin/sh
case "$*" in
*CoarseGrainedExecutorBackend*)
    exec unshare -m sh -c 'mount --bind "$0" "$1"; shift; exec "$@"' {there} {here} {java} "$@" ;;
*) exec {java} "$@" ;;
esac
"""


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """The folder that executors see in the place of the staging folder."""
    here, there, home = tmp_path / "staging", tmp_path / "elsewhere", tmp_path / "java"
    here.mkdir()
    there.mkdir()
    java = os.environ.get("JAVA_HOME")
    real = f"{java}/bin/java" if java else os.path.realpath(shutil.which("java"))
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(JAVA.format(there=there, here=here, java=real), encoding="utf-8")
    (home / "bin" / "java").chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(home))
    return there


def test_executors_that_do_not_share_the_staging_folder_write_nothing(elsewhere, tmp_path):
    """K1: the original stayed on the disks of executors, open to everybody."""
    command = Command(tmp_path, tmp_path / "staging", "local-cluster[2,1,1024]")
    assert command.child.wait(180) == 2
    [said] = command.words()
    assert said.startswith(
        f"Error: executors of Spark cannot access the staging folder that the driver created in {tmp_path}"
    )
    assert "Use --staging" in said
    assert list(elsewhere.rglob("*")) == []
    command.assert_nothing_left()


def test_what_executors_write_is_for_the_owner_alone(tmp_path):
    """K1: folders were 0755 and files 0644 below the staging folder."""
    staging = tmp_path / "staging"
    staging.mkdir()
    command = Command(tmp_path, staging, "local-cluster[1,1,1024]")
    modes = set()
    while command.child.poll() is None:
        for folder, folders, files in os.walk(staging):
            for name in (*folders, *files):
                with suppress(FileNotFoundError):
                    modes.add((name in folders, oct((Path(folder) / name).stat().st_mode & 0o777)))
    assert command.child.returncode == 0
    assert modes == {(True, "0o700"), (False, "0o600")}
    assert list(staging.iterdir()) == []


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_a_driver_that_is_ended_leaves_nothing_or_the_next_one_removes_it(signal_number, tmp_path):
    """K1: the staging folder of a killed driver stayed for ever."""
    staging = tmp_path / "staging"
    staging.mkdir()
    command = Command(tmp_path, staging, "local[2]")
    command.wait_for("leaves-1")
    os.kill(command.child.pid, signal_number)
    command.child.wait(60)
    if signal_number == signal.SIGKILL:
        [left] = staging.iterdir()
        command = Command(tmp_path, staging, "local[2]")
        assert command.child.wait(180) == 0
        said = command.said.read_text(encoding="utf-8")
        assert f"Removed leftovers of a killed run in {staging}: {left.name}" in said
    assert list(staging.iterdir()) == []


def test_a_master_elsewhere_needs_a_staging_folder(tmp_path):
    """K1: the folder for temporary files was used for every master."""
    (tmp_path / "a.dat").write_text("1 2\n" * 9)
    told = ["disassociate", "a.dat", "-o", "out", "--engine", "spark", "--no-ledger", "--master", "spark://host:7077"]
    done = subprocess.run(
        [sys.executable, "-m", "disjoin", *told], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Use --staging" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["a.dat"]
