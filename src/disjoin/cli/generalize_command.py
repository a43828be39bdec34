"""disjoin generalize census.csv --quasi age,sex --hierarchies hierarchies/ -k 5 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import output_options, settings_options, speaking_options, table_options
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods.generalization import Generalization


@click.command("generalize")
@click.argument("source", metavar="FILE")
@settings_options(Generalization)
@output_options
@table_options
@ledger_options
@speaking_options
def command(source: str, output: Path, overwrite: bool, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Publish the table in FILE (- for standard input) with its quasi-identifiers generalised.

    Rows that are alike form classes of at least K, and in a class the columns that somebody may know say the same for
    all of them: 30-39 instead of 34, by hierarchies that you give, or the interval from the least to the largest
    number. The other columns are published as they are. Nothing is written unless an independent check accepts the
    result.
    """
    ledger = LedgerWish.taken_from(rest)
    plan = plan_from(Generalization, source, output, rest, overwrite=overwrite)
    carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)
