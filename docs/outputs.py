"""Run the commands of a page and compare or refresh the output that the page shows.

`python docs/make_reference.py --outputs [PAGE ...]` refreshes; tests/docs/test_outputs.py compares. On a page with a
```console fence, fences count from the top to the last of these, in one temporary folder:

    ```console                  `$ disjoin ...` and the output that follows it
    ```                         lines that begin with `disjoin ` run, and their output is not shown
    ```csv people.csv           a file of this name is written (any language: ```text items.txt, ```toml plan.toml)
    ```toml                     without a name: plan.toml

Fences of other languages (```sh, ```python, ```text) are not run. In a ```console fence a command may also be `cat`,
`head`, `ls` or `python FILE`; a command that must fail ends in `# exit code 3`; a line that ends in `\\` goes on in
the next one. A line `...` in the output stands for any lines, so that only the first and last lines are shown.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PROGRAMS = ("cat", "head", "ls", "python")
LEFT_OUT = "..."
SECONDS = 900


@dataclass(frozen=True)
class Command:
    """A command of a page: its lines as written, and the lines of output below it."""

    written: list[str]
    shown: list[str]

    @property
    def line(self) -> str:
        """The command on one line, without the prompt."""
        first, *more = self.written
        lines = [first.removeprefix("$ "), *(line.removeprefix("> ").strip() for line in more)]
        return " ".join(line.removesuffix("\\").strip() for line in lines)

    @property
    def exit_code(self) -> int:
        """What the command must end with."""
        found = re.search(r"# exit code (\d+)", self.line)
        return int(found[1]) if found else 0


def has_outputs(text: str) -> bool:
    """Whether a page shows commands with their output."""
    return any(found[1].strip() == "console" for found in FENCE.finditer(text))


def refreshed(text: str, name: str = "page") -> str:
    """Return the page with the output that its commands have now."""
    parts, end = [], 0
    with TemporaryDirectory() as outside:
        folder, home = Path(outside, "work"), Path(outside, "home")
        folder.mkdir()
        home.mkdir()
        fences = list(FENCE.finditer(text))
        last = max((number for number, one in enumerate(fences) if one[1].strip() == "console"), default=-1)
        for one in fences[: last + 1]:  # what comes later changes no output
            parts += [text[end : one.start()], _fence(one, name, folder, home)]
            end = one.end()
    return "".join([*parts, text[end:]])


def _fence(found: re.Match[str], name: str, folder: Path, home: Path) -> str:
    language, _, file = found[1].strip().partition(" ")
    body = found[2]
    if language == "console":
        return "\n".join(["```console", *_console(body, name, folder, home), "```"])
    if not language:
        for line in body.splitlines():
            if line.startswith("disjoin "):
                _run(Command([line], []), name, folder, home)
    elif file or language == "toml":
        path = folder / (file.strip() or "plan.toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    return found[0]


def commands_of(body: str) -> Iterator[Command]:
    """Return the commands of a ```console fence."""
    lines = body.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    if lines and starts[:1] != [0]:
        raise ValueError(f"a console fence begins with `$ `, not with {lines[0]!r}")
    for start, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        end = start + 1
        while lines[end - 1].endswith("\\"):
            end += 1
        yield Command(lines[start:end], lines[end:stop])


def _console(body: str, name: str, folder: Path, home: Path) -> Iterator[str]:
    for command in commands_of(body):
        output = _run(command, name, folder, home)
        yield from command.written
        yield from _as_shown(output, command.shown)


def _as_shown(output: list[str], shown: list[str]) -> list[str]:
    """Return the output; where the page leaves lines out, as many of the first and last lines as the page has."""
    lines = list(shown)
    while lines and not lines[-1]:
        lines.pop()
    blank = [""] if len(lines) < len(shown) else []  # separates two commands
    if LEFT_OUT not in lines:
        return output + blank
    pattern = "\n".join(".*" if line == LEFT_OUT else re.escape(line) for line in lines)
    if re.fullmatch(pattern, "\n".join(output), flags=re.DOTALL):
        return lines + blank
    above, below = lines.index(LEFT_OUT), lines[::-1].index(LEFT_OUT)
    return [*output[:above], LEFT_OUT, *output[max(above, len(output) - below) :], *blank]


def _run(command: Command, name: str, folder: Path, home: Path) -> list[str]:
    program, *arguments = shlex.split(command.line, comments=True)
    if program == "disjoin":
        called = [sys.executable, "-m", "disjoin", *arguments]
    elif program in PROGRAMS:
        called = [sys.executable if program == "python" else program, *arguments]
    else:
        raise ValueError(f"{name}: `{command.line}` is not run; commands are disjoin, {', '.join(PROGRAMS)}")
    ran = subprocess.run(
        called,
        cwd=folder,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
    )
    if ran.returncode != command.exit_code:
        raise ValueError(
            f"{name}: `{command.line}` ended with {ran.returncode}, not {command.exit_code}:\n{ran.stdout[-3000:]}"
        )
    here = {str(folder), str(folder.resolve())}
    for path in sorted(here, key=len, reverse=True):
        ran.stdout = ran.stdout.replace(f"{path}{os.sep}", "").replace(path, ".")
    return [line.rstrip() for line in ran.stdout.splitlines()]


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of a new user with a terminal of 80 columns, without colours."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "DISJOIN_", "LC_"))}
    kept |= {name: os.environ[name] for name in ("DISJOIN_COMPILE",) if name in os.environ}
    return kept | {
        "HOME": str(home),
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "NUMBA_DISABLE_JIT": "0",
    }


def words_of(pages: list[Path]) -> dict[Path, int]:
    """Return the number of words of each page, as `wc -w` counts them."""
    return {page: len(page.read_text(encoding="utf-8").split()) for page in pages}
