"""disjoin help [COMMAND]"""

from __future__ import annotations

import click


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Say what COMMAND does and which options it has; without COMMAND, list all."""
    from disjoin.cli.run import run

    context.exit(run([*words, "--help"]))
