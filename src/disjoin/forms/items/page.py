"""Sections of report.html about generalised items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from disjoin.charts.distribution import percent, range_of
from disjoin.charts.svg import Bar, Chart, histogram
from disjoin.charts.text_drawing import TIMES, cells, column_html, shorten
from disjoin.forms.clusters.page import terms_of
from disjoin.forms.form import Figure, Numbers, Page, example_section, figure, share_bars
from disjoin.forms.items.pictures import NodePicture, Sibling
from disjoin.forms.items.prose import TEXTS
from disjoin.model.release import Report
from disjoin.text import counted, in_html, printable

# A branch of the hierarchy as a drawing: what is published on the left of the cut, terms behind it on the right.
# Sizes are fixed and not fitted to the letters: their widths depend on the fonts of the machine.

_BOX, _GAP = 220, 44  # a box; the room between two columns
_ROW, _TALL, _TOP = 30, 22, 26  # from one row to the next; a box; what is above the first row
_NAME, _IN_A_BOX, _OVER = 26, 20, 18  # cells of a name: alone, next to a count, above
_ABOVE = 2  # columns before the published nodes, at most
_CUT = 12  # from a box to the line of the cut
_INSET = 10  # from the edge of a box to its letters
_CELL = 8  # a cell of a name, generously
_MUTED = "var(--muted)"

Stem = tuple[int, float] | None  # a place and its row, from which a curve leads to a name


def branch_svg(picture: NodePicture) -> str:
    hidden = picture.listed_terms
    here = [sibling.name for sibling in picture.siblings].index(picture.name)
    tall = len(picture.siblings) + bool(picture.more_siblings)
    first = max(0.0, min(here - (len(hidden) - 1) / 2, tall - len(hidden)))  # the row of the first term behind
    high = _TOP + round(_ROW * max(tall, first + len(hidden)))
    middle, boxes, parts = (tall - 1) / 2, 0, []
    for name in (_short(each, _OVER) for each in picture.path[-_ABOVE:]):
        parts.append(_node(name, boxes, middle, "var(--ink)", (boxes - _GAP, middle) if boxes else None))
        boxes += _INSET + _CELL * cells(name) + _GAP
    parts += _published(picture, boxes, middle, here)
    right = boxes + _BOX + _GAP
    if hidden:
        parts.append(_heading("published as the category", right))
    parts += [_node(name, right, first + row, _MUTED, (right - _GAP, here)) for row, name in enumerate(hidden)]
    parts.append(_cut(picture.siblings, boxes + _BOX + _CUT, high))
    wide = right + _INSET + _NAME * _CELL if hidden else boxes + _BOX + 2 * _CUT
    return (
        f'<svg role="img" aria-label="{in_html(_described(picture))}" width="{wide}" height="{high}" '
        f'viewBox="0 0 {wide} {high}" font-family="system-ui, sans-serif" font-size="13">{"".join(parts)}</svg>'
    )


def _described(picture: NodePicture) -> str:
    shown = ", ".join(_short(name) for name in picture.listed_terms)
    behind = f" stands for {counted(picture.n_terms, 'term')}: {shown}" if shown else " is published as it was"
    above = f"Below {_short(picture.path[-1])}, " if picture.path else ""
    return f"Branch of the hierarchy. {above}{_short(picture.name)}{behind}."


def _published(picture: NodePicture, at: int, middle: float, here: int) -> Iterator[str]:
    yield _heading("published", at)
    stem = (at - _GAP, middle) if picture.path else None
    for row, sibling in enumerate(picture.siblings):
        yield _link(stem, at, row) + _box(sibling, at, row, is_here=row == here)
    if picture.more_siblings:
        yield _node(f"… and {picture.more_siblings:,} more", at, len(picture.siblings), _MUTED, stem)


def _heading(words: str, at: int) -> str:
    return f'<text x="{at + _INSET}" y="13" fill="{_MUTED}" font-size="12">{words}</text>'


def _node(name: str, at: int, row: float, colour: str, stem: Stem) -> str:
    return _link(stem, at, row) + _text(name, at, row, colour, _NAME)


def _box(sibling: Sibling, at: int, row: int, *, is_here: bool) -> str:
    """Return a box: filled where the node is published, with how many records have it; else with an arrow."""
    is_lower, y = sibling.records is None, _y(row)
    fill, colour = ("none", _MUTED) if is_lower else ("var(--soft)", "var(--ink)")
    words = "further down" if is_lower else f"{TIMES}{sibling.records:,}"
    arrow = f'<path d="M{at + _BOX} {y:g}h20m-4 -4l4 4l-4 4" fill="none" stroke="{_MUTED}"/>' if is_lower else ""
    return (
        f'<rect x="{at + 1}" y="{y - _TALL / 2:g}" width="{_BOX - 1}" height="{_TALL}" rx="6" fill="{fill}" '
        f'stroke="var(--{"accent" if is_here else "line"})"/>'
        f"{_text(sibling.name, at, row, colour, _IN_A_BOX - 6 * is_lower)}"
        f'<text x="{at + _BOX - 9}" y="{y + 4:g}" text-anchor="end" fill="{_MUTED}" font-size="12">{words}</text>'
        f"{arrow}"
    )


def _link(stem: Stem, to: int, end: float) -> str:
    if stem is None:
        return ""
    (x, start), middle = stem, to - _GAP // 2
    curve = f"M{x} {_y(start):g}C{middle} {_y(start):g} {middle} {_y(end):g} {to} {_y(end):g}"
    return f'<path d="{curve}" fill="none" stroke="var(--line)" stroke-width="1.5"/>'


def _cut(siblings: tuple[Sibling, ...], x: int, high: int) -> str:
    """Return the cut: a line next to what is published, with gaps where it lies further down the hierarchy."""
    gaps = [row for row, sibling in enumerate(siblings) if sibling.records is None]
    ends = [4.0, *(y for row in gaps for y in (_y(row) - _ROW / 2, _y(row) + _ROW / 2)), float(high)]
    lines = "".join(f"M{x} {a:g}V{b:g}" for a, b in zip(ends[::2], ends[1::2], strict=True) if b > a)
    return f'<path d="{lines}" stroke="var(--warn)" stroke-width="1.5" stroke-dasharray="4 3"/>'


def _text(words: str, at: int, row: float, colour: str, longest: int) -> str:
    return f'<text x="{at + _INSET}" y="{_y(row) + 4.5:g}" fill="{colour}">{in_html(_short(words, longest))}</text>'


def _y(row: float) -> float:
    return _TOP + _ROW * (row + 0.5)


def _short(name: str, longest: int = 40) -> str:
    return shorten(printable(name), longest)


SHOWN = 8  # categories in the chart, those that stand for most terms


def figures_of(report: Report) -> list[Figure]:
    facts, k = report.statistics, report.guarantee.get("k")
    general = f"{percent(facts['occurrences']['share'])} of the record entries are categories."
    rest = facts["published"]["categories"] - SHOWN
    more = [f"{rest:,} more with as many terms or fewer; mapping.parquet has all."] if rest > 0 else []
    supports = histogram("Records with a term or category", facts["supports"], "records", "terms and categories")
    guaranteed = f"; at least {k} are guaranteed." if k else "."
    # If no record holds anything, there is no chart either.
    rarest = f"The rarest is in {facts['smallest_support'] or 0:,} records{guaranteed}"
    return [
        *figure(levels(facts), "All terms of the hierarchy, including terms that no record has.", general),
        *figure(largest(facts), *more),
        *figure(supports, rarest),
        *figure(histogram("Terms in a record", facts["record_lengths"], "terms and categories", "records")),
    ]


def levels(facts: dict[str, Any]) -> Chart | None:
    total, top = facts["terms"]["total"], len(facts["levels"]) - 1
    if not total:
        return None
    found = [
        Bar(_level(entry["level"], top), round(entry["terms"] / total, 6), f"{entry['terms']:,} of {total:,}")
        for entry in facts["levels"]
    ]
    what = "the terms by the level at which they are published"
    return share_bars("What terms are published as", found, ("level", "share of the terms"), what, until=1)


def largest(facts: dict[str, Any]) -> Chart | None:
    total, listed = facts["terms"]["total"], facts["largest_categories"][:SHOWN]
    found = [Bar(e["category"], round(e["terms"] / total, 6), f"{e['terms']:,} of {total:,}") for e in listed]
    axis, what = ("category", "share of the terms"), "the terms that categories stand for"
    return share_bars("Terms behind a category", found, axis, what)


def _level(level: int, top: int) -> str:
    if level == 0:
        return "as themselves"
    return "as the root" if level == top else f"{counted(level, 'step')} up"


def _head(report: Report) -> Numbers:
    facts = report.statistics
    return {
        "records": report.counts["records"],
        "terms of the hierarchy": facts["terms"]["total"],
        "published as themselves": facts["terms"]["as_themselves"],
        "generalised": facts["terms"]["generalised"],
        "categories": facts["published"]["categories"],
    }


def _numbers(report: Report) -> Numbers:
    facts = report.statistics
    published, occurrences, least = facts["published"], facts["occurrences"], facts["smallest_support"]
    return {
        "published terms and categories": published["total"],
        "of these, in records": published["in_records"],
        "categories in records": published["categories_in_records"],
        "terms behind a category": range_of(facts["terms_of_a_category"], "term"),
        "record entries": occurrences["total"],
        "of these, categories": f"{occurrences['of_categories']:,} ({percent(occurrences['share'])})",
        "records with the rarest term or category": "none" if least is None else f"{least:,}",
        "distinct records": facts["distinct_records"],
        "terms in a record": range_of(facts["record_lengths"], "term"),
    }


def example_html(picture: NodePicture) -> str:
    what, words = ("category", "example") if picture.is_category else ("term", "example uncut")
    lower = f" {TEXTS['example lower']}" if any(sibling.records is None for sibling in picture.siblings) else ""
    title = picture.title[0].upper() + picture.title[1:]
    records = column_html(picture.records) if picture.records.rows else ""
    chunks = f'<div class="wide">{branch_svg(picture)}</div>{records}'
    return example_section(f"What a {what} looks like", TEXTS[words] + lower, title, chunks)


PAGE = Page(
    head=_head,
    made_of=lambda report: TEXTS["made of" if report.statistics["published"]["categories"] else "made of as it was"],
    figures=figures_of,
    example=example_html,
    numbers=_numbers,
    terms=lambda report: terms_of(report, TEXTS["certain"], report.statistics["terms"]["total"]),
)
