"""Command `advise`: compare settings on a file and recommend one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.publish import tell_possible_blanks
from disjoin.cli.screen import borderless_table, flag_of, option_words, print_json, say, screen, setting_flag, shown
from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation.choices import settled
from disjoin.methods.sensitive_terms import MATCH_HELP, MATCHES, MISSING_HELP
from disjoin.methods.settings import settings_of
from disjoin.readers.databases import Query
from disjoin.text import PRIVATE

if TYPE_CHECKING:
    from disjoin.advise.survey import Survey
    from disjoin.advise.table_trials import TriedTable
    from disjoin.model import Table as DataTable

HEAD = PRIVATE
CHART = "chart.svg"
ABOUT = ("quasi", "identifiers", "hierarchies")
GRID = ("clusterings", "ks", "ms", "sensitive", "sensitive_match", "allow_missing_sensitive", "l")  # options of it
NARROW = {"seconds": "s"}  # titles on the screen, so that 80 columns hold all figures
MOST_TERMS = 10  # sensitive terms that are repeated in a command

table_options = shared.options(
    shared.columns_option("--quasi", "The quasi-identifiers, if FILE is a table with a header."),
    shared.columns_option("--identifiers", "Columns of a table that identify a person and are not published."),
    shared.category_folder_option,
)


def _numbers(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[int, ...]:
    try:
        return tuple(map(int, shared.names_in(given)))
    except ValueError as error:
        raise click.BadParameter(f"expected whole numbers such as 5,10,20; {error}.") from error


def _list_option(*names: str, default: str, callback: Any, metavar: str, help: str) -> shared.Decorator:
    return click.option(
        *names, default=(default,), callback=callback, metavar=metavar, help=help, multiple=True, show_default=True
    )


@click.command("advise")
@shared.source_argument()
@_list_option(
    "--clusterings",
    default=",".join(settled()),
    callback=shared.column_names,
    metavar="a,b",
    help="The clusterings to try.",
)
@_list_option("-k", "ks", default="5,10,20", callback=_numbers, metavar="N,N", help="The values of k to try.")
@_list_option("-m", "ms", default="2", callback=_numbers, metavar="N,N", help="The values of m to try.")
@click.option(
    "--sensitive",
    multiple=True,
    callback=shared.given_terms,
    metavar="FILE|a,b",
    help="Sensitive terms, the same in all trials (a file with one term per line, or a,b), or sensitive columns of "
    "a table.",
)
@shared.choice_option("--sensitive-match", choices=MATCHES, default="exact", help=f"{MATCH_HELP.capitalize()}.")
@click.option("--allow-missing-sensitive", is_flag=True, help=f"{MISSING_HELP.capitalize()}.")
@shared.number_option("-l", "l", help="At most one record in N of a cluster may have the same sensitive term.")
@shared.number_option(
    "--records",
    type=click.IntRange(1),
    help="The number of records to try, chosen by a hash of their terms (default: all).",
)
@table_options
@_list_option(
    "--suppress",
    default="0.01",
    callback=shared.column_names,
    metavar="N,N",
    help="The shares of the rows of a table that may be suppressed, each of which is tried.",
)
@shared.threads_option
@shared.path_option("--output", "-o", help="The folder to write, with the chart as a picture.")
@click.option("--overwrite", is_flag=True, help="Replace existing advice.")
@shared.reading_options
@shared.speaking_options
def advise_command(source: str | Query, records: int | None, threads: int, **rest: Any) -> None:
    """Compare settings on the records of FILE (- for standard input) and recommend one.

    Every clustering is tried with every k and m. Each result is verified, and two things are measured: what it keeps,
    and what it reveals beyond the guarantee. No release is written. With --quasi, FILE is a table: every k is tried,
    with and without suppressed rows, and with --sensitive also l, t and alpha.

    The result is a recommendation, a table and a chart. With -o they are written to a folder: advice.md, advice.csv,
    advice.json and chart.svg. They are private: they are facts about the original and must not be published.
    """
    saying, grid_of = shared.taken(rest, ("output", "overwrite", "quiet", "as_json")), shared.taken(rest, GRID)
    about = shared.taken(rest, (*ABOUT, "suppress"))
    if about["quasi"]:
        _advise_on_table(source, {**grid_of, **about}, rest, saying)
        return
    output, overwrite = saying["output"], saying["overwrite"]
    with shown(quiet=saying["quiet"]) as progress:
        progress("reading", 0, 0)
        from disjoin.advise.recommendation import FOLDER
        from disjoin.advise.results import name_of
        from disjoin.advise.survey import survey
        from disjoin.advise.trial import Grid
        from disjoin.pipeline import require_people
        from disjoin.readers.read import read

        grid = Grid(**grid_of)
        if output is not None:
            FOLDER.check(output, overwrite=overwrite)  # before any work is done
        data = read(source, **shared.only_given(**rest))
        progress("reading", 1, 1)
        require_people(data)
        tell_possible_blanks(data)
        for note in grid.method(grid.paper).warnings(data):
            say(f"Warning: {note}", err=True)
        found = survey(data, grid, records, of=name_of(source), threads=threads, progress=progress)
        path = None if output is None else found.write(output, overwrite=overwrite)
    if saying["as_json"]:
        print_json(found.to_json())
    elif not saying["quiet"]:
        tell(found, path, whole_command(source, found.recommended, shared.only_given(**rest)))


def whole_command(source: str | Query, settings: Mapping[str, Any], reading: Mapping[str, Any]) -> str:
    """Return the command that publishes by these settings; an address of a database is not repeated.

    >>> whole_command("my data.csv", {"clustering": "core", "k": 5, "m": 2}, {"id": ("ward", "bed")})
    "disjoin disassociate 'my data.csv' --id ward --id bed --clustering core -k 5 -m 2 -o release"
    """
    where = [str(source)]
    if isinstance(source, Query):
        database = source.database if source.database.startswith("env:") else "env:NAME"
        where = ["--db", database, "--sql", source.sql]
    given = dict(settings)
    if terms := given.get("sensitive"):
        given["sensitive"] = ",".join(terms) if len(terms) <= MOST_TERMS else "FILE"
    words = []
    for name, value in (*reading.items(), *given.items()):
        if value is not None and value != "exact":
            words += option_words(f"-{name}" if len(name) == 1 else flag_of(name), value, is_repeated=True)
    return shlex.join(["disjoin", "disassociate", *where, *words, "-o", "release"])


def tell(found: Survey, path: Path | None, command: str) -> None:
    """Print the recommendation and its command, then what it rests on."""
    from disjoin.advise import recommendation as words
    from disjoin.advise.chart import letters_of, sketch_of
    from disjoin.advise.survey import frontier
    from disjoin.advise.trial import COLUMNS

    console = screen()
    best, *rest = words.advice_in_words(found)
    console.print(best, style="bold", soft_wrap=True)
    _print_lines(*rest)
    say(f"Publish it with: {command}")
    _print_lines(HEAD, "", words.what_was_tried(found), "")
    titles = ("k", "m", *(column.title for column in COLUMNS.values()))
    narrow = [NARROW.get(title, title.replace(" ", "\n")) for title in titles]
    drawn = borderless_table(["", "clustering"], narrow, gap=1)
    kept = frontier(found.measured)
    for letter, entry in zip(letters_of(found), found.entries, strict=True):
        point = entry.point
        cells = [column.written(entry.values.get(name)) for name, column in COLUMNS.items()]
        drawn.add_row(letter + "*" * (entry in kept), point.clustering, str(point.k), str(point.m), *cells)
    console.print(drawn)
    _print_lines("", words.FRONTIER, *words.why_not(found), "", *sketch_of(found), "")
    _print_lines(words.what_exposed_means(found))
    _print_lines(*filter(None, [words.how_sure_harm_is(found), words.about_the_part(found)]))
    if path is not None:
        _print_lines(f"Table, chart and advice.md are in {path}.")


def _print_lines(*lines: str) -> None:
    for line in lines:
        screen().print(line, soft_wrap=True)


# Tables: settings tried side by side (`advise`, `compare`), and the command that publishes by the best.


def _advise_on_table(
    source: str | Query, asked: dict[str, Any], reading: dict[str, Any], saying: dict[str, Any]
) -> None:
    from disjoin.advise.table_trials import limits_for

    shares = [{}, *({"suppress": share} for share in asked["suppress"])]
    limits = limits_for(asked["sensitive"], asked["l"])
    grid = [{"k": k, **limit, **share} for k in sorted(asked["ks"]) for limit in limits for share in shares]
    try_table(source, asked, grid, reading, kind="advice", **saying)


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
    """Read the table, try the settings, and print or write the results; `kind` is advice or comparison."""
    from disjoin.advise.results import TrialFolder
    from disjoin.advise.table_trials import recommended, require_one, rows_in, tried_tables, warning_of

    folder = TrialFolder(kind, f"The {kind}", f"folder of {kind}", (CHART,) if kind == "advice" else ())
    if output is not None:
        folder.check(output, overwrite=overwrite)  # before any work is done
    common = {name: about[name] for name in ("quasi", "sensitive", "identifiers") if about.get(name)}
    with shown(quiet=quiet) as progress:
        given = shared.table_reading(reading, "--quasi marks it as one")
        table = _read_table(source, about, given)
        _require_row_per_person(table)
        tried = tried_tables(table, grid, common, progress)
    require_one(tried)
    best = recommended(tried)
    command = whole_table_command(source, given, {**common, **best.settings}, about.get("hierarchies"))
    facts: dict[str, Any] = {"rows": rows_in(tried), "warning": warning_of(best) or None}
    facts |= {"recommended": dict(best.settings), "command": command}
    if output is not None:
        _write(folder, tried, best, facts, output, overwrite)
    if as_json:
        print_json(facts)
    elif not quiet:
        _tell_tables(tried, best, command, output)


def _read_table(source: str | Query, about: Mapping[str, Any], reading: dict[str, Any]) -> DataTable:
    from disjoin.readers.hierarchies import hierarchies_of
    from disjoin.readers.tables import read_table

    table = read_table(source, **reading)
    if about.get("hierarchies") is None:
        return table
    return table.with_hierarchies(hierarchies_of(table, about["quasi"], about["hierarchies"]))


def _require_row_per_person(table: DataTable) -> None:
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

    flags = {setting.name: setting_flag(setting) for setting in settings_of(Generalization)}
    where = [source] if isinstance(source, str) else ["--db", "env:NAME", "--sql", source.sql]
    pairs = [(flag_of(name), value) for name, value in (*reading.items(), ("hierarchies", hierarchies)) if value]
    pairs += [(flags[name], value) for name, value in settings.items()]
    words = [word for flag, value in pairs for word in option_words(flag, value)]
    return shlex.join(["disjoin", "generalize", *where, *words, "--drop-unassigned", "-o", "release"])


def _write(
    folder: Any, tried: Sequence[TriedTable], best: TriedTable, facts: dict[str, Any], output: Path, overwrite: bool
) -> None:
    from disjoin.advise.chart import chart_of_tables
    from disjoin.advise.results import circumstances, pictures
    from disjoin.advise.table_trials import page_of, why

    charts = {name: chart_of_tables(tried, best) for name in folder.charts}
    seen = pictures({name: chart.description for name, chart in charts.items()})
    words = [why(best), f"Publish it with `{facts['command']}`.", *filter(None, [seen])]
    page = page_of("Settings side by side", tried, *words)
    folder.write(facts["rows"], circumstances() | facts, page, charts, output, overwrite=overwrite)


def _tell_tables(tried: Sequence[TriedTable], best: TriedTable, command: str, output: Path | None) -> None:
    from disjoin.advise.results import titles
    from disjoin.advise.table_trials import COLUMNS, lines_of, why

    console = screen()
    console.print(why(best), style="bold", soft_wrap=True)
    say(f"Publish it with: {command}")
    console.print(HEAD, soft_wrap=True)
    drawn = borderless_table([], gap=1)
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
        _print_lines(f"Settings that cannot be reached: {len(failed)}. The first: {failed[0].name}.", failed[0].failure)
    if output is not None:
        say(f"The table is in {output}.")
