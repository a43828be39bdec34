"""Drawings of noisy records for `disjoin show`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from disjoin.charts.text_drawing import LEAST_WIDTH, TIMES, Columns, TextColumn, coloured, draw_band, draw_titled
from disjoin.forms.form import MANY, Show, first_rows, row_facts, texts_of
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.ragged import Bag
from disjoin.text import counted

if TYPE_CHECKING:
    from rich.console import Console


FEW = 10  # rows of a column


def ranked(records: Bag) -> Bag:
    """Return the rows by their counts, the largest first; of equal ones the first in the table comes first.

    >>> ranked(Bag.from_rows([(["milk"], 2), (["milk", "tea"], 7), (["tea"], 2)])).rows()
    [(('milk', 'tea'), 7), (('milk',), 2), (('tea',), 2)]
    """
    order = np.argsort(-records.counts, kind="stable")
    rows = records.sets.take(order)
    return Bag(records.vocabulary, rows.offsets, rows.items, records.counts[order])


def picture_of(published: NoisyRecords, rows: int = FEW) -> Columns:
    found = ranked(published.records)
    several = np.flatnonzero(found.sets.lengths > 1)
    columns = [_column(found, "largest counts", range(min(rows, len(found))), len(found))]
    if 0 < several.size < len(found):
        columns.append(_column(found, "of several terms", several[:rows].tolist(), several.size))
    title = f"{counted(len(found), 'row')} for {counted(published.n_records, 'synthetic record')}"
    return Columns(title, tuple(columns))


def _column(rows: Bag, heading: str, numbers: Sequence[int], total: int) -> TextColumn:
    shown = first_rows(rows.vocabulary, rows.sets, rows.counts, numbers)
    return TextColumn(heading, shown, total - len(shown), what="terms")


def draw_rows(rows: Bag, numbers: Sequence[int], width: int = 80) -> str:
    band = [TextColumn("row", tuple(((f"{n}",), None) for n in numbers)), _column(rows, "terms", numbers, len(numbers))]
    return "\n".join(draw_band(band, max(width, LEAST_WIDTH)))


def draw_row(rows: Bag, number: int, width: int = 80) -> str:
    items = rows.sets[number]
    title = f"row {number}: {counted(items.size, 'term')}, {TIMES}{int(rows.counts[number]):,}"
    terms = tuple(((term,), None) for term in rows.vocabulary.take(items[:MANY]).to_pylist())
    return draw_titled(title, [(TextColumn("terms", terms, max(0, items.size - MANY)),)], width)


def typical(rows: Bag) -> list[int]:
    """Return the rows of several terms with the largest counts, if there are any, else those with the largest."""
    several: list[int] = np.flatnonzero(rows.sets.lengths > 1)[:FEW].tolist()
    return several or list(range(min(FEW, len(rows))))


def as_json(rows: Bag, number: int) -> dict[str, Any]:
    return {"row": number, **row_facts(rows, number)}


def draw(console: Console, rows: Bag, numbers: list[int], *, full: bool) -> None:
    if not numbers:
        console.print("This release has no rows: no count was large enough next to the noise.")
        return
    drawing = draw_row(rows, numbers[0], console.width) if full else draw_rows(rows, numbers, console.width)
    console.print(coloured(drawing))
    console.print(texts_of(__package__)["made up"])


SHOW = Show(typical, as_json, draw, opened=lambda published: ranked(published.records), first=10)
