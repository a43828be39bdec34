"""How many source files, functions and changes of room one command goes through.

python -m benchmarks.footprint            publishes a small basket file and prints the figures
python -m benchmarks.footprint --list     lists the files too

tests/house holds the source to the number of files.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from types import FrameType
from typing import Any

import disjoin
from disjoin.compiling.decision import decision
from disjoin.compiling.kernel import Kernel

SOURCE = Path(disjoin.__file__).parent
HOME = str(SOURCE)
KERNEL_CALL = Kernel.__call__.__code__
KERNEL_FILE = KERNEL_CALL.co_filename
MOST_FILES = 90  # a newcomer can follow no more


class Footprint:
    """The functions that were entered, by file, and how often the work went from one room to another."""

    def __init__(self) -> None:
        self.functions: dict[str, set[str]] = {}
        self.switches = 0
        self._room = ""
        self._loops = threading.local()  # per thread, the frame of the loop that runs

    def enter(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; the bodies of modules, which run when they are imported, do not count.

        A loop that can be compiled is one step: it is entered, and what it calls is not.
        """
        running = getattr(self._loops, "frame", None)
        if running is not None:
            if event == "return" and frame is running:
                self._loops.frame = None
            return
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(HOME) or frame.f_code.co_name == "<module>":
            return
        if frame.f_back is not None and frame.f_back.f_code is KERNEL_CALL and name != KERNEL_FILE:
            self._loops.frame = frame
        file = Path(name).relative_to(SOURCE)
        self.functions.setdefault(str(file), set()).add(frame.f_code.co_qualname)
        room = file.parts[0]
        self.switches += room != self._room
        self._room = room


def footprint_of(arguments: list[str]) -> Footprint:
    """Run a command and return where it went."""
    from disjoin.cli.run import run

    found = Footprint()
    threading.setprofile(found.enter)
    sys.setprofile(found.enter)
    try:
        code = run(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    assert code == 0, "the command failed"
    return found


@contextmanager
def interpreted() -> Iterator[None]:
    """Run loops as plain Python, whatever the process has decided before: to load compiled ones enters other files."""
    before = decision.compiled, decision.may_compile, decision.limit
    decision.compiled, decision.may_compile, decision.limit = False, False, inf
    try:
        yield
    finally:
        decision.compiled, decision.may_compile, decision.limit = before


def disassociation() -> Footprint:
    """Publish a small basket file."""
    with tempfile.TemporaryDirectory() as folder, interpreted():
        file = Path(folder) / "baskets.txt"
        file.write_text("\n".join(f"bread milk t{i % 7} u{i % 11}" for i in range(300)) + "\n", encoding="utf-8")
        command = ["disassociate", str(file), "-k", "5", "-m", "2", "--quiet", "-o"]
        footprint_of([*command, f"{folder}/first"])  # what runs when modules are imported does not count
        return footprint_of([*command, f"{folder}/second"])


def main() -> None:
    """Print the figures; exit 1 if there are more files than a newcomer can follow."""
    found = disassociation()
    functions = sum(map(len, found.functions.values()))
    print(
        f"disjoin disassociate: {len(found.functions)} files, {functions} functions, {found.switches} switches of room"
    )
    if "--list" in sys.argv:
        for file, names in sorted(found.functions.items()):
            print(f"  {file}: {', '.join(sorted(names))}")
    sys.exit(len(found.functions) > MOST_FILES)


if __name__ == "__main__":
    main()
