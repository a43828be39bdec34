"""Command groups, and the run of one command: an error is printed, and its exit code (`errors.py`) is returned."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import Any

import click

from disjoin._version import __version__
from disjoin.cli.screen import error_text, say, say_text
from disjoin.errors import DisjoinError, DisjoinWarning, InvalidParameter, PublishedBefore, place_of
from disjoin.methods import METHODS
from disjoin.methods.settings import LazyEntry
from disjoin.model.plugins import Registry
from disjoin.signals import INTERRUPTED, SAID

GROUPS = {  # of commands, as --help lists them; those of methods are made from their records
    "Look at data": {
        "inspect": "Show what a file contains and who is unique in it.",
        "risk": "Show what a file reveals, before and after publishing.",
        "advise": "Compare settings on your data and recommend one.",
    },
    "Publish": {"run": "Publish as described in a plan (a TOML file)."},
    "Check a release": {
        "verify": "Verify a release, alone or against its original.",
        "attack": "Attack a release and report what attackers learn.",
        "evaluate": "Measure what a release lost, compared to its original.",
        "dossier": "Write a private page for the decision to publish.",
    },
    "Use a release": {
        "support": "Bound and estimate in how many records itemsets occur.",
        "mine": "Find the most frequent itemsets of a release.",
        "reconstruct": "Write possible originals of a release.",
        "show": "Show the clusters, groups or classes of a release.",
        "export": "Copy the tables of a release into a database or CSV files.",
    },
    "More": {
        "deposit": "Make a folder to upload to a data repository.",
        "hierarchy": "Build or check a generalisation hierarchy for a column.",
        "ledger": "Record releases privately, to avoid publishing twice.",
        "generate": "Generate realistic data for trials.",
        "warm-up": "Compile all code ahead of the first run.",
        "completion": "Complete commands and options in a shell.",
        "man": "Write manual pages for man(1).",
    },
}
OTHERS = {name: sentence for group in GROUPS.values() for name, sentence in group.items()}
HOMES = {  # modules whose name is not that of the command
    **dict.fromkeys(("reconstruct", "support", "mine"), "analyse"),
    **dict.fromkeys(("export", "deposit"), "show"),
    **dict.fromkeys(("completion", "man"), "manual"),
    "risk": "inspect",
    "run": "publish",
}
PLUGINS: Registry[click.Command | LazyEntry] = Registry(
    "disjoin.commands", (click.Command, LazyEntry), reserved={*OTHERS, *(own.command for own in METHODS.own.values())}
)
UNEXPECTED = 70
COMPLETE = "_DISJOIN_COMPLETE"  # the variable by which shells ask


def grouped() -> dict[str, dict[str, str]]:
    methods: dict[str, str] = {}
    for method in METHODS.listed.values():
        if method.command in (*methods, *OTHERS, *PLUGINS):
            raise InvalidParameter(
                f"the method {method.name} adds the command {method.command!r}, and there is one: uninstall either."
            )
        methods[method.command] = method.sentence
    added = {name: _sentence(name) for name in PLUGINS}
    return GROUPS | {"Publish": methods | GROUPS["Publish"], "More": added | GROUPS["More"]}


def _sentence(name: str) -> str:
    try:
        plugin = PLUGINS[name]
    except InvalidParameter as broken:
        return str(broken)
    return plugin.sentence if isinstance(plugin, LazyEntry) else plugin.get_short_help_str(limit=100)


def commands() -> dict[str, str]:
    return {name: sentence for group in grouped().values() for name, sentence in group.items()}


class Commands(click.Group):
    """Commands that are loaded when they are called; their one-line help is known before."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OTHERS:
            name = cmd_name.replace("-", "_")
            module = importlib.import_module(f"disjoin.cli.{HOMES.get(name, name)}")
            command: click.Command = getattr(module, f"{name}_command")
            return command
        for method in METHODS.listed.values():
            if method.command == cmd_name:
                from disjoin.cli.publish import command_of

                return command_of(method.name)
        plugin = PLUGINS.get(cmd_name)
        return plugin.load() if isinstance(plugin, LazyEntry) else plugin

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is not None:
            return args[0], command, args[1:]
        if args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        near = get_close_matches(args[0], list(commands()), n=2, cutoff=0.6)
        hint = f"Did you mean {' or '.join(near)}?" if near else "Use disjoin --help to see all."
        raise click.UsageError(f"No such command {args[0]!r}. {hint}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, commands()))
        for title, group in grouped().items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), sentence) for name, sentence in group.items()])


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="disjoin")
def disjoin() -> None:
    """Publish set-valued data and tables with a privacy guarantee, and verify each release.

    Start with: disjoin disassociate baskets.csv -k 5 -m 2 -o release/

    Exit codes: 0 success, 2 wrong input, 3 the guarantee does not hold, 4 the guarantee cannot be reached, 5 the
    texts of a release were not compared (verify), 70 a bug in disjoin, 130 interrupted (143 by SIGTERM, 129 by SIGHUP).
    """


def run(arguments: Sequence[str]) -> int:
    """Run the command line; every error, also one of ours, is one sentence on standard error."""
    try:
        with _warnings_as_sentences():
            code = _invoke(arguments)
        sys.stdout.flush()
    except click.ClickException as mistake:  # about arguments, which are foreign text like any other
        words = io.StringIO()
        mistake.show(words)
        say_text(words.getvalue(), err=True)
        return mistake.exit_code
    except PublishedBefore as error:  # the one message of several lines, each of them ours
        say_text(f"Error: {error_text(error, _command_in(arguments))}", err=True)
        return error.exit_code
    except DisjoinError as error:
        if error.__cause__ and os.environ.get("DISJOIN_TRACEBACK"):
            say_text("".join(traceback.format_exception(error.__cause__)), err=True)
        say(f"Error: {error_text(error, _command_in(arguments))}", err=True)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort) as stopped:
        with suppress(OSError):  # after a hang-up the terminal is gone
            say(SAID, err=True)
        return getattr(stopped, "exit_code", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has left, as `head` does
        return leave_quietly()
    except OSError as failure:
        say(f"Error: {failure.filename or 'output'}: {failure.strerror or failure}.", err=True)
        return DisjoinError.exit_code
    except MemoryError:
        say("Error: this needs more memory than there is. Try a part of the data.", err=True)
        return DisjoinError.exit_code
    except Exception as mistake:  # ours: its text may hold data, so it is shown only on request
        return _admit(mistake)
    return code


def _command_in(arguments: Sequence[str]) -> click.Command:
    command: click.Command = disjoin
    with suppress(DisjoinError):  # of a plug-in that cannot be loaded
        for word in arguments:
            below = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
            if below is None:
                break
            command = below
    return command


def _admit(mistake: Exception) -> int:
    """Print where the program failed, and nothing of the data."""
    if os.environ.get("DISJOIN_TRACEBACK"):
        say_text("".join(traceback.format_exception(mistake)), err=True)
    say(
        f"Error: disjoin failed unexpectedly ({place_of(mistake)}), which is a mistake in the program. Please report "
        "this line: nothing of your data is in it. With DISJOIN_TRACEBACK=1 you see more, which may show data.",
        err=True,
    )
    return UNEXPECTED


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Print the library's warnings as sentences; others look as ever."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", DisjoinWarning)

        def show(message: Any, category: type[Warning], filename: str, lineno: int, *more: Any, **named: Any) -> None:
            if issubclass(category, DisjoinWarning):
                say(str(message), err=True)
            else:
                say_text(warnings.formatwarning(message, category, filename, lineno), err=True)

        warnings.showwarning = show
        yield


def _invoke(arguments: Sequence[str]) -> int:
    if asked := os.environ.get(COMPLETE):  # a shell wants to know what may follow
        from click.shell_completion import shell_complete

        return shell_complete(disjoin, {}, "disjoin", COMPLETE, asked)
    try:
        with disjoin.make_context("disjoin", list(arguments)) as context:
            result = disjoin.invoke(context)
    except click.exceptions.Exit as leaving:  # --help and --version
        return leaving.exit_code
    except SystemExit:  # rich leaves so when the output is closed
        return leave_quietly()
    return result if isinstance(result, int) else 0


def leave_quietly() -> int:
    """Stop writing to a closed pipe, and leave as if all had been read."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
