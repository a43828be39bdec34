"""The one door to the screen: whatever is printed passes here, and no name in it can command a terminal."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from disjoin.escaping import json_text, legible

if TYPE_CHECKING:
    from rich.console import Console


def say(*lines: str, err: bool = False) -> None:
    """Print lines of plain text; what would end a line within one of them is written out."""
    for line in lines:
        click.echo(legible(line), err=err)


def say_text(text: str, *, err: bool = False) -> None:
    """Print a text of several lines that is ours, or whose foreign parts are legible already."""
    click.echo(legible(text.removesuffix("\n"), lines=True), err=err)


def say_styled(*pieces: str | tuple[str, str]) -> None:
    """Print one line of pieces, each a text, or a text with its style; brackets in a text are brackets."""
    from rich.text import Text

    styled = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    screen().print(Text.assemble(*((legible(text), style) for text, style in styled)), soft_wrap=True)


def print_json(facts: Mapping[str, Any]) -> None:
    """Print facts as JSON on standard output."""
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
                yield Segment(text if control else legible(text, lines=True), style, control)

    return Harmless
