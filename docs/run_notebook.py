"""Run a page that is written like a notebook: `python docs/run_notebook.py docs/start/received-a-release.md [DATA]`.

The page gets what its cells really print (a test fails when it says something else). DATA is a folder of files that
some cells need; where a file is absent, its cells are left as they are.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

# A cell is a fenced block of Python, or one without a language whose lines are commands; a fenced block of text right
# below it is what it prints. A comment right above it may name a file that it needs.
CELL = re.compile(
    r"(?:^<!-- needs (?P<needs>\S+) -->\n)?^```(?P<language>python)?\n(?P<code>.*?)^```\n"
    r"(?:\n```text\n(?P<printed>.*?)^```\n)?",
    flags=re.MULTILINE | re.DOTALL,
)


class Outcome(NamedTuple):
    """A cell that was run: its code, the file that it needs, what the page says that it prints, what it printed."""

    code: str
    needs: str | None
    said: str | None
    printed: str
    place: tuple[int, int]  # of the words that the page has for it

    @property
    def is_true(self) -> bool:
        """Whether the page tells what was printed; blanks may differ, as versions of libraries lay tables out anew."""
        return self.said is None or self.said.split() == self.printed.split()


def outcomes(text: str) -> Iterator[Outcome]:
    """Run the cells of a page in order, in this folder and in one namespace; without those whose file is not here."""
    namespace: dict[str, Any] = {}
    for cell in CELL.finditer(text):
        needs, said = cell["needs"], cell["printed"]
        if needs and not Path(needs).exists():
            continue
        printed = _python(cell["code"], namespace) if cell["language"] else _commands(cell["code"])
        yield Outcome(cell["code"], needs, said, printed, cell.span("printed"))


def _python(code: str, namespace: dict[str, Any]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as screen:
        exec(compile(code, "<cell>", "exec"), namespace)
    return screen.getvalue()


def _commands(code: str) -> str:
    from disjoin.cli.main import run

    with contextlib.redirect_stdout(io.StringIO()) as screen:
        for line in code.splitlines():
            command = shlex.split(line, comments=True)
            if command and run(command[1:]) != 0:
                raise RuntimeError(f"this command failed: {line}")
    return screen.getvalue()


def rewritten(text: str) -> str:
    """Return the page with what its cells print now."""
    for outcome in reversed(list(outcomes(text))):
        if outcome.said is not None:
            first, last = outcome.place
            lines = [line.rstrip() for line in outcome.printed.splitlines()]
            text = text[:first] + "\n".join(lines) + "\n" + text[last:]
    return text


def as_notebook(text: str) -> str:
    """Return a page as a Jupyter notebook (format 4.5): words as Markdown, cells as code, commands for a shell.

    What cells print is left out, as whoever opens it runs them.
    """
    cells, last = [], 0
    for cell in CELL.finditer(text):
        cells.append(("markdown", text[last : cell.start()]))
        code = cell["code"] if cell["language"] else "".join(f"!{line}\n" for line in cell["code"].splitlines())
        cells.append(("code", code))
        last = cell.end()
    cells.append(("markdown", text[last:]))
    written = [
        {"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": words.strip().splitlines(keepends=True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for place, (kind, words) in enumerate(cells)
        if words.strip()
    ]
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": written, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def main(page: str, data: str | None = None) -> None:
    """Write the page anew, from an empty folder."""
    path = Path(page).resolve()
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for needed in {cell["needs"] for cell in CELL.finditer(text) if cell["needs"] and data}:
            shutil.copy(Path(str(data)) / needed, folder)
        with contextlib.chdir(folder):
            path.write_text(rewritten(text), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
