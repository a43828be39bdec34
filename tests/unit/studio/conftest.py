"""A studio without a browser and, as they take a second to start, without processes: jobs and readers run here."""

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from disjoin.studio import worker
from disjoin.studio.answers import Studio
from disjoin.studio.app import app_of
from disjoin.studio.guard import Door
from disjoin.studio.home import Home
from disjoin.studio.jobs import Queue
from disjoin.studio.original_reader import OriginalDesk
from disjoin.studio.reader import ReleaseDesk
from disjoin.studio.reader_pool import Desks
from disjoin.studio.store import ENDED, Memory

HOST = "127.1.2.3:4567"


class JobsHere(Queue):
    """Runs a job at once, in this process."""

    def _start(self, job):
        self.home.job(job["id"]).mkdir(exist_ok=True)
        worker.main(job["id"], self.home)


class DesksHere(Desks):
    """Asks readers in this process."""

    def __init__(self):
        super().__init__()
        self.desks = {}

    async def ask(self, program, arguments, question, **asked):
        if arguments not in self.desks:
            is_release = program == "reader"
            self.desks[arguments] = (
                ReleaseDesk(Path(arguments[0])) if is_release else OriginalDesk(arguments[0], json.loads(arguments[1]))
            )
        return json.loads(json.dumps(getattr(self.desks[arguments], question)(asked)))


class Visitor:
    """A browser that was let in."""

    def __init__(self, studio, client):
        self.studio, self.client = studio, client

    def ask(self, method, address, facts=None, **headers):
        usual = {"origin": f"http://{HOST}", "content-type": "application/json", "sec-fetch-site": "same-origin"}
        return self.client.request(method, address, json=facts, headers=usual | headers, follow_redirects=False)

    def finished(self, job):
        import time

        while (found := self.studio.store.job(job))["state"] not in ENDED:
            time.sleep(0.02)
        return found


@pytest.fixture
def studio(tmp_path):
    home = Home(tmp_path / "home").prepare()
    store = Memory(home.database)
    door = Door(home, HOST, home.secret("secret"))
    return Studio(home, store, JobsHere(home, store), DesksHere(), door, max_upload=200_000)


@pytest.fixture
def visitor(studio):
    with TestClient(app_of(studio), base_url=f"http://{HOST}") as client:
        client.get(studio.door.new_link().removeprefix(studio.door.origin))
        yield Visitor(studio, client)
