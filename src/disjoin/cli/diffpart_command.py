"""disjoin diffpart baskets.csv --domain items.txt --epsilon 1.0 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import output_options, reading_options, settings_options, speaking_options
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods.diffpart import DiffPart


@click.command("diffpart")
@click.argument("source", metavar="FILE")
@settings_options(DiffPart)
@output_options
@reading_options
@ledger_options
@speaking_options
def command(source: str, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Publish records made from noisy counts of those in FILE (- for standard input).

    What comes out hardly depends on any one record: differential privacy. Frequent combinations survive, rare ones are
    lost. Every run draws other noise and spends EPSILON again, so publish one result only. Needs the extra dp.
    """
    ledger = LedgerWish.taken_from(rest)
    plan = plan_from(DiffPart, source, output, rest, overwrite=overwrite)
    carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)
