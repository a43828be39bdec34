"""Noisy records as a picture made of data: the rows with the largest counts, and those of several terms."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from disjoin.model.noisy_records import NoisyRecords
from disjoin.report.columns import Column
from disjoin.report.noisy.ranked import Ranked, ranked
from disjoin.report.words import counted

FEW = 10  # rows of a column
MANY = 1000  # terms of a row that anybody scrolls through
TERMS = 64  # of a row: more than fit into a line


@dataclass(frozen=True, slots=True)
class RowsPicture:
    """Some rows of all."""

    rows: int
    records: int
    columns: tuple[Column, ...]

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


def _column(rows: Ranked, heading: str, numbers: Iterable[int], total: int) -> Column:
    shown = tuple((shown_terms(rows, number), rows.count_of(number)) for number in numbers)
    return Column(heading, shown, total - len(shown), what="terms")
