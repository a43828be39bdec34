"""Files of make-believe data, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from disjoin.errors import CannotWrite


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes its name, replacing an older one, when the block ends without an error."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise CannotWrite(f"cannot write {path}: {error.strerror}. Choose another place or make room.") from error
    finally:
        with suppress(OSError):  # gone already, or the folder is what was wrong
            unfinished.unlink()
