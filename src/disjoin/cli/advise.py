"""Command `advise`: compare settings on a file and recommend one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import (
    column_names,
    columns_option,
    given_terms,
    only_given,
    options,
    reading_options,
    source_argument,
    speaking_options,
    table_reading,
    threads_option,
)
from disjoin.cli.publish import tell_possible_blanks
from disjoin.cli.screen import print_json, say, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation.choices import settled
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP
from disjoin.methods.settings import settings_of
from disjoin.readers.databases import Query

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from disjoin.advise.survey import Survey
    from disjoin.advise.tables import TriedTable
    from disjoin.model import Table as DataTable


# What `advise` and `compare` do with a table: settings tried side by side, and the command that publishes the best.

HEAD = "For your eyes only: these numbers are facts about the original. Do not publish them."

table_options = options(
    columns_option("--quasi", "Tables: the columns that somebody may know; then FILE is a table with a header."),
    columns_option("--identifiers", "Tables: columns that name a person, which are not published."),
    click.option("--hierarchies", metavar="FOLDER", help="Tables: a file for each column, COLUMN.csv."),
)
CHART = "chart.svg"
ABOUT = ("quasi", "identifiers", "hierarchies")


def try_table(
    source: str | Query,
    about: Mapping[str, Any],
    grid: Sequence[Mapping[str, Any]],
    reading: dict[str, Any],
    *,
    kind: str,
    output: Path | None,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Read the table, try the settings, and tell; `kind` is advice or comparison."""
    from disjoin.advise.tables import recommended, require_one, tried_tables

    folder = _folder(kind)
    if output is not None:
        folder.check(output, overwrite=overwrite)  # before any work is done
    common = {name: about[name] for name in ("quasi", "sensitive", "identifiers") if about.get(name)}
    with shown(quiet=quiet) as progress:
        given = table_reading(reading, "--quasi says that this is one")
        table = _table_of_settings(source, about, given)
        _require_row_per_person(table)
        tried = tried_tables(table, grid, common, progress)
    require_one(tried)
    best = recommended(tried)
    command = whole_table_command(source, given, {**common, **best.settings}, about.get("hierarchies"))
    if output is not None:
        _write(folder, tried, best, command, output, overwrite)
    if as_json:
        print_json(_facts(tried, best, command))
    elif not quiet:
        _tell(tried, best, command, output)


def _require_row_per_person(table: DataTable) -> None:
    """Raise if people have several rows: what is compared here counts rows."""
    from disjoin.model.column_roles import FEW_ROWS, TableForm, roles_in

    found = roles_in(table)
    if found.rows >= FEW_ROWS and found.form is TableForm.LONG and found.person is not None:
        raise InvalidParameter(
            f"expected a row per person, found {found.people:,} people ({found.person!r}) with {found.rows:,} rows. "
            f"Publish with disjoin generalize --person {shlex.quote(found.person)}, which counts people, or give a "
            "table with one row per person."
        )


def whole_table_command(
    source: str | Query, reading: Mapping[str, Any], settings: Mapping[str, Any], hierarchies: str | None
) -> str:
    """Return the command that publishes by these settings; an address of a database is not repeated.

    >>> whole_table_command("my data.csv", {"separator": ";"}, {"quasi": ("age", "sex"), "k": 5}, None)
    "disjoin generalize 'my data.csv' --separator ';' --quasi age,sex -k 5 --drop-unassigned -o release"
    """
    from disjoin.methods.generalization import Generalization

    flags = {setting.name: setting.flag for setting in settings_of(Generalization)}
    where = [str(source)] if isinstance(source, str) else ["--db", "env:NAME", "--sql", source.sql]
    told = [part for name, value in reading.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    parts = ["disjoin", "generalize", *where, *told, *(["--hierarchies", hierarchies] if hierarchies else [])]
    for name, value in settings.items():
        parts += [flags[name], ",".join(value) if isinstance(value, tuple) else str(value)]
    return shlex.join([*parts, "--drop-unassigned", "-o", "release"])


def _folder(kind: str) -> Any:
    from disjoin.advise.results import TrialFolder

    return TrialFolder(kind, f"The {kind}", f"folder of {kind}", (CHART,) if kind == "advice" else ())


def _table_of_settings(source: str | Query, about: Mapping[str, Any], reading: dict[str, Any]) -> Any:
    from disjoin.readers.hierarchies import hierarchies_of
    from disjoin.readers.tables import read_table

    table = read_table(source, **reading)
    if about.get("hierarchies") is None:
        return table
    return table.with_hierarchies(hierarchies_of(table, about["quasi"], about["hierarchies"]))


def _write(
    folder: Any, tried: Sequence[TriedTable], best: TriedTable, command: str, output: Path, overwrite: bool
) -> None:
    from disjoin.advise.chart import chart_of_tables
    from disjoin.advise.results import Results, circumstances, pictures
    from disjoin.advise.tables import page_of, why

    charts = {name: chart_of_tables(tried, best) for name in folder.charts}
    seen = pictures({name: chart.description for name, chart in charts.items()})
    facts = circumstances() | _facts(tried, best, command)
    words = [why(best), f"Publish it with `{command}`.", *filter(None, [seen])]
    page = page_of("Settings side by side", tried, *words)
    folder.write(Results(facts["rows"], facts, page, charts), output, overwrite=overwrite)


def _facts(tried: Sequence[TriedTable], best: TriedTable, command: str) -> dict[str, Any]:
    from disjoin.advise.tables import rows_in, warning_of

    found = {"rows": rows_in(tried), "warning": warning_of(best) or None}
    return found | {"recommended": dict(best.settings), "command": command}


def _tell(tried: Sequence[TriedTable], best: TriedTable, command: str, output: Path | None) -> None:
    from rich.table import Table as Drawn

    from disjoin.advise.results import titles
    from disjoin.advise.tables import COLUMNS, lines_of, why

    console = screen()
    console.print(HEAD, style="bold", soft_wrap=True)
    drawn = Drawn(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    drawn.add_column("setting", overflow="fold", min_width=14)
    for title in titles(COLUMNS):
        drawn.add_column(title, justify="right")
    for line in lines_of(tried):
        drawn.add_row(*line)
    console.print()
    console.print(drawn)
    console.print()
    failed = [entry for entry in tried if entry.failure]
    if failed:
        console.print(f"Settings that cannot be reached: {len(failed)}. The first: {failed[0].name}.", soft_wrap=True)
        console.print(failed[0].failure, soft_wrap=True)
    console.print(why(best), style="bold", soft_wrap=True)
    if output is not None:
        say(f"The table is in {output}.")
    say(f"Publish it with: {command}")


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
def advise_command(
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
    about = {name: rest.pop(name) for name in (*ABOUT, "suppress")}
    if about["quasi"]:
        saying = {"output": output, "overwrite": overwrite, "quiet": quiet, "as_json": as_json}
        _advise_on_table(source, {**grid_of, **about}, rest, saying)
        return
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        from disjoin.advise.folder import FOLDER
        from disjoin.advise.results import name_of
        from disjoin.advise.survey import surveyed
        from disjoin.advise.trial import Grid
        from disjoin.pipeline import require_people
        from disjoin.readers.read import read

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
    from disjoin.advise.tables import limits_for

    shares = [{}, *({"suppress": share} for share in asked["suppress"])]
    limits = limits_for(asked["sensitive"], asked["l"])
    grid = [{"k": k, **limit, **share} for k in sorted(asked["ks"]) for limit in limits for share in shares]
    try_table(source, asked, grid, reading, kind="advice", **saying)


def whole_command(source: str | Query, settings: Mapping[str, Any], reading: Mapping[str, Any]) -> str:
    """Return the command that publishes by these settings; an address of a database is not repeated.

    >>> whole_command("my data.csv", {"clustering": "core", "k": 5, "m": 2}, {"id": ("ward", "bed")})
    "disjoin disassociate 'my data.csv' --id ward --id bed --clustering core -k 5 -m 2 -o release"
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
    from disjoin.advise.recommendation import (
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
