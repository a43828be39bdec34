"""Hierarchy files: one row per leaf, from leaf to root, separated by semicolons."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from disjoin.atomic import whole_file
from disjoin.errors import (
    InvalidParameter,
    OutputExists,
    Remedy,
    UnreadableInput,
    all_lines,
    all_problems,
    require_kind,
)
from disjoin.model import Table
from disjoin.model.hierarchy import Hierarchy, require_shallow
from disjoin.model.hierarchy_builders import (
    MISSING,
    Limits,
    band_hierarchy,
    catalogue_hierarchy,
    date_hierarchy,
    grouped_hierarchy,
    interval_hierarchy,
    mask_hierarchy,
)
from disjoin.model.k_anonymity import column_names
from disjoin.parquet.hierarchies import SeparatedRows, file_name, hierarchy_text
from disjoin.readers.read import DEFAULT_MAX_BYTES
from disjoin.readers.sources import Source, open_source
from disjoin.readers.table_text import with_decimal_points
from disjoin.readers.tables import read_table
from disjoin.text import NO_PERMISSION, counted, listed, printable, quoted

_FILE = re.compile(r"(.*)\.csv(\.gz|\.zst)?", re.DOTALL)
_NO_ROWS = "expected a hierarchy, found an empty file. Give a file with one row per term: tea;drinks;*"


def read_hierarchy(
    source: str | Path | BinaryIO, *, max_bytes: int = DEFAULT_MAX_BYTES, decimal_commas: bool = False
) -> Hierarchy:
    """Return the hierarchy of a file (plain, gzip or zstd), of standard input (`-`) or of a stream.

    Every row ends with the same root, such as `*`. A name with a semicolon is in double quotes. Blanks
    around names and blank lines do not count. A name with several meanings at several levels gets its level
    added, if all rows are equally long (`Hierarchy.told_apart`). A file that is not a tree raises `UnreadableInput`
    with the line. With `decimal_commas`, leaves may be numbers with them, as values of a table may (`read_table`).
    """
    opened = open_source(source, max_bytes, if_empty=_NO_ROWS)
    rows, lines = separated_rows(opened)
    if all(len(row) < 2 for row in rows):
        expected = "expected a hierarchy: one row per term, from the term to the root, semicolons between them"
        raise opened.error(f"{expected} (tea;drinks;*). Found no row with two names.")
    if decimal_commas:
        leaves = with_decimal_points(pa.array([row[0] for row in rows], pa.string())).to_pylist()
        rows = [[leaf, *row[1:]] for leaf, row in zip(leaves, rows, strict=True)]
    try:
        return Hierarchy.by_levels(rows, lines)
    except UnreadableInput as error:
        raise opened.error(str(error), error.line) from None


def hierarchy_from(given: Hierarchy | str | Path | None) -> Hierarchy | None:
    if isinstance(given, (str, Path)):
        return read_hierarchy(given)
    if given is not None and not isinstance(given, Hierarchy):
        got = f"hierarchy must be a Hierarchy or the path of one, got {type(given).__name__}."
        raise InvalidParameter(f"{got} Make one with disjoin.model.Hierarchy.from_rows.")
    return given


def read_groups(source: str | Path | BinaryIO, *, max_bytes: int = DEFAULT_MAX_BYTES) -> dict[str, list[str]]:
    """Return the groups of categories: a row each, the category first, then its group, the group of that and so on."""
    opened = open_source(source, max_bytes)
    groups: dict[str, list[str]] = {}
    bad = []
    for row, line in zip(*separated_rows(opened), strict=True):
        if len(row) < 2 or not all(row):
            bad.append(opened.error("expected a category and its group, such as nurse;health, found less.", line))
        elif row[0] in groups:
            bad.append(opened.error(f"{quoted(row[0])} has two rows; keep one of them.", line))
        else:
            groups[row[0]] = row[1:]
    if bad:
        raise all_lines(bad)
    if not groups:
        raise opened.error("expected rows such as nurse;health, found none.")
    return groups


def separated_rows(opened: Source) -> tuple[list[list[str]], list[int]]:
    """Return the non-blank rows of names between semicolons, and the line on which each ends."""
    texts = (line.removeprefix("\ufeff") if number == 1 else line for number, line in opened.lines())
    separated = SeparatedRows(f"{text.removesuffix(chr(13))}\n" for text in texts)
    rows, lines = [], []
    try:
        for row in separated:
            names = [name.strip() for name in row]
            if any(names):
                require_shallow(len(names), separated.line)
                rows.append(names)
                lines.append(separated.line)
    except UnreadableInput as error:
        raise error if error.source else opened.error(str(error), error.line) from None
    return rows, lines


def read_hierarchies(
    folder: str | Path, columns: Iterable[str], *, max_bytes: int = DEFAULT_MAX_BYTES
) -> dict[str, Hierarchy]:
    """Return the hierarchies that a folder has of these columns, by column; columns without a file are left out.

    The file of `age` is `age.csv`, or one whose name ends with `_age.csv`, as `adult_hierarchy_age.csv` does; plain,
    `.gz` or `.zst`. A hierarchy of one node, which generalises nothing, raises `UnreadableInput`, and so do two files
    for a column.
    """
    place, wanted = Path(folder), list(columns)
    if not place.is_dir():
        found = "a file" if place.exists() else "nothing"
        raise UnreadableInput(f"expected a folder of hierarchies, found {found}.", source=str(place))
    try:
        names = sorted(entry.name for entry in place.iterdir() if entry.is_file())
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(place)) from None
    trees, bad = {}, []
    for column in wanted:
        try:
            name = _file_of(place, names, column, wanted)
            if name is not None:
                tree = trees[column] = read_hierarchy(place / name, max_bytes=max_bytes, decimal_commas=True)
                if tree.names[0].equals(tree.names[-1]):  # the first leaf is the root
                    message = f"expected a hierarchy of {quoted(column)} with a root above its values, found one node."
                    raise UnreadableInput(message, source=str(place / name))
        except UnreadableInput as error:
            bad.append(error)
    if bad:
        raise all_problems(bad)
    return trees


def hierarchies_of(table: Table, columns: Iterable[str], folder: str | Path) -> dict[str, Hierarchy]:
    return read_hierarchies(folder, [name for name in columns if name in table.schema.names])


def _file_of(folder: Path, names: Sequence[str], column: str, columns: Collection[str]) -> str | None:
    """Return the file of a column: by its own name, then by the name in releases, then by the ending."""
    stems = {name: found[1] for name in names if (found := _FILE.fullmatch(name))}
    others = tuple(other for other in columns if other != column and other.endswith(f"_{column}"))
    for fits in (
        [name for name, stem in stems.items() if stem == column],
        [name for name, stem in stems.items() if stem == file_name(column)],
        [name for name, stem in stems.items() if stem.endswith(f"_hierarchy_{column}")],
        [name for name, stem in stems.items() if stem.endswith(f"_{column}") and not stem.endswith(others)],
    ):
        if len(fits) > 1:
            message = f"expected one hierarchy of {quoted(column)}, found {listed(fits)}. Remove all but one."
            raise UnreadableInput(message, source=str(folder))
        if fits:
            return fits[0]
    return None


WAYS = "intervals, bands, dates, mask, groups and above"

__all__ = ["HierarchyCheck", "build", "check", "read", "write"]  # `disjoin.hierarchy`

read = read_hierarchy


@dataclass(frozen=True, slots=True)
class HierarchyCheck:
    """Facts about a hierarchy, and which `values` of a column have no leaf in it; without a column, no values."""

    leaves: int
    height: int
    root: str = field(repr=False)
    names_by_level: tuple[int, ...] = field(repr=False)  # from the level above the leaves to the root
    told_apart: tuple[str, ...] = field(default=(), repr=False)  # new names for labels at several levels
    values: int | None = None
    missing: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_complete(self) -> bool:
        return not self.missing

    def __repr__(self) -> str:
        compared = "" if self.values is None else f", {len(self.missing):,} of {counted(self.values, 'value')} missing"
        return f"HierarchyCheck({counted(self.leaves, 'leaf', 'leaves')}, height {self.height}{compared})"

    def to_json(self) -> dict[str, Any]:
        facts = {"leaves": self.leaves, "height": self.height, "root": self.root, "values": self.values}
        lists = {name: list(getattr(self, name)) for name in ("names_by_level", "told_apart", "missing")}
        return facts | lists


def build(
    data: object,
    column: str,
    *,
    intervals: Sequence[int | str | Fraction] | None = None,
    mask: bool = False,
    groups: Mapping[str, str | Sequence[str]] | str | Path | None = None,
    above: Iterable[str] | str | None = None,
    bands: Sequence[Limits] | None = None,
    dates: bool = False,
) -> Hierarchy:
    """Return a hierarchy for a column of a table, made in one of six ways.

    data: the input of `disjoin.read_table`: a path, a table (pyarrow, pandas, polars, duckdb), a dict of columns.
    column: the column whose values are generalised.
    intervals: for numbers: widths of intervals, each a multiple of the previous one.
    mask: for codes: hide their characters one by one, from the right.
    groups: for categories: the group of each, or a list from its group upwards; or a file of such rows.
    above: for items: columns of their categories, the most specific first.
    bands: for numbers: where bands begin, [[18, 30, 65]], and in further lists those of coarser ones, [18, 65].
    dates: for dates: days under months, quarters, years and decades.

    >>> build({"age": ["23", "37"]}, "age", intervals=[5, 20]).rows()[3]
    ('23', '20-24', '20-39', '*')
    >>> build({"job": ["nurse", "baker"]}, "job", groups={"nurse": "health", "baker": "food"}).height
    2
    """
    ways = (intervals is not None, bool(mask), groups is not None, above is not None, bands is not None, bool(dates))
    if sum(ways) != 1:
        raise InvalidParameter(f"use one of {WAYS} to generalise the values.")
    table = read_table(data)
    columns = [column, *column_names("above", () if above is None else above)]
    for name in columns:
        table.schema.position(name)  # raises for a missing column
    try:
        if above is not None:
            return catalogue_hierarchy({name: table.column(name).to_pylist() for name in columns})
        values = table.values_of(column).to_pylist()
        if dates or bands is not None:
            return date_hierarchy(values) if bands is None else band_hierarchy(values, bands)
        if groups is None:
            return mask_hierarchy(values) if intervals is None else interval_hierarchy(values, intervals)
        groups = read_groups(groups) if isinstance(groups, (str, Path)) else groups
        require_kind(groups, Mapping, "groups by category, or the path of a file with them")
        return grouped_hierarchy(groups, values)
    except (InvalidParameter, UnreadableInput) as error:
        raise type(error)(f"column {column!r}: {error}") from None


def check(hierarchy: Hierarchy | str | Path, data: object = None, column: str | None = None) -> HierarchyCheck:
    """Return the height and width of a hierarchy and, for a table's column, which values have no leaf.

    hierarchy: a `Hierarchy`, or the path of one; an invalid file raises `UnreadableInput`.
    data: the input of `disjoin.read_table`.
    column: the column of the data; by default the one that the file is named after.

    >>> ages = build({"age": ["23", "37"]}, "age", intervals=[5])
    >>> check(ages, {"age": ["23", "61"]}, "age"), check(ages, {"age": ["23", "61"]}, "age").missing
    (HierarchyCheck(20 leaves, height 2, 1 of 2 values missing), ('61',))
    """
    if column is not None and data is None:
        raise InvalidParameter("column names a column of a table: give the table, too (data).")
    if isinstance(hierarchy, (str, Path)):
        tree: Hierarchy | None = read_hierarchy(hierarchy, decimal_commas=True)
    else:
        tree = hierarchy_from(hierarchy)
    if tree is None:
        raise InvalidParameter("hierarchy must be a Hierarchy or the path of one, got None.")
    names = tuple(int((tree.levels == level).sum()) for level in range(1, tree.height + 1))
    found = HierarchyCheck(tree.n_leaves, tree.height, tree.names[tree.root].as_py(), names, tree.told_apart)
    if data is None:
        return found
    if column is None:
        if isinstance(hierarchy, Hierarchy):
            raise InvalidParameter("name the column of the data (column).")
        column = Path(hierarchy).name.split(".csv")[0].split("_hierarchy_")[-1]
    values = read_table(data).values_of(column).to_pylist()
    leaves = {*tree.names.slice(0, tree.n_leaves).to_pylist(), MISSING}  # methods add a leaf for missing values
    return replace(found, values=len(values), missing=tuple(value for value in values if value not in leaves))


def write(hierarchy: Hierarchy, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a hierarchy to a file, completely or not at all, and return its path; `read` reads it again."""
    require_kind(hierarchy, Hierarchy, "a Hierarchy", "Make one with disjoin.readers.hierarchies.build.")
    place = require_free(path, overwrite=overwrite)
    with whole_file(place) as file:
        file.write(hierarchy_text(hierarchy))
    return place


def require_free(path: str | Path, *, overwrite: bool) -> Path:
    """Raise if no file may be written to `path`; call it before long work."""
    place = Path(path)
    if place.is_dir():
        raise OutputExists(f"{printable(place)} is a folder; name the file to write.", place)
    if place.exists() and not overwrite:
        remedies = [Remedy("overwrite", True, "replace it")]
        raise OutputExists(f"{printable(place)} exists already. Choose another name.", place, remedies)
    return place
