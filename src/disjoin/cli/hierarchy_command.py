"""disjoin hierarchy build census.csv --column age --intervals 5,10,20 -o hierarchies/age.csv"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disjoin.cli.screen import say
from disjoin.errors import DisjoinError, InvalidParameter, OutputExists, UnreadableInput

if TYPE_CHECKING:
    from disjoin.model import Hierarchy, Table

SHOWN = 10  # values without a leaf that are named

separator_option = click.option("--separator", metavar="CHAR", help="What separates the fields (default: detected).")
limit_option = click.option(
    "--max-bytes",
    type=click.IntRange(1),
    metavar="N",
    help="Refuse a table that unpacks to more bytes (default: 8 GiB).",
)


@click.group("hierarchy")
def command() -> None:
    """Build or check the hierarchy of a column: what its values generalise to.

    A hierarchy is a file with a row for every value, from the value to what stands for all, semicolons between.
    """


@command.command("build")
@click.argument("data")
@click.option("--column", required=True, metavar="NAME", help="The column whose values are generalised.")
@click.option("--intervals", metavar="5,10,20", help="Numbers: widths of intervals, each a multiple of the one before.")
@click.option("--mask", is_flag=True, help="Codes: hide their characters one by one, from the right.")
@click.option("--groups", metavar="FILE", help="Categories: a file of rows such as nurse;health or nurse;health;work.")
@click.option("--above", metavar="a,b", help="Items: columns of what each is.")
@click.option("--output", "-o", required=True, type=click.Path(path_type=Path), help="The file to write.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
@separator_option
@limit_option
def build(
    data: str,
    column: str,
    intervals: str | None,
    mask: bool,
    groups: str | None,
    above: str | None,
    output: Path,
    overwrite: bool,
    **reading: Any,
) -> None:
    """Make a hierarchy for a column of a table: say one of --intervals, --mask, --groups and --above.

    Its leaves are published with the table. Of whole numbers under --intervals all are leaves, also those between the
    values that occur; of other numbers and of codes, those that occur.

    DATA may be a catalogue, with a row for every item: --column name --above category,department.
    """
    if (intervals is not None) + mask + (groups is not None) + (above is not None) != 1:
        raise InvalidParameter("say one of --intervals, --mask, --groups and --above: how the values are generalised.")
    _require_free(output, overwrite=overwrite)
    table = _table(data, reading)
    columns = [column, *_names(above)]
    for name in columns:
        table.schema.position(name)  # complains about what is not there
    try:
        tree = _built(table, column, intervals, groups) if above is None else _of_catalogue(table, columns)
    except (InvalidParameter, UnreadableInput) as error:
        raise type(error)(f"column {column!r}: {error}") from None
    _write(tree, output)
    say(f"{_extent(tree)} The hierarchy is in {output}.", err=True)


@command.command("check")
@click.argument("file")
@click.option("--data", metavar="FILE", help="Also check that every value of a table's column has a leaf.")
@click.option("--column", metavar="NAME", help="The column (default: the one that the file is named after).")
@separator_option
@limit_option
def check(file: str, data: str | None, column: str | None, **reading: Any) -> int:
    """Say whether a file is a hierarchy, how high it is, and which values of a column it lacks.

    The exit code is 2 if it is none, or lacks a value.
    """
    from disjoin.files.hierarchies import read_hierarchy

    if column is not None and data is None:
        raise InvalidParameter("--column names a column of a table: give the table too (--data).")
    tree = read_hierarchy(file)
    say(_extent(tree))
    for level in range(1, tree.height + 1):
        names = int((tree.levels == level).sum())
        say(f"  level {level}: {names:,} {'name' if names == 1 else 'names'}")
    if data is None:
        return 0
    values: list[str] = _table(data, reading).values_of(column or _named_after(file)).to_pylist()
    return _missing(tree, values)


def _missing(tree: Hierarchy, values: list[str]) -> int:
    leaves = {*tree.names.slice(0, tree.n_leaves).to_pylist(), "?"}  # methods add a leaf for missing values
    lost = [value for value in values if value not in leaves]
    if not lost:
        say("Every value of the column has a leaf.")
        return 0
    shown = ", ".join(repr(value) for value in lost[:SHOWN]) + (", ..." if len(lost) > SHOWN else "")
    say(f"{len(lost):,} of {len(values):,} different values have no leaf: {shown}. Add a row for each.")
    return DisjoinError.exit_code


def _named_after(file: str) -> str:
    return Path(file).name.split(".csv")[0].split("_hierarchy_")[-1]


def _table(data: str, reading: dict[str, Any]) -> Table:
    from disjoin.files.table_reading import read_table

    return read_table(data, **{name: value for name, value in reading.items() if value is not None})


def _names(given: str | None) -> list[str]:
    """Return names between commas; in double quotes a name may have commas in it."""
    rows = csv.reader([given or ""], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def _of_catalogue(table: Table, columns: list[str]) -> Hierarchy:
    from disjoin.model.hierarchy_builders import catalogue_hierarchy

    return catalogue_hierarchy({name: table.column(name).to_pylist() for name in columns})


def _built(table: Table, column: str, intervals: str | None, groups: str | None) -> Hierarchy:
    from disjoin.model.hierarchy_builders import grouped_hierarchy, interval_hierarchy, mask_hierarchy

    values = table.values_of(column).to_pylist()
    if intervals is not None:
        return interval_hierarchy(values, [width.strip() for width in intervals.split(",")])
    if groups is not None:
        from disjoin.files.hierarchies import read_groups

        return grouped_hierarchy(read_groups(groups), values)
    return mask_hierarchy(values)


def _write(tree: Hierarchy, output: Path) -> None:
    from disjoin.files.release_hierarchies import hierarchy_text
    from disjoin.generate.output import whole_file

    with whole_file(output) as file:
        file.write(hierarchy_text(tree))


def _extent(tree: Hierarchy) -> str:
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    return f"{leaves}, height {tree.height}, root {tree.names[tree.root].as_py()!r}."


def _require_free(output: Path, *, overwrite: bool) -> None:
    if output.is_dir():
        raise OutputExists(f"{output} is a folder; name the file to write.", output)
    if output.exists() and not overwrite:
        raise OutputExists(f"{output} exists already. Choose another name, or add --overwrite.", output)
