"""Drawings in characters: columns of rows with counts, side by side in boxes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from disjoin.text import in_html, printable

if TYPE_CHECKING:
    from rich.text import Text


# Texts and pictures as a terminal shows them: shortened, aligned, coloured.

TIMES = "\N{MULTIPLICATION SIGN}"  # is written before a count


def cells(text: str) -> int:
    """Return how many terminal columns a legible text takes.

    >>> cells("tea"), cells("茶")
    (3, 2)
    """
    return sum(_cells(c) for c in text)


def shorten(text: str, width: int) -> str:
    """Cut a legible text to `width` cells, with … where something is missing.

    >>> shorten("digital camera", 8), shorten("tea", 8)
    ('digital…', 'tea')
    """
    if cells(text) <= width:
        return text
    kept, room = "", width - 1
    for c in text:
        room -= _cells(c)
        if room < 0:
            break
        kept += c
    return (kept.rstrip() + "…")[: max(width, 0)]


def padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))


def _cells(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def coloured(drawing: str) -> Text:
    """Return a drawing for rich: frames and counts dimmed, terms bright; markup in terms has no effect."""
    from rich.text import Text

    text = Text(drawing, no_wrap=True, overflow="crop")
    text.highlight_regex(r"[╭╮╰╯│─┬┴├┆]+", "dim")
    text.highlight_regex(TIMES + r"[\d,]+(?= )", "cyan")
    text.highlight_regex(r"(?m)^ *((joint )?cluster|group|class|category|term|row) \d+: .*$", "bold")
    text.highlight_regex(r"\(nothing\)|… and [\d,]+ more[a-z ]*", "dim italic")
    return text


LEAST_WIDTH = 40  # below that nothing can be drawn side by side
_LONGEST_TERM = 24
_COMFORTABLE = 26  # a column that wants more is narrowed before a new band is begun
_BOX = 3  # cells that a column takes in addition to its text: "│ " before, " " after

Cell = tuple[str, str]  # text to the left, count to the right


@dataclass(frozen=True, slots=True)
class TextColumn:
    """The first rows of something, how many more there are, and how many records have nothing in it."""

    heading: str
    rows: tuple[tuple[tuple[str, ...], int | None], ...]  # terms and count; None where order and number mean nothing
    more: int = 0
    empty: int = 0
    what: str = "subrecord"  # a row
    of: int = 0  # if not 0, counts are also shown as shares of that many records
    is_delicate: bool = False  # in another colour


class Columns(NamedTuple):
    """Columns side by side under a title."""

    title: str
    columns: tuple[TextColumn, ...]


def bands_of(columns: tuple[TextColumn, ...], width: int) -> list[list[TextColumn]]:
    bands: list[list[TextColumn]] = []
    room = 0
    for column in columns:
        wanted = min(_natural_width(column), _COMFORTABLE) + _BOX
        if wanted > room or not bands:
            bands.append([])
            room = width - 1
        bands[-1].append(column)
        room -= wanted
    return bands


def draw_titled(title: str, tables: Iterable[tuple[TextColumn, ...]], width: int, notes: Iterable[str] = ()) -> str:
    width = max(width, LEAST_WIDTH)
    lines = [shorten(title, width), *(line for columns in tables for line in draw_columns(columns, width))]
    return "\n".join(line.rstrip() for line in [*lines, *(shorten(note, width) for note in notes)])


def draw_columns(columns: tuple[TextColumn, ...], width: int) -> list[str]:
    return [line for band in bands_of(columns, width) for line in draw_band(band, width)]


def draw_band(band: list[TextColumn], width: int) -> list[str]:
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


def _cells_of(column: TextColumn) -> list[Cell]:
    found: list[Cell] = [
        (
            ", ".join(shorten(printable(term), _LONGEST_TERM) for term in terms),
            "" if count is None else f"{TIMES}{count:,}" + (f" {count / column.of:.1%}" if column.of > 0 else ""),
        )
        for terms, count in column.rows
    ]
    if column.more:
        found.append((f"… and {column.more:,} more", ""))
    if column.empty > 0:
        found.append(("(nothing)", f"{TIMES}{column.empty:,}"))
    return found or [("(nothing)", "")]


def _natural_width(column: TextColumn) -> int:
    texts = [cells(text) + (len(count) + 1 if count else 0) for text, count in _cells_of(column)]
    return max(cells(column.heading) + 1, *texts)


def _fair_widths(natural: list[int], available: int) -> list[int]:
    """Give every column what it wants; if that is too much, narrow the widest ones to a common width."""
    widths, left = [0] * len(natural), available
    for rank, column in enumerate(sorted(range(len(natural)), key=lambda i: natural[i])):
        widths[column] = min(natural[column], left // (len(natural) - rank))
        left -= widths[column]
    return widths


def column_html(column: TextColumn) -> str:
    has_counts = any(count is not None for _, count in column.rows)
    kind = "" if has_counts and not column.is_delicate else ' class="termchunk"'
    counts = '<th scope="col" class="count">records</th>' if has_counts else ""
    counts += '<th scope="col" class="count">share</th>' if has_counts and column.of > 0 else ""
    head = f'<thead><tr><th scope="col">{column.what if has_counts else "terms"}</th>{counts}</tr></thead>'
    rows = "".join(_row(_terms(terms), count, column.of) for terms, count in column.rows)
    if not has_counts and column.rows:  # a set, not a list of records: in one cell
        rows = _row("".join(_terms(terms) for terms, _ in column.rows), None)
    if column.more:
        rows += _rest(f"… and {column.more:,} more", None)
    if column.empty > 0:
        rows += _rest("nothing", column.empty)
    if not rows:
        rows = _rest("empty", None)
    return f"<table{kind}><caption>{in_html(column.heading)}</caption>{head}<tbody>{rows}</tbody></table>"


def _terms(terms: tuple[str, ...]) -> str:
    return "".join(f"<bdi>{in_html(term)}</bdi>" for term in terms)


def _row(cell: str, count: int | None, of: int = 0) -> str:
    number = "" if count is None else f'<td class="count">{TIMES}{count:,}</td>'
    share = f'<td class="count">{count / of:.1%}</td>' if count is not None and of > 0 else ""
    return f"<tr><td>{cell}</td>{number}{share}</tr>"


def _rest(words: str, count: int | None) -> str:
    return _row(f'<span class="rest">{words}</span>', count)
