"""Files of make-believe data, whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from disjoin.errors import CannotWrite, InvalidParameter
from disjoin.escaping import legible
from disjoin.storage import require_no_scheme
from disjoin.unfinished import PART, begun, owner_only, tidy_beside

_ADVICE = {
    errno.ENOSPC: "No space left on the disk: make room, or choose another place.",
    errno.EDQUOT: "Your disk quota is used up: make room, or choose another place.",
    errno.EACCES: "You may not write there: choose another place.",
    errno.EPERM: "You may not write there: choose another place.",
    errno.EROFS: "The disk is read-only: choose another place.",
    errno.EISDIR: "It is a folder: name a file.",
    errno.ENOTDIR: "A part of the path is a file, not a folder: choose another place.",
    errno.EEXIST: "A part of the path is a file, not a folder: choose another place.",
    errno.ENOENT: "No folder can be made there: choose another place.",
    errno.ENAMETOOLONG: "The name is too long: choose a shorter one.",
}


@contextmanager
def whole_file(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """Open a file that takes its name, replacing an older one, when the block ends without an error.

    A `private` file can be read by its owner only, from the moment it is made. Missing parent folders are made, and
    what a killed run has left beside the file is removed. Raises `CannotWrite` if the disk is full or the place cannot
    be written; then nothing is left behind.
    """
    _require_name(path)
    made: list[Path] = []
    try:
        if path.is_dir():  # seen before the work, not when the file takes its name
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        tidy_beside(path)
        _make_parents(path.parent, made)
        with begun(path, PART, _make_private if private else _make) as unfinished:
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(path)
        made.clear()
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0) or f"{error.strerror or error}: choose another place."
        raise CannotWrite(f"cannot write {legible(path)}. {advice}") from error
    finally:
        for folder in reversed(made):
            with suppress(OSError):  # somebody else uses it by now
                folder.rmdir()


def _make(file: Path) -> None:
    file.open("xb").close()


def _make_private(file: Path) -> None:
    open(file, "xb", opener=owner_only).close()


def _require_name(path: Path) -> None:
    """Raise unless some file could have this name."""
    if not path.name:
        raise InvalidParameter("the output path is empty, or a folder. Name a file.")
    require_no_scheme(path)
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InvalidParameter(f"the output path {legible(path)} has characters that no file name can have.")


def _make_parents(parent: Path, made: list[Path]) -> None:
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        made.append(folder)
