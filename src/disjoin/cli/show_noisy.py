"""How `disjoin show` draws noisy records, or writes them for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.report.noisy.picture import FEW
from disjoin.report.noisy.ranked import Ranked, ranked
from disjoin.report.text import coloured, draw_row, draw_rows

if TYPE_CHECKING:
    from rich.console import Console

    from disjoin.model import NoisyRecords

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
    return f"{number:,} more. Show one with --row N, more with --first N, good ones with --typical." if number else ""
