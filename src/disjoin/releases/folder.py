"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disjoin.errors import CannotWrite, DisjoinError, OutputExists
from disjoin.escaping import legible
from disjoin.releases.destination import Replaceable, advice_on
from disjoin.unfinished import ASIDE, PARTIAL, begun, held, sibling

_HERE, _RENAME_EXCHANGE = -100, 2  # Linux: AT_FDCWD and the flag of renameat2


@contextmanager
def whole_or_nothing(path: Path, *, replace: Replaceable | None = None, what: str = "The release") -> Iterator[Path]:
    """Give a hidden folder beside `path` to be filled; afterwards it becomes `path`, or replaces what is there.

    Only what `replace` has nothing against is replaced; it is asked at the last moment, as somebody may have put
    something there during the work. `what` is written; messages begin with it.

    Whatever goes wrong, an interrupt included, the hidden folder and the parents made for it are removed again, and
    what stood at `path` still stands there.
    """
    made: list[Path] = []
    try:
        _make_parents(path.parent, made)
        with begun(path, PARTIAL, Path.mkdir) as filling:
            yield filling
            _flush(filling)
            _put_in_place(filling, path, replace=replace)
        _flush_folder(path.parent)
        made.clear()
    except DisjoinError:
        raise
    except OSError as failure:
        raise CannotWrite(_explain(what, path, failure)) from failure
    finally:
        for parent in reversed(made):
            with suppress(OSError):  # somebody else uses it by now
                parent.rmdir()


def _make_parents(parent: Path, made: list[Path]) -> None:
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        made.append(folder)


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
            raise OutputExists(f"{legible(path)} was changed meanwhile and will not be overwritten: {objection}", path)
        _exchange(complete, path)
        return
    try:
        complete.rename(path)
    except OSError as failure:
        if path.exists():  # it was free when we began
            raise OutputExists(
                f"{legible(path)} was made by somebody else meanwhile. Choose another place.", path
            ) from failure
        raise


def _exchange(complete: Path, path: Path) -> None:
    """Let the new folder and the old one change places, in one step where the system can, and remove the old one."""
    if _swapped(complete, path):
        shutil.rmtree(complete)
        return
    aside = sibling(path, ASIDE)
    with held(path):  # so that no other run puts it back meanwhile
        path.rename(aside)
        try:
            complete.rename(path)
        finally:
            if not path.exists():
                aside.rename(path)
        shutil.rmtree(aside)


def _swapped(complete: Path, path: Path) -> bool:
    """Exchange two folders in one step, so that a whole one stands at the path at every moment; False if that fails."""
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, TypeError, AttributeError):  # not Linux
        return False
    here = ctypes.c_int(_HERE)
    given = ctypes.c_char_p(os.fsencode(complete)), ctypes.c_char_p(os.fsencode(path))
    return bool(rename(here, given[0], here, given[1], ctypes.c_uint(_RENAME_EXCHANGE)) == 0)


def _explain(what: str, path: Path, failure: OSError) -> str:
    return f"{what} could not be written to {legible(path)}, and nothing was left behind. {advice_on(failure)}"
