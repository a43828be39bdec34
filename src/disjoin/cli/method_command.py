"""The command of a method, made from its record in METHODS: disjoin disassociate baskets.csv -k 5 -m 2 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import (
    options,
    output_options,
    reading_options,
    settings_options,
    speaking_options,
    table_options,
    threads_option,
)
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods import METHODS


def command_of(name: str) -> click.Command:
    """Return the command that publishes by a method: its words, its settings, and the options for what it takes."""
    method = METHODS[name]

    def command(source: str, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any) -> None:
        ledger, threads = LedgerWish.taken_from(rest), rest.pop("threads", 0)
        plan = plan_from(method, source, output, rest, overwrite=overwrite, threads=threads)
        carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)

    decorated = options(
        click.argument("source", metavar="FILE"),
        settings_options(method),
        output_options,
        table_options if method.takes == "table" else reading_options,
        *([threads_option] if method.sharded else []),
        ledger_options,
        speaking_options,
    )
    return click.command(METHODS.listed[name].command, help=method.help)(decorated(command))
