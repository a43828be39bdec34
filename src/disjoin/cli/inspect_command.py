"""disjoin inspect baskets.csv, disjoin inspect census.csv --quasi age,sex"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.database_options import source_argument
from disjoin.cli.options import columns_option, only_given, reading_options, speaking_options, table_reading
from disjoin.cli.publishing import engine_options, spark_settings
from disjoin.cli.screen import print_json, say_text, shown
from disjoin.errors import InvalidParameter, OutputExists, UnreadableInput
from disjoin.escaping import legible
from disjoin.files.databases import Query
from disjoin.progress import Progress

if TYPE_CHECKING:
    from disjoin.engines.spark.settings import SparkSettings
    from disjoin.inspection import Inspection

_HINT = " If it is a table of people, name the columns that somebody may know with --quasi."


@click.command("inspect")
@source_argument()
@columns_option("--quasi", "Tables: the columns that somebody may know of a person.")
@columns_option("--sensitive", "Tables: the columns that nobody should learn.")
@click.option(
    "--person", metavar="NAME", help="Tables: the column that says whose a row is (default: found by values)."
)
@click.option("--hierarchies", metavar="FOLDER", help="Tables: COLUMN.csv of sensitive columns, to tell t in them.")
@click.option("--population", metavar="FILE", help="Tables: a row per person that they are a part of: k-map, presence.")
@click.option("--population-size", type=click.IntRange(1), metavar="N", help="Tables: how many people that are.")
@click.option("--id", "id", metavar="NAME", help="People with terms: the column that says whose a row is.")
@click.option("--terms", metavar="NAME", help="People with terms: the column of their terms.")
@click.option("--items", metavar="FILE", help="People with terms: the file with a row per person and term.")
@click.option(
    "--known",
    type=click.IntRange(1, 6),
    metavar="N",
    help="Up to that many known terms (tables: columns)  [default: 3; on Spark 2]",
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Examine N records only (default: all, exactly).")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write it as a private page, too.")
@reading_options
@engine_options
@speaking_options
def command(
    source: str | Query,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    person: str | None,
    known: int | None,
    sample: int | None,
    id: str | None,
    terms: str | None,
    items: str | None,
    report: Path | None,
    quiet: bool,
    as_json: bool,
    **reading: Any,
) -> None:
    """Say what is in FILE (- for standard input), and how many of its records a little knowledge singles out.

    FILE has baskets, visits or logs; with --quasi it is a table with a header, and the question is whom these columns
    single out, and how anonymous the table is as it is. Where people have several rows, people are counted, too. With
    --terms or --items the people in it have terms, too, and the question is whom columns and terms single out together.
    """
    outside = {name: reading.pop(name) for name in ("hierarchies", "population", "population_size")}
    about_people = only_given(id=id, terms=terms, items=items)
    of_tables = {
        "--sensitive": sensitive,
        "--person": person,
        **{f"--{name.replace('_', '-')}": each for name, each in outside.items()},
        **{f"--{name}": each for name, each in about_people.items()},
    }
    for flag, given in of_tables.items():
        if given and not quasi:
            raise InvalidParameter(f"{flag} is for tables. Name the columns that somebody may know with --quasi, too.")
    spark = spark_settings(reading)
    with shown(quiet=quiet) as progress:
        if spark is not None:
            _require_records_on_spark(source, {"--quasi": quasi, "--sample": sample})
            inspection = _on_spark(str(source), only_given(**reading), spark, known, progress)
        else:
            about = {"sensitive": sensitive, "person": person, "known": known or 3, "sample": sample, **outside}
            data = _read(source, reading, (*quasi, *sensitive) if quasi else (), about_people, about, progress)
            inspection = _inspected(data, quasi, about, progress)
    if report is not None:
        _write_page(report, inspection, source)
    if as_json:
        print_json(inspection.to_json())
    elif not quiet:
        say_text(str(inspection))


def _write_page(path: Path, inspection: Inspection, source: str | Query) -> None:
    """Write the page, whole or not at all; one that is there is not replaced."""
    from disjoin.generate.output import whole_file

    if path.exists():
        raise OutputExists(f"{legible(path)} already exists. Choose another place.", path)
    with whole_file(path, private=True) as file:
        file.write(inspection.to_html(Path(source).name if isinstance(source, str) else "").encode())


def _inspected(data: object, quasi: tuple[str, ...], about: dict[str, Any], progress: Progress) -> Inspection:
    from disjoin.inspection import inspect

    return inspect(data, quasi, **about, progress=progress)


def _read(
    source: str | Query,
    reading: dict[str, Any],
    columns: tuple[str, ...],
    about_people: dict[str, Any],
    about: dict[str, Any],
    progress: Progress,
) -> object:
    """Read records or, if columns are named, a table of people, or people with terms."""
    progress("reading", 0, 0)
    if about_people:
        asked = {**reading, "person": about["person"], "sample": about["sample"]}
        data = _people(source, columns, about_people, asked)
    elif columns:
        data = _table(source, table_reading({**reading, "sample": about["sample"]}, "--quasi says that this is one"))
    else:
        data = _mixed(source, only_given(**reading)) or _records(source, only_given(**reading), progress)
    progress("reading", 1, 1)
    return data


def _require_records_on_spark(source: str | Query, given: dict[str, Any]) -> None:
    for flag, value in given.items():
        if value:
            raise InvalidParameter(f"{flag} is not for --engine spark, which looks at the terms of all records.")
    if not isinstance(source, str):
        raise InvalidParameter(
            "Spark reads databases by itself: make a frame of the query, and call disjoin.spark.inspect in Python."
        )


def _on_spark(
    source: str, reading: dict[str, Any], settings: SparkSettings, known: int | None, progress: Progress
) -> Inspection:
    from disjoin.cli.lightness import travel_with_everything
    from disjoin.engines.spark.knowing import MOST_KNOWN
    from disjoin.engines.spark.ready import ready
    from disjoin.engines.spark.session import session_for
    from disjoin.engines.spark.sources import frame_of
    from disjoin.engines.spark.staging import staging_in
    from disjoin.spark import inspect_frame

    travel_with_everything()
    with staging_in(settings.staging) as staging, session_for(settings) as session:  # which ends before the folder
        jobs = ready(session, staging, settings, progress)
        frame, split = frame_of(session, source, reading), reading.get("split")
        return inspect_frame(frame, settings, known or MOST_KNOWN, progress, split=split, jobs=jobs)


def _mixed(source: str | Query, options: dict[str, Any]) -> object:
    """Read people of a long table with columns that are constant per person; None for anything else."""
    from disjoin.people_in_rows import people_in

    named = {"id": options.get("id_column"), "terms": options.get("term_column")}
    about = {
        name: options[name]
        for name in ("separator", "max_bytes", "blank_words", "sheet", "encoding")
        if name in options
    }
    is_plain = options.keys() <= {"format", "id_column", "term_column", "blank", *about}
    if not is_plain or options.get("format", "long") != "long" or not isinstance(source, str):
        return None
    ids = named["id"] if isinstance(named["id"], (list, tuple)) else [named["id"]]
    return people_in(source, ids[0], named["terms"], **about) if len(ids) == 1 else None


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
