"""The file of a ledger: an SQLite database with a secret key and an entry for each release."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from disjoin.errors import CannotWrite, UnreadableInput
from disjoin.escaping import legible
from disjoin.ledger.hashing import HASH_BYTES, Fingerprints, Hashes

_KIND, _VERSION, _KEY_BYTES = 0x646A6C67, 1, 32  # "djlg" marks the file as ours
_WAIT = 10.0  # seconds that another run may hold the file
_TABLES = """
CREATE TABLE secret (key BLOB NOT NULL);
CREATE TABLE release (
    number INTEGER PRIMARY KEY AUTOINCREMENT, facts TEXT NOT NULL, contents BLOB NOT NULL, seal BLOB NOT NULL
);
CREATE TABLE people (release INTEGER NOT NULL, place INTEGER NOT NULL, hashes BLOB NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A release as the ledger knows it; `finished` is false while it is being made, and after a crash.

    `place` is where it was written, relative to the ledger's folder if it lies below; `digest` the hash of its
    datapackage.json. `again` says that people in it had been published before, and that the steward knew.
    """

    made: str
    method: str
    parameters: dict[str, Any]
    promise: str = ""
    place: str | None = None
    digest: str | None = None
    again: bool = False
    finished: bool = False
    number: int = 0  # given by the ledger, and never given again


def make_tables(file: Path) -> None:
    """Fill the empty file of a new ledger, with a key of its own."""
    with connected(file) as ledger:
        ledger.executescript(f"PRAGMA application_id = {_KIND}; PRAGMA user_version = {_VERSION}; {_TABLES}")
        ledger.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(_KEY_BYTES),))


@contextmanager
def connected(file: Path, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file; `writing` keeps others out until all is done, and undoes all of it after an error."""
    try:
        with closing(
            sqlite3.connect(file.as_uri() + "?mode=rw", uri=True, timeout=_WAIT, isolation_level=None)
        ) as ledger:
            ledger.execute("PRAGMA trusted_schema = OFF")
            ledger.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
            if writing:
                ledger.execute("BEGIN IMMEDIATE")
            yield ledger
            if writing:
                ledger.execute("COMMIT")
    except sqlite3.Error as failure:
        raise _explained(file, failure) from failure
    except UnicodeDecodeError as failure:  # SQLite quotes damaged bytes in what it says, and Python reads that as text
        raise damaged(file) from failure


def key_of(ledger: sqlite3.Connection, file: Path) -> bytes:
    """Return the secret key; raise if the file is not a ledger, or one of a later version."""
    [kind], [version] = (ledger.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    if kind != _KIND:
        raise UnreadableInput("expected a ledger of disjoin, found another file.", source=legible(file))
    if version != _VERSION:
        raise UnreadableInput(
            f"the ledger has format {version}, this disjoin knows {_VERSION}; use a newer one.", source=legible(file)
        )
    keys = ledger.execute("SELECT key FROM secret").fetchall()
    if len(keys) != 1 or not isinstance(keys[0][0], bytes) or len(keys[0][0]) != _KEY_BYTES:
        raise damaged(file)
    key: bytes = keys[0][0]
    return key


def insert(ledger: sqlite3.Connection, key: bytes, entry: LedgerEntry, known: Fingerprints) -> LedgerEntry:
    """Add an entry, and return it with its number."""
    facts, contents = _facts(entry), _bytes(known.contents)
    people = [_bytes(hashes) for hashes in known.ids]
    row = (facts, contents, _seal(key, facts, contents, people))
    number = ledger.execute("INSERT INTO release (facts, contents, seal) VALUES (?, ?, ?)", row).lastrowid
    assert number is not None, "SQLite numbers its rows"
    ledger.executemany("INSERT INTO people VALUES (?, ?, ?)", [(number, *part) for part in enumerate(people)])
    return replace(entry, number=number)


def update(ledger: sqlite3.Connection, key: bytes, entry: LedgerEntry) -> bool:
    """Write new facts about an entry; tell whether it is there."""
    facts = _facts(entry)
    found = ledger.execute("SELECT contents FROM release WHERE number = ?", (entry.number,)).fetchone()
    if found is None:
        return False
    seal = _seal(key, facts, found[0], _people(ledger, entry.number))
    ledger.execute("UPDATE release SET facts = ?, seal = ? WHERE number = ?", (facts, seal, entry.number))
    return True


def every_number(ledger: sqlite3.Connection) -> list[int]:
    """Return the numbers of all entries."""
    return [number for (number,) in ledger.execute("SELECT number FROM release ORDER BY number")]


def delete(ledger: sqlite3.Connection, number: int) -> None:
    """Take an entry out."""
    ledger.execute("DELETE FROM people WHERE release = ?", (number,))
    ledger.execute("DELETE FROM release WHERE number = ?", (number,))


def every_entry(ledger: sqlite3.Connection, key: bytes, file: Path) -> list[tuple[LedgerEntry, Fingerprints]]:
    """Return all entries, the oldest first; raise if one is not as it was written."""
    found = []
    for number, facts, contents, seal in ledger.execute(
        "SELECT number, facts, contents, seal FROM release ORDER BY number"
    ).fetchall():
        people = _people(ledger, number)
        try:
            is_whole = seal == _seal(key, facts, contents, people)
        except (TypeError, AttributeError):  # another kind of value than was written
            is_whole = False
        if not is_whole:
            raise damaged(file)
        known = Fingerprints(_hashes(contents), tuple(map(_hashes, people)))
        found.append((LedgerEntry(**json.loads(facts), number=number), known))
    return found


def damaged(file: Path) -> UnreadableInput:
    """Return the error for a ledger that is not as it was written."""
    return UnreadableInput(
        "expected a whole ledger, found one that is damaged. Take a copy of it from a backup; "
        "--no-ledger goes without, and then nobody looks for people who were published before.",
        source=legible(file),
    )


def _people(ledger: sqlite3.Connection, number: int) -> list[bytes]:
    rows = ledger.execute("SELECT hashes FROM people WHERE release = ? ORDER BY place", (number,)).fetchall()
    return [hashes for (hashes,) in rows]


def _facts(entry: LedgerEntry) -> str:
    named = {name: getattr(entry, name) for name in LedgerEntry.__slots__ if name != "number"}
    return json.dumps(named, sort_keys=True)


def _seal(key: bytes, facts: str, contents: bytes, people: list[bytes]) -> bytes:
    """Return what shows that an entry is as it was written."""
    seal = blake2b(key=key, digest_size=16, person=b"seal")
    for part in (facts.encode(), contents, *people):
        seal.update(len(part).to_bytes(8, "little") + part)
    return seal.digest()


def _bytes(hashes: Hashes) -> bytes:
    return hashes.astype("<u8").tobytes()


def _hashes(stored: bytes) -> Hashes:
    assert len(stored) % HASH_BYTES == 0, "the seal was right"
    return np.frombuffer(stored, "<u8").astype(np.uint64)


def _explained(file: Path, failure: sqlite3.Error) -> Exception:
    code = getattr(failure, "sqlite_errorcode", None) or 0
    primary = code & 0xFF  # the rest says more than anybody wants to know
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CannotWrite(f"Another run is using the ledger {legible(file)}. Try again when it has ended.")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return CannotWrite(f"The ledger {legible(file)} cannot be written: {failure}. Make room, or ask its owner.")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return UnreadableInput(f"this ledger cannot be opened: {failure}.", source=legible(file))
    if primary == sqlite3.SQLITE_NOTADB:
        return UnreadableInput("expected a ledger of disjoin, found another file.", source=legible(file))
    return damaged(file)
