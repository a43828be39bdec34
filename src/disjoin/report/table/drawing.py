"""A class drawn with characters: what its rows share in one box, its different rows in another."""

from __future__ import annotations

from disjoin.escaping import legible
from disjoin.report.columns import LEAST_WIDTH, Column, bands_of, draw_band
from disjoin.report.lettering import shorten
from disjoin.report.table.classes import Classes
from disjoin.report.table.picture import FEW, ClassPicture, picture_of


def draw_class(classes: Classes, number: int, width: int = 80, rows: int = FEW) -> str:
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


def _shared(picture: ClassPicture) -> tuple[Column, ...]:
    return tuple(Column(legible(name), (((value,), None),)) for name, value in picture.shared)


def _others(picture: ClassPicture) -> tuple[Column, ...]:
    """Return how often the rows occur, and the other columns."""
    if not picture.columns:
        return ()
    columns = [
        Column(legible(name), tuple(((values[place],), None) for values, _ in picture.rows))
        for place, name in enumerate(picture.columns)
    ]
    return Column("rows", tuple((("",), count) for _, count in picture.rows)), *columns


def _left_out(picture: ClassPicture) -> list[str]:
    notes = []
    if picture.more_rows:
        notes.append(f"… and {picture.more_rows:,} more")
    if picture.more_columns:
        notes.append(f"… and {picture.more_columns:,} more columns")
    return notes
