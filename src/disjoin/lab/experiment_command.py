"""Command `experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disjoin.cli.screen import say
from disjoin.errors import InvalidParameter


@click.command("experiment")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--list", "listed", is_flag=True, help="Say which experiments there are.")
@click.option(
    "--data",
    multiple=True,
    metavar="FILE",
    help="A file of records, or a table where the experiment takes one; may be repeated (default: data are made).",
)
@click.option(
    "--hierarchies",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Experiments on tables: a file for each column that has a hierarchy, COLUMN.csv. Head to head: a file for "
    "each of the data, wv2.csv for wv2.dat.gz.",
)
@click.option(
    "--people",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Mixed: a table whose rows, drawn at random, stand beside the records of --data.",
)
@click.option("--quick", is_flag=True, help="Few, small points: to try it, not to quote it.")
@click.option("--fresh", is_flag=True, help="Begin again; without it, points that are finished are kept.")
@click.option(
    "--page", type=click.Path(path_type=Path), metavar="FILE", help="Write one page of all results there are."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="FOLDER",
    help="Where results are; NAME gets a folder in it.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress, no summary.")
def experiment_command(
    name: str | None,
    listed: bool,
    data: tuple[str, ...],
    hierarchies: Path | None,
    people: Path | None,
    quick: bool,
    fresh: bool,
    page: Path | None,
    output: Path,
    quiet: bool,
) -> None:
    """Run the experiment NAME: tables, charts, and a page with our figures beside the papers'.

    A run that was stopped continues where it was. Its folder has results.parquet and results.csv (one measured value
    per row), the charts as SVG, and README.md.
    """
    if listed:
        _list()
    elif page is not None:
        _write_page(output, page, name, quiet)
    elif name is None:
        raise InvalidParameter("name an experiment, or see which there are with --list.")
    else:
        given = {"data": data, "hierarchies": hierarchies, "people": people, "quick": quick, "fresh": fresh}
        _run(name, output / name, given, quiet=quiet)


def _list() -> None:
    from disjoin.lab import EXPERIMENTS, experiment_named

    width = max(map(len, EXPERIMENTS))
    for name in EXPERIMENTS:
        say(f"{name:{width}}  {experiment_named(name).question}")


def _write_page(results: Path, page: Path, name: str | None, quiet: bool) -> None:
    from disjoin.lab.page import write_results_page

    if name is not None:
        raise InvalidParameter(f"--page writes what all experiments have found. Leave {name!r} out.")
    found = write_results_page(results, page)
    if not quiet:
        say(f"{page} has the results of {', '.join(found)}.", err=True)


def _run(name: str, folder: Path, given: dict[str, Any], *, quiet: bool) -> None:
    from disjoin.cli.screen import shown
    from disjoin.lab import experiment_named
    from disjoin.lab.running import run_experiment

    experiment = experiment_named(name)
    try:
        with shown(quiet=quiet) as progress:
            rows = run_experiment(experiment, folder, **given, progress=progress)
    except KeyboardInterrupt:
        say("Points that were finished are kept: the same command goes on from there.", err=True)
        raise
    if quiet:
        return
    for claim in experiment.claims:
        judgement = claim.judge(rows)
        say(f"{judgement.verdict}: {claim.states} ({claim.paper}). We find: {judgement.ours}.")
    say(f"Tables, charts and README.md are in {folder}.", err=True)
