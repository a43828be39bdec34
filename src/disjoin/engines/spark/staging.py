"""A private folder for what lies between two jobs: the original as numbers. It is gone when the run is over."""

from __future__ import annotations

import re
import shutil
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

from disjoin.engines.spark.failures import in_a_sentence
from disjoin.errors import DisjoinWarning, InvalidParameter
from disjoin.model.pages import room
from disjoin.unfinished import filling

SETTLED, UNSETTLED = 1, 6  # how often a folder is removed: after a run that ended well, and after one that did not
_PAUSE = 0.1  # seconds
_ROWS = 1 << 12  # of a table that the driver looks at together


def place_to_read(path: Path) -> str:
    """Return a path as Spark wants it to read from: a pattern, in which nothing but these signs is escaped.

    >>> place_to_read(Path("/a b%20/[1].dat"))
    'file:///a b%20/\\\\[1\\\\].dat'
    """
    return "file://" + re.sub(r"([][{}*?\\])", r"\\\1", str(path))


class Staging:
    """A folder that the driver and all executors see under the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> str:
        """Return where Spark writes something of that name."""
        return f"file://{self.folder / name}"

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
        with pq.ParquetWriter(self.folder / name, first.schema) as writer:
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
    if isinstance(given, str) and re.match(r"(?!file:)[a-z0-9]{2,}:", given):
        raise InvalidParameter(
            f"staging must be the path of a folder that the driver and all executors see, got {given!r}: mount the "
            "storage, or choose a shared folder."
        )
    place = Path(str(given).removeprefix("file://")) if given is not None else Path(tempfile.gettempdir())
    if not place.is_dir():
        raise InvalidParameter(f"staging must be a folder, and there is none at {place}: make it, or choose another.")
    folder = Path(tempfile.mkdtemp(".partial", "disjoin-staging-", place.resolve()))  # 0700
    with filling(folder):
        finished = False
        try:
            with in_a_sentence(folder):
                yield Staging(folder)
            finished = True
        finally:
            _remove(folder, SETTLED if finished else UNSETTLED)


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
