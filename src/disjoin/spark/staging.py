"""Staging folder: private files between two jobs, removed after the run."""

from __future__ import annotations

import re
import secrets
import shutil
import socket
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from numpy.typing import NDArray

from disjoin.atomic import filling, held, is_ours, removed_if_left, scheme_of
from disjoin.errors import DisjoinWarning, InvalidParameter
from disjoin.model.pages import room
from disjoin.spark.failures import USE_STAGING, JobFailed, in_a_sentence, not_shared
from disjoin.spark.work_storing import OWNER, StagingKey, private_file

SETTLED, UNSETTLED = 1, 6  # how often a folder is removed: after a run that ended well, and after one that did not
_PAUSE = 0.1  # seconds
_OLD = 86_400.0  # seconds after which a folder of another machine is reported
_PREFIX = "disjoin-staging-"
_ROWS = 1 << 12  # of a table that the driver looks at together


def place_to_read(path: Path) -> str:
    """Return a path as Spark wants it to read from: a pattern, in which nothing but these signs is escaped.

    >>> place_to_read(Path("/a b%20/[1].dat"))
    'file:///a b%20/\\\\[1\\\\].dat'
    """
    return "file://" + re.sub(r"([][{}*?\\])", r"\\\1", str(path))


class Staging:
    """A folder that the driver and all executors see under the same path."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.shared = StagingKey(str(folder), token)

    def make(self, name: str) -> None:
        """Make a folder for files of executors; they make none themselves."""
        (self.folder / name).mkdir(mode=0o700)

    def take(self, name: str, file: str, part: str) -> None:
        """Give a name to a hidden file that a task has written; raises if the driver does not see it."""
        place = self.folder / name / part
        place.mkdir(mode=0o700, exist_ok=True)
        try:
            (self.folder / name / file).rename(place / f"{file.removeprefix('.')}.parquet")
        except FileNotFoundError:
            raise JobFailed(not_shared(self.folder), remedies=[USE_STAGING]) from None

    def has_rows(self, name: str) -> bool:
        """Tell whether executors have written files under that name."""
        return any((self.folder / name).glob("[!.]*"))

    def found(self, name: str) -> str:
        """Return where Spark reads something of that name."""
        return place_to_read(self.folder / name)

    def has(self, name: str) -> bool:
        """Tell whether something of that name was written."""
        return (self.folder / name).exists()

    def read(self, name: str, columns: list[str] | None = None, where: ds.Expression | None = None) -> pa.Table:
        """Return a table that executors wrote, or some of it."""
        return ds.dataset(self.folder / name, format="parquet").to_table(columns=columns, filter=where)

    def read_in_batches(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        """Yield columns of a table that executors wrote, a few thousand rows after others."""
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
        """The folder for unnamed files, which are there as long as somebody needs them, and may outlive this one."""
        return self.folder.parent

    def room(self, size: int, dtype: Any) -> NDArray[Any]:
        """Return an array of zeros in an unnamed file."""
        return room(size, dtype, self.pages)

    def remove(self, name: str) -> None:
        """Remove a table that nobody needs any more."""
        shutil.rmtree(self.folder / name)


@contextmanager
def staging_in(given: str | Path | None) -> Iterator[Staging]:
    """Make a folder that only its owner may enter, and remove it in the end, whatever happens."""
    if isinstance(given, str) and scheme_of(given) not in (None, "file"):
        raise InvalidParameter(
            f"staging must be the path of a folder that the driver and all executors see, got {given!r}: mount the "
            "storage, or choose a shared folder."
        )
    place = Path(str(given).removeprefix("file://")) if given is not None else Path(tempfile.gettempdir())
    if not place.is_dir():
        raise InvalidParameter(f"staging must be a folder, and there is none at {place}: make it, or choose another.")
    place = place.resolve()
    _tidy(place)
    folder = Path(tempfile.mkdtemp(".partial", _PREFIX, place))  # 0700
    with filling(folder), held(folder):
        finished = False
        try:
            with in_a_sentence(folder):
                yield Staging(folder, _token_in(folder))
            finished = True
        finally:
            _remove(folder, SETTLED if finished else UNSETTLED)


def _token_in(folder: Path) -> str:
    """Write a random token to the folder, by which executors know it, and the machine that made it."""
    token = secrets.token_hex(16)
    with private_file(folder / OWNER) as file:
        file.write(f"{token}\n{socket.gethostname()}\n".encode())
    return token


def _tidy(place: Path) -> None:
    """Remove what drivers that were killed on this machine have left; old folders of other machines are named."""
    removed, others = [], []
    for folder in sorted(place.glob(f"{_PREFIX}*.partial")):
        if folder.is_symlink() or not is_ours(folder):
            continue
        try:
            machine = (folder / OWNER).read_text(encoding="utf-8").partition("\n")[2].strip()
            age = time.time() - folder.stat().st_mtime
        except FileNotFoundError:  # it is made or removed just now
            continue
        if machine == socket.gethostname():
            removed += [folder.name] * removed_if_left(folder)
        elif age > _OLD:
            others.append(folder.name)
    for names, words in (
        (removed, "Removed what a killed run left in"),
        (others, "Remove, if no run uses it, what a run on another machine left in"),
    ):
        if names:
            warnings.warn(
                f"{words} {place}: {', '.join(names)} (the original as numbers).", DisjoinWarning, stacklevel=4
            )


def _remove(folder: Path, looks: int) -> None:
    """Remove a folder, and look again, as a task that was told to stop may still write to it."""
    for look in range(looks):
        shutil.rmtree(folder, ignore_errors=True)
        if look + 1 < looks:
            time.sleep(_PAUSE)
    if folder.exists():
        warnings.warn(
            f"the staging folder {folder} has the original as numbers and could not be removed: remove it.",
            DisjoinWarning,
            stacklevel=1,
        )
