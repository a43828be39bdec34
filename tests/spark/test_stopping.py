"""Commands on Spark that are stopped on the way: one sentence, and nothing left in folders or among processes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spark.test_same_bytes import baskets

pytestmark = pytest.mark.spark


class Command:
    """A command on Spark in a session of its own, as a terminal would start it."""

    def __init__(self, folder, staging, master="local[2]"):
        self.staging, self.out, self.said = staging, folder / "out", folder / "said"
        source = folder / "baskets.dat"
        lines = (" ".join(term.replace(" ", "_") for term in record) for record in baskets(800))
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        where = ["--master", master, "--staging", str(staging), "--shard-records", "300"]
        told = ["disassociate", str(source), "-o", str(self.out), "--engine", "spark", "--no-ledger", *where]
        with self.said.open("w") as said:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "disjoin", *told], stdout=said, stderr=said, start_new_session=True
            )

    def wait_for(self, name):
        """Wait until something of that name is in the staging folder."""
        for _ in range(6000):
            if self.child.poll() is not None or any(self.staging.glob(f"disjoin-staging-*/{name}")):
                return
            time.sleep(0.02)

    def words(self):
        """What it said, but for what Java and Spark say when they start."""
        lines = self.said.read_text(encoding="utf-8").splitlines()
        last = max((number for number, line in enumerate(lines) if "Spark log level" in line), default=-1)
        return lines[last + 1 :]

    def processes(self):
        """All that are left of its session."""
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                try:
                    state, _, _, session = (place / "stat").read_text().rsplit(")", 1)[1].split()[:4]
                except OSError:
                    continue
                found += [place.name] if int(session) == self.child.pid and state != "Z" else []
        return found

    def assert_nothing_left(self):
        for _ in range(100):
            if not self.processes():
                break
            time.sleep(0.1)
        assert self.processes() == []
        assert list(self.staging.iterdir()) == []
        assert not self.out.exists()
        assert sorted(file.name for file in self.out.parent.iterdir() if file.name.startswith(".")) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("phase", ["encoded", "leaves-1", "nodes"])
def test_ctrl_c_leaves_nothing_behind(phase, tmp_path):
    staging = tmp_path / "staging"
    staging.mkdir()
    command = Command(tmp_path, staging)
    command.wait_for(phase)
    os.killpg(command.child.pid, signal.SIGINT)
    assert command.child.wait(60) == 130
    assert command.words() == ["Interrupted; no incomplete result remains."]
    command.assert_nothing_left()


@pytest.fixture
def tiny_disk(tmp_path):
    place = tmp_path / "tiny"
    place.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k", "tmpfs", place], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("a disk of its own cannot be mounted here (that takes root)")
    yield place
    subprocess.run(["umount", "--lazy", place], check=True)


def test_a_full_disk_is_told_in_one_sentence_and_nothing_is_left(tiny_disk, tmp_path):
    command = Command(tmp_path, tiny_disk)
    assert command.child.wait(120) == 2
    [said] = command.words()
    assert said.startswith(f"Error: a disk is full, that of the staging folder ({tiny_disk}) or of Spark's own")
    command.assert_nothing_left()


TACTLESS = """
import sys
from pathlib import Path

import disjoin.spark.reading
from spark.conftest import started

def tactless(vocabulary, batches):
    for _ in batches:
        yield {}[vocabulary.to_pylist()[0]]

disjoin.spark.reading.encode = tactless
folder = Path(sys.argv[1])
logged = {"spark.eventLog.enabled": "true", "spark.eventLog.compress": "false", "spark.eventLog.dir": folder.as_uri()}
spark = started("local[1]", folder / "files", **logged)
frame = spark.createDataFrame([(["marked-term-9c1e", "b"],)] * 9, "items array<string>")
try:
    disjoin.spark.disassociate(frame, k=3)
finally:
    spark.stop()
"""


def test_a_task_that_fails_shows_no_term_in_logs_events_or_exceptions(tmp_path, of_tests):
    (tmp_path / "files").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", TACTLESS, tmp_path],
        env=of_tests,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    said = done.stdout + done.stderr
    assert "ERROR Executor: Exception in task" in said  # Spark's own log
    assert "MistakeInTask: a task of Spark failed (KeyError in" in said  # what a notebook shows
    events = "".join(file.read_text("utf-8") for file in tmp_path.glob("*") if file.is_file())
    events += "".join(file.read_text("utf-8") for file in tmp_path.glob("eventlog*/*"))
    assert "TaskFailed: KeyError" in events
    assert "marked-term" not in said + events
