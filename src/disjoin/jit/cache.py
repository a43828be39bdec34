"""Cache of compiled loops on disk: next to the package, in the user's cache or in a private temporary folder. A file
begins with a hash of the rest; a file that is truncated, damaged or missing is compiled again. Errors here never stop
a run."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from disjoin.errors import DisjoinWarning

if TYPE_CHECKING:
    from disjoin.jit.kernel import Kernel

VARIABLE = "NUMBA_CACHE_DIR"  # numba's own variable, which has priority
ENDING = ".compiled"
_DIGEST = hashlib.sha256().digest_size


def places() -> Iterator[Path]:
    wish = os.environ.get(VARIABLE)
    if wish:
        yield Path(wish) / "disjoin"
    yield Path(__file__).parent.parent / "__pycache__" / "compiled"
    with suppress(RuntimeError, KeyError):  # the user has no home folder
        yield _user_cache() / "disjoin" / "compiled"
    with suppress(OSError):  # there is no folder for temporary files
        user = os.getuid() if hasattr(os, "getuid") else "user"
        yield Path(tempfile.gettempdir()) / f"disjoin-compiled-{user}"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def is_private(folder: Path) -> bool:
    """Return whether a folder is ours and not writable for others, because its content is executed."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    is_foreign = hasattr(os, "getuid") and found.st_uid not in (0, os.getuid())
    return not is_foreign and not (os.name == "posix" and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def load(name: str) -> bytes | None:
    for folder in places():
        with suppress(OSError):
            content = (folder / (name + ENDING)).read_bytes()
            if is_private(folder) and hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
                return content[_DIGEST:]
    return None


def is_kept(name: str) -> bool:
    return name + ENDING in _names()


def keep(name: str, content: bytes) -> bool:
    """Store content under a name in the first writable folder; the content that it replaces is removed."""
    place = folder()
    if place is None:
        return False
    try:
        _write(place / (name + ENDING), hashlib.sha256(content).digest() + content)
    except OSError:  # full, or removed in the meantime
        return False
    _names().add(name + ENDING)
    with suppress(OSError):
        for other in place.glob(f"{name.rpartition('.')[0]}.*{ENDING}"):
            if other.name != name + ENDING:
                other.unlink()
    return True


def _write(file: Path, content: bytes) -> None:
    handle, unfinished = tempfile.mkstemp(dir=file.parent, prefix="unfinished-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        Path(unfinished).chmod(0o644)  # other users may run code that an administrator has compiled
        Path(unfinished).replace(file)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


@cache
def folder() -> Path | None:
    for place in places():
        with suppress(OSError):
            place.mkdir(mode=0o755 if place.parent.name == "__pycache__" else 0o700, parents=True, exist_ok=True)
            if is_private(place):
                with tempfile.NamedTemporaryFile(dir=place, prefix="unfinished-"):
                    return place
    return None


@cache
def warn_homeless() -> None:
    warnings.warn(
        "Compiled code cannot be stored, because neither the package's folder nor the user's cache nor a folder for "
        f"temporary files is writable: every large run compiles again. Set {VARIABLE} to a writable folder.",
        DisjoinWarning,
        stacklevel=2,
    )


def has(kernel: Kernel) -> bool:
    from disjoin.jit.fingerprint import fingerprint

    return any(name.split(".")[-2] == fingerprint(kernel) for name in _names())


@cache
def _names() -> set[str]:
    found: set[str] = set()
    for folder in places():
        with suppress(OSError):
            found.update(file.name for file in folder.iterdir() if file.suffix == ENDING)
    return found
