"""A job that is cancelled while its folder is being filled leaves nothing behind (B6)."""

import asyncio
import subprocess
import sys
import time

import pytest

from disjoin.studio.home import Home, new_id
from disjoin.studio.jobs import Queue
from disjoin.studio.store import CANCELLED, Memory

PAUSED = """
import pathlib, signal, sys, time
from disjoin import pipeline
from disjoin.signals import listen
from disjoin.studio import worker
from disjoin.studio.home import Home

def paused(folder):
    pathlib.Path(sys.argv[3]).touch()
    time.sleep(600)

pipeline.verify_written = paused  # the folder is filled, and has no name yet
if sys.argv[4] == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    listen()
sys.exit(worker.main(sys.argv[1], Home(pathlib.Path(sys.argv[2]))))
"""


@pytest.mark.parametrize("kind", ["hearing", "deaf"])
def test_nothing_is_left_of_a_folder_that_was_being_filled(tmp_path, kind):
    home = Home(tmp_path / "home").prepare()
    memory = Memory(home.database)
    queue, data = Queue(home, memory), new_id()
    (tmp_path / "baskets.csv").write_text("bread,milk\nbread,eggs\nmilk\n" * 6)
    facts = {"name": "baskets.csv", "path": str(tmp_path / "baskets.csv"), "kind": "records", "reading": {}}
    memory.add_data(data, facts | {"folder": str(tmp_path), "releases": {}})
    job = memory.add_job("publish", {"method": {"name": "disassociation", "k": 3}}, data=data)
    home.job(job).mkdir()
    arguments = [sys.executable, "-P", "-c", PAUSED, job, str(home.path), str(tmp_path / "here"), kind]
    process = subprocess.Popen(arguments, start_new_session=True, stderr=subprocess.DEVNULL)
    queue._started[job] = process
    while not (tmp_path / "here").exists():
        assert process.poll() is None
        time.sleep(0.02)
    assert list((home.path / "releases").rglob("*.parquet"))
    asyncio.run(queue.cancel(job))
    process.wait(20)
    queue.tidy()
    assert memory.job(job)["state"] == CANCELLED
    assert list((home.path / "releases").iterdir()) == []
    assert not list(home.path.rglob(".*partial"))
    memory.close()
