"""disjoin compare baskets.csv --methods disassociation,apriori,diffpart -k 5 -m 2 --hierarchy items.csv -o results/"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.database_options import source_argument
from disjoin.cli.options import (
    column_names,
    only_given,
    reading_options,
    speaking_options,
    threads_option,
)
from disjoin.cli.publishing import tell_possible_blanks
from disjoin.cli.screen import print_json, screen, shown
from disjoin.files.databases import Query

if TYPE_CHECKING:
    from disjoin.compare.comparison import Contest
    from disjoin.model import Transactions

USUAL = "disassociation,apriori,diffpart"
HEAD = "For your eyes only: these numbers are facts about the original. Do not publish them."


@click.command("compare")
@source_argument()
@click.option(
    "--methods",
    multiple=True,
    default=(USUAL,),
    show_default=True,
    callback=column_names,
    metavar="a,b",
    help="Methods that take part; an unknown name lists all.",
)
@click.option("-k", "k", type=int, default=5, show_default=True, metavar="N", help="Crowds to hide in.")
@click.option("-m", "m", type=int, default=2, show_default=True, metavar="N", help="Terms that somebody may know.")
@click.option("--epsilon", default="1", show_default=True, metavar="NUMBER", help="Budget of methods that add noise.")
@click.option(
    "--hierarchy", metavar="FILE", help="A hierarchy of the terms: term;parent;...;root (default: one is built)."
)
@click.option(
    "--fan-out",
    type=int,
    default=10,
    show_default=True,
    metavar="N",
    help="Children of a node in trees that are built.",
)
@click.option(
    "--seed", type=int, metavar="N", help="Draw noise from a seed: for trials only (default: noise to be relied on)."
)
@click.option("--top", type=int, default=1000, show_default=True, metavar="N", help="How many itemsets are compared.")
@threads_option
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace a comparison that is there.")
@reading_options
@speaking_options
def command(
    source: str | Query,
    methods: tuple[str, ...],
    hierarchy: str | None,
    output: Path,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    **rest: Any,
) -> None:
    """Let methods publish the records of FILE, and see what each loses and what it takes.

    Every method publishes in a process of its own, is verified, and is measured in the same way. The folder has
    comparison.md with the table, charts and what each method promises; comparison.csv and comparison.json.

    A method that fails gets a line that says why, and the others go on; if all fail, nothing is written, and the exit
    code is 4 if the guarantee cannot be reached by any, else 2.

    The numbers are facts about the original. They are for you, who have it; they must not be published.
    """
    from disjoin.compare.comparison import contenders_named
    from disjoin.compare.folder import FOLDER
    from disjoin.pipeline import require_people
    from disjoin.trials.folder import name_of

    contenders_named(methods)
    FOLDER.check(output, overwrite=overwrite)  # before any work is done
    names = ("k", "m", "epsilon", "fan_out", "seed", "top", "threads")
    conditions = {name: rest.pop(name) for name in names}
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        data = _read(source, rest)
        progress("reading", 1, 1)
        require_people(data)
        tell_possible_blanks(data)
        from disjoin.compare.comparison import compare_methods
        from disjoin.compare.conditions import conditions_for

        agreed = conditions_for(data, hierarchy, **conditions)
        contest = compare_methods(data, methods, agreed, of=name_of(source), progress=progress)
        path = contest.write(output, overwrite=overwrite)
    if as_json:
        print_json(contest.to_json())
    elif not quiet:
        tell(contest, path)


def _read(source: str | Query, reading: dict[str, Any]) -> Transactions:
    from disjoin.files.reading import read

    return read(source, **only_given(**reading))


def tell(contest: Contest, path: Path) -> None:
    """Print the table for people."""
    from rich.table import Table

    from disjoin.compare.conditions import COLUMNS
    from disjoin.compare.folder import NO_VICTORY

    console = screen()
    console.print(HEAD, style="bold", soft_wrap=True)
    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    drawn.add_column("method", overflow="fold", min_width=14)
    for column in COLUMNS.values():
        drawn.add_column(column.title, justify="right")
    for entry in contest.entries:
        drawn.add_row(entry.name, *(column.written(entry.value(column.name)) for column in COLUMNS.values()))
    console.print()
    console.print(drawn)
    console.print()
    console.print("Lower is better everywhere.", soft_wrap=True)
    for entry, failure in contest.failed:
        console.print(f"{entry.name} has no figures. {failure.reason}", soft_wrap=True)
    for entry, trial in contest.finished:
        words = " ".join((trial.promise, *trial.notes))
        console.print(f"{entry.name}: {words}", soft_wrap=True)
    console.print(NO_VICTORY, soft_wrap=True)
    console.print(f"Table, charts and comparison.md are in {path}.", soft_wrap=True)
