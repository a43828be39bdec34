"""Tables that must not be taken for baskets, because that would publish record ids as terms."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from disjoin.errors import UnreadableInput
from disjoin.files.build_transactions import Cells, assemble, grouped
from disjoin.files.naming import choose_columns, columns_of_people, id_columns, looks_long
from disjoin.files.options import Options
from disjoin.files.quotes import MARK_EMPTY
from disjoin.files.record_ids import Coded, combined_ids, number_of, settled_ids
from disjoin.files.sources import Source, columnar_format
from disjoin.files.tokens import Bytes, Field, Numbered, TextLayout, delimited, line_of, number
from disjoin.files.wording import LEAVE_OUT, LEAVE_ROW_OUT, listed, quoted
from disjoin.model import Transactions

_FEWEST_LINES = 3  # below a header two rows are needed to see that it is none of them
_TELLING_LINES = 10  # this many lines of two fields are no accident
_ROWS_FOR_AN_ODD_ONE = 10


def refuse_tables(source: Source, rows: list[list[str]]) -> None:
    """Raise if the first rows of a separated file may be those of a table with record ids in it."""
    if not _is_even(rows):
        return
    if len(rows[0]) == 2 and (_begins_with_header(rows) or _looks_like_pairs(rows)):
        raise _with_columns(
            source.error(
                f"{_lines(rows)} has 2 fields, so this may be records of two terms or a long table with the columns "
                f"{listed(rows[0])}. Say --format basket or --format long."
            ),
            rows,
        )
    if _begins_with_header(rows):
        raise _looks_like_a_table(source, rows, "basket")


def refuse_spaced_tables(source: Source, lines: list[str]) -> None:
    """Raise if lines that were taken for blank-separated terms may be rows of a table.

    Queries of equally many words are common, so a table between blanks must also have a column of numbers.
    """
    piped = [[field.strip() for field in line.split("|")] for line in lines]
    if _is_even(piped) and (_begins_with_header(piped) or looks_long(piped[0])):
        raise _looks_like_a_table(source, piped, "fimi")
    rows = [line.split() for line in lines]
    if not _is_even(rows) or not _begins_with_header(rows) or any(map(_is_number, rows[0])):
        return
    if any(all(map(_is_number, column)) for column in zip(*rows[1:], strict=False)):
        raise _looks_like_a_table(source, rows, "fimi")


def _is_even(rows: list[list[str]]) -> bool:
    """Tell whether (nearly) all rows have as many fields as the first, and that is more than one.

    Nearly, because one unquoted comma in a table of thousands must not make it a file of baskets.
    """
    if not rows or len(rows[0]) < 2:
        return False
    odd = sum(len(row) != len(rows[0]) for row in rows)
    return odd * _ROWS_FOR_AN_ODD_ONE <= len(rows)


def _begins_with_header(rows: list[list[str]]) -> bool:
    """Tell whether nothing in the first row occurs below it; terms of a basket would, sooner or later."""
    below = {field for row in rows[1:] for field in row}
    return len(rows) >= _FEWEST_LINES and not below & set(rows[0])


def _looks_like_pairs(rows: list[list[str]]) -> bool:
    """Tell whether most rows are different pairs and nothing is ever on both sides: ids and terms, not baskets."""
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2]
    distinct = len(set(pairs))
    if len(pairs) < _TELLING_LINES or (distinct < _TELLING_LINES and 2 * distinct <= len(pairs)):
        return False
    return not {left for left, _ in pairs} & {right for _, right in pairs}


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]+", text) is not None


def _lines(rows: list[list[str]]) -> str:
    return "every line" if all(len(row) == len(rows[0]) for row in rows) else "nearly every line"


def _looks_like_a_table(source: Source, rows: list[list[str]], otherwise: str) -> UnreadableInput:
    error = source.error(
        f"{_lines(rows)} has {len(rows[0]):,} fields and the first looks like a header, so this may be a table with "
        f"the columns {listed(rows[0])}. Say --format {otherwise}, or name --id-column and --term-column."
    )
    return _with_columns(error, rows)


def _with_columns(error: UnreadableInput, rows: list[list[str]]) -> UnreadableInput:
    error.columns = tuple(rows[0])
    return error


_STRIPPED = b" \t\r" + bytes([MARK_EMPTY])


def read_long(source: Source, options: Options) -> Transactions:
    """Read a CSV or TSV with a header, or a Parquet or Arrow file, whose rows are (record id, term) pairs."""
    if columnar_format(source):
        from disjoin.files.columns import read_long_columns

        return read_long_columns(source, options)
    text, layout = delimited(source, options.separator_byte())
    header, rows, skipped = _header(source, text, layout)
    table = _Table(source, rows, layout, header, options, skipped)
    record, term = choose_columns(header, options.id_column, options.term_column, source.name)
    ids = id_columns(header, record, options.id_column, source.name)
    records = [table.column(place, takes_empty=options.blank == "skip", if_blank=LEAVE_ROW_OUT) for place in ids]
    terms = table.column(term, takes_empty=options.takes_blanks)
    if not options.is_long and not looks_long(header):
        _require_names(source, [header[record], header[term]], [records[0], terms], skipped)
    people = (
        Coded(header[place], column.items, column.terms)
        for place in columns_of_people(header, ids, term)
        for column in [table.column(place, takes_empty=True)]
    )
    parts = [Coded(header[place], column.items, column.terms) for place, column in zip(ids, records, strict=True)]
    named = combined_ids(parts, options)
    codes, items, intake = settled_ids(named, terms.items, people, options, source.error)
    items, offsets = grouped(codes, items, number_of(codes))
    intake = replace(intake, format="long", blank_records=terms.blank)
    return assemble(Cells(terms.terms, items, offsets), options, intake, source.error)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The rows below the header, of which any column can be numbered."""

    source: Source
    rows: Bytes
    layout: TextLayout
    header: list[str]
    options: Options
    skipped: int  # lines

    def column(self, place: int, *, takes_empty: bool, if_blank: str = LEAVE_OUT) -> Numbered:
        """Number the values of a column."""
        field = Field(place, self.header[place], len(self.header), self.options.separator_byte(), if_blank)
        return number(self.source, self.rows, self.layout, field, skipped=self.skipped, takes_empty=takes_empty)


def _header(source: Source, text: Bytes, layout: TextLayout) -> tuple[list[str], Bytes, int]:
    """Return the column names, the rows below, and how many lines came before the rows."""
    first = 0
    while True:
        found = np.flatnonzero(text[first : first + (1 << 20)] == layout.record_end)
        end = first + int(found[0]) if found.size else min(first + (1 << 20), text.size)
        line = text[first:end].tobytes()
        if line.strip(_STRIPPED) or end >= text.size:
            break
        first = end + 1
    number_of_line = line_of(text, layout, first)
    names = [source.decoded(name.strip(_STRIPPED), number_of_line) for name in line.split(layout.separators[:1])]
    return names, text[end + 1 :], line_of(text, layout, min(end + 1, text.size)) - 1


def _require_names(source: Source, names: list[str], columns: list[Numbered], line: int) -> None:
    """Raise if the first line, taken for column names, occurs again as data: then it was data too."""
    for name, column in zip(names, columns, strict=True):
        if pc.index(column.terms, name).as_py() >= 0:
            raise source.error(
                f"expected column names, found {listed(names)}, and {quoted(name)} occurs again below. "
                "Begin the file with a line such as record,term or name the columns (--id-column, --term-column).",
                line,
            )
