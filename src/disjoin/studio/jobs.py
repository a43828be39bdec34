"""Job queue: one process per job, one heavy job at a time."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

from disjoin.errors import place_of
from disjoin.studio.home import Home, is_held
from disjoin.studio.store import CANCELLED, ENDED, INTERRUPTED, QUEUED, RUNNING, Memory

PAUSE = 0.1  # seconds between two looks
GRACE = 3.0  # seconds in which a job can stop by itself
_AT_ONCE = {"title": "Interrupted", "detail": "The computer stopped it. Run it again."}


class Queue:
    """Starts, watches and stops the processes of jobs."""

    def __init__(self, home: Home, store: Memory, at_once: int = 1) -> None:
        self.home, self.store, self.at_once = home, store, at_once
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    async def run(self) -> None:
        """Look after jobs until the server ends; they go on without it."""
        while True:
            try:
                self.look()
            except Exception as mistake:  # the memory may be busy: jobs must not wait for ever because of that
                logging.getLogger(__name__).error("a look at jobs failed: %s", place_of(mistake))
            await asyncio.sleep(PAUSE)

    def look(self) -> None:
        self._started = {name: process for name, process in self._started.items() if process.poll() is None}
        for job in self.store.jobs(RUNNING):
            if not self._is_there(job["id"]) and self.store.end(job["id"], INTERRUPTED, code=137, error=_AT_ONCE):
                self.tidy()
        waiting = [job for job in self.store.jobs(QUEUED) if job["id"] not in self._started]
        for job in waiting:
            if job["light"]:
                self._start(job)
        heavy = [job for job in self.store.jobs(RUNNING) if not job["light"]]
        busy = {job["id"] for job in heavy} | {name for name in self._started if not self.store.job(name)["light"]}
        following = sorted((job for job in waiting if not job["light"]), key=lambda job: job["kind"] == "warm_up")
        for job in following[: max(0, self.at_once - len(busy))]:
            self._start(job)
        self._give_way(busy, following)

    def _give_way(self, busy: set[str], following: list[dict[str, Any]]) -> None:
        """Pause warming up for a user's job, and continue it afterwards; compiled code is kept."""
        if not any(job["kind"] != "warm_up" for job in following):
            return
        for name in busy:
            job = self.store.job(name)
            if job["kind"] == "warm_up" and self.store.end(name, INTERRUPTED, code=143):
                self._signal(job, signal.SIGKILL)
                self.store.add_job("warm_up", {})

    def _start(self, job: dict[str, Any]) -> None:
        folder = self.home.job(job["id"])
        folder.mkdir(exist_ok=True, mode=0o700)
        with (folder / "log").open("ab") as log:
            self._started[job["id"]] = subprocess.Popen(
                [sys.executable, "-P", "-m", "disjoin.studio.worker", job["id"], str(self.home.path)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=folder,
            )  # fmt: skip

    def _lives(self, job: str) -> bool:
        return is_held(self.home.job(job) / "lock")

    def tidy(self) -> None:
        """Remove what is in no list: half-written releases, whose worker is gone, and folders of jobs long ended."""
        if self.store.jobs(RUNNING):
            return
        known = {each["id"] for each in (*self.store.releases(), *self.store.jobs())}
        for place in (each for kind in ("releases", "jobs") for each in (self.home.path / kind).iterdir()):
            if place.name not in known:
                shutil.rmtree(place, ignore_errors=True)

    async def cancel(self, name: str) -> None:
        """Stop a job: its state first, then its process, kindly and then not."""
        job = self.store.job(name)
        if job["state"] in ENDED:
            return
        self.store.end(name, CANCELLED, code=130)
        self._signal(job, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and self._is_there(name):
            await asyncio.sleep(PAUSE)
        if self._is_there(name):
            self._signal(self.store.job(name), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        self.tidy()

    def _is_there(self, name: str) -> bool:
        process = self._started.get(name)
        return (process is not None and process.poll() is None) or self._lives(name)

    def _signal(self, job: dict[str, Any], number: int) -> None:
        process = self._started.get(job["id"])
        pid = process.pid if process is not None else job["pid"]
        if process is None and not self._lives(job["id"]):
            return  # the number may be another's by now
        with suppress(OSError, TypeError):
            if hasattr(os, "killpg"):
                os.killpg(pid, number)
            elif process is not None:
                process.terminate()

    async def wait(self, name: str, patience: float) -> dict[str, Any]:
        deadline = time.monotonic() + patience
        while (job := self.store.job(name))["state"] not in ENDED:
            if time.monotonic() > deadline:
                await self.cancel(name)
            await asyncio.sleep(0.03)
        return job
