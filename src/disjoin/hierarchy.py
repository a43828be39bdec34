"""Hierarchies of columns and terms, built, checked, read and written: `disjoin.hierarchy.build` and the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from disjoin.errors import InvalidParameter, OutputExists, UnreadableInput, require_kind
from disjoin.escaping import legible
from disjoin.files.hierarchies import hierarchy_from, read_groups
from disjoin.files.hierarchies import read_hierarchy as read
from disjoin.files.release_hierarchies import hierarchy_text
from disjoin.files.table_reading import read_table
from disjoin.generate.output import whole_file
from disjoin.model import Hierarchy, Table
from disjoin.model.hierarchy_builders import (
    MISSING,
    catalogue_hierarchy,
    grouped_hierarchy,
    interval_hierarchy,
    mask_hierarchy,
)
from disjoin.model.hierarchy_spans import Limits, band_hierarchy, date_hierarchy
from disjoin.model.k_anonymity import column_names
from disjoin.words import counted

Shape = tuple[int, int, str, tuple[int, ...], tuple[str, ...]]  # leaves, height, root, names by level, told apart

WAYS = "intervals, bands, dates, mask, groups and above"

__all__ = ["HierarchyCheck", "build", "check", "read", "write"]


@dataclass(frozen=True, slots=True)
class HierarchyCheck:
    """What a hierarchy is like, and which `values` of a column have no leaf in it; no column, no values."""

    leaves: int
    height: int
    root: str = field(repr=False)
    names_by_level: tuple[int, ...] = field(repr=False)  # from the level above the leaves to the root
    told_apart: tuple[str, ...] = field(default=(), repr=False)  # names made up for labels at several levels
    values: int | None = None
    missing: tuple[str, ...] = field(default=(), repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether every value has a leaf."""
        return not self.missing

    def __repr__(self) -> str:
        compared = "" if self.values is None else f", {len(self.missing):,} of {counted(self.values, 'value')} missing"
        return f"HierarchyCheck({counted(self.leaves, 'leaf', 'leaves')}, height {self.height}{compared})"

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
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

    data: what `disjoin.read_table` takes: a path, a table (pyarrow, pandas, polars, duckdb), a dict of columns.
    column: the column whose values are generalised.
    intervals: numbers: widths of intervals, each a multiple of the one before.
    mask: codes: hide their characters one by one, from the right.
    groups: categories: the group of each, or a list from its group upwards; or a file of such rows.
    above: items: columns of what each is, the nearest first.
    bands: numbers: where bands begin, [[18, 30, 65]], and in further lists those of coarser ones, [18, 65].
    dates: dates: days under months, quarters, years and decades.

    >>> build({"age": ["23", "37"]}, "age", intervals=[5, 20]).rows()[3]
    ('23', '20-24', '20-39', '*')
    >>> build({"job": ["nurse", "baker"]}, "job", groups={"nurse": "health", "baker": "food"}).height
    2
    """
    ways = (intervals is not None, bool(mask), groups is not None, above is not None, bands is not None, bool(dates))
    if sum(ways) != 1:
        raise InvalidParameter(f"say one of {WAYS}: how the values are generalised.")
    table = read_table(data)
    columns = [column, *column_names("above", () if above is None else above)]
    for name in columns:
        table.schema.position(name)  # complains about what is not there
    try:
        if above is not None:
            return catalogue_hierarchy({name: table.column(name).to_pylist() for name in columns})
        values = table.values_of(column).to_pylist()
        if dates or bands is not None:
            return date_hierarchy(values) if bands is None else band_hierarchy(values, bands)
        return _of_values(values, intervals, groups)
    except (InvalidParameter, UnreadableInput) as error:
        raise type(error)(f"column {column!r}: {error}") from None


def _of_values(
    values: list[str],
    intervals: Sequence[int | str | Fraction] | None,
    groups: Mapping[str, str | Sequence[str]] | str | Path | None,
) -> Hierarchy:
    if intervals is not None:
        return interval_hierarchy(values, intervals)
    if groups is None:
        return mask_hierarchy(values)
    if isinstance(groups, (str, Path)):
        groups = read_groups(groups)
    require_kind(groups, Mapping, "groups by category, or the path of a file of them")
    return grouped_hierarchy(groups, values)


def check(hierarchy: Hierarchy | str | Path, data: object = None, column: str | None = None) -> HierarchyCheck:
    """Return how high and wide a hierarchy is and, of a table's column, which values have no leaf.

    hierarchy: a `Hierarchy`, or the path of one; a file that is none raises `UnreadableInput`.
    data: what `disjoin.read_table` takes.
    column: the column of the data; the one that the file is named after, if not given.

    >>> ages = build({"age": ["23", "37"]}, "age", intervals=[5])
    >>> check(ages, {"age": ["23", "61"]}, "age"), check(ages, {"age": ["23", "61"]}, "age").missing
    (HierarchyCheck(20 leaves, height 2, 1 of 2 values missing), ('61',))
    """
    if column is not None and data is None:
        raise InvalidParameter("column names a column of a table: give the table too (data).")
    tree = hierarchy_from(hierarchy)
    if tree is None:
        raise InvalidParameter("hierarchy must be a Hierarchy or the path of one, got None.")
    names = tuple(int((tree.levels == level).sum()) for level in range(1, tree.height + 1))
    shape = (tree.n_leaves, tree.height, tree.names[tree.root].as_py(), names, tree.told_apart)
    if data is None:
        return HierarchyCheck(*shape)
    if column is None:
        if isinstance(hierarchy, Hierarchy):
            raise InvalidParameter("say which column of the data the hierarchy is of (column).")
        column = Path(hierarchy).name.split(".csv")[0].split("_hierarchy_")[-1]
    return _compared(tree, shape, read_table(data), column)


def _compared(tree: Hierarchy, shape: Shape, table: Table, column: str) -> HierarchyCheck:
    values = table.values_of(column).to_pylist()
    leaves = {*tree.names.slice(0, tree.n_leaves).to_pylist(), MISSING}  # methods add a leaf for missing values
    return HierarchyCheck(*shape, len(values), tuple(value for value in values if value not in leaves))


def write(hierarchy: Hierarchy, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a hierarchy to a file, whole or not at all, and return its path; `read` reads it again."""
    require_kind(hierarchy, Hierarchy, "a Hierarchy", "Make one with disjoin.hierarchy.build.")
    place = require_free(path, overwrite=overwrite)
    with whole_file(place) as file:
        file.write(hierarchy_text(hierarchy))
    return place


def require_free(path: str | Path, *, overwrite: bool) -> Path:
    """Raise if no file may be put at `path`; call it before long work."""
    place = Path(path)
    if place.is_dir():
        raise OutputExists(f"{legible(place)} is a folder; name the file to write.", place)
    if place.exists() and not overwrite:
        raise OutputExists(f"{legible(place)} exists already. Choose another name, or add --overwrite.", place)
    return place
