"""The way in: `read` for files and streams, `as_transactions` for what is in memory already."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

from disjoin.errors import InvalidParameter
from disjoin.files.detection import confirm, detect
from disjoin.files.from_memory import as_transactions, transactions_of
from disjoin.files.options import DEFAULT_MAX_BYTES, READERS, Options
from disjoin.files.sources import NO_RECORDS, open_source
from disjoin.model import Transactions

__all__ = ["DEFAULT_MAX_BYTES", "as_transactions", "read"]


def read(
    source: str | Path | BinaryIO | object,
    *,
    format: str | None = None,
    id_column: str | None = None,
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
) -> Transactions:
    """Return the records of a file (plain, gzip or zstd), of standard input (`-`), of a stream, or of an object.

    Terms stay as written; only blanks around an unquoted field of a text file go. Blank records are dropped, repeated
    terms kept once, and both are counted in `intake`. Anything else that is wrong, or looks wrong, raises
    `UnreadableInput` with the file and, where there is one, the line. `format` is a name of `disjoin.files.READERS`,
    and found by content and file name if not given.

    Parameters
    ----------
    id_column, term_column
        The columns of a long table.
    field
        The member of a JSON object, or the list column of a table, that holds the terms.
    separator, split
        What parts the fields of a basket file or a long table, and what parts the terms of a cell: one character, or
        `tab`. With the split `none` every cell is one term, even if it looks like a list.
    keep_order
        Also keep the terms of each record in source order (`Transactions.written`).
    max_bytes, allow_empty
        Largest size once unpacked, where a file that unpacks without end is stopped. Whether no records are fine.
    blank, blank_words
        What becomes of a cell without a term: `error`, `skip` (left out) or `term` (the term `(blank)`); and words
        that count as blank: `usual` (NULL, NA, N/A, NaN, None, -), or your own.
    similar_ids, per_record
        Record ids that differ only in spelling: `error`, `merge` or `keep`. And whether to protect single records,
        although by another column some belong to the same person.
    """
    about_cells: tuple[Any, ...] = (split, blank, blank_words, similar_ids, per_record)
    options = Options(id_column, term_column, field, separator, keep_order, max_bytes, *about_cells)
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        return _from_file(cast("str | Path | BinaryIO", source), format, options, allow_empty=allow_empty)
    if format is not None or separator is not None:
        raise InvalidParameter("format and separator are for files, and this is an object in memory. Leave them out.")
    return transactions_of(source, options)


def _from_file(
    source: str | Path | BinaryIO, format: str | None, options: Options, *, allow_empty: bool
) -> Transactions:
    if format is not None:
        options.require_fit(format)
    opened = open_source(source, options.max_bytes, if_empty=None if allow_empty else NO_RECORDS)
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
