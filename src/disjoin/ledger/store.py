"""Ledger file: the key, keyed hashes of records and ids, and the list of releases."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.errors import CannotWrite, UnreadableInput
from disjoin.model import MixedRecords, Role, Table, Transactions
from disjoin.model.spelling import folded
from disjoin.text import printable

Hashes = NDArray[np.uint64]

HASH_BYTES = 8  # of a and b hashes, a * b / 2**64 pairs are equal by accident: of a million each, .00000005
NO_ID = ("", "?")  # what a missing id is read as


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints:
    """The hashes that a ledger stores for a release; sorted, so that they do not reveal the order of the input.
    `contents` has a hash per record, with repetitions; `ids` has the different hashes of each column that identifies
    people."""

    contents: Hashes  # (records,)
    ids: tuple[Hashes, ...] = ()  # for each such column (different ids,)


def fingerprints_of(data: Transactions | Table | MixedRecords, key: bytes) -> Fingerprints:
    """Return the hashes of records and, where they are known, of the ids: of a long table, of a table's identifiers.
    Ids that differ only in spelling have the same hash. Rows of a table are compared without its identifiers, and
    in any order of the columns."""
    if isinstance(data, Table):
        columns = data.schema.with_role(Role.IDENTIFIER)
        used = (data.values_of(name).take(pa.array(np.unique(data.codes_of(name)))) for name in columns)
        named, contents = [_ids(values, key) for values in used], _rows(data, key)
    else:
        named = [] if data.intake.ids is None else [_ids(data.intake.ids, key)]
        if isinstance(data, MixedRecords):
            both = np.column_stack((_rows(data.table, key), _records(data.records, key)))
            contents = _hashed((row.tobytes() for row in both), key, b"person")
        else:
            contents = _records(data, key)
    return Fingerprints(np.sort(contents), tuple(known for known in named if known.size))


def _records(data: Transactions, key: bytes) -> Hashes:
    terms = _hashed((term.encode() for term in data.vocabulary.to_pylist()), key, b"term")
    together = memoryview(terms[data.items].tobytes())  # the terms of a record are in code-point order everywhere
    ends = (data.offsets * HASH_BYTES).tolist()
    return _hashed((together[first:end] for first, end in pairwise(ends)), key, b"record")


def _rows(table: Table, key: bytes) -> Hashes:
    hidden = table.schema.with_role(Role.IDENTIFIER)
    names = sorted(name for name in table.schema.names if name not in hidden)
    cells = np.empty((len(table), len(names)), np.uint64)
    for place, name in enumerate(names):
        texts = (f"{len(name)} {name} {value}".encode() for value in table.values_of(name).to_pylist())
        cells[:, place] = _hashed(texts, key, b"cell")[table.codes_of(name)]
    together, width = memoryview(cells.tobytes()), len(names) * HASH_BYTES
    rows = (together[row * width : (row + 1) * width] for row in range(len(table)))
    return _hashed(rows, key, b"row")


def _ids(values: pa.Array, key: bytes) -> Hashes:
    different = {folded(str(value)) for value in values.to_pylist()}.difference(NO_ID)
    return np.unique(_hashed((name.encode() for name in different), key, b"id"))


def hashes_of_ids(texts: Iterable[object], key: bytes) -> Hashes:
    """Return the hash of every id, in this order."""
    return _hashed((folded(str(text)).encode() for text in texts), key, b"id")


def _hashed(parts: Iterable[bytes | memoryview], key: bytes, purpose: bytes) -> Hashes:
    digests = (blake2b(part, digest_size=HASH_BYTES, key=key, person=purpose).digest() for part in parts)
    return _hashes(b"".join(digests))


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
    """A release in the ledger; `finished` is false while it is being made, and after a crash.
    `place` is relative to the ledger's folder if it lies below; `digest` is the hash of its datapackage.json; `again`
    means that people in it had been published before, and that the data owner accepted it."""

    made: str
    method: str
    parameters: dict[str, Any]
    promise: str = ""  # stored under this name, and sealed
    place: str | None = None
    digest: str | None = None
    again: bool = False
    finished: bool = False
    number: int = 0  # given by the ledger, and never given again


def make_tables(file: Path) -> None:
    with connected(file) as ledger:
        ledger.executescript(f"PRAGMA application_id = {_KIND}; PRAGMA user_version = {_VERSION}; {_TABLES}")
        ledger.execute("INSERT INTO secret VALUES (?)", (secrets.token_bytes(_KEY_BYTES),))


@contextmanager
def connected(file: Path, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
    """Open the file; `writing` starts an exclusive transaction, which an error rolls back."""
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
    except UnicodeDecodeError as failure:  # SQLite quotes damaged bytes in its message, which Python decodes as text
        raise damaged(file) from failure


def key_of(ledger: sqlite3.Connection, file: Path) -> bytes:
    [kind], [version] = (ledger.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    if kind != _KIND:
        raise UnreadableInput("expected a ledger of disjoin, found another file.", source=printable(file))
    if version != _VERSION:
        raise UnreadableInput(
            f"the ledger has format {version}, this disjoin knows {_VERSION}; use a newer one.", source=printable(file)
        )
    keys = [key for (key,) in ledger.execute("SELECT key FROM secret")]
    if len(keys) != 1 or not isinstance(keys[0], bytes) or len(keys[0]) != _KEY_BYTES:
        raise damaged(file)
    return keys[0]


def insert(ledger: sqlite3.Connection, key: bytes, entry: LedgerEntry, known: Fingerprints) -> LedgerEntry:
    facts, contents = _facts(entry), _bytes(known.contents)
    people = [_bytes(hashes) for hashes in known.ids]
    row = (facts, contents, _seal(key, facts, contents, people))
    number = ledger.execute("INSERT INTO release (facts, contents, seal) VALUES (?, ?, ?)", row).lastrowid
    assert number is not None, "SQLite numbers its rows"
    ledger.executemany("INSERT INTO people VALUES (?, ?, ?)", [(number, *part) for part in enumerate(people)])
    return replace(entry, number=number)


def update(ledger: sqlite3.Connection, key: bytes, entry: LedgerEntry) -> bool:
    """Write new facts about an entry; return whether it is there."""
    facts = _facts(entry)
    found = ledger.execute("SELECT contents FROM release WHERE number = ?", (entry.number,)).fetchone()
    if found is None:
        return False
    seal = _seal(key, facts, found[0], _people(ledger, entry.number))
    ledger.execute("UPDATE release SET facts = ?, seal = ? WHERE number = ?", (facts, seal, entry.number))
    return True


def every_number(ledger: sqlite3.Connection) -> list[int]:
    return [number for (number,) in ledger.execute("SELECT number FROM release ORDER BY number")]


def delete(ledger: sqlite3.Connection, number: int) -> None:
    ledger.execute("DELETE FROM people WHERE release = ?", (number,))
    ledger.execute("DELETE FROM release WHERE number = ?", (number,))


def every_entry(ledger: sqlite3.Connection, key: bytes, file: Path) -> list[tuple[LedgerEntry, Fingerprints]]:
    """Return all entries, the oldest first; raise if one was changed."""
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
    return UnreadableInput(
        "expected a whole ledger, found one that is damaged. Take a copy of it from a backup; "
        "without a ledger, people who were published before are not found.",
        source=printable(file),
    )


def _people(ledger: sqlite3.Connection, number: int) -> list[bytes]:
    rows = ledger.execute("SELECT hashes FROM people WHERE release = ? ORDER BY place", (number,)).fetchall()
    return [hashes for (hashes,) in rows]


def _facts(entry: LedgerEntry) -> str:
    named = {name: getattr(entry, name) for name in LedgerEntry.__slots__ if name != "number"}
    return json.dumps(named, sort_keys=True)


def _seal(key: bytes, facts: str, contents: bytes, people: list[bytes]) -> bytes:
    seal = blake2b(key=key, digest_size=16, person=b"seal")
    for part in (facts.encode(), contents, *people):
        seal.update(len(part).to_bytes(8, "little") + part)
    return seal.digest()


def _bytes(hashes: Hashes) -> bytes:
    return hashes.astype("<u8").tobytes()


def _hashes(stored: bytes) -> Hashes:
    return np.frombuffer(stored, "<u8").astype(np.uint64)


def _explained(file: Path, failure: sqlite3.Error) -> Exception:
    primary = (getattr(failure, "sqlite_errorcode", None) or 0) & 0xFF  # the other bits are details
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return CannotWrite(f"Another run is using the ledger {printable(file)}. Try again when it has ended.")
    if primary in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return CannotWrite(f"The ledger {printable(file)} cannot be written: {failure}. Make room, or ask its owner.")
    if primary == sqlite3.SQLITE_CANTOPEN:
        return UnreadableInput(f"this ledger cannot be opened: {failure}.", source=printable(file))
    if primary == sqlite3.SQLITE_NOTADB:
        return UnreadableInput("expected a ledger of disjoin, found another file.", source=printable(file))
    return damaged(file)
