"""disjoin advise baskets.csv -k 5,10,20 -m 2 -o advice/"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.compare_command import HEAD
from disjoin.cli.database_options import source_argument
from disjoin.cli.options import (
    column_names,
    given_terms,
    only_given,
    reading_options,
    speaking_options,
    threads_option,
)
from disjoin.cli.publishing import tell_possible_blanks
from disjoin.cli.screen import print_json, say, screen, shown
from disjoin.cli.table_trials import ABOUT as TABLES
from disjoin.cli.table_trials import table_options
from disjoin.files.databases import Query
from disjoin.methods.disassociation.choices import settled
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from disjoin.advise.survey import Survey

GRID = ("clusterings", "ks", "ms", "sensitive", "sensitive_match", "allow_missing_sensitive", "l")  # options of it
NARROW = {"universal": "univer-\nsal", "seconds": "s"}  # titles on the screen, so that 80 columns hold all figures


def _numbers(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[int, ...]:
    """Read whole numbers between commas."""
    try:
        return tuple(int(text) for text in column_names(context, parameter, given))
    except ValueError as error:
        raise click.BadParameter(f"whole numbers are wanted, such as 5,10,20; {error}.") from error


MOST_TERMS = 10  # sensitive terms that are repeated in a command


@click.command("advise")
@source_argument()
@click.option(
    "--clusterings",
    multiple=True,
    default=(",".join(settled()),),
    show_default=True,
    callback=column_names,
    metavar="a,b",
    help="The ways to group records that are tried.",
)
@click.option(
    "-k",
    "ks",
    multiple=True,
    default=("5,10,20",),
    show_default=True,
    callback=_numbers,
    metavar="N,N",
    help="Crowds to hide in.",
)
@click.option(
    "-m",
    "ms",
    multiple=True,
    default=("2",),
    show_default=True,
    callback=_numbers,
    metavar="N,N",
    help="Terms that somebody may know.",
)
@click.option(
    "--sensitive",
    multiple=True,
    callback=given_terms,
    metavar="FILE|a,b",
    help="Sensitive terms, the same for all settings: a file with one term per line, or a,b. Tables: columns, a,b.",
)
@click.option(
    "--sensitive-match",
    type=click.Choice(MATCHES),
    default="exact",
    show_default=True,
    help=f"{MATCH_HELP.capitalize()}.",
)
@click.option("--allow-missing-sensitive", is_flag=True, help=f"{MISSING_HELP.capitalize()}.")
@click.option("-l", "l", type=int, metavar="N", help="In no cluster may more than one record in N have one of them.")
@click.option(
    "--records",
    type=click.IntRange(1),
    metavar="N",
    help="Try N of the records only, chosen by a hash of their terms (default: all).",
)
@table_options
@click.option(
    "--suppress",
    multiple=True,
    default=("0.01",),
    show_default=True,
    callback=column_names,
    metavar="N,N",
    help="Tables: shares of the rows that may be suppressed; each is tried, too.",
)
@threads_option
@click.option("--output", "-o", type=click.Path(path_type=Path), help="A folder to write, with the chart as a picture.")
@click.option("--overwrite", is_flag=True, help="Replace advice that is there.")
@reading_options
@speaking_options
def command(
    source: str | Query,
    records: int | None,
    threads: int,
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    **rest: Any,
) -> None:
    """Try settings on the records of FILE (- for standard input), and say which to take.

    Every clustering is tried with every k and m: it publishes, is verified, and what it keeps is measured against what
    it shows beyond the promise. No release is written. The advice is a table, a chart and a recommendation in words,
    on the screen and, if you name a folder, in advice.md, advice.csv, advice.json and chart.svg.

    With --quasi FILE is a table: every k is tried, with and without suppressed rows, with --sensitive also l, t, alpha.

    The numbers are facts about the original. They are for you, who have it; they must not be published.
    """
    grid_of = {name: rest.pop(name) for name in GRID}
    about = {name: rest.pop(name) for name in (*TABLES, "suppress")}
    if about["quasi"]:
        saying = {"output": output, "overwrite": overwrite, "quiet": quiet, "as_json": as_json}
        _advise_on_table(source, {**grid_of, **about}, rest, saying)
        return
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        from disjoin.advise.folder import FOLDER
        from disjoin.advise.survey import surveyed
        from disjoin.advise.trial import Grid
        from disjoin.files.reading import read
        from disjoin.pipeline import require_people
        from disjoin.trials.folder import name_of

        grid = Grid(**grid_of)
        if output is not None:
            FOLDER.check(output, overwrite=overwrite)  # before any work is done
        data = read(source, **only_given(**rest))
        progress("reading", 1, 1)
        require_people(data)
        tell_possible_blanks(data)
        for note in grid.method(grid.paper).warnings(data):
            say(f"Warning: {note}", err=True)
        found = surveyed(data, grid, records, of=name_of(source), threads=threads, progress=progress)
        path = None if output is None else found.write(output, overwrite=overwrite)
    if as_json:
        print_json(found.to_json())
    elif not quiet:
        tell(found, path)
        say(f"Publish it with: {whole_command(source, found.recommended, only_given(**rest))}")


def _advise_on_table(
    source: str | Query, asked: dict[str, Any], reading: dict[str, Any], saying: dict[str, Any]
) -> None:
    """Try every k on a table, with and without suppressed rows, and with limits on sensitive columns."""
    from disjoin.cli.table_trials import try_table
    from disjoin.trials.tables import limits_for

    shares = [{}, *({"suppress": share} for share in asked["suppress"])]
    limits = limits_for(asked["sensitive"], asked["l"])
    grid = [{"k": k, **limit, **share} for k in sorted(asked["ks"]) for limit in limits for share in shares]
    try_table(source, asked, grid, reading, kind="advice", **saying)


def whole_command(source: str | Query, settings: Mapping[str, Any], reading: Mapping[str, Any]) -> str:
    """Return the command that publishes by these settings; an address of a database is not repeated.

    >>> whole_command("my data.csv", {"clustering": "core", "k": 5, "m": 2}, {"id_column": ("ward", "bed")})
    "disjoin disassociate 'my data.csv' --id-column ward --id-column bed --clustering core -k 5 -m 2 -o release"
    """
    where = [str(source)]
    if isinstance(source, Query):
        shown = source.database if source.database.startswith("env:") else "env:NAME"
        where = ["--db", shown, "--sql", source.sql]
    given = dict(settings)
    if given.get("sensitive"):
        terms = given["sensitive"]
        given["sensitive"] = ",".join(terms) if len(terms) <= MOST_TERMS else "FILE"
    flags = [part for name, value in (*reading.items(), *given.items()) for part in _flags(name, value)]
    return shlex.join(["disjoin", "disassociate", *where, *flags, "-o", "release"])


def _flags(name: str, value: Any) -> list[str]:
    """Return an option as it is typed; nothing for what is not asked."""
    flag = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
    if value is None or value == "exact":
        return []
    if value is True:
        return [flag]
    return [part for one in (value if isinstance(value, tuple) else (value,)) for part in (flag, str(one))]


def tell(found: Survey, path: Path | None) -> None:
    """Print table, sketch and sentences for people."""

    from disjoin.advise.chart import sketch_of
    from disjoin.advise.words import (
        FRONTIER,
        about_the_part,
        advice_in_words,
        how_sure_harm_is,
        what_exposed_means,
        what_was_tried,
        why_not,
    )

    console = screen()
    console.print(HEAD, style="bold", soft_wrap=True)
    _say(console, what_was_tried(found), "")
    console.print(_table(found))
    _say(console, "", FRONTIER, *why_not(found), "", *sketch_of(found), "")
    best, *rest = advice_in_words(found)
    console.print(best, style="bold", soft_wrap=True)
    _say(console, *rest, "", what_exposed_means(found))
    _say(console, *filter(None, [how_sure_harm_is(found), about_the_part(found)]))
    if path is not None:
        _say(console, f"Table, chart and advice.md are in {path}.")


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(line, soft_wrap=True)


def _table(found: Survey) -> Table:
    from rich.table import Table

    from disjoin.advise.chart import letters_of
    from disjoin.advise.survey import frontier
    from disjoin.advise.trial import COLUMNS

    drawn = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    drawn.add_column("", no_wrap=True)
    drawn.add_column("clustering", no_wrap=True)
    for title in ("k", "m", *(column.title for column in COLUMNS.values())):
        drawn.add_column(NARROW.get(title, title.replace(" ", "\n")), justify="right", no_wrap=True)
    kept = frontier(found.measured)
    for letter, entry in zip(letters_of(found), found.entries, strict=True):
        point = entry.point
        cells = [column.written(entry.values.get(name)) for name, column in COLUMNS.items()]
        drawn.add_row(letter + "*" * (entry in kept), point.clustering, str(point.k), str(point.m), *cells)
    return drawn
