"""What `advise` and `compare` do with a table: settings tried side by side, and the command that publishes the best."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import columns_option, options, table_reading
from disjoin.cli.screen import print_json, say, screen, shown
from disjoin.errors import InvalidParameter
from disjoin.files.databases import Query
from disjoin.methods.generalization import Generalization
from disjoin.methods.settings import settings_of

if TYPE_CHECKING:
    from disjoin.model import Table
    from disjoin.trials.tables import TriedTable

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
    from disjoin.trials.tables import recommended, require_one, tried_tables

    folder = _folder(kind)
    if output is not None:
        folder.check(output, overwrite=overwrite)  # before any work is done
    common = {name: about[name] for name in ("quasi", "sensitive", "identifiers") if about.get(name)}
    with shown(quiet=quiet) as progress:
        given = table_reading(reading, "--quasi says that this is one")
        table = _table(source, about, given)
        _require_row_per_person(table)
        tried = tried_tables(table, grid, common, progress)
    require_one(tried)
    best = recommended(tried)
    command = whole_command(source, given, {**common, **best.settings}, about.get("hierarchies"))
    if output is not None:
        _write(folder, tried, best, command, output, overwrite)
    if as_json:
        print_json(_facts(tried, best, command))
    elif not quiet:
        _tell(tried, best, command, output)


def _require_row_per_person(table: Table) -> None:
    """Raise if people have several rows: what is compared here counts rows."""
    from disjoin.model.column_roles import FEW_ROWS, TableForm, roles_in

    found = roles_in(table)
    if found.rows >= FEW_ROWS and found.form is TableForm.LONG and found.person is not None:
        raise InvalidParameter(
            f"expected a row per person, found {found.people:,} people ({found.person!r}) with {found.rows:,} rows. "
            f"Publish with disjoin generalize --person {shlex.quote(found.person)}, which counts people, or give a "
            "table with one row per person."
        )


def whole_command(
    source: str | Query, reading: Mapping[str, Any], settings: Mapping[str, Any], hierarchies: str | None
) -> str:
    """Return the command that publishes by these settings; an address of a database is not repeated.

    >>> whole_command("my data.csv", {"separator": ";"}, {"quasi": ("age", "sex"), "k": 5}, None)
    "disjoin generalize 'my data.csv' --separator ';' --quasi age,sex -k 5 --drop-unassigned -o release"
    """
    flags = {setting.name: setting.flag for setting in settings_of(Generalization)}
    where = [str(source)] if isinstance(source, str) else ["--db", "env:NAME", "--sql", source.sql]
    told = [part for name, value in reading.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    parts = ["disjoin", "generalize", *where, *told, *(["--hierarchies", hierarchies] if hierarchies else [])]
    for name, value in settings.items():
        parts += [flags[name], ",".join(value) if isinstance(value, tuple) else str(value)]
    return shlex.join([*parts, "--drop-unassigned", "-o", "release"])


def _folder(kind: str) -> Any:
    from disjoin.trials.folder import TrialFolder

    return TrialFolder(kind, f"The {kind}", f"folder of {kind}", (CHART,) if kind == "advice" else ())


def _table(source: str | Query, about: Mapping[str, Any], reading: dict[str, Any]) -> Any:
    from disjoin.files.table_reading import read_table
    from disjoin.publishers import hierarchies_of

    table = read_table(source, **reading)
    if about.get("hierarchies") is None:
        return table
    return table.with_hierarchies(hierarchies_of(table, about["quasi"], about["hierarchies"]))


def _write(
    folder: Any, tried: Sequence[TriedTable], best: TriedTable, command: str, output: Path, overwrite: bool
) -> None:
    from disjoin.advise.chart import chart_of_tables
    from disjoin.trials.folder import Results, circumstances, pictures
    from disjoin.trials.tables import page_of, why

    charts = {name: chart_of_tables(tried, best) for name in folder.charts}
    seen = pictures({name: chart["description"] for name, chart in charts.items()})
    facts = circumstances() | _facts(tried, best, command)
    words = [why(best), f"Publish it with `{command}`.", *filter(None, [seen])]
    page = page_of("Settings side by side", tried, *words)
    folder.write(Results(facts["rows"], facts, page, charts), output, overwrite=overwrite)


def _facts(tried: Sequence[TriedTable], best: TriedTable, command: str) -> dict[str, Any]:
    from disjoin.trials.tables import rows_in, warning_of

    found = {"rows": rows_in(tried), "warning": warning_of(best) or None}
    return found | {"recommended": dict(best.settings), "command": command}


def _tell(tried: Sequence[TriedTable], best: TriedTable, command: str, output: Path | None) -> None:
    from rich.table import Table as Drawn

    from disjoin.cli.compare_command import HEAD
    from disjoin.trials.rows import titles
    from disjoin.trials.tables import COLUMNS, lines_of, why

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
