"""Output of the command line: text, tables, progress, and options as they are typed. Control characters are removed."""

from __future__ import annotations

import functools
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from disjoin.errors import DisjoinError, Placeholder, use_one_of
from disjoin.progress import STAGES, Progress, silent, told_to
from disjoin.text import json_text, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from disjoin.methods.settings import Setting


def say(*lines: str, err: bool = False) -> None:
    """Print lines of plain text; what would end a line within one of them is written out."""
    for line in lines:
        click.echo(printable(line), err=err)


def say_text(text: str, *, err: bool = False) -> None:
    """Print a text of several lines that is ours, or whose foreign parts are legible already."""
    click.echo(printable(text.removesuffix("\n"), lines=True), err=err)


def say_styled(*pieces: str | tuple[str, str]) -> None:
    """Print one line of pieces, each a text, or a text with its style; brackets in a text are brackets."""
    from rich.text import Text

    styled = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    screen().print(Text.assemble(*((printable(text), style) for text, style in styled)), soft_wrap=True)


def flag_of(name: str) -> str:
    """Return the option that has the name of a setting.

    >>> flag_of("blank_words")
    '--blank-words'
    """
    return f"--{name.replace('_', '-')}"


def setting_flag(setting: Setting) -> str:
    if setting.flag.startswith("-"):
        return setting.flag
    flag = flag_of(setting.flag or setting.name)
    return f"{flag}/--no-{flag[2:]}" if setting.default is True else flag


def option_words(flag: str, value: object, *, is_repeated: bool = False) -> list[str]:
    """Return an option as it is typed; `flag` may be a pair such as --refine/--no-refine.

    >>> option_words("--quasi", ("age", "sex")), option_words("--refine/--no-refine", False)
    (['--quasi', 'age,sex'], ['--no-refine'])
    >>> option_words("--role", ["a=terms", "b=terms"], is_repeated=True), option_words("--per-record", True)
    (['--role', 'a=terms', '--role', 'b=terms'], ['--per-record'])
    """
    if isinstance(value, bool):
        return [flag.split("/")[0 if value else -1]]
    if not isinstance(value, (list, tuple)):
        return [flag, str(value)]
    return [word for each in value for word in (flag, str(each))] if is_repeated else [flag, ",".join(value)]


def error_text(error: DisjoinError, command: click.Command) -> str:
    return f"{error.message} {use_one_of(error.remedies, functools.partial(as_option, command), ' ')}".strip()


def as_option(command: click.Command, name: str, value: object) -> str:
    """Return an option as it is typed; one that the command does not have is written as others have it.

    >>> as_option(click.Command("read"), "id", "patient id"), as_option(click.Command("read"), "overwrite", True)
    ("--id 'patient id'", '--overwrite')
    """
    declared = next((each for each in command.params if each.name == name), None)
    if isinstance(value, bool) and declared is not None:
        return (declared.opts if value else declared.secondary_opts)[0]
    flag = max(declared.opts, key=len) if declared is not None else flag_of(name)
    if value is True:
        return flag
    values = value if isinstance(value, (list, tuple)) else [value]
    return " ".join(f"{flag} {each if isinstance(each, Placeholder) else shlex.quote(str(each))}" for each in values)


def print_json(facts: Mapping[str, Any]) -> None:
    click.echo(json_text(facts, indent=2))


def screen(*, err: bool = False) -> Console:
    """Return a console for tables, drawings and bars: no text is mark-up, and hidden characters are written out."""
    console: Console = _harmless_console()(stderr=err, markup=False, emoji=False, highlight=False)
    return console


@functools.cache
def _harmless_console() -> Any:
    """Return the kind of console; made when it is wanted, as rich is not loaded before."""
    from rich.console import Console
    from rich.segment import Segment

    class Harmless(Console):
        """A console through which every piece of text passes on its way out."""

        def render(self, renderable: Any, options: Any = None) -> Any:
            """Render as ever, and write out what a terminal would act on; controls are the console's own."""
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else printable(text, lines=True), style, control)

    return Harmless


def borderless_table(names: Sequence[str], numbers: Sequence[str] = (), *, gap: int = 2) -> Table:
    """Return a table with columns of names on the left, and of numbers on the right; neither is wrapped."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, gap, 0, 0))
    for title in names:
        table.add_column(title, no_wrap=True)
    for title in numbers:
        table.add_column(title, justify="right", no_wrap=True)
    return table


@contextmanager
def shown(*, quiet: bool) -> Iterator[Progress]:
    """Yield a progress function that draws one line per stage, or logs compilation where no bar can be seen."""
    if quiet:
        with told_to(silent):
            yield silent
        return
    if not sys.stderr.isatty():
        yield silent
        return
    from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Bars(*columns, console=screen(err=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int, note: str = "") -> None:
            if stage not in tasks:
                for earlier in bars.tasks:  # earlier passes of unknown number have come to an end
                    if earlier.total is None and earlier.completed:
                        bars.update(earlier.id, total=earlier.completed)
                tasks[stage] = bars.add_task("", total=None)
            words = STAGES.get(stage, stage) + (f" ({note})" if note else "")
            bars.update(tasks[stage], completed=done, total=total or None, description=words)

        with told_to(show):
            yield show
