"""Size of the source, and files, functions and call depth of one `disjoin disassociate`: figures without a limit.

python -m benchmarks.footprint            prints the size, publishes 300 baskets, prints what was called
python -m benchmarks.footprint --list     lists the files and their functions too

A function counts when it is called, in any thread, and not while its module is imported. Loops are interpreted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from types import FrameType
from typing import Any

import disjoin

SOURCE = Path(disjoin.__file__).parent
LEAVES = ("studio", "spark", "lab")
LOOP = "split_parts"  # HORPART's loop


class Footprint:
    """The functions of the package that were called, by file, and how many of its frames lead to HORPART's loop."""

    def __init__(self) -> None:
        self.functions: dict[str, set[str]] = {}
        self.frames_to_loop = 0

    def enter(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a call."""
        code = frame.f_code
        if event == "call" and _is_ours(frame) and code.co_name != "<module>":
            file = Path(code.co_filename).relative_to(SOURCE).as_posix()
            self.functions.setdefault(file, set()).add(code.co_qualname)
            if code.co_name == LOOP:
                self.frames_to_loop = max(self.frames_to_loop, _depth(frame))


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(f"{SOURCE}{os.sep}")


def _depth(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += _is_ours(frame)
        frame = frame.f_back
    return depth


def footprint_of(arguments: list[str]) -> Footprint:
    """Run a command and return what it called."""
    from disjoin.cli.main import run

    found = Footprint()
    threading.setprofile(found.enter)
    sys.setprofile(found.enter)
    try:
        code = run(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    if code != 0:
        sys.exit(f"The command ended with exit code {code}.")
    return found


def size() -> str:
    """Return lines and files of the core and of everything, import levels, top-level modules and public names."""
    files = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCE.rglob("*.py")}
    core = {file: n for file, n in files.items() if file.relative_to(SOURCE).parts[0] not in LEAVES}
    rules = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    layers = rules["tool"]["importlinter"]["contracts"][0]["layers"]
    return (
        f"core {sum(core.values()):,} lines in {len(core)} files, all {sum(files.values()):,} in {len(files)}, "
        f"{len(layers)} import levels (leaf packages included), {len(list(SOURCE.glob('*.py')))} top-level modules, "
        f"{len(disjoin.__all__)} public names"
    )


def main() -> None:
    """Publish a small basket file twice, and print the figures of the second run, which imports nothing."""
    os.environ["DISJOIN_COMPILE"] = "never"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "baskets.txt")
        file.write_text("\n".join(f"bread milk t{i % 7} u{i % 11}" for i in range(300)) + "\n", encoding="utf-8")
        command = ["disassociate", str(file), "-k", "5", "-m", "2", "--threads", "1", "--quiet", "--output"]
        footprint_of([*command, f"{folder}/first"])
        found = footprint_of([*command, f"{folder}/second"])
    print(size())
    functions = sum(map(len, found.functions.values()))
    print(
        f"disjoin disassociate: {len(found.functions)} files, {functions} functions, "
        f"{found.frames_to_loop} frames to HORPART's loop"
    )
    if "--list" in sys.argv:
        for name, names in sorted(found.functions.items()):
            print(f"  {name}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
