"""Noisy records drawn with characters: rows under each other, or one row with all its terms."""

from __future__ import annotations

from collections.abc import Sequence

from disjoin.report.columns import LEAST_WIDTH, Column, draw_band
from disjoin.report.lettering import TIMES, shorten
from disjoin.report.noisy.picture import MANY, shown_terms
from disjoin.report.noisy.ranked import Ranked
from disjoin.report.words import counted


def draw_rows(rows: Ranked, numbers: Sequence[int], width: int = 80) -> str:
    """Draw rows with their numbers in at most `width` columns (40 at least)."""
    band = [
        Column("row", tuple(((f"{number}",), None) for number in numbers)),
        Column("terms", tuple((shown_terms(rows, number), rows.count_of(number)) for number in numbers)),
    ]
    return "\n".join(draw_band(band, max(width, LEAST_WIDTH)))


def draw_row(rows: Ranked, number: int, width: int = 80) -> str:
    """Draw one row with its terms under each other."""
    width = max(width, LEAST_WIDTH)
    length = rows.length_of(number)
    title = f"row {number}: {counted(length, 'term')}, {TIMES}{rows.count_of(number):,}"
    terms = tuple(((term,), None) for term in rows.terms_of(number, MANY))
    return "\n".join([shorten(title, width), *draw_band([Column("terms", terms, max(0, length - MANY))], width)])
