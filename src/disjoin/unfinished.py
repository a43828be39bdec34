"""Files and folders that are not finished yet: hidden, locked while somebody fills them, and removed if nobody does.

A run that is killed cannot tidy up. Its lock ends with it, so the next run that writes to the same place can tell what
was left behind from what another run is still filling. Where there are no locks, nothing is touched.
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

from disjoin.errors import DisjoinWarning
from disjoin.escaping import legible

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PARTIAL, ASIDE, PROBE, PART = "partial", "old", "probe", "part"  # folders being filled, aside, tried; a file
_LONGEST_NAME = 40
_WRITERS: set[subprocess.Popen[bytes]] = set()  # other processes that fill it
_BEGUN: set[Path] = set()  # what this process fills now, for a process that cannot wait until it is left


def sibling(path: Path, purpose: str) -> Path:
    """Return a hidden name beside `path` that nobody else has."""
    # Not from tempfile: its folders are closed to everybody else, and a release is to be shared.
    return path.with_name(f".{_tag(path)}.{secrets.token_hex(4)}.{purpose}")


def owner_only(path: str | Path, flags: int) -> int:
    """Open a private file for `open(..., opener=owner_only)`: a new one has mode 0600 from the start."""
    return os.open(path, flags, 0o600)


def make_owner_only(folder: Path) -> None:
    """Make a private folder: its mode is 0700 from the start."""
    folder.mkdir(mode=0o700)


@contextmanager
def begun(path: Path, purpose: str, make: Callable[[Path], object]) -> Iterator[Path]:
    """Make something hidden beside `path` and hold its lock; whatever happens, it is gone afterwards."""
    while True:
        place = sibling(path, purpose)
        handle = None
        try:
            _BEGUN.add(place)
            make(place)
            try:
                handle = _locked(place)
            except (BlockingIOError, FileNotFoundError):  # somebody took it for a leftover before it was locked
                continue
            yield place
            return
        finally:
            _remove(place)
            _BEGUN.discard(place)
            _unlock(handle)


@contextmanager
def filling(place: Path) -> Iterator[None]:
    """Know of a folder that is filled meanwhile, in case that the process has to end at once."""
    _BEGUN.add(place)
    try:
        yield
    finally:
        _BEGUN.discard(place)


@contextmanager
def written_by(process: subprocess.Popen[bytes] | None) -> Iterator[None]:
    """Know of a process that fills folders for us, and would make them anew if it outlived us."""
    known = set() if process is None else {process}
    _WRITERS.update(known)
    try:
        yield
    finally:
        _WRITERS.difference_update(known)


def abandon() -> None:
    """Remove what this process is filling, by itself or by others; call it only where the process ends at once."""
    for process in tuple(_WRITERS):
        process.kill()
    for place in tuple(_BEGUN):
        if place.suffix != f".{ASIDE}":
            _remove(place)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of what stands at `path`, wherever it is moved; somebody else who has it is an OSError."""
    handle = _locked(path)
    try:
        yield
    finally:
        _unlock(handle)


def removed_if_left(place: Path) -> bool:
    """Remove a folder that no running process holds, and tell whether it is gone; without locks nothing is touched."""
    handle = None
    try:
        handle = _locked(place)
        if handle is not None:
            _remove(place)
        return not os.path.lexists(place)
    except OSError:  # it is in use
        return False
    finally:
        _unlock(handle)


def is_ours(place: Path) -> bool:
    """Tell whether a path, or the link that is there, belongs to the user of this process."""
    try:
        return _is_ours(place.lstat())
    except OSError:
        return False


def tidy_beside(path: Path) -> None:
    """Remove what killed runs have left beside `path`, and put back what stood there; each is a `DisjoinWarning`."""
    removed = []
    for leftover in _leftovers(path):
        handle = None
        try:
            handle = _locked(leftover)
            if handle is None:
                continue
            if leftover.suffix == f".{ASIDE}" and not os.path.lexists(path):
                leftover.rename(path)
                _say(f"Put back what an interrupted run had moved aside: {legible(path.name)}.")
                continue
            _remove(leftover)
            if not os.path.lexists(leftover):
                removed.append(legible(leftover.name))
        except OSError:  # somebody is filling it, or it may be looked at only
            continue
        finally:
            _unlock(handle)
    if removed:
        _say(f"Removed what an interrupted run had left behind: {', '.join(removed)}.")


def _say(words: str) -> None:
    warnings.warn(words, DisjoinWarning, stacklevel=4)


def _tag(path: Path) -> str:
    """Return the name in short; names that are cut get a mark of their own, for what stepped aside must find home."""
    if len(path.name) <= _LONGEST_NAME:
        return path.name
    return f"{path.name[:31]}~{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:8]}"


def _leftovers(path: Path) -> list[Path]:
    """Return what has a name of ours beside `path` and belongs to us; what stepped aside last comes first."""
    ours = rf"\.{re.escape(_tag(path))}\.[0-9a-f]{{8}}\.({PARTIAL}|{ASIDE}|{PART})|\.disjoin\.[0-9a-f]{{8}}\.{PROBE}"
    found: list[tuple[bool, float, Path]] = []
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if not re.fullmatch(ours, entry.name):
                continue
            facts = entry.stat(follow_symlinks=False)
            wanted = stat.S_ISREG if entry.name.endswith(f".{PART}") else stat.S_ISDIR
            if wanted(facts.st_mode) and _is_ours(facts):
                place = path.with_name(entry.name)
                found.append((place.suffix != f".{ASIDE}", -facts.st_mtime, place))
    return [place for *_, place in sorted(found)]


def _is_ours(facts: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or facts.st_uid == os.geteuid()


def _locked(place: Path) -> int | None:
    """Return a handle that holds the lock, or None where there are no locks.

    Raises `BlockingIOError` if somebody else has it and `FileNotFoundError` if what it is on has gone.
    """
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
    except OSError:  # this file system knows no locks
        os.close(handle)
        return None
    return handle


def _unlock(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove(place: Path) -> None:
    """Remove a file, or a folder with all that is in it; a probe is empty."""
    if place.suffix in (f".{PARTIAL}", f".{ASIDE}"):
        shutil.rmtree(place, ignore_errors=True)
        return
    with suppress(OSError):
        if place.suffix == f".{PROBE}":
            place.rmdir()
        else:
            place.unlink()
