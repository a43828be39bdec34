"""A branch of the hierarchy as a drawing: what is published on the left of the cut, terms behind it on the right.

Sizes are fixed and not fitted to the letters: their widths depend on the fonts of the machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from disjoin.charts.display_text import TIMES, cells, shorten
from disjoin.escaping import in_html, legible
from disjoin.forms.items.pictures import NodePicture, Twig
from disjoin.words import counted

_BOX, _GAP = 220, 44  # a box; the room between two columns
_ROW, _TALL, _TOP = 30, 22, 26  # from one row to the next; a box; what is above the first row
_NAME, _IN_A_BOX, _OVER = 26, 20, 18  # cells of a name: alone, beside a count, above
_ABOVE = 2  # columns before the published nodes, at most
_CUT = 12  # from a box to the line of the cut
_INSET = 10  # from the edge of a box to its letters
_CELL = 8  # a cell of a name, generously
_FONT = 'font-family="system-ui, sans-serif" font-size="13"'


def branch_svg(picture: NodePicture) -> str:
    """Return the drawing as an SVG element; it is as high as the longer of its columns."""
    path, hidden = [_short(name, _OVER) for name in picture.path[-_ABOVE:]], listed_terms(picture)
    boxes = sum(_width(name) + _GAP for name in path)  # where the published nodes begin
    tall, here = (
        len(picture.twigs) + bool(picture.more_twigs),
        [twig.name for twig in picture.twigs].index(picture.name),
    )
    first = max(0.0, min(here - (len(hidden) - 1) / 2, tall - len(hidden)))
    high = _TOP + round(_ROW * max(tall, first + len(hidden)))
    wide = boxes + _BOX + (_GAP + _INSET + _NAME * _CELL if hidden else 2 * _CUT)
    parts = [
        *_above(path, (tall - 1) / 2),
        *_published(picture, boxes, tall, here),
        *_behind(hidden, boxes, here, first),
    ]
    parts.append(_cut(picture.twigs, boxes + _BOX + _CUT, high))
    return (
        f'<svg role="img" aria-label="{in_html(_described(picture))}" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" {_FONT}>{"".join(parts)}</svg>'
    )


def listed_terms(picture: NodePicture) -> list[str]:
    """Return the terms behind a node as they are listed."""
    more = [f"… and {picture.more_terms:,} more"] if picture.more_terms else []
    return [*(legible(term) for term in picture.terms), *more]


def _described(picture: NodePicture) -> str:
    shown = ", ".join(_short(name) for name in listed_terms(picture))
    behind = f" stands for {counted(picture.n_terms, 'term')}: {shown}" if shown else " is published as it was"
    above = f"Below {_short(picture.path[-1])}, " if picture.path else ""
    return f"Branch of the hierarchy. {above}{_short(picture.name)}{behind}."


def _above(path: list[str], row: float) -> Iterator[str]:
    """Draw what is above the parent, and the parent, in one row."""
    at = 0
    for name in path:
        yield _node(name, at, row, "var(--ink)", (at - _GAP, row) if at else None)
        at += _width(name) + _GAP


def _published(picture: NodePicture, at: int, tall: int, here: int) -> Iterator[str]:
    """Draw the nodes below the parent under each other."""
    yield _head("published", at)
    stem = (at - _GAP, (tall - 1) / 2) if picture.path else None
    for row, twig in enumerate(picture.twigs):
        yield _twig(twig, at, row, stem, is_here=row == here)
    if picture.more_twigs:
        yield _node(f"… and {picture.more_twigs:,} more", at, tall - 1, "var(--muted)", stem)


def _behind(hidden: list[str], boxes: int, here: int, first: float) -> Iterator[str]:
    """Draw the terms behind the node under each other, from a row on."""
    at = boxes + _BOX + _GAP
    if hidden:
        yield _head("not told apart", at)
    for row, name in enumerate(hidden):
        yield _node(name, at, first + row, "var(--muted)", (at - _GAP, here))


def _width(name: str) -> int:
    """Return the room for a name without a box."""
    return _INSET + _CELL * cells(name)


def _head(words: str, at: int) -> str:
    return f'<text x="{at + _INSET}" y="13" fill="var(--muted)" font-size="12">{words}</text>'


def _node(name: str, at: int, row: float, colour: str, stem: tuple[int, float] | None) -> str:
    """Return a name without a box."""
    return _link(stem, at, row) + _text(name, at, row, colour, _NAME)


def _twig(twig: Twig, at: int, row: int, stem: tuple[int, float] | None, *, is_here: bool) -> str:
    """Return a box: filled where the node is published, with how many records have it; else with an arrow."""
    fill, colour = ("none", "var(--muted)") if twig.records is None else ("var(--soft)", "var(--ink)")
    y = _y(row)
    box = (
        f'<rect x="{at + 1}" y="{y - _TALL / 2:g}" width="{_BOX - 1}" height="{_TALL}" rx="6" fill="{fill}" '
        f'stroke="var(--{"accent" if is_here else "line"})"/>'
    )
    words = "further down" if twig.records is None else f"{TIMES}{twig.records:,}"
    count = (
        f'<text x="{at + _BOX - 9}" y="{y + 4:g}" text-anchor="end" fill="var(--muted)" font-size="12">{words}</text>'
    )
    further = f'<path d="M{at + _BOX} {y:g}h20m-4 -4l4 4l-4 4" fill="none" stroke="var(--muted)"/>'
    arrow = further if twig.records is None else ""
    return (
        _link(stem, at, row)
        + box
        + _text(twig.name, at, row, colour, _IN_A_BOX - 6 * (twig.records is None))
        + count
        + arrow
    )


def _link(stem: tuple[int, float] | None, to: int, end: float) -> str:
    """Return a curve from a place and its row to a place and its row."""
    if stem is None:
        return ""
    (x, start), middle = stem, to - _GAP // 2
    curve = f"M{x} {_y(start):g}C{middle} {_y(start):g} {middle} {_y(end):g} {to} {_y(end):g}"
    return f'<path d="{curve}" fill="none" stroke="var(--line)" stroke-width="1.5"/>'


def _cut(twigs: tuple[Twig, ...], x: int, high: int) -> str:
    """Return the cut: a line beside what is published, with gaps where it lies further down the hierarchy."""
    gaps = [row for row, twig in enumerate(twigs) if twig.records is None]
    ends = [4.0, *(y for row in gaps for y in (_y(row) - _ROW / 2, _y(row) + _ROW / 2)), float(high)]
    lines = "".join(f"M{x} {a:g}V{b:g}" for a, b in zip(ends[::2], ends[1::2], strict=True) if b > a)
    return f'<path d="{lines}" stroke="var(--warn)" stroke-width="1.5" stroke-dasharray="4 3"/>'


def _text(words: str, at: int, row: float, colour: str, longest: int) -> str:
    return f'<text x="{at + _INSET}" y="{_y(row) + 4.5:g}" fill="{colour}">{in_html(_short(words, longest))}</text>'


def _y(row: float) -> float:
    return _TOP + _ROW * (row + 0.5)


def _short(name: str, longest: int = 40) -> str:
    return shorten(legible(name), longest)
