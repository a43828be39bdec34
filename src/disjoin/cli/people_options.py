"""Options that say where people with columns and terms are: in one file or in two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import only_given, options, table_options
from disjoin.errors import InvalidParameter
from disjoin.files.options import SIMILAR_WAYS

if TYPE_CHECKING:
    from disjoin.files.databases import Query
    from disjoin.model import AnyGuarantee, MixedRecords

people_options = options(
    click.option("--people", metavar="FILE", help="Instead of FILE: the file with a row per person."),
    click.option("--items", metavar="FILE", help="With --people: the file with a row per person and term."),
    click.option("--id", "id", metavar="NAME", help="The column that says whose a row is; it is not published."),
    click.option("--terms", metavar="NAME", help="The column of terms: lists in FILE, single ones in --items."),
    click.option(
        "--split", metavar="CHAR|none", help="The character between the terms of a cell of FILE; none: a cell is one."
    ),
)

people_reading_options = options(
    table_options,
    click.option(
        "--similar-ids",
        type=click.Choice(SIMILAR_WAYS),
        help="What becomes of ids that differ only in spelling (default: error).",
    ),
)


original_people_options = options(
    click.option("--people", metavar="FILE", help="Mixed data, instead of --original: the file of people."),
    click.option("--items", metavar="FILE", help="With --people: the file with a row per person and term."),
    click.option("--id", "id", metavar="NAME", help="Mixed data: the column that says whose a row is."),
    click.option("--terms", metavar="NAME", help="Mixed data: the column of terms."),
)
ABOUT_PEOPLE = ("people", "items", "id", "terms")


def original_people(
    guarantee: AnyGuarantee, original: str | Query | None, about: dict[str, Any], reading: dict[str, Any]
) -> MixedRecords:
    """Read the original of mixed data; which columns count is said by the promise."""
    from disjoin.files.people import read_people
    from disjoin.model import MixedAnonymity

    assert isinstance(guarantee, MixedAnonymity), "mixed data has its own promise"
    more = only_given(**reading)
    for name in more:
        if name not in ("split", "separator", "max_bytes", "blank_words", "similar_ids", "sheet", "encoding"):
            flag = name.replace("_", "-")
            raise InvalidParameter(f"--{flag} is not for mixed data, and this release has it. Use --id and --terms.")
    source = people_source(original, about)
    columns = (*guarantee.quasi, *guarantee.sensitive_columns)
    return read_people(source, about["items"], columns=columns, id=about["id"], terms=about["terms"], **more)


def refuse_people(about: dict[str, Any]) -> None:
    """Raise if options for mixed data were given for a release that has none."""
    for name in ABOUT_PEOPLE:
        if about[name] is not None:
            raise InvalidParameter(f"--{name} is for mixed data, and this release has none. Use --original.")


def people_source(source: str | Query | None, given: dict[str, Any]) -> str | Query:
    """Return the file with the rows of people: FILE, or the one of --people, which is taken out of the options."""
    people = given.pop("people")
    if (source is None) == (people is None):
        raise click.UsageError("Give FILE, a table with a list of terms in a column, or --people and --items.")
    if people is not None and given.get("items") is None:
        raise click.UsageError("--people has no terms: add --items, the file with a row per person and term.")
    if people is None and given.get("items") is not None:
        raise click.UsageError("--items is joined with --people: say --people instead of FILE.")
    return people if source is None else source
