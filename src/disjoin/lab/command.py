"""Commands `compare` (several methods on the same data) and `experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.advise import ABOUT as TABLES
from disjoin.cli.advise import HEAD, table_options
from disjoin.cli.publish import tell_possible_blanks
from disjoin.cli.screen import borderless_table, print_json, say, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.readers.databases import Query

if TYPE_CHECKING:
    from disjoin.lab.comparison import Comparison

USUAL = "disassociation,apriori,diffpart"
CONDITIONS = ("k", "m", "epsilon", "fan_out", "seed", "top", "threads")


@click.command("compare")
@shared.source_argument()
@click.option(
    "--methods",
    multiple=True,
    default=(USUAL,),
    show_default=True,
    callback=shared.column_names,
    metavar="a,b",
    help="The methods to compare; an unknown name lists all of them.",
)
@shared.number_option("-k", "k", default=5, help="The k of all methods.")
@shared.number_option("-m", "m", default=2, help="The m of all methods.")
@click.option(
    "--epsilon", default="1", show_default=True, metavar="NUMBER", help="The privacy budget of methods that add noise."
)
@click.option(
    "--hierarchy", metavar="FILE", help="A hierarchy of the terms, as term;parent;...;root (default: one is built)."
)
@shared.number_option("--fan-out", default=10, help="The number of children of a node in hierarchies that are built.")
@shared.number_option("--seed", help="The seed of the noise, for trials only (default: cryptographic noise).")
@shared.number_option("--top", default=1000, help="The number of itemsets to compare.")
@shared.columns_option("--sensitive", "The columns of a table that an attacker must not learn.")
@table_options
@shared.threads_option
@shared.path_option("--output", "-o", required=True, help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace an existing comparison.")
@shared.reading_options
@shared.speaking_options
def compare_command(source: str | Query, methods: tuple[str, ...], hierarchy: str | None, **rest: Any) -> None:
    """Publish the records of FILE with several methods, and compare what each loses and how long it takes.

    Every method runs in its own process, is verified, and is measured in the same way. The folder has comparison.md,
    with the table, charts and the guarantee of each method, comparison.csv and comparison.json.

    With --quasi, FILE is a table, and algorithms of generalisation are compared: what each keeps, and the risk. With
    --sensitive, each must also keep l-diversity, t-closeness and a largest share of a value in a class (alpha).

    A method that fails gets a line with the reason, and the others continue. If all fail, nothing is written, and the
    exit code is 4 if no method can reach the guarantee, else 2.

    The results are private: they are facts about the original and must not be published.
    """
    about = shared.taken(rest, (*TABLES, "sensitive")) | {"methods": methods, "hierarchy": hierarchy}
    saying = shared.taken(rest, ("output", "overwrite", "quiet", "as_json"))
    (_compare_algorithms if about["quasi"] else _compare_methods)(source, about, rest, saying)


def _compare_methods(source: str | Query, about: dict[str, Any], rest: dict[str, Any], saying: dict[str, Any]) -> None:
    from disjoin.advise.results import name_of
    from disjoin.lab.comparison import FOLDER, contenders_named
    from disjoin.pipeline import require_people
    from disjoin.readers.read import read

    if any(about[name] for name in (*TABLES, "sensitive")):
        raise InvalidParameter("--sensitive, --identifiers and --hierarchies are for tables: name --quasi, too.")
    methods, output, overwrite = about["methods"], saying["output"], saying["overwrite"]
    contenders_named(methods)
    FOLDER.check(output, overwrite=overwrite)  # before any work is done
    conditions = shared.taken(rest, CONDITIONS)
    with shown(quiet=saying["quiet"]) as progress:
        progress("reading", 0, 0)
        data = read(source, **shared.only_given(**rest))
        progress("reading", 1, 1)
        require_people(data)
        tell_possible_blanks(data)
        from disjoin.lab.comparison import compare_methods
        from disjoin.lab.comparison_trial import conditions_for

        agreed = conditions_for(data, about["hierarchy"], **conditions)
        contest = compare_methods(data, methods, agreed, of=name_of(source), progress=progress)
        path = contest.write(output, overwrite=overwrite)
    if saying["as_json"]:
        print_json(contest.to_json())
    elif not saying["quiet"]:
        tell(contest, path)


def _compare_algorithms(
    source: str | Query, about: dict[str, Any], rest: dict[str, Any], saying: dict[str, Any]
) -> None:
    from disjoin.advise.table_trials import limits_for
    from disjoin.cli.advise import try_table
    from disjoin.methods.generalization import ALGORITHM_NAMES

    named = ALGORITHM_NAMES if about["methods"] == tuple(USUAL.split(",")) else about["methods"]
    unknown = [name for name in named if name not in ALGORITHM_NAMES]
    if unknown:
        raise InvalidParameter(f"expected algorithms of tables: {', '.join(ALGORITHM_NAMES)}; got {unknown[0]!r}.")
    conditions = shared.taken(rest, CONDITIONS)
    if about["hierarchy"] is not None:
        raise InvalidParameter("--hierarchy is for items. Give the folder of the columns' --hierarchies.")
    limits = limits_for(about["sensitive"])
    grid = [{"k": conditions["k"], "algorithm": name, **limit} for limit in limits for name in named]
    try_table(source, about, grid, rest, kind="comparison", **saying)


def tell(contest: Comparison, path: Path) -> None:
    from disjoin.lab.comparison import NO_VICTORY
    from disjoin.lab.comparison_trial import COLUMNS

    console = screen()
    console.print(HEAD, style="bold", soft_wrap=True)
    drawn = borderless_table([], gap=1)
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
        words = " ".join((trial.sentence, *trial.notes))
        console.print(f"{entry.name}: {words}", soft_wrap=True)
    console.print(NO_VICTORY, soft_wrap=True)
    console.print(f"Table, charts and comparison.md are in {path}.", soft_wrap=True)


@click.command("experiment")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--list", "listed", is_flag=True, help="List the experiments.")
@click.option(
    "--data",
    multiple=True,
    metavar="FILE",
    help="A file of records, or a table if the experiment takes one; may be repeated (default: generated data).",
)
@shared.path_option(
    "--hierarchies",
    metavar="FOLDER",
    help="A folder with a hierarchy COLUMN.csv for each column of a table, or NAME.csv for each data file "
    "NAME.dat.gz of head-to-head.",
)
@shared.path_option(
    "--people", metavar="FILE", help="A table whose rows, drawn at random, are joined to the records of --data (mixed)."
)
@click.option("--quick", is_flag=True, help="Run few and small points, for a trial.")
@click.option("--fresh", is_flag=True, help="Begin again, instead of keeping points that are finished.")
@shared.path_option("--page", metavar="FILE", help="Write one page of all results to this file.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="FOLDER",
    help="The folder of the results, in which NAME gets its own folder.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print no progress and no summary.")
def experiment_command(
    name: str | None, listed: bool, page: Path | None, output: Path, quiet: bool, **given: Any
) -> None:
    """Run the experiment NAME and compare our figures with those of the papers.

    A run that was stopped continues. Its folder has results.parquet and results.csv (one measured value per row), the
    charts as SVG, and README.md.
    """
    if listed:
        from disjoin.lab import EXPERIMENTS, experiment_named

        for known in EXPERIMENTS:
            say(f"{known:{max(map(len, EXPERIMENTS))}}  {experiment_named(known).question}")
    elif page is not None:
        _write_page(output, page, name, quiet)
    elif name is None:
        raise InvalidParameter("name an experiment, or see which there are with --list.")
    else:
        _run_experiment(name, output / name, given, quiet=quiet)


def _write_page(results: Path, page: Path, name: str | None, quiet: bool) -> None:
    from disjoin.lab.page import write_results_page

    if name is not None:
        raise InvalidParameter(f"--page writes what all experiments have found. Leave {name!r} out.")
    found = write_results_page(results, page)
    if not quiet:
        say(f"{page} has the results of {', '.join(found)}.", err=True)


def _run_experiment(name: str, folder: Path, given: dict[str, Any], *, quiet: bool) -> None:
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
