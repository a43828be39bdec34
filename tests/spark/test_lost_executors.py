"""With executors of their own (`local-cluster`): one is killed in every phase, and the release stays the same."""

import os
import random
import signal
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest

import disjoin.spark
from disjoin.errors import UnreadableInput
from disjoin.spark.jobs import Jobs
from spark.conftest import started
from spark.test_same_bytes import assert_same_folder, baskets, frame_of, with_levels_in_executors

pytestmark = pytest.mark.spark

# What is asked for when one dies.
KILLED_BEFORE = ("encoded", "terms-1", "leaves-1", "cut", "level-1", "joints", "verdicts")


@pytest.fixture(scope="module")
def cluster(folder):
    session = started("local-cluster[2,1,1024]", folder)
    yield session
    session.stop()


def executors():
    """The executors below this process, by their ids."""
    found, parents = [], {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parents[int(place.name)] = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if b"CoarseGrainedExecutorBackend" in (place / "cmdline").read_bytes():
                    found.append(int(place.name))
            except OSError:
                continue
    return [one for one in found if _is_below(one, parents)]


def _is_below(process, parents):
    while process > 1:
        if process == os.getpid():
            return True
        process = parents.get(process, 0)
    return False


@contextmanager
def dying_executors():
    """Kill an executor whenever one of these is asked for; give the list of what was asked for when one died."""
    killed, stored, stored_apart, collected = [], Jobs.stored, Jobs.stored_apart, Jobs.collected

    def kill_before(name):
        if name in KILLED_BEFORE and (alive := executors()):
            os.kill(alive[0], signal.SIGKILL)
            killed.append(name)

    def dying(self, frame, name):
        kill_before(name)
        return stored(self, frame, name)

    def dying_too(self, frame, name, is_kept):
        kill_before(name)
        return stored_apart(self, frame, name, is_kept)

    def dying_as_well(self, frame, what):
        kill_before(what)
        return collected(self, frame, what)

    with (
        patch.object(Jobs, "stored", dying),
        patch.object(Jobs, "stored_apart", dying_too),
        patch.object(Jobs, "collected", dying_as_well),
    ):
        yield killed


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="executors are found in /proc")
def test_the_release_is_the_same_with_executors_killed_on_the_way(cluster, tmp_path, monkeypatch):
    records = baskets(700)
    with_levels_in_executors(monkeypatch, 300)
    with dying_executors() as killed:
        outcome = disjoin.spark.disassociate(frame_of(cluster, records), staging=tmp_path)
    assert killed == list(KILLED_BEFORE)
    assert list(tmp_path.iterdir()) == []
    assert_same_folder(outcome, records, {}, tmp_path)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="executors are found in /proc")
def test_a_random_frame_that_is_read_again_after_a_loss_is_refused(cluster, tmp_path):
    def some_of(batches):  # in here, so that executors get it whole: they know no tests
        for batch in batches:
            yield batch.filter(pa.array([random.random() < 0.5 for _ in range(batch.num_rows)]))

    frame = frame_of(cluster, baskets(400)).mapInArrow(some_of, "items array<string>")
    with dying_executors() as killed, pytest.raises(UnreadableInput, match="read twice"):
        disjoin.spark.disassociate(frame, k=3, staging=tmp_path)
    assert killed == ["encoded"]
    assert list(tmp_path.iterdir()) == []
