"""disjoin cahd baskets.csv --sensitive items.txt -p 10 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import output_options, reading_options, settings_options, speaking_options
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods.cahd import Cahd


@click.command("cahd")
@click.argument("source", metavar="FILE")
@settings_options(Cahd)
@output_options
@reading_options
@ledger_options
@speaking_options
def command(source: str, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Publish the records of FILE (- for standard input) with their sensitive items hidden in groups.

    Everything but the sensitive items is published as it is. Records with similar ordinary items form groups, and a
    group only says how many of its records have each sensitive item: at most one in P. Nothing is written unless an
    independent check accepts the result.
    """
    ledger = LedgerWish.taken_from(rest)
    plan = plan_from(Cahd, source, output, rest, overwrite=overwrite)
    carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)
