"""Where a ledger lies: beside the data, found from there upwards, readable by its owner alone, never in a release."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from disjoin.errors import CannotWrite, InvalidParameter, OutputExists, UnreadableInput
from disjoin.escaping import legible
from disjoin.releases.datapackage import DESCRIPTOR
from disjoin.releases.descriptor import is_release
from disjoin.releases.destination import advice_on

LEDGER = "disjoin-ledger"
_OWNER_ONLY = 0o600


def nearest_ledger(source: str | Path) -> Path | None:
    """Return the ledger in the folder of a file, or in the nearest folder above; for `-`, from the current folder.

    A link to the file counts as lying where the link is, and after that where the file is.
    """
    given = Path.cwd() / LEDGER if str(source) == "-" else Path(source).absolute()
    for folder in dict.fromkeys([*given.parents, *given.resolve().parents]):
        file = folder / LEDGER
        if os.path.lexists(file) and not file.is_dir():  # a link that leads nowhere is a ledger that cannot be read
            return file
    return None


def ledger_at(path: str | Path) -> Path:
    """Return the ledger that a path means: the file itself, or the one in the folder; raise if there is none."""
    file = Path(path) / LEDGER if Path(path).is_dir() else Path(path)
    if not os.path.lexists(file):
        raise UnreadableInput(
            f"expected a ledger, found none. Start one with disjoin ledger start {legible(file.parent)}",
            source=legible(file),
        )
    return file.absolute()


def require_private(file: Path) -> None:
    """Raise unless the ledger is a file, in no release folder, that nobody but its owner may read."""
    _require_outside(file)
    try:
        status = file.stat()
    except OSError as failure:
        reason = f"this ledger cannot be read. {advice_on(failure)}"
        raise UnreadableInput(reason, source=legible(file)) from failure
    if not file.is_file():
        raise UnreadableInput("expected a ledger, which is a file, found something else.", source=legible(file))
    if os.name == "posix" and status.st_mode & 0o077:
        raise UnreadableInput(
            "a ledger is private, and others may read or change this one. If nobody has, take their permission away "
            f"(chmod 600 {legible(file)}); otherwise remove it and start another.",
            source=legible(file),
        )


def make_private_file(folder: Path) -> Path:
    """Make the empty file of a new ledger, with mode 0600; raise if there is one, or if it would be published."""
    file = folder.absolute() / LEDGER
    if not folder.is_dir():
        raise InvalidParameter(f"a ledger is started in a folder that is there, and {legible(folder)} is none.")
    _require_outside(file)
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY))
    except FileExistsError:
        raise OutputExists(f"{legible(file)} already exists. It goes on as it is.", file) from None
    except OSError as failure:
        raise CannotWrite(f"A ledger cannot be written to {legible(file)}. {advice_on(failure)}") from failure
    return file


def _require_outside(file: Path) -> None:
    for folder in _folders_of(file):
        if (folder / DESCRIPTOR).is_file() and is_release(folder):
            raise InvalidParameter(
                f"a ledger is private, and {legible(folder)} is a release folder, which goes to others. "
                "Keep the ledger beside the data."
            )


def _folders_of(file: Path) -> Iterator[Path]:
    yield from dict.fromkeys([*file.absolute().parents, *file.resolve().parents])
