"""disjoin completion bash: what a shell needs to complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from disjoin.cli.screen import say_text

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the lines that let SHELL complete commands and options when you press the tab key.

    For now: eval "$(disjoin completion bash)". To keep it: put that line into ~/.bashrc or ~/.zshrc; for fish,
    disjoin completion fish > ~/.config/fish/completions/disjoin.fish
    """
    from disjoin.cli.run import COMPLETE, disjoin

    found = get_completion_class(shell)
    assert found is not None, "click knows these shells"
    say_text(found(disjoin, {}, "disjoin", COMPLETE).source())
