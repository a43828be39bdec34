"""disjoin run plan.toml"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.options import LedgerWish, ledger_options, speaking_options
from disjoin.cli.publishing import carry_out


@click.command("run")
@click.argument("plan", type=click.Path(path_type=Path))
@ledger_options
@speaking_options
def command(plan: Path, quiet: bool, as_json: bool, **rest: Any) -> None:
    """Do what PLAN says: a TOML file with the tables [input], [method] and [output].

    Paths in it are relative to its folder. A plan does what the command of its method does with the settings of
    [method], and it can be kept and repeated.
    """
    from disjoin.plan import Plan

    carry_out(Plan.from_file(plan), ledger=LedgerWish.taken_from(rest), quiet=quiet, as_json=as_json)
