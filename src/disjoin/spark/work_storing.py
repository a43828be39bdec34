"""Executor code for writing to the staging folder.

Spark's own writer makes missing folders, with whatever permissions are usual there: on an executor that does not share
the staging folder it would leave the original behind.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from disjoin.atomic import owner_only
from disjoin.spark.failures import NotShared
from disjoin.spark.work_reading import Batches

OWNER = ".owner"  # in the staging folder: the token, and the machine that made it
STORED = pa.schema([("file", pa.string()), ("part", pa.string())])
APART = "kept"  # the column by which rows go to two folders
_TOGETHER = 1 << 24  # bytes of rows that are written at once, as one group


class StagingKey(NamedTuple):
    """The staging folder, and the random token by which executors know that it is the driver's."""

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

    The driver gives a name to files of tasks that have ended well, and to no others: a task may run twice.
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
    yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in _columns(written)], schema=STORED)


def _columns(rows: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [file for file, _ in rows], [part for _, part in rows]


def _apart(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield rows with the folder that they go to, which the column `kept` decides if there is one."""
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
    """A Parquet file that is being written; rows wait until they are enough for a group."""

    def __init__(self, file: str, stream: BinaryIO) -> None:
        self.file = file
        self._stream, self._waiting, self._bytes = stream, list[pa.RecordBatch](), 0
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: pa.RecordBatch) -> None:
        """Append rows."""
        self._waiting.append(rows)
        self._bytes += rows.nbytes
        if self._bytes >= _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._waiting:
            table = pa.Table.from_batches(self._waiting)
            self._writer = self._writer or pq.ParquetWriter(self._stream, table.schema, use_dictionary=False)
            self._writer.write_table(table)
        self._waiting, self._bytes = [], 0

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        self.flush()
        if self._writer is not None:
            self._writer.close()


@contextmanager
def _part(folder: Path) -> Iterator[RowFile]:
    """Open a hidden file that nobody else has; it is removed if writing fails."""
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
    """Make a file that only its owner may read, and open it for writing."""
    return open(place, "xb", opener=owner_only)
