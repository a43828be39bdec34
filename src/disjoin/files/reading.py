"""The way in: `read` for files and streams, `as_transactions` for what is in memory already."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, cast

from disjoin.errors import InvalidParameter
from disjoin.files import READERS
from disjoin.files.detection import confirm, detect
from disjoin.files.objects import as_transactions
from disjoin.files.options import Options
from disjoin.files.sources import NO_RECORDS, open_source
from disjoin.model import Transactions

__all__ = ["DEFAULT_MAX_BYTES", "as_transactions", "read"]

DEFAULT_MAX_BYTES = 8 << 30


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
) -> Transactions:
    """Return the records of a file (plain, gzip or zstd), of standard input (`-`), of a stream, or of an object.

    Terms stay as written; only blanks around an unquoted field of a text file go. Blank records are dropped, repeated
    terms kept once, and both are counted in `intake`. Anything else that is wrong raises `UnreadableInput` with the
    file and the line.

    Parameters
    ----------
    format
        A name of `disjoin.files.READERS`; found by content and file name if not given.
    id_column, term_column
        The columns of a long table.
    field
        The member of a JSON object, or the list column of a table, that holds the terms.
    separator
        What parts the fields of a basket file or a long table: one character, or `tab`.
    keep_order
        Also keep the terms of each record in source order (`Transactions.written`).
    max_bytes
        Largest size once unpacked: a small file that unpacks without end is stopped here.
    allow_empty
        Return no records for a file that has none, which is an error otherwise.
    """
    options = Options(id_column, term_column, field, separator, keep_order, max_bytes)
    if format is not None:
        options.require_fit(format)
    if not isinstance(source, (str, Path)) and not hasattr(source, "read"):
        if format is not None or separator is not None:
            raise InvalidParameter(
                "format and separator are for files, and this is an object in memory. Leave them out."
            )
        return as_transactions(source, id_column=id_column, term_column=term_column, field=field, keep_order=keep_order)
    return _of_file(cast("str | Path | BinaryIO", source), format, options, allow_empty=allow_empty)


def _of_file(source: str | Path | BinaryIO, format: str | None, options: Options, *, allow_empty: bool) -> Transactions:
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
        raise opened.error("expected records, found none: no line has a term. Give a file with at least one record.")
    return records
