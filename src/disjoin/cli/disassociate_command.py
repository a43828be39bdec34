"""disjoin disassociate baskets.csv -k 5 -m 2 -o release/"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.ledger_options import LedgerWish, ledger_options
from disjoin.cli.options import output_options, reading_options, settings_options, speaking_options, threads_option
from disjoin.cli.publishing import carry_out, plan_from
from disjoin.methods.disassociation import Disassociation


@click.command("disassociate")
@click.argument("source", metavar="FILE")
@settings_options(Disassociation)
@output_options
@reading_options
@threads_option
@ledger_options
@speaking_options
def command(source: str, output: Path, overwrite: bool, threads: int, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Publish the records of FILE (- for standard input) as a verified release.

    Records are grouped into clusters, and each cluster's terms are cut into chunks, so that anyone who knows up to M
    terms of a record, and does not run the program backwards, finds at least K candidates. Every term is kept (but with
    the strategy suppression whole records are left out). Nothing is written unless an independent check accepts the
    result.
    """
    ledger = LedgerWish.taken_from(rest)
    plan = plan_from(Disassociation, source, output, rest, overwrite=overwrite, threads=threads)
    carry_out(plan, ledger=ledger, quiet=quiet, as_json=as_json)
