"""disjoin inspect baskets.csv, disjoin inspect census.csv --quasi age,sex"""

from __future__ import annotations

from typing import Any

import click

from disjoin.cli.database_options import source_argument
from disjoin.cli.options import columns_option, only_given, reading_options, speaking_options, table_reading
from disjoin.cli.screen import print_json, say_text, shown
from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.databases import Query
from disjoin.progress import Progress

_HINT = " If it is a table of people, name the columns that somebody may know with --quasi."


@click.command("inspect")
@source_argument()
@columns_option("--quasi", "Tables: the columns that somebody may know of a person.")
@columns_option("--sensitive", "Tables: the columns that nobody should learn.")
@click.option("--person", metavar="NAME", help="Tables: the column that says whose a row is (default: found by name).")
@click.option("--id", "id", metavar="NAME", help="People with terms: the column that says whose a row is.")
@click.option("--terms", metavar="NAME", help="People with terms: the column of their terms.")
@click.option("--items", metavar="FILE", help="People with terms: the file with a row per person and term.")
@click.option(
    "--known",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    metavar="N",
    help="Up to that many known terms (tables: columns).",
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Examine N records only (default: all, exactly).")
@reading_options
@speaking_options
def command(
    source: str | Query,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    person: str | None,
    known: int,
    sample: int | None,
    id: str | None,
    terms: str | None,
    items: str | None,
    quiet: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Say what is in FILE (- for standard input), and how many of its records a little knowledge singles out.

    FILE has baskets, visits or logs; with --quasi it is a table with a header, and the question is whom these columns
    single out, and how anonymous the table is as it is. Where people have several rows, people are counted, too. With
    --terms or --items the people in it have terms, too, and the question is whom columns and terms single out together.
    """
    about_people = only_given(id=id, terms=terms, items=items)
    of_tables = {
        "--sensitive": sensitive,
        "--person": person,
        **{f"--{name}": each for name, each in about_people.items()},
    }
    for flag, given in of_tables.items():
        if given and not quasi:
            raise InvalidParameter(f"{flag} is for tables. Name the columns that somebody may know with --quasi, too.")
    with shown(quiet=quiet) as progress:
        progress("reading", 0, 0)
        if about_people:
            data = _people(source, (*quasi, *sensitive), about_people, {**reading, "person": person, "sample": sample})
        elif quasi:
            options = table_reading({**reading, "sample": sample}, "--quasi says that this is one")
            data = _table(source, options)
        else:
            data = _records(source, only_given(**reading), progress)
        progress("reading", 1, 1)
        from disjoin.inspection import inspect

        about: dict[str, Any] = {"sensitive": sensitive, "person": person, "known": known, "sample": sample}
        inspection = inspect(data, quasi, **about, progress=progress)
    if as_json:
        print_json(inspection.to_json())
    elif not quiet:
        say_text(str(inspection))


def _records(source: str | Query, options: dict[str, Any], progress: Progress) -> object:
    from disjoin.files.reading import read

    try:
        return read(source, **options)
    except UnreadableInput as error:
        if len(error.columns) > 2:  # it may be a table
            raise UnreadableInput(f"{error}{_HINT}") from None
        raise


def _people(source: str | Query, columns: tuple[str, ...], about: dict[str, Any], reading: dict[str, Any]) -> object:
    from disjoin.files.people import read_people

    split = reading.pop("split", None)
    options = table_reading(reading, "--terms or --items says that this is people with terms")
    return read_people(source, **about, **only_given(split=split), **options, columns=columns)


def _table(source: str | Query, options: dict[str, Any]) -> object:
    from disjoin.files.table_reading import read_table

    return read_table(source, **options)
