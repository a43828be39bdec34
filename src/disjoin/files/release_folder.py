"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disjoin.errors import CannotWrite, DisjoinError, OutputExists
from disjoin.files.destination import advice_on
from disjoin.files.wording import legible


@contextmanager
def whole_or_nothing(path: Path, *, replace: bool = False, what: str = "The release") -> Iterator[Path]:
    """Give a hidden folder beside `path` to be filled; afterwards it becomes `path`, or replaces what is there.

    `what` is written; messages begin with it.

    Whatever goes wrong, an interrupt included, the hidden folder and the parents made for it are removed again, and
    what stood at `path` still stands there.
    """
    made: list[Path] = []
    filling = _sibling(path, "partial")
    try:
        _make_parents(path.parent, made)
        filling.mkdir()
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
        shutil.rmtree(filling, ignore_errors=True)
        for parent in reversed(made):
            with suppress(OSError):  # somebody else uses it by now
                parent.rmdir()


def _sibling(path: Path, purpose: str) -> Path:
    # Not from tempfile: its folders are closed to everybody else, and a release is to be shared.
    return path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.{purpose}")


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


def _put_in_place(complete: Path, path: Path, *, replace: bool) -> None:
    if replace and path.exists():
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
    """Let the old folder step aside for the new one, and come back if that fails."""
    aside = _sibling(path, "old")
    path.rename(aside)
    try:
        complete.rename(path)
    finally:
        if not path.exists():
            aside.rename(path)
    shutil.rmtree(aside)


def _explain(what: str, path: Path, failure: OSError) -> str:
    return f"{what} could not be written to {legible(path)}, and nothing was left behind. {advice_on(failure)}"
