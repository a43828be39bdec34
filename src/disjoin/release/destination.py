"""Destination of a release: a free path, filled atomically."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any

from disjoin.atomic import ASIDE, PARTIAL, PROBE, begun, held, make_owner_only, require_no_scheme, sibling, tidy_beside
from disjoin.errors import CannotWrite, DisjoinError, InvalidParameter, OutputExists, Remedy, described
from disjoin.text import is_utf8, printable, quoted

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

_NAME_ONE = "Name a folder that does not exist yet, such as release."
Replaceable = Callable[[Path], str | None]  # why a folder must not be replaced, and what to do, or None if it may be


def as_destination(path: object) -> Path:
    """Return the path of a release to be written; raise `InvalidParameter` if no file system allows it."""
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else path
    if not isinstance(text, str):
        raise InvalidParameter(f"the output path must be a text or a path, got {described(path)}.")
    if not text:
        raise InvalidParameter(f"the output path is empty. {_NAME_ONE}")
    if Path(text) == Path():  # pathlib's value for an empty text
        raise InvalidParameter(f"the output path is empty, or the current folder. {_NAME_ONE}")
    if "\0" in text:
        raise InvalidParameter(f"the output path {quoted(text)} has a NUL character, which file names cannot have.")
    if not is_utf8(Path(text).absolute()):
        raise InvalidParameter(f"the output path {printable(text)} is not UTF-8 text. Choose another place.")
    require_no_scheme(text)
    return Path(text)


def require_free(given: object, *, overwrite: bool, objection_to: Replaceable, what: str = "The release") -> Path:
    """Return the path; raise `OutputExists` unless it is free or may be overwritten, `CannotWrite` if the disk refuses.
    Refusals to overwrite come first. Leftovers of killed runs are removed. Messages begin with `what`."""
    path = as_destination(given)
    try:
        with suppress(OSError, RuntimeError):  # reported below, if it matters
            tidy_beside(path.resolve())
        if _is_there(path):
            if objection := objection_to(path):
                raise OutputExists(f"{printable(path)} already exists and will not be overwritten: {objection}", path)
            if not overwrite:
                remedies = [Remedy("overwrite", True, "replace it")]
                raise OutputExists(f"{printable(path)} already exists. Choose another place.", path, remedies)
        _require_writable(path.resolve(), what)
        return path
    except (OutputExists, CannotWrite):
        raise
    except (OSError, RuntimeError) as failure:  # pathlib raises RuntimeError for a loop of links
        reason = failure if isinstance(failure, OSError) else OSError(errno.ELOOP, str(failure))
        raise CannotWrite(f"{what} cannot be written to {printable(path)}. {advice_on(reason)}") from failure


def advice_on(failure: OSError) -> str:
    return _ADVICE.get(failure.errno or 0) or f"{failure.strerror or failure}."


def _is_there(path: Path) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _require_writable(path: Path, what: str) -> None:
    """Create and remove a folder in the nearest existing parent, because permissions alone do not show what works."""
    parent = next(folder for folder in path.parents if _is_there(folder))
    if not parent.is_dir():
        found = f"{printable(parent)} is a file, not a folder: choose another place."
        raise CannotWrite(f"{what} cannot be written to {printable(path)}. {found}")
    for part in path.relative_to(parent).parts:
        _is_there(parent / part)  # raises if a name is too long
    with begun(parent / "disjoin", PROBE, Path.mkdir):
        pass


NOT_A_FOLDER = "it is not a folder. Choose another place."
NOT_TO_BE_SEEN = "you have no permission to read it. Choose another place."


def objection_to_files(
    present: Mapping[str, Path], stated: Mapping[str, Any], is_known: Callable[[str], bool], whole: str
) -> str | None:
    """Return why files must not be overwritten, or None: all are known, no links, and as stated in the `whole`."""
    for path, file in present.items():
        name, facts = quoted(path), stated.get(path)
        if not isinstance(facts, Mapping) or not is_known(path):
            found = f"it has {name}, which is not a part of the {whole} in it."
        elif not S_ISREG(file.lstat().st_mode):
            found = f"{name} in it is not a file, but should be in a {whole}."
        elif facts.get("bytes") != file.stat().st_size or not fingerprint(file).items() <= facts.items():
            found = f"{name} in it has changed since the {whole} was written."
        else:
            continue
        return f"{found} Move {name} away, or choose another place."
    return None


def fingerprint(file: Path) -> dict[str, Any]:
    with file.open("rb") as stream:
        return {"bytes": file.stat().st_size, "hash": "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()}


def document_resource(file: Path, mediatype: str, meaning: str) -> dict[str, Any]:
    name = file.name.lower().replace(".", "-")
    stated = {"name": name, "path": file.name, "format": file.suffix[1:], "mediatype": mediatype}
    return stated | {"encoding": "utf-8", "description": meaning} | fingerprint(file)


_HERE, _RENAME_EXCHANGE = -100, 2  # Linux: AT_FDCWD and the flag of renameat2


@contextmanager
def whole_or_nothing(
    path: Path, *, replace: Replaceable | None = None, what: str = "The release", private: bool = False
) -> Iterator[Path]:
    """Yield a hidden folder next to `path`; it becomes `path`, or replaces it, if there is no error. Otherwise nothing
    changes. Only a folder to which `replace` does not object, at the last moment, is replaced. Messages begin with
    `what`. A `private` folder is closed to others."""
    made: list[Path] = []
    try:
        for folder in reversed([folder for folder in path.parents if not folder.exists()]):
            folder.mkdir(exist_ok=True)
            made.append(folder)
        with begun(path, PARTIAL, make_owner_only if private else Path.mkdir) as filling:
            yield filling
            _flush(filling)
            _put_in_place(filling, path, replace=replace)
        _flush_folder(path.parent)
        made.clear()
    except DisjoinError:
        raise
    except OSError as failure:
        words = f"{what} could not be written to {printable(path)}, and nothing remains. {advice_on(failure)}"
        raise CannotWrite(words) from failure
    finally:
        for parent in reversed(made):
            with suppress(OSError):  # already used by another process
                parent.rmdir()


def _flush(folder: Path) -> None:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            _flush(entry)
            continue
        with entry.open("rb+") as stream:
            os.fsync(stream.fileno())
    _flush_folder(folder)


def _flush_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _put_in_place(complete: Path, path: Path, *, replace: Replaceable | None) -> None:
    if replace and path.exists():
        if objection := replace(path):
            words = f"{printable(path)} was changed in the meantime and will not be overwritten: {objection}"
            raise OutputExists(words, path)
        _exchange(complete, path)
        return
    try:
        complete.rename(path)
    except OSError as failure:
        if path.exists():  # it was free at the start
            words = f"{printable(path)} was created by another program in the meantime. Choose another place."
            raise OutputExists(words, path) from failure
        raise


def _exchange(complete: Path, path: Path) -> None:
    """Exchange the new and the old folder, in one step if the system can, and remove the old one."""
    if _swapped(complete, path):
        shutil.rmtree(complete)
        return
    aside = sibling(path, ASIDE)
    with held(path):  # so that no other run restores it in the meantime
        path.rename(aside)
        try:
            complete.rename(path)
        finally:
            if not path.exists():
                aside.rename(path)
        shutil.rmtree(aside)


def _swapped(complete: Path, path: Path) -> bool:
    """Exchange two folders in one step, so that the path always has a complete one; False if that fails."""
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, TypeError, AttributeError):  # not Linux
        return False
    here = ctypes.c_int(_HERE)
    given = ctypes.c_char_p(os.fsencode(complete)), ctypes.c_char_p(os.fsencode(path))
    return bool(rename(here, given[0], here, given[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0)
