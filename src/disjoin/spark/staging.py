"""Staging folder: private files between two jobs, written by the driver and by executors, removed after the run.

Spark's own writer creates missing folders with default permissions: on an executor that does not share
the staging folder it would leave the original behind. So `store` writes for executors.
"""

from __future__ import annotations

import re
import secrets
import shutil
import socket
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from disjoin.atomic import filling, held, is_ours, owner_only, removed_if_left, scheme_of
from disjoin.errors import DisjoinWarning, InvalidParameter
from disjoin.model.unnamed_files import room
from disjoin.spark.arrays import Batches, batch_of, schema_of
from disjoin.spark.failures import USE_STAGING, JobFailed, NotShared, in_a_sentence, not_shared

OWNER = ".owner"  # in the staging folder: the token, and the machine that made it
STORED = schema_of("file string, part string")
APART = "kept"  # the column that distributes rows to two folders
_TOGETHER = 1 << 24  # bytes of rows that are written together, as one group
SETTLED, UNSETTLED = 1, 6  # how often a folder is removed: after a successful run, and after a failure
_PAUSE = 0.1  # seconds
_OLD = 86_400.0  # seconds after which a folder of another machine is reported
_PREFIX = "disjoin-staging-"
_ROWS = 1 << 12  # rows of a table that the driver reads together


class StagingKey(NamedTuple):
    """The staging folder, and the random token by which executors recognise the driver's folder."""

    folder: str
    token: str

    def require(self) -> None:
        """Raise `NotShared` unless this process sees the driver's folder, too."""
        try:
            found = Path(self.folder, OWNER).read_text(encoding="utf-8").partition("\n")[0]
        except (OSError, UnicodeDecodeError):
            found = ""
        if found != self.token:
            raise NotShared


def prove(shared: StagingKey, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Raise unless this executor shares the staging folder."""
    shared.require()
    yield from batches


def store(shared: StagingKey, name: str, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Write the rows of a partition to hidden files in a folder of the driver, and return their names.

    The driver renames only files of tasks that have succeeded, because a task may run twice.
    """
    shared.require()
    with ExitStack() as files:
        parts: dict[str, RowFile] = {}
        for batch in batches:
            for part, rows in _apart(batch):
                if part not in parts:
                    parts[part] = files.enter_context(_part(Path(shared.folder, name)))
                parts[part].add(rows)
        written = [(each.file, part) for part, each in parts.items()]
    yield batch_of(STORED, [[file for file, _ in written], [part for _, part in written]])


def _apart(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield rows with their folder, which depends on the column `kept` if there is one."""
    if APART not in batch.schema.names:
        if batch.num_rows:
            yield "", batch
        return
    kept = batch[APART]
    rows = batch.drop_columns([APART])
    for value, wanted in (("true", kept), ("false", pc.invert(kept))):
        if (some := rows.filter(wanted)).num_rows:
            yield f"{APART}={value}", some


class RowFile:
    """A Parquet file in progress; rows are collected until they are enough for a group."""

    def __init__(self, file: str, stream: BinaryIO) -> None:
        self.file = file
        self._stream, self._waiting, self._bytes = stream, list[pa.RecordBatch](), 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: pa.RecordBatch) -> None:
        self._waiting.append(rows)
        self._bytes += rows.nbytes
        if self._bytes >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting)
            self._writer = self._writer or pq.ParquetWriter(self._stream, table.schema, use_dictionary=False)
            self._writer.write_table(table)
        self._waiting, self._bytes = [], 0

    def close(self) -> None:
        self.flush()
        if self._writer is not None:
            self._writer.close()


@contextmanager
def _part(folder: Path) -> Iterator[RowFile]:
    place = folder / f".{secrets.token_hex(8)}"
    try:
        with private_file(place) as stream:
            part = RowFile(place.name, stream)
            yield part
            part.close()
    except BaseException:
        with suppress(OSError):
            place.unlink()
        raise


def private_file(place: Path) -> BinaryIO:
    return open(place, "xb", opener=owner_only)


def place_to_read(path: Path) -> str:
    """Return a path as Spark needs it for reading: a pattern, in which only these signs are escaped.

    >>> place_to_read(Path("/a b%20/[1].dat"))
    'file:///a b%20/\\\\[1\\\\].dat'
    """
    return "file://" + re.sub(r"([][{}*?\\])", r"\\\1", str(path))


class Staging:
    """A folder that the driver and all executors see under the same path."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.shared = StagingKey(str(folder), token)

    def take(self, name: str, file: str, part: str) -> None:
        """Rename a hidden file that a task has written; raises if the driver does not see it."""
        place = self.folder / name / part
        place.mkdir(mode=0o700, exist_ok=True)
        try:
            (self.folder / name / file).rename(place / f"{file.removeprefix('.')}.parquet")
        except FileNotFoundError:
            raise JobFailed(not_shared(self.folder), remedies=[USE_STAGING]) from None

    def found(self, name: str) -> str:
        return place_to_read(self.folder / name)

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    def read(self, name: str, columns: list[str] | None = None, where: ds.Expression | None = None) -> pa.Table:
        return ds.dataset(self.folder / name, format="parquet").to_table(columns=columns, filter=where)

    def read_in_batches(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        for file in ds.dataset(self.folder / name, format="parquet").files:
            with pq.ParquetFile(file, memory_map=True) as parquet:
                for batch in parquet.iter_batches(_ROWS, columns=columns, use_threads=False):
                    yield pa.Table.from_batches([batch])

    def write(self, name: str, tables: Iterator[pa.Table]) -> str:
        """Write pieces of a table for executors, and return where they read it."""
        first = next(tables)
        with private_file(self.folder / name) as file, pq.ParquetWriter(file, first.schema) as writer:
            for table in chain([first], tables):
                writer.write_table(table)
        return self.found(name)

    @property
    def pages(self) -> Path:
        """The folder for unnamed files, which exist as long as they are used, and may outlive this one."""
        return self.folder.parent

    def room(self, size: int, dtype: Any) -> NDArray[Any]:
        return room(size, dtype, self.pages)

    def remove(self, name: str) -> None:
        shutil.rmtree(self.folder / name)


@contextmanager
def staging_in(given: str | Path | None) -> Iterator[Staging]:
    """Create a private folder, and remove it at the end in any case."""
    if isinstance(given, str) and scheme_of(given) not in (None, "file"):
        raise InvalidParameter(
            f"staging must be the path of a folder that the driver and all executors see, got {given!r}. Mount the "
            "storage, or use a shared folder."
        )
    place = Path(str(given).removeprefix("file://")) if given is not None else Path(tempfile.gettempdir())
    if not place.is_dir():
        raise InvalidParameter(f"staging must be a folder, but there is none at {place}. Create it, or use another.")
    place = place.resolve()
    _tidy(place)
    folder = Path(tempfile.mkdtemp(".partial", _PREFIX, place))  # 0700
    with filling(folder), held(folder):
        finished = False
        try:
            with in_a_sentence(folder):
                token = secrets.token_hex(16)
                with private_file(folder / OWNER) as file:
                    file.write(f"{token}\n{socket.gethostname()}\n".encode())
                yield Staging(folder, token)
            finished = True
        finally:
            _remove(folder, SETTLED if finished else UNSETTLED)


def _tidy(place: Path) -> None:
    """Remove leftovers of drivers that were killed on this machine; report old folders of other machines."""
    removed, others = [], []
    for folder in sorted(place.glob(f"{_PREFIX}*.partial")):
        if folder.is_symlink() or not is_ours(folder):
            continue
        try:
            machine = (folder / OWNER).read_text(encoding="utf-8").partition("\n")[2].strip()
            age = time.time() - folder.stat().st_mtime
        except FileNotFoundError:  # it is being created or removed
            continue
        if machine == socket.gethostname():
            removed += [folder.name] * removed_if_left(folder)
        elif age > _OLD:
            others.append(folder.name)
    for names, words in (
        (removed, "Removed leftovers of a killed run in"),
        (others, "If no run uses them, remove leftovers of a run on another machine in"),
    ):
        if names:
            warnings.warn(
                f"{words} {place}: {', '.join(names)} (the original as numbers).", DisjoinWarning, stacklevel=4
            )


def _remove(folder: Path, looks: int) -> None:
    """Remove a folder, and try again, because a task that was stopped may still write to it."""
    for look in range(looks):
        shutil.rmtree(folder, ignore_errors=True)
        if look + 1 < looks:
            time.sleep(_PAUSE)
    if folder.exists():
        warnings.warn(
            f"the staging folder {folder} has the original as numbers and could not be removed. Remove it.",
            DisjoinWarning,
            stacklevel=1,
        )
