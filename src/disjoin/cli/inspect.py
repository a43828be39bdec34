"""Commands `inspect` and `risk`: what a file contains, and who is unique in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli import options as shared
from disjoin.cli.publish import engine_from, engine_options
from disjoin.cli.screen import borderless_table, flag_of, print_json, say, say_text, screen, shown
from disjoin.errors import InvalidParameter, OutputExists, Placeholder, Remedy, UnreadableInput
from disjoin.progress import Progress
from disjoin.readers.databases import Query
from disjoin.text import PRIVATE, counted, printable

if TYPE_CHECKING:
    from disjoin.attack.risk import Risk
    from disjoin.engine import RemoteEngine
    from disjoin.report.profile import Inspection

_NAME_KNOWN_COLUMNS = Remedy(
    "quasi", Placeholder("COLUMN,..."), "for a table of people: name the columns that an attacker may know"
)
_OF_TABLES = ("sensitive", "person", "hierarchies", "population", "population_size", "items")


@click.command("inspect")
@shared.source_argument()
@shared.columns_option("--quasi", "The quasi-identifiers of a table: columns that an attacker may know of a person.")
@shared.columns_option("--sensitive", "The columns of a table that an attacker must not learn.")
@click.option(
    "--person",
    metavar="NAME",
    help="The column of a table that identifies the person of a row (default: found by values).",
)
@click.option(
    "--hierarchies",
    metavar="FOLDER",
    help="A folder with a hierarchy COLUMN.csv for sensitive columns of a table, to measure t.",
)
@click.option(
    "--population",
    metavar="FILE",
    help="A table of the whole population, one row per person, to measure k-map and presence.",
)
@shared.number_option(
    "--population-size", type=click.IntRange(1), help="The number of people in the population of a table."
)
@click.option("--items", metavar="FILE", help="The file with a row per person and term, for people with terms.")
@shared.number_option(
    "--known",
    type=click.IntRange(1, 6),
    help="The largest number of known terms, or of known columns of a table  [default: 3; on Spark 2]",
)
@shared.number_option("--sample", type=click.IntRange(1), help="Examine only N records (default: all, exactly).")
@shared.path_option("--report", metavar="FILE", help="Write the result as a private page to this file.")
@shared.reading_options
@engine_options("inspect")
@shared.speaking_options
def inspect_command(
    source: str | Query, quasi: tuple[str, ...], report: Path | None, quiet: bool, as_json: bool, **reading: Any
) -> None:
    """Show what FILE (- for standard input) contains, and how many people are unique in it.

    FILE has baskets, visits or logs. With --quasi it is a table with a header: report how many people these columns
    single out, and which guarantees the table already has. Where people have several rows, people are counted. With
    --quasi and --terms or --items, people have terms, too, and columns and terms are known together.
    """
    about = shared.taken(reading, _OF_TABLES)
    for name, given in about.items():
        if given and not quasi:
            flag = flag_of(name)
            raise InvalidParameter(
                f"{flag} is for tables. Name the columns that an attacker may know with --quasi, too."
            )
    people = shared.only_given(items=about.pop("items"), **(shared.taken(reading, ("id", "terms")) if quasi else {}))
    known, about["sample"] = reading.pop("known"), reading.pop("sample")
    engine = engine_from("inspect", reading)
    with shown(quiet=quiet) as progress:
        if engine is not None:
            not_there = {"--quasi": quasi, "--sample": about["sample"]}
            inspection = _elsewhere(engine, source, shared.only_given(**reading), known, not_there, progress)
        else:
            columns = (*quasi, *about["sensitive"]) if quasi else ()
            progress("reading", 0, 0)
            data = _read(source, reading, columns, people, about, progress)
            progress("reading", 1, 1)
            from disjoin.report.profile import inspect

            inspection = inspect(data, quasi, known=known or 3, **about, progress=progress)
    if report is not None:
        _write_page(report, inspection, source)
    if as_json:
        print_json(inspection.to_json())
    elif not quiet:
        say_text(str(inspection))


def _write_page(path: Path, inspection: Inspection, source: str | Query) -> None:
    from disjoin.atomic import whole_file

    if path.exists():
        raise OutputExists(f"{printable(path)} already exists. Choose another place.", path)
    with whole_file(path, private=True) as file:
        file.write(inspection.to_html(Path(source).name if isinstance(source, str) else "").encode())


def _read(
    source: str | Query,
    reading: dict[str, Any],
    columns: tuple[str, ...],
    people: dict[str, Any],
    about: dict[str, Any],
    progress: Progress,
) -> object:
    if people:
        from disjoin.readers.people import read_people

        split = shared.only_given(split=reading.pop("split"))
        asked = {**reading, "person": about["person"], "sample": about["sample"]}
        options = shared.table_reading(asked, "--terms or --items marks it as people with terms")
        return read_people(source, **people, **split, **options, columns=columns)
    if columns:
        from disjoin.readers.tables import read_table

        options = shared.table_reading({**reading, "sample": about["sample"]}, "--quasi marks it as one")
        return read_table(source, **options)
    from disjoin.readers.read import read

    options = shared.only_given(**reading)
    if mixed := _mixed(source, options):
        return mixed
    try:
        return read(source, **options)
    except UnreadableInput as error:
        if len(error.columns) > 2:  # it may be a table
            error.offering(_NAME_KNOWN_COLUMNS)
        raise


def _elsewhere(
    engine: RemoteEngine,
    source: str | Query,
    reading: dict[str, Any],
    known: int | None,
    of_tables: dict[str, Any],
    progress: Progress,
) -> Inspection:
    from disjoin.cli.startup import unblock_optional_imports

    for flag, value in of_tables.items():
        if value:
            raise InvalidParameter(f"{flag} is not for --engine {engine.name}, which reads the terms of all records.")
    unblock_optional_imports()
    found: Inspection = engine.inspect(source, reading, known, progress)
    return found


def _mixed(source: str | Query, options: dict[str, Any]) -> object:
    from disjoin.readers.people import people_in

    ids, terms = options.get("id"), options.get("terms")
    names = ("separator", "max_bytes", "blank_words", "sheet", "encoding")
    is_plain = options.keys() <= {"format", "id", "terms", "blank", *names}
    if not is_plain or options.get("format", "long") != "long" or not isinstance(source, str):
        return None
    about = {name: options[name] for name in names if name in options}
    return None if isinstance(ids, tuple) else people_in(source, ids, terms, **about)


@click.command("risk")
@shared.source_argument()
@shared.number_option("-k", type=click.IntRange(2), default=5, help="The k of the trial release.")
@shared.number_option("-m", type=click.IntRange(1, 5), default=2, help="The m of the trial release.")
@click.option("--clustering", metavar="NAME", help="The clustering of the trial release (default: as in disassociate).")
@shared.reading_options
@shared.speaking_options
def risk_command(
    source: str | Query, k: int, m: int, clustering: str | None, quiet: bool, as_json: bool, **reading: Any
) -> None:
    """Show what FILE reveals before and after publishing, which terms do so, and which k and m to start with.

    For up to m + 1 known terms of a record, the report has two figures: how many records these single out in FILE, and
    for how many an attacker finds fewer than k candidates in a release with this k and m. That release is made in
    memory and not written.
    """
    from disjoin.advise import publisher_of
    from disjoin.attack.risk import risk
    from disjoin.methods.disassociation import Disassociation
    from disjoin.pipeline import publish
    from disjoin.readers.read import read

    with shown(quiet=quiet or as_json) as progress:
        progress("reading", 0, 0)
        data = read(source, **shared.only_given(**reading))
        progress("reading", 1, 1)
        method = Disassociation(k=k, m=m, **shared.only_given(clustering=clustering))
        release = publish(data, method, progress=progress, is_trial=True, publisher=publisher_of(method)).release
        progress("attacking", 0, 0)
        found = risk(data, release)
        progress("attacking", 1, 1)
    if as_json:
        print_json(found.to_json())
    elif not quiet:
        _tell(found)


def _tell(found: Risk) -> None:
    advice = found.suggestion
    say(f"Start with k = {advice.k} and m = {advice.m}: {advice.reason}")
    say(f"{PRIVATE} {found.records:,} records were examined.")
    drawn = borderless_table([])
    for title in ("known terms", "single out", f"below {found.k} in the file", f"below {found.k} when published"):
        drawn.add_column(title, justify="right")
    for point in found.curve:
        before = "too long" if point.below_k is None else f"{point.below_k:.1%}"
        drawn.add_row(str(point.known), f"{point.singled_out:.1%}", before, f"{point.afterwards:.1%}")
    screen().print(drawn)
    say(
        f"After publishing, an attacker who knows {found.m + 1} random terms of a record finds it, or learns a term, "
        f"for {found.harmed:.1%} of the records."
    )
    for term, count in found.terms:
        say(f"{term} singles out {counted(count, 'record')}, alone or with one other term.")
    for (first, second), count in found.pairs[:1]:
        say(f"{first} and {second}: the most frequent pair that fewer than {found.k} records have ({count:,}).")
