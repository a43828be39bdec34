"""Commands `hierarchy build` and `hierarchy check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.options import file_options, limit_option, names_in, only_given, options, path_option
from disjoin.cli.screen import say
from disjoin.errors import DisjoinError, InvalidParameter
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.model import Table
    from disjoin.readers.hierarchies import HierarchyCheck

SHOWN = 10  # values without a leaf that are named
WAYS = ("intervals", "bands", "dates", "mask", "groups", "above")

reading_options = options(
    click.option("--separator", metavar="CHAR", help="The character between fields (default: detected)."),
    limit_option("a table"),
    file_options,
)


@click.group("hierarchy")
def hierarchy_command() -> None:
    """Build or check a generalisation hierarchy for a column.

    A hierarchy is a file with a row for every value: the value, what it generalises to, and so on up to the root, which
    includes all values, with semicolons between them.
    """


@hierarchy_command.command("build")
@click.argument("data")
@click.option("--column", required=True, metavar="NAME", help="The column whose values are generalised.")
@click.option(
    "--intervals", metavar="5,10,20", help="The widths of intervals of numbers, each a multiple of the one before."
)
@click.option(
    "--bands", multiple=True, metavar="18,30,65", help="The numbers at which bands begin; repeat it for coarser bands."
)
@click.option("--dates", is_flag=True, help="Generalise days to months, quarters, years and decades.")
@click.option("--mask", is_flag=True, help="Replace the characters of codes by *, one by one, from the right.")
@click.option(
    "--groups", metavar="FILE", help="A file of categories, with rows such as nurse;health or nurse;health;work."
)
@click.option("--above", metavar="a,b", help="The columns with the categories of each item, the narrowest first.")
@path_option("--output", "-o", required=True, help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace an existing file.")
@reading_options
def build(data: str, column: str, output: Path, overwrite: bool, **given: Any) -> None:
    """Build a hierarchy for a column of a table, by --intervals, --bands, --dates, --mask, --groups or --above.

    The leaves of the hierarchy are published with the table. With --intervals or --bands, every whole number from the
    least to the largest is a leaf, and with --dates every day, whether it occurs or not. For other numbers and for
    codes, only those that occur are leaves.

    DATA may be a catalogue with a row for every item: --column name --above category,department.
    """
    ways = {name: given.pop(name) for name in WAYS}
    if sum(way not in (None, (), False) for way in ways.values()) != 1:
        raise InvalidParameter(
            "use one of --intervals, --bands, --dates, --mask, --groups and --above to generalise the values."
        )
    from disjoin.readers import hierarchies

    hierarchies.require_free(output, overwrite=overwrite)
    if ways["intervals"] is not None:
        ways["intervals"] = [width.strip() for width in ways["intervals"].split(",")]
    if ways["above"] is not None:
        ways["above"] = list(names_in([ways["above"]]))
    ways["bands"] = [level.split(",") for level in ways["bands"]] or None
    tree = hierarchies.build(_table(data, given), column, **ways)
    hierarchies.write(tree, output, overwrite=overwrite)
    found = hierarchies.check(tree)
    say(f"{_extent(found)} The hierarchy is in {output}.", err=True)
    _say_told_apart(found, err=True)


@hierarchy_command.command("check")
@click.argument("file")
@click.option("--data", metavar="FILE", help="A table whose values must all be leaves of the hierarchy.")
@click.option(
    "--column", metavar="NAME", help="The column of the table (default: the one after which the file is named)."
)
@reading_options
def check(file: str, data: str | None, column: str | None, **reading: Any) -> int:
    """Check that a file is a hierarchy, and list which values of a column it lacks.

    The exit code is 2 if the file is not a hierarchy or lacks a value.
    """
    from disjoin.readers import hierarchies

    if column is not None and data is None:
        raise InvalidParameter("--column names a column of a table: give the table too (--data).")
    found = hierarchies.check(file, None if data is None else _table(data, reading), column)
    say(_extent(found))
    for level, names in enumerate(found.names_by_level, start=1):
        say(f"  level {level}: {counted(names, 'name')}")
    _say_told_apart(found)
    return 0 if data is None else _missing(found)


def _say_told_apart(found: HierarchyCheck, *, err: bool = False) -> None:
    if found.told_apart:
        from disjoin.model.hierarchy import told_apart_words

        words = told_apart_words(found.told_apart)
        say(f"{words[0].upper()}{words[1:]}.", err=err)


def _missing(found: HierarchyCheck) -> int:
    if found.is_complete:
        say("Every value of the column has a leaf.")
        return 0
    lost = found.missing
    shown = ", ".join(repr(value) for value in lost[:SHOWN]) + (", ..." if len(lost) > SHOWN else "")
    say(f"{len(lost):,} of {found.values:,} different values have no leaf: {shown}. Add a row for each.")
    return DisjoinError.exit_code


def _table(data: str, reading: dict[str, Any]) -> Table:
    from disjoin.readers.tables import read_table

    return read_table(data, **only_given(**reading))


def _extent(found: HierarchyCheck) -> str:
    return f"{counted(found.leaves, 'leaf', 'leaves')}, height {found.height}, root {found.root!r}."
