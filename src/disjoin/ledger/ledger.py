"""Ledger operations: start one, compare data with it before a release, add the release afterwards."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from disjoin.errors import (
    CannotWrite,
    DisjoinError,
    InvalidParameter,
    OutputExists,
    PublishedBefore,
    Remedy,
    UnreadableInput,
)
from disjoin.ledger import store
from disjoin.ledger.new_people import new_rows, with_rows
from disjoin.ledger.overlap import Overlap, overlap_of, refusal
from disjoin.ledger.store import Fingerprints, LedgerEntry, fingerprints_of
from disjoin.methods.contract import Method
from disjoin.model import MixedRecords, Release, Role, Table, Transactions
from disjoin.readers.read import as_transactions
from disjoin.readers.tables import as_table
from disjoin.release.descriptor import DESCRIPTOR, is_release
from disjoin.release.destination import advice_on, fingerprint
from disjoin.text import listed, printable

LEDGER = "disjoin-ledger"


def _require_private(file: Path) -> None:
    _require_outside(file)
    shown = printable(file)
    try:
        status = file.stat()
    except OSError as failure:
        raise UnreadableInput(f"this ledger cannot be read. {advice_on(failure)}", source=shown) from failure
    if not file.is_file():
        raise UnreadableInput("expected a ledger, which is a file, found something else.", source=shown)
    if os.name == "posix" and status.st_mode & 0o077:
        raise UnreadableInput(
            "a ledger is private, and other users may read or change this one. If nobody did, remove their permission "
            f"(chmod 600 {shown}); otherwise delete it and start another.",
            source=shown,
        )


def _require_outside(file: Path) -> None:
    for folder in dict.fromkeys([*file.absolute().parents, *file.resolve().parents]):
        if (folder / DESCRIPTOR).is_file() and is_release(folder):
            raise InvalidParameter(
                f"a ledger is private, and {printable(folder)} is a release folder, which others receive. "
                "Keep the ledger next to the data."
            )


@dataclass(frozen=True, slots=True)
class Ledger:
    """The private ledger in the file `path`; make one with `start`, `open` or `near`.

    It keeps keyed hashes of ids and records, and of each release when, how and where it was made.
    """

    path: Path

    @classmethod
    def start(cls, folder: str | Path = ".") -> Ledger:
        """Make a ledger in a folder, next to the data, with a random key of its own."""
        home = Path(folder)
        file = home.absolute() / LEDGER
        if not home.is_dir():
            raise InvalidParameter(f"a ledger is started in an existing folder, and {printable(home)} is none.")
        _require_outside(file)
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            raise OutputExists(f"{printable(file)} already exists. It is unchanged.", file) from None
        except OSError as failure:
            raise CannotWrite(f"A ledger cannot be written to {printable(file)}. {advice_on(failure)}") from failure
        try:
            store.make_tables(file)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        return cls(file)

    @classmethod
    def open(cls, path: str | Path) -> Ledger:
        """Return the ledger in a folder, or in a file; raises if there is none, or if it is damaged or not private."""
        file = Path(path) / LEDGER if Path(path).is_dir() else Path(path)
        if not os.path.lexists(file):
            raise UnreadableInput(
                f"expected a ledger, found none. Start one with disjoin ledger start {printable(file.parent)}",
                source=printable(file),
            )
        ledger = cls(file.absolute())
        ledger._entries()
        return ledger

    @classmethod
    def near(cls, source: str | Path) -> Ledger | None:
        """Return the ledger in the folder of a data file (`-`: the current folder), or in the nearest above; else None.
        A link to the file counts as lying where the link is, then where the file is."""
        given = Path.cwd() / LEDGER if str(source) == "-" else Path(source).absolute()
        for folder in dict.fromkeys([*given.parents, *given.resolve().parents]):
            file = folder / LEDGER
            if os.path.lexists(file) and not file.is_dir():  # a link that leads nowhere is a ledger that cannot be read
                return cls.open(file)
        return None

    def entries(self) -> list[LedgerEntry]:
        return [entry for entry, _ in self._entries()]

    def overlaps(self, data: object, *, identifiers: Iterable[str] | str = ()) -> list[Overlap]:
        """Return in which releases some of the data (records, a table or a list of sets) is already, and how much.
        Ids are those of a long table that was read; of a table, the columns `identifiers` and those with that role."""
        return _compared(fingerprints_of(_records(data, identifiers), self._key()), self._entries())

    def only_new(
        self, data: object, *, identifiers: Iterable[str] | str = ()
    ) -> tuple[Transactions | Table | MixedRecords, int]:
        """Return the data without the people of finished releases, who are recognised by their ids, and their number.

        Raise if the data has no ids of people, if nobody is new, or if an earlier release without ids seems to have
        some of the same records. `identifiers` name the columns of ids of a table."""
        known = _records(data, identifiers)
        entries, key = self._entries(), self._key()
        is_new = new_rows(known, entries, key)
        others = [(entry, each) for entry, each in entries if not each.ids]
        if found := _compared(fingerprints_of(known, key), others):
            numbers = listed(overlap.release.number for overlap in found)
            raise InvalidParameter(
                f"only_new cannot recognise the people of release {numbers}, which the ledger has without ids, and "
                "some of its records are in this file."
            )
        if not is_new.any():
            raise InvalidParameter("the ledger has an earlier release of everybody in this file: nobody is new.")
        given = data if isinstance(data, (Transactions, Table, MixedRecords)) else known
        return (given if is_new.all() else with_rows(given, np.flatnonzero(is_new))), int((~is_new).sum())

    def add(
        self, release: Release, data: object, *, path: str | Path | None = None, identifiers: Iterable[str] | str = ()
    ) -> LedgerEntry:
        """Enter a release with the data that it was made from, and the folder `path` that it was written to."""
        if not isinstance(release, Release):
            raise InvalidParameter(f"expected a Release, got {type(release).__name__}.")
        known = fingerprints_of(_records(data, identifiers), self._key())
        with self._opened(writing=True) as (connection, key):
            again = bool(_compared(known, store.every_entry(connection, key, self.path)))
            entry = LedgerEntry(_now(), release.method, {}, again=again)
            return store.insert(connection, key, self._finished(entry, release, path), known)

    def forget(self, *numbers: int) -> None:
        with self._opened(writing=True) as (connection, _):
            there = store.every_number(connection)
            for number in numbers:
                if number not in there:
                    known = f"known are {listed(there)}" if there else "none is known"
                    raise InvalidParameter(f"the ledger {printable(self.path)} has no release {number}; {known}.")
                store.delete(connection, number)

    def overlaps_among(self) -> dict[int, list[Overlap]]:
        """Return, for every release by its number, what it has in common with the earlier ones."""
        every = self._entries()
        return {entry.number: _compared(known, every[:place]) for place, (entry, known) in enumerate(every)}

    def extents(self) -> dict[int, tuple[int | None, int]]:
        """Return for every release, by its number, how many ids and how many records its data had."""
        return {
            entry.number: (max((ids.size for ids in known.ids), default=None), int(known.contents.size))
            for entry, known in self._entries()
        }

    def state_of(self, entry: LedgerEntry) -> str:
        """Return whether a release is still where it was written: there, changed, gone or unknown."""
        if entry.place is None or entry.digest is None:
            return "unknown"
        digest = _digest(self.path.parent / entry.place)
        return "gone" if digest is None else "there" if digest == entry.digest else "changed"

    @contextmanager
    def publishing(
        self, data: Transactions | Table | MixedRecords, method: Method, place: Path, *, again: bool = False
    ) -> Iterator[Publishing]:
        """Raise `PublishedBefore` if some of the data was published; else keep its place while a release is made.
        The entry is unfinished from now on, so that two runs at once see each other, and a crash is seen later.
        `finish` makes it a release. After an error it is taken out, unless the folder has a new release."""
        known, parameters = fingerprints_of(method.prepared(data), self._key()), dict(method.parameters())
        del data  # the method may need the memory
        with self._opened(writing=True) as (connection, key):
            found = _compared(known, store.every_entry(connection, key, self.path))
            if found and not again:
                words = refusal(found, self.path, method.name, parameters)
                remedy = Remedy("again", True, "publish anyway, which the ledger records")
                raise PublishedBefore(words, tuple(found), [remedy])
            begun = LedgerEntry(_now(), method.name, parameters, place=self._inside(place), again=bool(found))
            run = Publishing(self, store.insert(connection, key, begun, known), tuple(found))
        del known  # the method may need the memory
        before = _digest(place)
        try:
            yield run
        except BaseException:
            if _digest(place) == before:
                with suppress(InvalidParameter):  # another process was faster
                    self.forget(run.entry.number)
            raise

    def _finished(self, entry: LedgerEntry, release: Release, path: str | Path | None) -> LedgerEntry:
        return replace(
            entry,
            parameters=dict(release.parameters),
            promise=release.guarantee.sentence(),
            place=None if path is None else self._inside(Path(path)),
            digest=None if path is None else _digest(Path(path)),
            finished=True,
        )

    def _inside(self, place: Path) -> str:
        """Return a place relative to the ledger's folder if it is below, so that both can be moved together."""
        place, home = place.resolve(), self.path.parent.resolve()
        return str(place.relative_to(home) if place.is_relative_to(home) else place)

    def _key(self) -> bytes:
        with self._opened() as (_, key):
            return key

    def _entries(self) -> list[tuple[LedgerEntry, Fingerprints]]:
        with self._opened() as (connection, key):
            return store.every_entry(connection, key, self.path)

    @contextmanager
    def _opened(self, *, writing: bool = False) -> Iterator[tuple[sqlite3.Connection, bytes]]:
        _require_private(self.path)
        with store.connected(self.path, writing=writing) as connection:
            yield connection, store.key_of(connection, self.path)


@dataclass(frozen=True, slots=True)
class Publishing:
    """A release that is being made, with its entry in the ledger; `overlaps` are what it was allowed to repeat."""

    ledger: Ledger
    entry: LedgerEntry
    overlaps: tuple[Overlap, ...]

    def finish(self, release: Release, path: Path) -> None:
        ledger, number = self.ledger, self.entry.number
        try:
            with ledger._opened(writing=True) as (connection, key):
                if not store.update(connection, key, ledger._finished(self.entry, release, path)):
                    raise CannotWrite(f"Its entry, {number}, was removed from the ledger {printable(ledger.path)}.")
        except DisjoinError as failure:
            message = f"The release is in {printable(path)}, but the ledger was not updated. {failure}"
            raise CannotWrite(message) from failure


def _records(data: object, identifiers: Iterable[str] | str) -> Transactions | Table | MixedRecords:
    named = (identifiers,) if isinstance(identifiers, str) else tuple(identifiers)
    if named and not isinstance(data, (Transactions, MixedRecords)):
        return as_table(data).with_roles(dict.fromkeys(named, Role.IDENTIFIER))
    if named:
        raise InvalidParameter("identifiers name columns of a table, and these are records. Leave them out.")
    return data if isinstance(data, (Table, MixedRecords)) else as_transactions(data)


def _compared(known: Fingerprints, entries: list[tuple[LedgerEntry, Fingerprints]]) -> list[Overlap]:
    found = (overlap_of(known, earlier, entry) for entry, earlier in entries)
    return [overlap for overlap in found if overlap is not None]


def _digest(folder: Path) -> str | None:
    try:
        return str(fingerprint(folder / DESCRIPTOR)["hash"])
    except OSError:
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
