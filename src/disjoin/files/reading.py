"""The way in: `read` for files and streams, `as_transactions` for what is in memory already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from disjoin.errors import InvalidParameter
from disjoin.files.databases import Query
from disjoin.files.detection import confirm, detect
from disjoin.files.from_memory import as_transactions, transactions_of
from disjoin.files.options import DEFAULT_MAX_BYTES, READERS, Options, require_no_file
from disjoin.files.sources import NO_RECORDS, open_source
from disjoin.model import Transactions

__all__ = ["DEFAULT_MAX_BYTES", "as_transactions", "read"]


def read(
    source: str | Path | BinaryIO | object,
    *,
    format: str | None = None,
    id_column: str | Sequence[str] | None = None,
    term_column: str | None = None,
    field: str | None = None,
    separator: str | None = None,
    keep_order: bool = False,
    max_bytes: int = DEFAULT_MAX_BYTES,
    allow_empty: bool = False,
    split: str | None = None,
    blank: str | None = None,
    blank_words: str | Iterable[str] | None = None,
    similar_ids: str | None = None,
    per_record: bool | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    keep: str | Iterable[str] | None = None,
    role: Mapping[str, str] | Iterable[str] | None = None,
    leave_out: Iterable[str] | None = None,
) -> Transactions:
    """Return the records of a file (plain, gzip or zstd), of standard input (`-`), of a stream, or of an object.

    Terms stay as written; only blanks around an unquoted field of a text file go. Blank records are dropped, repeated
    terms kept once, and both are counted in `intake`. Anything else that is wrong, or looks wrong, raises
    `UnreadableInput` with the file and, where there is one, the line. `format` is a name of `disjoin.files.READERS`,
    and found by content and file name if not given.

    id_column, term_column: the columns of a long table; several columns, a list, may name a record together.
    field: the member of a JSON object, or the list column of a table, that holds the terms.
    separator, split: what parts the fields of a basket file or a long table, and the terms of a cell: one character, or
        `tab`. With the split `none` every cell is one term, even if it looks like a list.
    keep_order: also keep the terms of each record in source order (`Transactions.written`).
    max_bytes, allow_empty: the largest size once unpacked; whether no records are fine.
    blank, blank_words: what becomes of a cell without a term: `error`, `skip` or `term` (the term `(blank)`); and words
        that count as blank: `usual` (NULL, NA, N/A, NaN, None, -), or your own.
    similar_ids, per_record: record ids that differ only in spelling: `error`, `merge` or `keep`; and whether to protect
        single records, although by another column some belong to the same person.
    keep: other columns that become terms, such as `age=60..69` and `sex=f`, named between commas: numbers in ranges of
        10, or as wide as said (`age:5`); `age:exact` as they are. Rows of one record must agree in them.
    role: other roles for columns that may identify people by their values, such as {"code": "terms"}.
    leave_out: terms that go, such as numbers of cards that stand among articles; each must occur.
    sheet, encoding: which of several sheets of a spreadsheet; what text is written in that is not UTF-8 (`cp1252`).
    """
    about_cells: tuple[Any, ...] = (split, blank, blank_words, similar_ids, per_record, sheet, encoding, keep, role)
    named = cast("str | tuple[str, ...] | None", id_column)  # a list becomes a tuple
    options = Options(named, term_column, field, separator, keep_order, max_bytes, *about_cells)
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        records = _from_file(cast("str | Path | BinaryIO", source), format, options, allow_empty=allow_empty)
        return _without(records, leave_out)
    require_no_file(format=format, separator=separator, sheet=sheet, encoding=encoding)
    return _without(_from_memory(source, options), leave_out)


def _without(records: Transactions, leave_out: Iterable[str] | None) -> Transactions:
    if not leave_out:
        return records
    terms = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    if not all(isinstance(term, str) for term in terms):
        raise InvalidParameter("leave_out is a list of terms, each a text.")
    kept = records.without(terms)
    if not len(kept):
        raise InvalidParameter("leave_out names all terms, and no record is left.")
    return kept


def _from_memory(source: object, options: Options) -> Transactions:
    if options.keep is not None:
        return _with_kept_columns(source, options)
    if isinstance(source, Query):
        with source.batches() as rows:
            return transactions_of(rows, options)
    return transactions_of(source, options)


def _with_kept_columns(source: object, options: Options) -> Transactions:
    from disjoin.files.keeping import read_keeping

    return read_keeping(source, options)


def _from_file(
    source: str | Path | BinaryIO, format: str | None, options: Options, *, allow_empty: bool
) -> Transactions:
    if format is not None:
        options.require_fit(format)
    if options.keep is not None:
        return _with_kept_columns(source, options)
    if_empty = None if allow_empty else NO_RECORDS
    opened = open_source(source, options.max_bytes, if_empty=if_empty, sheet=options.sheet, encoding=options.encoding)
    if not len(opened.data):
        return Transactions.from_sets([])
    if format is None:
        format, options = detect(opened, options)
        options.require_fit(format)
    else:
        options = confirm(opened, format, options)
    records: Transactions = READERS[format].load()(opened, options)
    if not len(records) and not allow_empty:
        if records.intake.skipped_blanks or records.intake.rows_without_id:
            raise opened.error("expected records, found none: every term is blank. Check what counts as blank.")
        raise opened.error("expected records, found none: no line has a term. Give a file with at least one record.")
    return records
