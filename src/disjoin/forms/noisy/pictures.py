"""Drawings of noisy records for `disjoin show`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TIMES, TextColumn, coloured, draw_band, shorten
from disjoin.forms.form import Show
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.ragged import Bag, Ints64
from disjoin.text import counted

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import NoisyRecords


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Rows by their counts, the largest first; of equal ones the first in the table comes first."""

    records: Bag
    order: Ints64  # (rows,)

    def __len__(self) -> int:
        return int(self.order.size)

    def count_of(self, number: int) -> int:
        """Return how often a row occurs."""
        return int(self.records.counts[self.order[number]])

    def length_of(self, number: int) -> int:
        """Return how many terms a row has."""
        first, last = self.records.offsets[self.order[number] :][:2]
        return int(last - first)

    def terms_of(self, number: int, most: int | None = None) -> tuple[str, ...]:
        """Return the terms of a row, or the first of them."""
        first, last = (int(end) for end in self.records.offsets[self.order[number] :][:2])
        items = self.records.items[first:last][:most]
        return tuple(self.records.vocabulary.take(items).to_pylist())

    def longer_than(self, terms: int) -> Ints64:
        """Return the numbers of the rows that have more terms than this."""
        return np.flatnonzero(self.records.sets.lengths[self.order] > terms)


def ranked(records: Bag) -> Ranked:
    """Return the rows by their counts.

    >>> rows = ranked(Bag.from_rows([(["milk"], 2), (["milk", "tea"], 7), (["tea"], 2)]))
    >>> [(rows.terms_of(number), rows.count_of(number)) for number in range(len(rows))]
    [(('milk', 'tea'), 7), (('milk',), 2), (('tea',), 2)]
    """
    return Ranked(records, np.argsort(-records.counts, kind="stable"))


FEW = 10  # rows of a column
MANY = 1000  # terms of a row that anybody scrolls through
TERMS = 64  # of a row: more than fit into a line


@dataclass(frozen=True, slots=True)
class RowsPicture:
    """Some rows of all."""

    rows: int
    records: int
    columns: tuple[TextColumn, ...]

    @property
    def title(self) -> str:
        """Say what it is in a few words."""
        return f"{counted(self.rows, 'row')} for {counted(self.records, 'made-up record')}"


def picture_of(published: NoisyRecords, rows: int = FEW) -> RowsPicture:
    """Return the rows with the largest counts, and beside them those that have several terms."""
    found = ranked(published.records)
    several = found.longer_than(1)
    columns = [_column(found, "largest counts", range(min(rows, len(found))), len(found))]
    if 0 < several.size < len(found):
        columns.append(_column(found, "of several terms", several[:rows].tolist(), several.size))
    return RowsPicture(len(found), published.n_records, tuple(columns))


def shown_terms(rows: Ranked, number: int, most: int = TERMS) -> tuple[str, ...]:
    """Return the terms of a row, with … where some are left out."""
    more = ("…",) if rows.length_of(number) > most else ()
    return (*rows.terms_of(number, most), *more)


def _column(rows: Ranked, heading: str, numbers: Iterable[int], total: int) -> TextColumn:
    shown = tuple((shown_terms(rows, number), rows.count_of(number)) for number in numbers)
    return TextColumn(heading, shown, total - len(shown), what="terms")


def draw_rows(rows: Ranked, numbers: Sequence[int], width: int = 80) -> str:
    """Draw rows with their numbers in at most `width` columns (40 at least)."""
    band = [
        TextColumn("row", tuple(((f"{number}",), None) for number in numbers)),
        TextColumn("terms", tuple((shown_terms(rows, number), rows.count_of(number)) for number in numbers)),
    ]
    return "\n".join(draw_band(band, max(width, LEAST_WIDTH)))


def draw_row(rows: Ranked, number: int, width: int = 80) -> str:
    """Draw one row with its terms under each other."""
    width = max(width, LEAST_WIDTH)
    length = rows.length_of(number)
    title = f"row {number}: {counted(length, 'term')}, {TIMES}{rows.count_of(number):,}"
    terms = tuple(((term,), None) for term in rows.terms_of(number, MANY))
    return "\n".join([shorten(title, width), *draw_band([TextColumn("terms", terms, max(0, length - MANY))], width)])


MADE_UP = "Records are made up from noisy counts: no row is evidence that anybody had such a record."


def opened(published: NoisyRecords) -> Ranked:
    """Return the rows by their counts, the largest first."""
    return ranked(published.records)


def chosen(rows: Ranked, first: int) -> list[int]:
    """Return the rows with the largest counts."""
    return list(range(min(first, len(rows))))


def typical(rows: Ranked) -> list[int]:
    """Return rows that are good to look at: those of several terms with the largest counts, if there are any."""
    several = rows.longer_than(1)[:FEW].tolist()
    return several or chosen(rows, FEW)


def as_json(rows: Ranked, number: int) -> dict[str, Any]:
    """Return a row for programs."""
    return {"row": number, "terms": list(rows.terms_of(number)), "count": rows.count_of(number)}


def draw(console: Console, rows: Ranked, numbers: list[int], *, full: bool) -> None:
    """Draw rows under each other, or one with its terms under each other."""
    if not numbers:
        console.print("This release has no rows: nothing was frequent enough to stand out from the noise.")
        return
    drawing = draw_row(rows, numbers[0], console.width) if full else draw_rows(rows, numbers, console.width)
    console.print(coloured(drawing))
    console.print(MADE_UP)


def left(rows: Ranked, numbers: list[int]) -> str:
    """Say how many rows were not drawn."""
    number = len(rows) - len(numbers)
    return f"{number:,} more." if number else ""


SHOW = Show(opened, chosen, typical, as_json, draw, left, first=10)
