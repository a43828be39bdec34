"""A cluster drawn with characters: chunks side by side, then the term chunk."""

from __future__ import annotations

from itertools import zip_longest

from disjoin.model.clusters import Clusters
from disjoin.report.lettering import TIMES, cells, padded, shorten, visible
from disjoin.report.picture import Column, Detail, Picture, picture_of

_LEAST_WIDTH = 40  # below that nothing can be drawn side by side
_LONGEST_TERM = 24
_COMFORTABLE = 26  # a column that wants more is narrowed before a new band is begun
_NAMED = 8  # clusters that are not drawn but numbered
_BOX = 3  # cells that a column takes besides its text: "│ " before, " " after

Cell = tuple[str, str]  # text to the left, count to the right


def draw_cluster(published: Clusters, node: int, width: int = 80, detail: Detail | None = None) -> str:
    """Draw one node with everything below it in at most `width` columns.

    Rows that stand side by side do not belong together: only the rows of one column are about the same chunk.
    """
    return draw_picture(picture_of(published, node, detail or Detail()), width)


def draw_picture(picture: Picture, width: int = 80) -> str:
    """Draw a picture in at most `width` columns (40 at least)."""
    return "\n".join(line.rstrip() for line in _lines(picture, max(width, _LEAST_WIDTH)))


def _lines(picture: Picture, width: int) -> list[str]:
    lines = [shorten(picture.title, width)]
    for band in _bands(picture.columns, width):
        lines += _draw_band(band, width)
    if picture.more_columns:
        lines.append(f"… and {_number(picture.more_columns, 'more chunk')}")
    indent = 2 if width - 2 >= _LEAST_WIDTH else 0
    for child in picture.children:
        lines += [" " * indent + line for line in _lines(child, width - indent)]
    if picture.hidden_children:
        lines.append(shorten(f"{' ' * indent}{_hidden(picture)}", width))
    return lines


def _hidden(picture: Picture) -> str:
    """Say how many clusters are not drawn, and the numbers by which the first of them can be asked for."""
    numbers = picture.hidden_children
    named = ", ".join(str(node) for node in numbers[:_NAMED]) + (", …" if len(numbers) > _NAMED else "")
    return f"… and {_number(len(numbers), 'more cluster')} in it: {named}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def _bands(columns: tuple[Column, ...], width: int) -> list[list[Column]]:
    """Divide the columns into bands that fit into the width when each column is at most comfortable."""
    bands: list[list[Column]] = []
    room = 0
    for column in columns:
        wanted = min(_natural_width(column), _COMFORTABLE) + _BOX
        if wanted > room or not bands:
            bands.append([])
            room = width - 1
        bands[-1].append(column)
        room -= wanted
    return bands


def _draw_band(band: list[Column], width: int) -> list[str]:
    widths = _fair_widths([_natural_width(column) for column in band], width - 1 - _BOX * len(band))
    bodies = [_cells_of(column) for column in band]
    heads = [shorten(column.heading, w - 1) for column, w in zip(band, widths, strict=True)]
    top = "┬".join("─ " + head + " " + "─" * (w - cells(head) - 1) for head, w in zip(heads, widths, strict=True))
    lines = [f"╭{top}╮"]
    for row in zip_longest(*bodies, fillvalue=("", "")):
        fitted = [_fit(text, count, w) for (text, count), w in zip(row, widths, strict=True)]
        lines.append("│" + "│".join(f" {cell} " for cell in fitted) + "│")
    return [*lines, "╰" + "┴".join("─" * (w + 2) for w in widths) + "╯"]


def _fit(text: str, count: str, width: int) -> str:
    if not count:
        return padded(shorten(text, width), width)
    return padded(shorten(text, width - len(count) - 1), width - len(count)) + count


def _cells_of(column: Column) -> list[Cell]:
    found: list[Cell] = [
        (
            ", ".join(shorten(visible(term), _LONGEST_TERM) for term in terms),
            "" if count is None else f"{TIMES}{count:,}",
        )
        for terms, count in column.rows
    ]
    if column.more:
        found.append((f"… and {column.more:,} more", ""))
    if column.empty > 0:
        found.append(("(nothing)", f"{TIMES}{column.empty:,}"))
    return found or [("(nothing)", "")]


def _natural_width(column: Column) -> int:
    texts = [cells(text) + (len(count) + 1 if count else 0) for text, count in _cells_of(column)]
    return max(cells(column.heading) + 1, *texts)


def _fair_widths(natural: list[int], available: int) -> list[int]:
    """Give every column what it wants; if that is too much, narrow the widest ones to a common width."""
    widths, left = [0] * len(natural), available
    for rank, column in enumerate(sorted(range(len(natural)), key=lambda i: natural[i])):
        widths[column] = min(natural[column], left // (len(natural) - rank))
        left -= widths[column]
    return widths
