"""Pictures of a generalised table: made of data, drawn with characters, and shown on a screen or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.charts.columns import LEAST_WIDTH, TextColumn, bands_of, draw_band
from disjoin.charts.display_text import coloured, shorten
from disjoin.escaping import legible
from disjoin.forms.form import Show
from disjoin.forms.table.classes import TableClasses, classes_of, different_rows, entries_of
from disjoin.model.ragged import Flags, Ints64
from disjoin.model.table import Role
from disjoin.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model.generalized import Generalized


FEW = 10  # different rows, if all of them are not asked for
MANY = 1000  # rows that anybody scrolls through
COLUMNS = 24  # of either kind: more than anybody compares


@dataclass(frozen=True, slots=True)
class ClassPicture:
    """A class: how many rows it has, what they share, and the first of its different rows with their counts."""

    number: int
    size: int
    shared: tuple[tuple[str, str], ...]  # quasi-identifier and value
    columns: tuple[str, ...]  # the others
    sensitive: tuple[bool, ...]  # whether each of them is
    rows: tuple[tuple[tuple[str, ...], int], ...]  # values and count
    more_rows: int = 0  # different ones
    more_columns: int = 0  # of both kinds

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        return f"class {self.number}: {counted(self.size, 'row')}"


def picture_of(classes: TableClasses, number: int, rows: int = FEW) -> ClassPicture:
    """Return the picture of a class with at most `rows` different rows."""
    table, others = classes.table, classes.others
    shown, more = others[:COLUMNS], max(0, len(others) - COLUMNS) + max(0, len(classes.quasi) - COLUMNS)
    firsts, counts = different_rows(classes, number) if others else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    taken = firsts[:rows]
    values = [table.values_of(name).take(pa.array(table.codes_of(name)[taken])).to_pylist() for name in shown]
    secret = table.schema.with_role(Role.SENSITIVE)
    return ClassPicture(
        number=number,
        size=int(classes.sizes[number]),
        shared=tuple(classes.values_of(number).items())[:COLUMNS],
        columns=shown,
        sensitive=tuple(name in secret for name in shown),
        rows=tuple(zip(zip(*values, strict=True), counts[:rows].tolist(), strict=True)),
        more_rows=max(0, firsts.size - rows),
        more_columns=more,
    )


def typical_class(classes: TableClasses) -> int:
    """Choose a class of usual size that generalises some columns and keeps others, with a few different values."""
    usual = int(np.sort(classes.sizes)[len(classes) // 2])
    odd = 60 * (abs(classes.sizes - usual) > usual // 2) + 4 * np.minimum(_outside(classes.sizes, 4, 10), 20)
    changed = sum((_generalised(classes, name).astype(np.int64) for name in classes.quasi), np.zeros_like(odd))
    odd += 40 * (changed == 0) + 20 * (changed == len(classes.quasi)) + 3 * _outside(changed, 1, 3)
    telling = next(iter((*classes.table.schema.with_role(Role.SENSITIVE), *classes.others)), None)
    if telling is not None:
        different = np.bincount(entries_of(classes, telling).classes, minlength=len(classes))
        odd += 8 * np.minimum(_outside(different, 2, 6), 20)
    return int(np.argmin(odd))


def _generalised(classes: TableClasses, name: str) -> Flags:
    """Tell for every class whether its value of a quasi-identifier stands for several; any text is borne."""
    table, tree = classes.table, classes.table.hierarchies.get(name)
    leaves = set() if tree is None else set(tree.names.slice(0, tree.n_leaves).to_pylist())
    values = table.values_of(name).to_pylist()
    several = np.array([v[:1] in ("[", "*") if tree is None else v not in leaves for v in values], dtype=np.bool_)
    return several[table.codes_of(name)[classes.rows[classes.offsets[:-1]]]]


def _outside(values: Ints64, least: int, most: int) -> Ints64:
    return np.maximum(least - values, 0) + np.maximum(values - most, 0)


def draw_class(classes: TableClasses, number: int, width: int = 80, rows: int = FEW) -> str:
    """Draw one class in at most `width` columns (40 at least), with at most `rows` different rows.

    Unlike in a group, values side by side belong together. A table too wide for a line is continued below.
    """
    width = max(width, LEAST_WIDTH)
    picture = picture_of(classes, number, rows)
    lines = [shorten(picture.title, width)]
    for columns in (_shared(picture), _others(picture)):
        for band in bands_of(columns, width):
            lines += draw_band(band, width)
    lines += [shorten(note, width) for note in _left_out(picture)]
    return "\n".join(line.rstrip() for line in lines)


def _shared(picture: ClassPicture) -> tuple[TextColumn, ...]:
    return tuple(TextColumn(legible(name), (((value,), None),)) for name, value in picture.shared)


def _others(picture: ClassPicture) -> tuple[TextColumn, ...]:
    """Return how often the rows occur, and the other columns."""
    if not picture.columns:
        return ()
    columns = [
        TextColumn(legible(name), tuple(((values[place],), None) for values, _ in picture.rows))
        for place, name in enumerate(picture.columns)
    ]
    return TextColumn("rows", tuple((("",), count) for _, count in picture.rows)), *columns


def _left_out(picture: ClassPicture) -> list[str]:
    notes = []
    if picture.more_rows:
        notes.append(f"… and {picture.more_rows:,} more")
    if picture.more_columns:
        notes.append(f"… and {picture.more_columns:,} more columns")
    return notes


def opened(published: Generalized) -> TableClasses:
    """Return the classes of a table."""
    return classes_of(published)


def chosen(classes: TableClasses, first: int) -> list[int]:
    """Return the first classes."""
    return list(range(min(first, len(classes))))


def typical(classes: TableClasses) -> list[int]:
    """Return a class that is good to look at."""
    return [typical_class(classes)] if len(classes) else []


def as_json(classes: TableClasses, number: int) -> dict[str, Any]:
    """Return a class for programs: what its rows share, and all its different rows with their counts."""
    table, names = classes.table, classes.others
    facts = {"class": number, "size": int(classes.sizes[number]), "values": classes.values_of(number)}
    if not names:
        return facts | {"rows": [{"values": {}, "count": facts["size"]}]}
    rows, counts = different_rows(classes, number)
    columns = [table.values_of(name).take(pa.array(table.codes_of(name)[rows])).to_pylist() for name in names]
    values = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    return facts | {"rows": [{"values": row, "count": n} for row, n in zip(values, counts.tolist(), strict=True)]}


def draw(console: Console, classes: TableClasses, numbers: list[int], *, full: bool) -> None:
    """Draw classes: what their rows share, then the rows."""
    for number in numbers:
        console.print(coloured(draw_class(classes, number, console.width, MANY if full else FEW)))
    if full and (classes.sizes[numbers[0]] > MANY or len(classes.table.schema.names) > COLUMNS):
        console.print("What is too much to be drawn is left out; --json writes it all.")


def left(classes: TableClasses, numbers: list[int]) -> str:
    """Say how many classes were not drawn."""
    number = len(classes) - len(numbers)
    return (
        f"{number:,} more. Show one with --class N, more with --first N, a good one with --typical." if number else ""
    )


def line(classes: TableClasses, number: int) -> dict[str, Any]:
    """Return what a list of classes says of one."""
    return {"size": int(classes.sizes[number])}


def find(classes: TableClasses, value: str) -> list[int]:
    """Return the classes in which a row has a value, in whatever column."""
    is_found = np.zeros(len(classes), np.bool_)
    for name in classes.table.schema.names:
        code = classes.table.values_of(name).index(value).as_py()
        is_found[classes.class_of_row[classes.table.codes_of(name) == code]] = True
    found: list[int] = np.flatnonzero(is_found).tolist()
    return found


SHOW = Show(opened, chosen, typical, as_json, draw, left, line=line, picture=picture_of, find=find)
