"""disjoin generalize-items baskets.csv --hierarchy items.csv -k 5 -m 2 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import output_options, reading_options, settings_options, speaking_options
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods.apriori import Apriori


@click.command("generalize-items")
@click.argument("source", metavar="FILE")
@settings_options(Apriori)
@output_options
@reading_options
@ledger_options
@speaking_options
def command(source: str, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Publish the records of FILE (- for standard input) with rare terms replaced by what they generalise to.

    A hierarchy says what terms generalise to: tea to drinks, drinks to food. Where up to M terms together are in fewer
    than K records, the least costly of them are replaced, everywhere alike. Nothing is written unless an independent
    check accepts the result.
    """
    ledger = LedgerWish.taken_from(rest)
    plan = plan_from(Apriori, source, output, rest, overwrite=overwrite)
    carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)
