"""Summary of a file from its beginning: `disjoin.look`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.model.input_checks import lists_in
from disjoin.readers.columnar import columnar_table
from disjoin.readers.detect import detect, rows_of, sample, with_separator
from disjoin.readers.options import DEFAULT_MAX_BYTES, READERS, Options
from disjoin.readers.sources import Source, columnar_format, open_source
from disjoin.text import listed

FIRST = 8  # rows that are shown
Kind = Literal["records", "long", "table", "mixed"]


@dataclass(frozen=True, slots=True)
class FileKind:
    """What a file looks like, and why; it was not read, so it may still turn out to be something else.

    `kind` is `records` (one per line or row), `long` (a row per record and term), `table` (a row per person) or `mixed`
    (a row per person, and a list of terms in the column `terms`, with `split` between them).
    `first` are its first rows, as text; they are raw data.
    """

    kind: Kind
    format: str
    why: str
    columns: tuple[str, ...] = ()
    first: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    terms: str = ""
    split: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain JSON."""
        rows = [list(row) for row in self.first]
        return {
            "kind": self.kind,
            "format": self.format,
            "why": self.why,
            "columns": list(self.columns),
            "first": rows,
            "terms": self.terms,
            "split": self.split,
        }


def look(
    source: str | Path,
    *,
    separator: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    sheet: str | None = None,
    encoding: str | None = None,
) -> FileKind:
    """Return what a file is: records, a long table or a table of people, by its beginning and its name.

    A file that can be none of them raises `UnreadableInput`. The options are those of `disjoin.read`.
    """
    opened = open_source(source, max_bytes, sheet=sheet, encoding=encoding)
    options = Options(separator=separator, max_bytes=max_bytes)
    if columnar_format(opened):
        return _columnar(opened, options)
    try:
        format, options = detect(opened, options)
    except UnreadableInput as error:
        if not error.columns:
            raise
        return _refused(opened, error, options)
    if format == "long":
        rows = rows_of(opened, options.separator or ",")
        why = f"Its first line names columns as a long table has them: {listed(rows[0])}."
        return FileKind("long", format, why, tuple(rows[0]), _first(rows[1:]))
    return _records(opened, format, options)


def _records(source: Source, format: str, options: Options) -> FileKind:
    if format == "basket":
        mark = options.separator or ","
        between = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}.get(mark, mark)
        why = f"One record per line, terms between {between}."
        return FileKind("records", format, why, (), _first(rows_of(source, mark)))
    rows = [line.split() if format == "fimi" else [line] for line in sample(source)]
    return FileKind("records", format, _sentence(format), (), _first(rows))


def _sentence(format: str) -> str:
    meaning = READERS[format].meaning
    return f"{meaning[0].upper()}{meaning[1:]}."


def _refused(source: Source, error: UnreadableInput, options: Options) -> FileKind:
    """Return what cannot be records as it is: a table, or pairs of record and term."""
    rows = rows_of(source, with_separator(source, options).separator or ",")
    lists = _lists(error.columns, rows[1:])
    if len(error.columns) > 2 and lists is not None:
        name, mark = lists
        why = f"Its lines have {len(error.columns)} fields; {listed([name])} looks like lists: people with terms."
        return FileKind("mixed", "table", why, error.columns, _first(rows[1:]), name, mark)
    kind: Kind = "long" if len(error.columns) == 2 else "table"
    what = "a record and a term each" if kind == "long" else "a row per person"
    why = f"Its lines have {len(error.columns)} fields, and the first looks like a header: {what}."
    return FileKind(kind, "long" if kind == "long" else "table", why, error.columns, _first(rows[1:]))


def _lists(columns: Sequence[str], rows: list[list[str]]) -> tuple[str, str] | None:
    """Return the one column whose cells look like lists, and what parts them."""
    found = []
    for place, name in enumerate(columns):
        cells, counts = np.unique([row[place] for row in rows if len(row) > place and row[place]], return_counts=True)
        listing = lists_in(pa.array(cells.tolist(), pa.string()), counts.astype(np.int64)) if cells.size else None
        if listing is not None:
            found.append((name, {"\t": "tab", " ": "space"}.get(listing.separator, listing.separator)))
    return found[0] if len(found) == 1 else None


def _columnar(source: Source, options: Options) -> FileKind:
    try:
        format, _ = detect(source, options)
    except UnreadableInput:  # no column is a list, and none looks like a record's
        format = "table"
    table = columnar_table(source, options.max_bytes).slice(0, FIRST)
    names = tuple(table.column_names)
    rows = tuple(tuple("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist())
    if format not in ("long", "table"):
        return FileKind("records", format, _sentence(format), names, rows)
    kind: Kind = "long" if format == "long" else "table"
    return FileKind(kind, format, f"A table with the columns {listed(names)}.", names, rows)


def _first(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row) for row in rows[:FIRST])
