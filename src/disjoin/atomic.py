"""Atomic writes: temporary files and folders that are renamed when complete and cleaned up after a crash.

A run that is killed cannot clean up. Its lock ends with it, so the next run that writes to the same place can
distinguish leftovers from folders that another run is still filling. Without locks, nothing is removed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import subprocess
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from disjoin.errors import CannotWrite, DisjoinWarning, InvalidParameter
from disjoin.text import printable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PARTIAL, ASIDE, PROBE, PART = "partial", "old", "probe", "part"  # folders in progress, moved aside, tested; a file
_LONGEST_NAME = 40
_WRITERS: set[subprocess.Popen[bytes]] = set()  # other processes that write for this one
_BEGUN: set[Path] = set()  # folders in progress, for a process that must end at once


def sibling(path: Path, purpose: str) -> Path:
    """Return an unused hidden name next to `path`."""
    # Not from tempfile: its folders are closed to others, but a release is shared.
    return path.with_name(f".{_tag(path)}.{secrets.token_hex(4)}.{purpose}")


def owner_only(path: str | Path, flags: int) -> int:
    """Open a private file for `open(..., opener=owner_only)`: a new one has mode 0600 from the start."""
    return os.open(path, flags, 0o600)


def make_owner_only(folder: Path) -> None:
    """Make a private folder: its mode is 0700 from the start."""
    folder.mkdir(mode=0o700)


@contextmanager
def begun(path: Path, purpose: str, make: Callable[[Path], object]) -> Iterator[Path]:
    """Create something hidden next to `path` and hold its lock; it is removed in any case."""
    while True:
        place = sibling(path, purpose)
        handle = None
        try:
            _BEGUN.add(place)
            make(place)
            try:
                handle = _locked(place)
            except (BlockingIOError, FileNotFoundError):  # another run removed it as a leftover before it was locked
                continue
            yield place
            return
        finally:
            _remove(place)
            _BEGUN.discard(place)
            _unlock(handle)


@contextmanager
def filling(place: Path) -> Iterator[None]:
    """Register a folder that is being filled, for `abandon`."""
    _BEGUN.add(place)
    try:
        yield
    finally:
        _BEGUN.discard(place)


@contextmanager
def written_by(process: subprocess.Popen[bytes] | None) -> Iterator[None]:
    """Register a process that fills folders for us, and would create them again if it ran longer than this one."""
    known = set() if process is None else {process}
    _WRITERS.update(known)
    try:
        yield
    finally:
        _WRITERS.difference_update(known)


def abandon() -> None:
    """Remove the folders in progress, of this process and of others for it; call it only before the process ends."""
    for process in tuple(_WRITERS):
        process.kill()
    for place in tuple(_BEGUN):
        if place.suffix != f".{ASIDE}":
            _remove(place)


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the lock of `path`, wherever it is moved; yield whether locks work. OSError: another process has it."""
    handle = _locked(path)
    try:
        yield handle is not None
    finally:
        _unlock(handle)


def removed_if_left(place: Path) -> bool:
    """Remove a folder that no running process holds, return whether it is gone; without locks nothing is removed."""
    with suppress(OSError), held(place) as is_locked:  # an error means that it is in use
        if is_locked:
            _remove(place)
        return not os.path.lexists(place)
    return False


def is_ours(place: Path) -> bool:
    """Return whether a path, or the link that is there, belongs to the user of this process."""
    try:
        return not hasattr(os, "geteuid") or place.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def tidy_beside(path: Path) -> None:
    """Remove leftovers of killed runs next to `path`, and restore what they moved; each gives a `DisjoinWarning`."""
    removed = []
    for leftover in _leftovers(path):
        with suppress(OSError), held(leftover) as is_locked:  # an error means that it is in use or not writable
            if not is_locked:
                continue
            if leftover.suffix == f".{ASIDE}" and not os.path.lexists(path):
                leftover.rename(path)
                words = f"Restored a folder that an interrupted run had moved: {printable(path.name)}."
                warnings.warn(words, DisjoinWarning, stacklevel=3)
                continue
            _remove(leftover)
            if not os.path.lexists(leftover):
                removed.append(printable(leftover.name))
    if removed:
        words = f"Removed leftovers of an interrupted run: {', '.join(removed)}."
        warnings.warn(words, DisjoinWarning, stacklevel=3)


def _tag(path: Path) -> str:
    """Return a short form of the name; names that are cut get a distinct mark, so that the original is found again."""
    if len(path.name) <= _LONGEST_NAME:
        return path.name
    return f"{path.name[:31]}~{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:8]}"


def _leftovers(path: Path) -> list[Path]:
    """Return files next to `path` with our names and our user as owner; the last one moved aside comes first."""
    ours = rf"\.{re.escape(_tag(path))}\.[0-9a-f]{{8}}\.({PARTIAL}|{ASIDE}|{PART})|\.disjoin\.[0-9a-f]{{8}}\.{PROBE}"
    found: list[tuple[bool, float, Path]] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if not re.fullmatch(ours, entry.name):
                continue
            facts, place = entry.stat(follow_symlinks=False), path.with_name(entry.name)
            wanted = stat.S_ISREG if place.suffix == f".{PART}" else stat.S_ISDIR
            if wanted(facts.st_mode) and is_ours(place):
                found.append((place.suffix != f".{ASIDE}", -facts.st_mtime, place))
    return [place for *_, place in sorted(found)]


def _locked(place: Path) -> int | None:
    """Return a handle with the lock, None without locks; an OSError if it is taken or the file is gone."""
    if fcntl is None:
        return None
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(handle), os.lstat(place)):
            raise FileNotFoundError(errno.ENOENT, "it was replaced")
    except (BlockingIOError, FileNotFoundError):
        os.close(handle)
        raise
    except OSError:  # this file system has no locks
        os.close(handle)
        return None
    return handle


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove(place: Path) -> None:
    if place.suffix in (f".{PARTIAL}", f".{ASIDE}"):
        shutil.rmtree(place, ignore_errors=True)
        return
    with suppress(OSError):
        if place.suffix == f".{PROBE}":
            place.rmdir()
        else:
            place.unlink()


# Storage other than local files: addresses with a scheme (s3://), and tables of Delta Lake, Iceberg and Hudi.

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?=/)")  # one letter is a disk of Windows
_PART = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
# The folder that marks a table, a file in it (if that matters), and Spark's name of the format.
_TABLES = (
    ("_delta_log", "", "Delta Lake", "delta"),
    (".hoodie", "", "Hudi", "hudi"),
    ("metadata", "*.avro", "Iceberg", "iceberg"),
    ("metadata", "*.metadata.json", "Iceberg", "iceberg"),
)

Exists = Callable[[str, str], bool]  # whether there is a folder, with a file of that name in it (if one is given)


def scheme_of(place: str) -> str | None:
    r"""Return the scheme of an address, None for a path.

    >>> [scheme_of(each) for each in ("s3://bucket/x", "dbfs:/x", "file:///x", "x/y", r"C:\x", "C:/x")]
    ['s3', 'dbfs', 'file', None, None, None]
    """
    found = _SCHEME.match(place)
    return found[1] if found else None


def scheme_in(place: str | Path) -> str | None:
    """Return the part of a path that was meant as a scheme, None if there is none: `Path` makes a folder of it.

    >>> scheme_in(Path("s3://bucket/x")), scheme_in("/plans/s3:/bucket/x"), scheme_in("a/b")
    ('s3:', 's3:', None)
    """
    return next((part for part in Path(place).parts if _PART.fullmatch(part)), None)


def require_no_scheme(place: str | Path) -> None:
    if (found := scheme_in(place)) is not None:
        raise InvalidParameter(
            f"expected a path to write to, found an address ({printable(found)}): write to a local or mounted folder, "
            "and copy it from there."
        )


def require_no_lake_table(place: str | Path, exists: Exists | None = None) -> None:
    """Raise for a Delta Lake, Iceberg or Hudi table: it keeps files of deleted rows and a log of the current ones."""
    exists = exists or _exists
    for folder in _with_parents(place if isinstance(place, str) else place.resolve().as_posix()):
        for marker, file, name, kind in _TABLES:
            if exists(f"{folder}/{marker}", file):
                raise InvalidParameter(
                    f"{printable(folder)} is a table of {name}: its files also contain deleted rows, and only its log "
                    "shows which rows are current. Read it with "
                    f"spark.read.format({kind!r}).load({printable(folder)!r}) "
                    "and pass that frame to disjoin.spark, or write it to a new Parquet file."
                )


def _exists(folder: str, file: str) -> bool:
    place = Path(folder)
    try:
        return any(place.glob(file)) if file else place.is_dir()
    except OSError:
        return False


def _with_parents(place: str) -> list[str]:
    """Return a path or address and all folders above it.

    >>> _with_parents("s3://bucket/table/day=1"), _with_parents("/lake/table")
    (['s3://bucket/table/day=1', 's3://bucket/table', 's3://bucket'], ['/lake/table', '/lake'])
    """
    start = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/+", place)
    top = start[0] if start else "/" if place.startswith("/") else ""
    parts = [part for part in place[len(top) :].split("/") if part]
    return [top + "/".join(parts[:end]) for end in range(len(parts), 0, -1)]


# Files of synthetic data, written atomically.

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
    """Open a file that is renamed when the block ends without an error; a `private` one is for its owner only.
    Missing parent folders are created. Raises `CannotWrite`, and then nothing remains."""
    _require_name(path)
    made: list[Path] = []
    try:
        if path.is_dir():  # found before the work, not when the file is renamed
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        tidy_beside(path)
        for folder in reversed([each for each in (path.parent, *path.parent.parents) if not each.exists()]):
            folder.mkdir(exist_ok=True)
            made.append(folder)
        opener = owner_only if private else None
        with begun(path, PART, lambda file: open(file, "xb", opener=opener).close()) as unfinished:
            with unfinished.open("wb") as file:
                yield file
            unfinished.replace(path)
        made.clear()
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0) or f"{error.strerror or error}: choose another place."
        raise CannotWrite(f"cannot write {printable(path)}. {advice}") from error
    finally:
        for folder in reversed(made):
            with suppress(OSError):  # already used by another process
                folder.rmdir()


def _require_name(path: Path) -> None:
    if not path.name:
        raise InvalidParameter("the output path is empty, or a folder. Name a file.")
    require_no_scheme(path)
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InvalidParameter(f"the output path {printable(path)} has characters that file names cannot have.")
