"""Columns kept as terms (`age=60..69`, `sex=f`), numbers cut into ranges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, Placeholder, Remedy, UnreadableInput
from disjoin.model import Transactions
from disjoin.model.intervals import number_from
from disjoin.model.ragged import Ints32
from disjoin.model.spelling import folded_column
from disjoin.readers.columnar import ArrowColumns, columnar_table, from_batches
from disjoin.readers.databases import Query
from disjoin.readers.options import Kept, Options, find_column
from disjoin.readers.read import stream_of, without_index
from disjoin.readers.sources import columnar_format, open_source
from disjoin.readers.table_text import BLANKS, MISSING, Fail, coded_column, read_separated, texts
from disjoin.text import counted, quoted

USUAL_WIDTH = Fraction(10)


def read_keeping(source: Any, options: Options) -> Transactions:
    rows, fail, where = _all_columns(source, options)
    bare = replace(options, keep=None)
    columns = ArrowColumns.of(rows.schema, options, rows.to_batches(), where)
    kept = [_KeptColumn.of(rows, wish, columns, options, fail) for wish in options.keep or ()]
    terms = rows[columns.names[-1]].combine_chunks()
    written = pc.unique((terms.flatten() if columns.is_list else terms).cast(pa.string()))
    for column in kept:
        if pc.any(pc.starts_with(written, f"{column.name}=")).as_py():
            values = f"values of the column {quoted(column.name)}. Rename the column, or the terms."
            raise fail(f"terms that begin with {column.name}= look like {values}")
    if not columns.is_list:
        _require_agreement(rows, columns, kept, options, fail)
    whole = (_longer_lists if columns.is_list else _more_rows)(rows, columns, kept)
    found = from_batches(whole.to_batches(), columns, bare, fail, format="parquet" if columns.is_list else "long")
    blank = found.intake.skipped_blanks + sum(column.blank for column in kept)
    widths = ((one.name, one.width) for one in kept)
    words = tuple(name if width is None else f"{name} (in steps of {_plain(width)})" for name, width in widths)
    n_rows = 0 if columns.is_list else rows.num_rows
    return replace(found, intake=replace(found.intake, rows=n_rows, kept=words, skipped_blanks=blank))


def _all_columns(source: Any, options: Options) -> tuple[pa.Table, Fail, str | None]:
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        opened = open_source(source, options.max_bytes, sheet=options.sheet, encoding=options.encoding)
        if columnar_format(opened):
            return columnar_table(opened, options.max_bytes), opened.error, opened.name
        names, columns = read_separated(opened, options.separator)
        plain = [pc.utf8_trim(column.cast(pa.string()), BLANKS) for column in columns.columns]
        return pa.table(dict(zip(names, plain, strict=True))), opened.error, opened.name
    if isinstance(source, Query):
        with source.batches() as batches:
            return pa.Table.from_batches(batches, batches.schema), UnreadableInput, None
    stream = stream_of(source)
    if not isinstance(stream, pa.RecordBatchReader):
        raise InvalidParameter("keep names columns of a table, but this is not one. Give a table, or leave keep out.")
    return without_index(stream).read_all(), UnreadableInput, None


@dataclass(frozen=True, slots=True, eq=False)
class _KeptColumn:
    """A column as codes of the terms of its values; no term where a value is missing."""

    name: str
    codes: Ints32  # (rows,)
    terms: list[str | None]
    width: Fraction | None  # of the ranges; None if values are kept unchanged
    blank: int  # rows

    @classmethod
    def of(cls, rows: pa.Table, wish: Kept, columns: ArrowColumns, options: Options, fail: Fail) -> _KeptColumn:
        name = rows.column_names[find_column(rows.column_names, wish.column)]
        if name in columns.names:
            both = f"{quoted(name)} is named in keep and as the column of records or terms"
            raise InvalidParameter(f"a column has one role, but {both}.")
        codes, values = coded_column(name, rows[name], fail, options.blank_words or (), decimal_commas=True)
        known = values.to_pylist()
        width = wish.width if wish.is_said else USUAL_WIDTH if _are_numbers(known) else None
        wrong = [place for place, value in enumerate(known) if value != MISSING and number_from(value) is None]
        if width is not None and wrong:
            row = int(np.flatnonzero(np.isin(codes, wrong))[0]) + 1
            expected = f"expected numbers in {quoted(name)}, because it is cut into ranges"
            remedy = Remedy("blank_words", Placeholder("WORDS"), "name the words that are blanks")
            raise fail(f"{expected}, found something else in row {row:,}. Leave the width out.").offering(remedy)
        terms = [None if value == MISSING else f"{name}={_range(value, width)}" for value in known]
        if options.split_at and any(options.split_at in term for term in terms if term):
            found = f"values of {quoted(name)} have {quoted(options.split_at)}, which separates the terms of a cell"
            raise fail(f"{found}. Keep another column.")
        blank = int(np.isin(codes, [place for place, term in enumerate(terms) if term is None]).sum())
        return cls(name, codes, terms, width, blank)

    def texts(self) -> pa.StringArray:
        return pa.array(self.terms, pa.string()).take(pa.array(self.codes))


def _are_numbers(values: Iterable[str]) -> bool:
    known = [value for value in values if value != MISSING]
    is_code = [len(value) > 1 and value[0] == "0" and value.isdigit() for value in known]
    return bool(known) and not any(is_code) and all(number_from(value) is not None for value in known)


def _range(value: str, width: Fraction | None) -> str:
    """Return the range of a value, which depends on no other value.

    >>> _range("67", Fraction(10)), _range("0.7", Fraction(1, 2)), _range("f", None)
    ('60..69', '0.5..1', 'f')
    """
    number = number_from(value)
    if width is None or number is None:
        return value
    low = floor(number / width) * width
    high = low + width - (1 if width.denominator == 1 else 0)
    return _plain(low) if low == high else f"{_plain(low)}..{_plain(high)}"


def _plain(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else str(float(number))


def _require_agreement(
    rows: pa.Table, columns: ArrowColumns, kept: list[_KeptColumn], options: Options, fail: Fail
) -> None:
    who = np.zeros(rows.num_rows, dtype=np.int64)  # the same number for rows of one record
    for name in columns.names[:-1]:
        ids = texts(name, rows[name].combine_chunks(), fail)
        ids = folded_column(ids) if options.similar_ids == "merge" else ids
        coded = ids.fill_null("").dictionary_encode()
        who = np.unique(who * len(coded.dictionary) + np.asarray(coded.indices), return_inverse=True)[1]
    _, first, who = np.unique(who, return_index=True, return_inverse=True)
    for column in kept:
        wrong = np.flatnonzero(column.codes != column.codes[first[who]])
        if wrong.size:
            records = counted(np.unique(who[wrong]).size, "record")
            rows_of_one = f"rows {int(first[who[wrong[0]]]) + 1:,} and {int(wrong[0]) + 1:,}"
            raise fail(
                f"{records} with rows that differ in {quoted(column.name)}, such as {rows_of_one}. "
                "Correct them, or do not keep the column."
            )


def _longer_lists(rows: pa.Table, columns: ArrowColumns, kept: list[_KeptColumn]) -> pa.Table:
    [name] = columns.names
    more = zip(*(column.texts().to_pylist() for column in kept), strict=True)
    found = [
        [*(None if term is None else str(term) for term in terms or ()), *filter(None, new)]
        for terms, new in zip(rows[name].to_pylist(), more, strict=True)
    ]
    return pa.table({name: pa.array(found, pa.list_(pa.string()))})


def _more_rows(rows: pa.Table, columns: ArrowColumns, kept: list[_KeptColumn]) -> pa.Table:
    """Return the long table with rows added for the kept columns: one per record and column."""
    term = columns.names[-1]
    others = [*dict.fromkeys((*columns.names[:-1], *columns.found.people))]
    bare = rows.select([*others, term])
    named = bare.set_column(len(others), term, [bare[term].cast(pa.string())])
    parts = [named]
    for column in kept:
        new = column.texts()
        below = bare.set_column(len(others), term, [new]).filter(pc.is_valid(new))
        parts.append(below.group_by([*others, term]).aggregate([]).select([*others, term]).cast(named.schema))
    return pa.concat_tables(parts)
