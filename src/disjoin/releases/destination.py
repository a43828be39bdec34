"""The place for what is written, looked at before the work: free or replaceable, reachable, writable."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from disjoin.errors import CannotWrite, InvalidParameter, OutputExists, described
from disjoin.escaping import legible
from disjoin.files.wording import is_utf8, quoted
from disjoin.unfinished import PROBE, begun, tidy_beside

_ADVICE = {
    errno.ENOSPC: "The disk is full: make room, or choose another place.",
    errno.EDQUOT: "Your disk quota is used up: make room, or choose another place.",
    errno.EFBIG: "A file would be larger than the system allows: raise the limit, or choose another place.",
    errno.EACCES: "You may not write there: choose another place.",
    errno.EPERM: "You may not write there: choose another place.",
    errno.EROFS: "The disk is read-only: choose another place.",
    errno.ENOENT: "No folder can be made there: choose another place.",
    errno.ENOTDIR: "A part of the path is a file, not a folder: choose another place.",
    errno.ELOOP: "A link in the path leads back to itself: choose another place.",
    errno.ENAMETOOLONG: "The name is too long: choose a shorter one.",
}

Replaceable = Callable[[Path], str | None]  # why a folder must not be replaced, and what to do, or None if it may be


def as_destination(path: object) -> Path:
    """Return the path of a release to be written; raise `InvalidParameter` if no file system could have it."""
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(text, str):
        raise InvalidParameter(f"the output path must be a text or a path, got {described(path)}.")
    if not text:
        raise InvalidParameter("the output path is empty. Name a folder that is not there yet, such as release.")
    if Path(text) == Path():  # what pathlib makes of an empty text
        raise InvalidParameter(
            "the output path is empty, or the folder that you are in. "
            "Name a folder that is not there yet, such as release."
        )
    if "\0" in text:
        raise InvalidParameter(f"the output path {quoted(text)} has a NUL in it, which no file name can have.")
    if not is_utf8(Path(text).absolute()):
        raise InvalidParameter(f"the output path {legible(text)} is not UTF-8 text. Choose another place.")
    return Path(text)


def require_free(path: Path, *, overwrite: bool, objection_to: Replaceable, what: str = "The release") -> None:
    """Raise `OutputExists` unless `path` is free or may be overwritten, and `CannotWrite` if nothing can be put there.

    `what` is to be put there; messages begin with it. What speaks against overwriting is said first, so that nobody
    is told to overwrite what will be refused. What a killed run has left beside the place is removed before.
    """
    try:
        with suppress(OSError, RuntimeError):  # said below, if it matters
            tidy_beside(path.resolve())
        if _is_there(path):
            _require_replaceable(path, overwrite, objection_to(path))
        _require_writable(path.resolve(), what)
    except (OutputExists, CannotWrite):
        raise
    except (OSError, RuntimeError) as failure:  # pathlib's word for a loop of links is RuntimeError
        reason = failure if isinstance(failure, OSError) else OSError(errno.ELOOP, str(failure))
        raise CannotWrite(f"{what} cannot be written to {legible(path)}. {advice_on(reason)}") from failure


def advice_on(failure: OSError) -> str:
    """Return what went wrong and what to do about it, in a sentence."""
    return _ADVICE.get(failure.errno or 0) or f"{failure.strerror or failure}."


def _is_there(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _require_replaceable(path: Path, overwrite: bool, objection: str | None) -> None:
    if objection:
        raise OutputExists(f"{legible(path)} already exists and will not be overwritten: {objection}", path)
    if not overwrite:
        raise OutputExists(
            f"{legible(path)} already exists. Choose another place, or overwrite it "
            "(--overwrite, in Python overwrite=True).",
            path,
        )


def _require_writable(path: Path, what: str) -> None:
    """Make and remove a folder in the nearest parent there is; permissions alone do not tell what a disk allows."""
    parent = next(folder for folder in path.parents if _is_there(folder))
    if not parent.is_dir():
        raise CannotWrite(
            f"{what} cannot be written to {legible(path)}. {legible(parent)} is a file, not a folder: "
            "choose another place."
        )
    for part in path.relative_to(parent).parts:
        _is_there(parent / part)  # raises if a name is too long
    with begun(parent / "disjoin", PROBE, Path.mkdir):
        pass


NOT_A_FOLDER = "it is not a folder. Choose another place."
NOT_TO_BE_SEEN = "you may not look into it. Choose another place."


def objection_to_files(
    present: Mapping[str, Path], stated: Mapping[str, Any], is_known: Callable[[str], bool], whole: str
) -> str | None:
    """Say why files must not be overwritten and what to do, or None if all are as stated of the `whole`.

    What is overwritten is gone, so what is stated is not enough: every file must also be one that is known to belong
    there, and a file, not a link.
    """
    for path, file in present.items():
        name, facts = quoted(path), stated.get(path)
        if not isinstance(facts, Mapping) or not is_known(path):
            found = f"it holds {name}, which is not a part of the {whole} in it."
        elif not S_ISREG(file.lstat().st_mode):
            found = f"{name} in it is a link, a folder or another thing, where a {whole} has a file."
        elif not _is_as_stated(file, facts):
            found = f"{name} in it is not as it was when the {whole} was written."
        else:
            continue
        return f"{found} Move {name} away, or choose another place."
    return None


def _is_as_stated(file: Path, facts: Mapping[str, Any]) -> bool:
    """Compare the size first, as a file of another size need not be read."""
    if facts.get("bytes") != file.stat().st_size:
        return False
    return all(facts.get(key) == value for key, value in fingerprint(file).items())


def fingerprint(file: Path) -> dict[str, Any]:
    """Return size and hash of a file, as a resource states them."""
    with file.open("rb") as stream:
        return {"bytes": file.stat().st_size, "hash": "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()}
