"""The parts of a chart: scales, ticks, axes, legends, marks and texts, as SVG elements in text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from disjoin.text import in_html, printable

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666")  # Okabe and Ito
SIZE, SMALL = 12, 11  # of letters
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHORT = ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))
_TINY = 1e-290  # smaller steps are none: powers of ten below it are not exact
_LARGE = 10_000  # numbers from here on are written short
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Numbers from `least` to `most` as coordinates from `start` to `end`."""

    least: float
    most: float
    start: float
    end: float
    kind: str = "linear"  # or sqrt, log

    def __call__(self, value: float) -> float:
        low, high, here = (_KINDS[self.kind](each) for each in (self.least, self.most, value))
        return self.start + (self.end - self.start) * (here - low) / ((high - low) or 1)


_KINDS: dict[str, Callable[[float], float]] = {"linear": float, "sqrt": math.sqrt, "log": math.log10}


def ticks(least: float, most: float, wanted: int) -> tuple[float, ...]:
    """Return round numbers between two: about as many as wanted, 1, 2 or 5 times a power of ten apart.

    >>> ticks(0, 1, 5), ticks(0, 0.075, 4), ticks(2, 2, 4)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.0, 0.02, 0.04, 0.06), (2,))
    """
    if most - least < _TINY:
        return (least,)
    rough = (most - least) / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= rough * (1 - 1e-9))
    first, last = math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9)
    return tuple(float(f"{place * step:.12g}") for place in range(first, last + 1))


def upwards(most: float, wanted: int, bottom: float, top: float) -> tuple[AxisScale, tuple[float, ...]]:
    """Return a scale from 0 to a round number that is not below `most`, and its ticks."""
    marks = ticks(0, most or 1, wanted)
    if marks[-1] < most:
        marks = (*marks, float(f"{2 * marks[-1] - marks[-2]:.12g}") if len(marks) > 1 else most)
    return AxisScale(0, marks[-1], bottom, top), marks


def powers(values: Sequence[float], bottom: float, top: float) -> tuple[AxisScale, tuple[float, ...]]:
    """Return a logarithmic scale with a tick at every power of ten."""
    low, high = math.floor(math.log10(max(min(values), _TINY))), math.ceil(math.log10(max(values)))
    marks = tuple(10.0**power for power in range(low, max(high, low + 1) + 1))
    scale = AxisScale(marks[0], marks[-1], bottom, top, "log")
    return scale, tuple(spaced(marks, scale))


def spaced(marks: Sequence[float], scale: AxisScale) -> list[float]:
    """Return the ticks of an upright axis that are a line of text apart, the largest first."""
    kept: list[float] = []
    for mark in reversed(marks):
        if not kept or scale(mark) - scale(kept[-1]) >= 15:
            kept.append(mark)
    return kept


def grid_across(
    scale: AxisScale, marks: Iterable[float], written: Callable[[float], str], left: float, right: float
) -> str:
    """Return the lines of an upright axis with their numbers on the left."""
    return "".join(
        f'<path d="M{num(left)} {num(scale(mark))}H{num(right)}" stroke="var(--line)"/>'
        + words_at(left - 5, scale(mark) + 4, written(mark), "end", size=SMALL)
        for mark in marks
    )


def axis_below(
    across: AxisScale,
    marks: Sequence[float],
    written: Callable[[float], str],
    y: float,
    title: str,
    edge: tuple[float, float],
) -> str:
    """Return the axis below: a line, ticks whose numbers do not overlap, and a title."""
    left, right = edge
    body = f'<path d="M{num(left)} {num(y)}H{num(right)}" stroke="var(--line)"/>'
    names = [written(mark) for mark in marks]
    at = inside([across(mark) for mark in marks], names, right)
    for place, x in thinned(at, names):
        tick = across(marks[place])
        body += f'<path d="M{num(tick)} {num(y)}v4" stroke="var(--muted)"/>'
        body += words_at(x, y + 15, names[place], "middle", size=SMALL)
    return body + words_at((left + right) / 2, y + 31, title, "middle", size=SMALL, room=right - left)


def inside(at: Sequence[float], names: Sequence[str], right: float) -> list[float]:
    """Return the middles of labels, moved where the first or the last would leave the drawing."""
    halves = [width_of(name, SMALL) / 2 for name in names]
    return [min(max(x, half), right - half) for x, half in zip(at, halves, strict=True)]


def legend_of(items: Sequence[tuple[str, str]], width: float) -> tuple[str, float]:
    """Return symbols with words in as many rows as they need, and the height of these."""
    body, x, y = "", 0.0, 10.0
    for symbol, words in items:
        room = 20 if symbol else 0
        wide = min(width_of(drawable(words), SMALL), width - room) + room
        if x and x + wide > width:
            x, y = 0.0, y + 17
        body += f'<g transform="translate({num(x + 8)} {num(y - 4)})">{symbol}</g>' if symbol else ""
        body += words_at(x + room, y, words, colour="ink", size=SMALL, room=width - room)
        x += wide + 14
    return body, y + 10 if items else 0.0


def swatch(colour: str, opacity: float = 1, hatch: int = 0) -> str:
    return hatched((-7, -5, 7, 5), colour, hatch, opacity=opacity)


def line_key(place: int) -> str:
    return f'<path d="M-8 0H8" stroke="{SERIES[place % 7]}" stroke-width="2"/>' + marker_at(place, 0, 0)


def hatched(box: Box, colour: str, hatch: int, words: str = "", opacity: float = 1) -> str:
    """Return a box in a colour, with white lines that mark its series without colour, but for the first."""
    left, top, right, bottom = (round(each, 1) for each in box)
    found = []
    if hatch % 6 in (1, 3, 5):  # upwards to the right
        found += _diagonals(left, top, right, bottom)
    if hatch % 6 in (2, 3):  # downwards to the right: mirrored
        found += [(x, top + bottom - y, u, top + bottom - v) for x, y, u, v in _diagonals(left, top, right, bottom)]
    if hatch % 6 == 4:
        found += [(x, top, x, bottom) for x in _every(left + 3, right, 5)]
    if hatch % 6 == 5:
        found += [(left, (top + bottom) / 2, right, (top + bottom) / 2)]
    hatching = "".join(f"M{num(x)} {num(y)}L{num(u)} {num(v)}" for x, y, u, v in found)
    lines_in = f'<path d="{hatching}" stroke="var(--card)" stroke-width="1.4" fill="none"/>' if hatching else ""
    return rect_of((left, top, right, bottom), colour, opacity, words=words) + lines_in


def _diagonals(left: float, top: float, right: float, bottom: float) -> list[Box]:
    """Return lines from the lower left to the upper right, cut where they leave the box."""
    high, found = bottom - top, []
    for start in _every(left - high + 4, right, 6):
        low, far = max(start, left), min(start + high, right)
        if low < far:
            found.append((low, bottom - (low - start), far, bottom - (far - start)))
    return found


def _every(start: float, end: float, step: float) -> list[float]:
    return [start + step * place for place in range(max(0, math.ceil((end - start) / step)))]


# Outlines of marks, in parts of their radius; the first mark is a circle.
_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.15), (1.15, 0.85), (-1.15, 0.85)),
    ((0, -1.3), (1.15, 0), (0, 1.3), (-1.15, 0)),
    ((-1.15, -0.85), (1.15, -0.85), (0, 1.15)),
    tuple(
        (a * x, b * y)
        for a, b, arm in ((-1, -1, 0), (1, -1, 1), (1, 1, 0), (-1, 1, 1))
        for x, y in (((1.2, 0.4), (0.4, 0.4), (0.4, 1.2)) if not arm else ((0.4, 1.2), (0.4, 0.4), (1.2, 0.4)))
    ),
)
_RADIUS = 4.5


def marker_at(series: int, x: float, y: float, words: str = "") -> str:
    """Return the mark of a series, which has a shape of its own."""
    colour = f'fill="{SERIES[series % 7]}" stroke="var(--card)" stroke-width="0.8"'
    shape = _SHAPES[series % 6]
    named = f"<title>{escaped(words)}</title>" if words else ""
    if not shape:
        return _closed("circle", f'cx="{num(x)}" cy="{num(y)}" r="{_RADIUS}" {colour}', named)
    corners = [(x + _RADIUS * right, y + _RADIUS * down) for right, down in shape]
    return _closed("path", f'd="{path_of(corners)}z" {colour}', named)


def rect_of(box: Box, colour: str, opacity: float = 1, *, round_by: float = 0, words: str = "") -> str:
    """Return a box in a colour of the page or in a fixed one; `words` are its tooltip."""
    left, top, right, bottom = box
    fill = colour if colour.startswith("#") else f"var(--{colour})"
    pale = f' fill-opacity="{num(opacity, 3)}"' if opacity != 1 else ""
    bend = f' rx="{num(min(round_by, (right - left) / 2))}"' if round_by else ""
    size = (
        f'x="{num(left)}" y="{num(top)}" width="{num(max(0.0, right - left))}" height="{num(max(0.0, bottom - top))}"'
    )
    return _closed("rect", f'{size}{bend} fill="{fill}"{pale}', f"<title>{escaped(words)}</title>" if words else "")


def _closed(name: str, attributes: str, inside: str) -> str:
    return f"<{name} {attributes}>{inside}</{name}>" if inside else f"<{name} {attributes}/>"


def path_of(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points)


def words_at(
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    colour: str = "muted",
    size: int = SIZE,
    *,
    bold: bool = False,
    room: float | None = None,
) -> str:
    """Return words; those that need more room are cut with an ellipsis, and a tooltip has all of them."""
    whole = drawable(words)
    shown = whole if room is None else fitted(whole, room, size)
    held = f' text-anchor="{anchor}"' if anchor != "start" else ""
    letters = f' font-size="{size}"' if size != SIZE else ""
    weight = ' font-weight="600"' if bold else ""
    named = f"<title>{escaped(whole)}</title>" if shown != whole else ""
    place = f'x="{num(x)}" y="{num(y)}"{held}{letters}{weight} fill="var(--{colour})"'
    return f"<text {place}>{named}{escaped(shown)}</text>"


def fitted(words: str, room: float, size: int = SIZE) -> str:
    """Return words, cut with an ellipsis where they would be wider than there is room.

    >>> fitted("digital camera", 60), fitted("tea", 60)
    ('digital…', 'tea')
    """
    if width_of(words, size) <= room:
        return words
    used, kept = width_of("…", size), ""
    for letter in words:
        used += size * _letter(letter)
        if used > room:
            break
        kept += letter
    return kept.rstrip() + "…"


def width_of(words: str, size: int = SIZE) -> float:
    return size * sum(map(_letter, words))


def _letter(letter: str) -> float:
    """Return the width of a character in parts of the font size, at most; the same in every version of Python."""
    if letter in "iljtfrI.,:;|!'()[] -/":
        return 0.4
    if letter in "mwMW@%…—":
        return 0.98
    if letter < "\x7f":
        return 0.72 if "A" <= letter <= "Z" else 0.63
    if any(first <= letter <= last for first, last in _NO_WIDTH):
        return 0.0
    return 1.3 if letter >= "\U0001f000" else 1.05 if letter >= "\u2e80" or "\u1100" <= letter <= "\u115f" else 0.75


_NO_WIDTH = (("\u0300", "\u036f"), ("\u200c", "\u200d"), ("\ufe00", "\ufe0f"))  # marks on letters, joiners, variants


def wrapped(words: str, room: float, size: int) -> list[str]:
    """Return a text in lines that have room, broken between words."""
    found: list[str] = []
    for word in drawable(words).split(" "):
        longer = f"{found[-1]} {word}" if found else word
        if found and width_of(longer, size) <= room:
            found[-1] = longer
        else:
            found.append(fitted(word, room, size))
    return found


def number(value: float) -> str:
    """Return a number of an axis; large ones are written short.

    >>> [number(each) for each in (0, 0.05, 9999, 10000, 2500000)]
    ['0', '0.05', '9,999', '10k', '2.5M']
    """
    for unit, letter in _SHORT if abs(value) >= _LARGE else ():
        if abs(value) >= unit:
            return f"{value / unit:.4g}{letter}"
    return f"{value:,.6g}"


def value_text(value: float) -> str:
    """Return a measured value with three digits, or all of a large one."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def tick_percent(share: float) -> str:
    """Return a share of an axis or of a table.

    >>> tick_percent(0.25), tick_percent(0.005), tick_percent(1 / 3)
    ('25%', '0.5%', '33.3%')
    """
    return f"{100 * share:.3g}%"


def drawable(words: str) -> str:
    """Return text with the characters written out that a reader cannot see or XML cannot have."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(words))


def escaped(words: str) -> str:
    return in_html(drawable(words))


def num(value: float, digits: int = 1) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}".rstrip("0").rstrip(".")


def thinned(at: Sequence[float], names: Sequence[str]) -> list[tuple[int, float]]:
    """Return the places of labels that do not overlap: every n-th from the first on, and the last.

    >>> thinned([0, 10, 20, 30, 40], ["10", "20", "30", "40", "50"])
    [(0, 0), (2, 20), (4, 40)]
    """
    halves = [width_of(name, SMALL) / 2 + 3 for name in names]
    for stride in range(1, len(names) + 1):
        kept = list(range(0, len(names), stride))
        last = len(names) - 1
        if kept[-1] != last:
            kept = [place for place in kept if at[place] + halves[place] <= at[last] - halves[last]] + [last]
        if all(at[a] + halves[a] <= at[b] - halves[b] for a, b in pairwise(kept)):
            return [(place, at[place]) for place in kept]
    return []


def box_of(x: float, y: float, words: str, anchor: str) -> Box:
    """Return what a label covers whose middle is at a height."""
    wide = width_of(words, SMALL)
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    return left, y - 7, left + wide, y + 7


def within(box: Box, field: Box) -> bool:
    return field[0] <= box[0] and field[1] <= box[1] and box[2] <= field[2] and box[3] <= field[3]


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
