"""Database of the studio (SQLite), written by server and workers: originals, releases, jobs, events."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from disjoin.atomic import owner_only
from disjoin.errors import InvalidParameter
from disjoin.studio.home import new_id

QUEUED, RUNNING, DONE = "queued", "running", "done"
REFUSED, IMPOSSIBLE, FAILED, CANCELLED, INTERRUPTED = "refused", "impossible", "failed", "cancelled", "interrupted"
ENDED = (DONE, REFUSED, IMPOSSIBLE, FAILED, CANCELLED, INTERRUPTED)
KEPT_JOBS = 100
SHOWN = ("inspect", "survey", "hierarchies", "trials")  # the newest of these about an original are on its pages
_WORDS = ("facts", "request", "error", "result", "note")  # columns of JSON
_TABLES = """
CREATE TABLE IF NOT EXISTS data(id TEXT PRIMARY KEY, created REAL, facts TEXT);
CREATE TABLE IF NOT EXISTS release(id TEXT PRIMARY KEY, created REAL, data TEXT, facts TEXT);
CREATE TABLE IF NOT EXISTS job(
    id TEXT PRIMARY KEY, kind TEXT, data TEXT, release TEXT, request TEXT, state TEXT, created REAL, started REAL,
    ended REAL, pid INTEGER, exit_code INTEGER, error TEXT, result TEXT, light INTEGER);
CREATE TABLE IF NOT EXISTS event(
    n INTEGER PRIMARY KEY AUTOINCREMENT, job TEXT, at REAL, stage TEXT, done INTEGER, total INTEGER, note TEXT);
CREATE INDEX IF NOT EXISTS event_of_job ON event(job, n);
"""


class NotThere(InvalidParameter):
    """What an address names is not there, or no longer."""


class Memory:
    """The memory; one connection for a process. What is deleted is overwritten."""

    def __init__(self, file: Path) -> None:
        open(file, "ab", opener=owner_only).close()  # SQLite gives its journal the same mode
        self._db = sqlite3.connect(file, timeout=10, isolation_level=None, check_same_thread=False)
        self._db.row_factory = sqlite3.Row
        for wish in ("journal_mode=WAL", "secure_delete=ON", "synchronous=NORMAL"):
            self._db.execute(f"PRAGMA {wish}")
        self._db.executescript(_TABLES)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        return [_plain(row) for row in self._db.execute(sql, values).fetchall()]

    def _one(self, table: str, name: str) -> dict[str, Any]:
        rows = self._rows(f"SELECT * FROM {table} WHERE id = ?", name)
        if not rows:
            raise NotThere(f"there is no such {table}. It may have been forgotten.")
        return rows[0]

    def add_data(self, data: str, facts: Mapping[str, Any]) -> None:
        self._db.execute("INSERT INTO data VALUES (?, ?, ?)", (data, time.time(), json.dumps(dict(facts))))

    def data(self, data: str) -> dict[str, Any]:
        return self._one("data", data)

    def all_data(self) -> list[dict[str, Any]]:
        return self._rows("SELECT * FROM data ORDER BY created DESC")

    def change_data(self, data: str, **facts: Any) -> None:
        with self._at_once():
            known = self._one("data", data)["facts"] | facts
            self._db.execute("UPDATE data SET facts = ? WHERE id = ?", (json.dumps(known), data))

    def forget_data(self, data: str) -> None:
        self._forget("data", data, "UPDATE release SET data = NULL WHERE data = ?")

    def forget_release(self, release: str) -> None:
        self._forget("release", release)

    def _forget(self, what: str, name: str, *more: str) -> None:
        """Forget an original or a release, and the jobs about it; nothing of it stays in the file."""
        with self._at_once():
            self._db.execute(f"DELETE FROM event WHERE job IN (SELECT id FROM job WHERE {what} = ?)", (name,))
            for sql in (f"DELETE FROM job WHERE {what} = ?", *more, f"DELETE FROM {what} WHERE id = ?"):
                self._db.execute(sql, (name,))
        self._db.execute("VACUUM")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def add_release(self, release: str, data: str | None, facts: Mapping[str, Any]) -> None:
        """Remember a release; `data` is the original that it was made from here."""
        row = (release, time.time(), data, json.dumps(dict(facts)))
        self._db.execute("INSERT INTO release VALUES (?, ?, ?, ?)", row)

    def release(self, release: str) -> dict[str, Any]:
        return self._one("release", release)

    def releases(self, data: str | None = None) -> list[dict[str, Any]]:
        return self._rows("SELECT * FROM release WHERE ? IS NULL OR data = ? ORDER BY created DESC", data, data)

    def add_job(
        self, kind: str, request: Mapping[str, Any], *, data: str | None = None, release: str | None = None,
        light: bool = False,
    ) -> str:  # fmt: skip
        """Put a job into the queue, or next to it if it is light, and return its id."""
        job = new_id()
        values = (job, kind, data, release, json.dumps(dict(request)), QUEUED, time.time(), light)
        self._db.execute(
            "INSERT INTO job(id, kind, data, release, request, state, created, light) VALUES (?,?,?,?,?,?,?,?)", values
        )
        self._keep_few()
        return job

    def _keep_few(self) -> None:
        newest = f"SELECT id, MAX(created) FROM job WHERE data IS NOT NULL AND kind IN {SHOWN} GROUP BY kind, data"
        ended = f"SELECT id FROM job WHERE ended IS NOT NULL AND id NOT IN (SELECT id FROM ({newest}))"
        old = f"{ended} ORDER BY created DESC LIMIT -1 OFFSET {KEPT_JOBS}"
        with self._at_once():
            self._db.execute(f"DELETE FROM event WHERE job IN ({old})")
            self._db.execute(f"DELETE FROM job WHERE id IN ({old})")

    def job(self, job: str) -> dict[str, Any]:
        return self._one("job", job)

    def jobs(self, *states: str, data: str | None = None) -> list[dict[str, Any]]:
        """Return the jobs in these states (in any, if none is named), the oldest first."""
        rows = self._rows("SELECT * FROM job WHERE ? IS NULL OR data = ? ORDER BY created", data, data)
        return [row for row in rows if not states or row["state"] in states]

    def last_job(self, kind: str, *, data: str | None = None, release: str | None = None) -> dict[str, Any] | None:
        about = "kind = ? AND data IS ? AND (? IS NULL OR release = ?)"
        sql = f"SELECT * FROM job WHERE {about} ORDER BY created DESC LIMIT 1"
        rows = self._rows(sql, kind, data, release, release)
        return rows[0] if rows else None

    def begin(self, job: str, pid: int) -> bool:
        """Let a worker begin; false if the job was cancelled meanwhile."""
        sql = "UPDATE job SET state = ?, started = ?, pid = ? WHERE id = ? AND state = ?"
        return self._db.execute(sql, (RUNNING, time.time(), pid, job, QUEUED)).rowcount == 1

    def end(self, job: str, state: str, *, code: int = 0, error: Any = None, result: Any = None) -> bool:
        """Record how a job ended; false if it had ended before."""
        values = (state, time.time(), code, _text(error), _text(result), job, QUEUED, RUNNING)
        sql = "UPDATE job SET state=?, ended=?, exit_code=?, error=?, result=? WHERE id = ? AND state IN (?, ?)"
        return self._db.execute(sql, values).rowcount == 1

    def tell(self, job: str, stage: str, done: int, total: int, note: Any = None) -> None:
        values = (job, time.time(), stage, done, total, _text(note))
        self._db.execute("INSERT INTO event(job, at, stage, done, total, note) VALUES (?,?,?,?,?,?)", values)

    def events(self, job: str, after: int = 0) -> list[dict[str, Any]]:
        return self._rows("SELECT * FROM event WHERE job = ? AND n > ? ORDER BY n", job, after)

    def close(self) -> None:
        self._db.close()


def _text(value: Any) -> str | None:
    return None if value is None else json.dumps(value, default=_simple)


def _simple(value: Any) -> Any:
    """Return what JSON does not know, such as a number of numpy, as a number or a text."""
    return value.item() if hasattr(value, "item") else str(value)


def _plain(row: sqlite3.Row) -> dict[str, Any]:
    return {name: json.loads(row[name]) if name in _WORDS and row[name] else row[name] for name in row.keys()}  # noqa: SIM118
