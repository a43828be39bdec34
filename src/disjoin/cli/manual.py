"""Commands `man` and `completion`: manual pages and shell completion."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from disjoin._version import __version__
from disjoin.cli.options import path_option
from disjoin.cli.screen import say, say_text


@click.command("man")
@path_option("--output", "-o", required=True, metavar="FOLDER", help="The folder for the pages.")
def man_command(output: Path) -> None:
    """Write a manual page for every command, for man(1).

    To install them for yourself: disjoin man -o ~/.local/share/man/man1, then man disjoin-verify. Existing pages are
    replaced, and other files are left alone.
    """
    from disjoin.atomic import whole_file

    pages = manual()
    for name, page in pages.items():
        with whole_file(output / f"{name}.1") as file:
            file.write(page.encode())
    say(f"{len(pages)} manual pages are in {output}. Read the first with: man {output / 'disjoin.1'}")


def manual() -> dict[str, str]:
    from disjoin.cli.main import disjoin

    return dict(_pages(disjoin, disjoin.make_context("disjoin", [], resilient_parsing=True)))


def _pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    yield _name(context), _page(command, context)
    for word, below in _below(command, context):
        yield from _pages(below, below.make_context(word, [], parent=context, resilient_parsing=True))


def _below(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            below = command.get_command(context, word)
            assert below is not None, "a group has what it lists"
            yield word, below


def _name(context: click.Context) -> str:
    return context.command_path.replace(" ", "-")


def _page(command: click.Command, context: click.Context) -> str:
    """Return a page in the language of troff; equal commands give equal pages, whenever they are made."""
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{_name(context).upper()}" "1" "" "disjoin {__version__}" "disjoin"',
        ".ad l\n.nh",  # no blanks to fill lines, and no name divided at their end
        *(".SH NAME", f"{_escaped(_name(context))} \\- {_escaped(command.get_short_help_str(limit=200))}"),
        *(".SH SYNOPSIS", f"\\fB{_escaped(context.command_path)}\\fR {_escaped(usage)}"),
        *(".SH DESCRIPTION", *_paragraphs(inspect.cleandoc(command.help or ""))),
    ]
    options = (each for each in command.get_params(context) if isinstance(each, click.Option))
    records = [record for each in options if (record := each.get_help_record(context))]
    lines += [".SH OPTIONS", *(line for record in records for line in _entry(*record))]
    if isinstance(command, click.Group):
        lines += [".SH COMMANDS"]
        for word, below in _below(command, context):
            lines += _entry(f"{_name(context)}-{word}(1)", below.get_short_help_str(limit=200))
    if context.parent is not None:
        lines += [".SH SEE ALSO", f"\\fB{_escaped(_name(context.parent))}\\fR(1)"]
    return "\n".join(lines) + "\n"


def _entry(term: str, words: str) -> list[str]:
    return [".TP", f"\\fB{_escaped(term)}\\fR", _escaped(words)]


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        kept = paragraph.startswith("\b\n")
        inside = [_escaped(line) for line in paragraph.removeprefix("\b\n").splitlines()]
        lines += [".PP", *([".nf", *inside, ".fi"] if kept else inside)]
    return lines


def _escaped(text: str) -> str:
    """Return text that troff prints as it is.

    >>> _escaped(".k^m \\\\ -k 'x'")
    '\\\\&.k\\\\(ham \\\\e \\\\-k \\\\(aqx\\\\(aq'
    """
    signs = {"\\": "\\e", "-": "\\-", "^": "\\(ha", "~": "\\(ti", "'": "\\(aq", "`": "\\(ga"}
    words = "".join(signs.get(letter, letter) for letter in " ".join(text.split()))
    return f"\\&{words}" if words.startswith(".") else words


@click.command("completion")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion_command(shell: str) -> None:
    """Print the lines that make SHELL complete commands and options with the tab key.

    For this session: eval "$(disjoin completion bash)". To keep it, put that line into ~/.bashrc or ~/.zshrc; for fish,
    disjoin completion fish > ~/.config/fish/completions/disjoin.fish
    """
    from disjoin.cli.main import COMPLETE, disjoin

    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    say_text(found(disjoin, {}, "disjoin", COMPLETE).source())
