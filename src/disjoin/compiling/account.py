"""What interpreting has cost on this machine, so that a busy one compiles in the end.

Whole seconds of processor, of each loop that took one or more and of all together that are not compiled yet, in a small
file beside the compiled loops. Nothing else of a run is noted; where nothing can be written, nothing is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from disjoin.compiling import places

FILE = "interpreted.json"
ALL = "all"


class MachineAccount:
    """Seconds that earlier runs have spent on interpreting, by the fingerprint of the loop; `ALL` is of all loops."""

    def __init__(self) -> None:
        self._before: dict[str, int] | None = None

    def before(self, name: str) -> int:
        """Return how many seconds earlier runs have spent on a loop, or on all of them."""
        if self._before is None:
            self._before = _read()
        return self._before.get(name, 0)

    def enter(self, seconds: dict[str, float], bought: Iterable[str]) -> None:
        """Add what this run has spent; loops that are compiled by now are struck off, and taken from the sum."""
        entries = _read()
        for name, spent in seconds.items():
            entries[name] = entries.get(name, 0) + int(spent)
        for name in bought:
            entries[ALL] -= entries.pop(name, 0)
        with suppress(OSError):
            file = _file()
            if file is not None:
                places.write(file, json.dumps({name: spent for name, spent in entries.items() if spent > 0}).encode())

    def close(self) -> None:
        """Forget everything: all loops are compiled from now on."""
        with suppress(OSError):
            file = _file()
            if file is not None:
                file.unlink(missing_ok=True)


account = MachineAccount()


def _file() -> Path | None:
    folder = places.folder()
    return None if folder is None else folder / FILE


def _read() -> dict[str, int]:
    """Return the entries; none if there is no file, or it is damaged."""
    with suppress(OSError, ValueError):
        file = _file()
        found = json.loads(file.read_bytes()) if file is not None else {}
        if isinstance(found, dict) and all(type(spent) is int for spent in found.values()):
            return found
    return {}
