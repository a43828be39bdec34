"""Long tables: rows that are pairs of a record id and a term."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow.compute as pc

from disjoin.files.build_transactions import Cells, assemble, grouped
from disjoin.files.long_roles import LongRoles, head_of_text
from disjoin.files.naming import choose_columns, id_columns, looks_long
from disjoin.files.options import Options
from disjoin.files.quotes import MARK_EMPTY
from disjoin.files.record_ids import Coded, combined_ids, number_of, settled_ids
from disjoin.files.sources import Source, columnar_format
from disjoin.files.tokens import Bytes, Field, Numbered, TextLayout, delimited, line_of, number
from disjoin.files.wording import LEAVE_OUT, LEAVE_ROW_OUT
from disjoin.model import Transactions

_STRIPPED = b" \t\r" + bytes([MARK_EMPTY])


def read_long(source: Source, options: Options) -> Transactions:
    """Read a CSV or TSV with a header, or a Parquet or Arrow file, whose rows are (record id, term) pairs."""
    if columnar_format(source):
        from disjoin.files.columns import read_long_columns

        return read_long_columns(source, options)
    head = head_of_text(source, options.separator)  # before the text is rewritten in place
    text, layout = delimited(source, options.separator_byte())
    header, rows, skipped = _header(source, text, layout)
    table = _Table(source, rows, layout, header, options, skipped)
    record, term = choose_columns(header, options.id_column, options.term_column, source.name)
    ids = id_columns(header, record, options.id_column, source.name)
    records = [table.column(place, takes_empty=options.blank == "skip", if_blank=LEAVE_ROW_OUT) for place in ids]
    terms = table.column(term, takes_empty=options.takes_blanks)
    if not options.is_long and not looks_long(header):
        _require_names(source, header, {record: records[0], term: terms}, skipped)
    found = LongRoles.of(head, tuple(header[place] for place in ids), header[term], options)
    people = (
        Coded(name, column.items, column.terms)
        for name in found.people
        for column in [table.column(header.index(name), takes_empty=True)]
    )
    parts = [Coded(header[place], column.items, column.terms) for place, column in zip(ids, records, strict=True)]
    named = combined_ids(parts, options)
    codes, items, intake = settled_ids(named, terms.items, people, options, source.error, found)
    items, offsets = grouped(codes, items, number_of(codes))
    intake = replace(intake, format="long", term_column=header[term], blank_records=terms.blank)
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


def _require_names(source: Source, header: list[str], columns: dict[int, Numbered], line: int) -> None:
    """Raise if the first line, taken for column names, occurs again as data: then it was data too."""
    for place, column in columns.items():
        if pc.index(column.terms, header[place]).as_py() >= 0:
            raise source.error(
                f"expected column names, found a row of data: its field {place + 1:,} occurs again below it. "
                "Begin the file with a line such as record,term or name the columns (--id-column, --term-column).",
                line,
            )
