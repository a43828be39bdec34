"""Columns of release tables: schemas, and reading into flat arrays with checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model.published import Violation
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of, used_by
from disjoin.model.spelling import objection_to_length
from disjoin.model.table import Column, Schema, Table
from disjoin.parquet.untrusted_child import most_unpacked, said_size, unpacked_size
from disjoin.text import NO_PERMISSION, counted, listed, quoted

UNUSUAL = "unexpected way of storing text"
CODED = {"terms": "terms.list.element", "term": "term"}


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column of a release table: int64, int32, terms (lists) or term; `names_part`: it numbers clusters or groups."""

    name: str
    type: str
    meaning: str
    optional: bool = False
    names_part: bool = False

    @property
    def is_text(self) -> bool:
        return self.type in CODED


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table of a release; rows are found by its first column."""

    meaning: str
    columns: tuple[ColumnSchema, ...]
    broken: str  # the invariant of a well-formed table
    primary_key: tuple[str, ...] = ()
    foreign_keys: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # column -> (table or "", its column)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def text(self) -> ColumnSchema | None:
        return next((column for column in self.columns if column.is_text), None)


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table; row `i` has the terms `words[codes[offsets[i]:offsets[i + 1]]]`."""

    rows: int
    numbers: Mapping[str, Ints64]  # by column, each (rows,); -1 for an absent id
    offsets: Ints64  # (rows + 1,)
    codes: Ints32
    words: pa.StringArray  # may repeat, in any order
    anomalies: tuple[Violation, ...] = ()

    @property
    def lists(self) -> Ragged:
        return Ragged(self.offsets, self.codes)


class TableReader:
    """A table of a release: a list of Parquet parts, read one row group at a time, or `UnreadableInput`.

    Afterwards `rows` has the number of rows by path and `found` the irregularities of the files. Columns that
    `is_elsewhere` accepts are read by other code; any other extra column is noted.
    """

    def __init__(
        self,
        folder: Path,
        paths: Sequence[str],
        layout: TableSchema,
        memory_limit: int,
        *,
        at_once: int | None = None,
        is_elsewhere: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self._folder, self._paths, self._layout, self._limit = folder, paths, layout, memory_limit
        self._at_once, self._is_elsewhere = at_once, is_elsewhere
        self._unpacked = 0  # bytes of the parts that were opened
        self.rows: dict[str, int] = {}
        self.found: list[Violation] = []

    def whole(self) -> TableColumns:
        return replace(joined(list(self)), anomalies=tuple(self.found))

    def __iter__(self) -> Iterator[TableColumns]:
        for path in self._paths:
            with explained(self._folder / path, "part of a table" if "/" in path else "table"):
                yield from self._part(path)

    def _part(self, path: str) -> Iterator[TableColumns]:
        odd = Oddities(self._layout.broken, path, self.found)
        coded = self._look_at(self._folder / path, odd)
        self.rows[path] = 0
        words: list[pa.StringArray] = []  # the dictionaries of the file
        used: list[Flags] = []  # which of their terms a row has
        for table in row_groups(self._folder / path, self._layout.names, coded, odd, self._at_once):
            table.validate(full=True)
            numbers = {c.name: _numbers(table[c.name], c, odd) for c in self._layout.columns if not c.is_text}
            columns = TableColumns(table.num_rows, numbers, *_terms(table, self._layout, odd))
            self.rows[path] += columns.rows
            here = used_by(len(columns.words), columns.codes)
            if words and words[-1].equals(columns.words):  # batches of one row group have the same dictionary
                used[-1] |= here
            else:
                words.append(columns.words)
                used.append(here)
            yield columns
        every = pa.concat_arrays(words)
        shown = every.filter(pa.array(np.concatenate(used))).unique()
        note_hidden(every, shown, "terms", odd)
        if pc.any(pc.equal(shown, "")).as_py():
            odd.note("a term is empty")

    def _look_at(self, file: Path, odd: Oddities) -> list[str]:
        """Note contents of a file other than the table; return the columns to read as dictionaries."""
        metadata = pq.read_metadata(file)
        schema = metadata.schema.to_arrow_schema()
        _require_columns(file, self._layout, schema)
        require_memory(file, metadata, self._limit)
        self._unpacked += unpacked_size(metadata)
        if self._unpacked > self._limit:
            found = f"the parts of the table would unpack to more than {self._limit:,} bytes, the limit"
            raise UnreadableInput(f"{found}; raise the limit if you trust it.")
        for name in schema.names:
            if name not in self._layout.names and not self._is_elsewhere(name):
                odd.note(f"unexpected column {quoted(name)}")
        note_metadata(metadata, odd)
        text = self._layout.text
        if text is None:
            return []
        if text.type == "terms" and schema.field(text.name).type.value_field.name != "element":
            odd.note(UNUSUAL)  # our files never do this, and unused names could be hidden in it
            return []
        return [CODED[text.type]]


def row_groups(
    file: Path, names: list[str], coded: list[str], odd: Oddities, at_once: int | None = None
) -> Iterator[pa.Table]:
    """Yield row groups, large ones in batches, at least an empty table; mixed codings without dictionaries."""
    with pq.ParquetFile(file, read_dictionary=coded) as parquet:
        if not parquet.num_row_groups:
            yield parquet.read(columns=names)
        for group in range(parquet.num_row_groups):  # one by one, because their dictionaries differ
            try:
                if at_once is None or parquet.metadata.row_group(group).num_rows <= at_once:
                    yield parquet.read_row_group(group, columns=names)
                else:
                    batches = parquet.iter_batches(at_once, [group], names, use_threads=False)
                    yield from (pa.Table.from_batches([batch]) for batch in batches)
            except pa.ArrowNotImplementedError:
                odd.note(UNUSUAL)
                with pq.ParquetFile(file) as plain:
                    yield plain.read_row_group(group, columns=names)


def joined(tables: Sequence[TableColumns]) -> TableColumns:
    if len(tables) == 1:
        return tables[0]
    shifts = offsets_of([len(table.words) for table in tables])[:-1].tolist()
    return TableColumns(
        rows=sum(table.rows for table in tables),
        numbers={name: np.concatenate([table.numbers[name] for table in tables]) for name in tables[0].numbers},
        offsets=offsets_of(np.concatenate([table.lists.lengths for table in tables])),
        codes=np.concatenate([table.codes + np.int32(shift) for table, shift in zip(tables, shifts, strict=True)]),
        words=pa.concat_arrays([table.words for table in tables]),
    )


def note_hidden(words: pa.StringArray, shown: pa.StringArray, what: str, odd: Oddities) -> None:
    """Note a word in a dictionary page that no row has."""
    hidden = pc.invert(pc.is_in(words, value_set=shown))
    if pc.any(hidden).as_py():
        odd.note(f"the file has {what} that no row has", words.filter(hidden)[0].as_py())


@contextmanager
def explained(file: Path, what: str = "table") -> Iterator[None]:
    """Raise `UnreadableInput` with a sentence for a file that cannot be read."""
    if not file.is_file():
        raise UnreadableInput(f"the release lacks this {what}.", source=str(file))
    try:
        yield
    except (UnreadableInput, InvalidParameter) as failure:
        has_source = isinstance(failure, UnreadableInput) and failure.source
        raise failure if has_source else UnreadableInput(str(failure), source=str(file)) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(file)) from None
    except (pa.ArrowException, OSError, ValueError, LookupError) as failure:  # Arrow raises all of these on damage
        is_about_text = "utf8" in str(failure).lower().replace("-", "")
        found = "has text that is not UTF-8" if is_about_text else "is damaged or cut short"
        raise UnreadableInput(f"the Parquet file {found}. Copy it again.", source=str(file)) from failure


@dataclass(frozen=True, slots=True)
class Oddities:
    """Irregularities of a table that can still be read."""

    invariant: str
    file: str
    found: list[Violation] = field(default_factory=list)

    def note(self, message: str, *example: str) -> None:
        self.found.append(Violation(self.invariant, self.file, message, example))


def note_metadata(metadata: Any, odd: Oddities) -> None:
    """Note contents of a footer other than the columns; footers that disjoin writes have none."""
    for key in sorted(metadata.metadata or {}):
        odd.note(f"unexpected metadata {quoted(key.decode('utf-8', 'replace'))}")


def _require_columns(file: Path, layout: TableSchema, schema: pa.Schema) -> None:
    names, found = layout.names, list(schema.names)
    if any(found.count(name) != 1 for name in names):
        raise UnreadableInput(f"expected the columns {', '.join(names)}, found {listed(found)}.", source=str(file))
    for column in layout.columns:
        kind = schema.field(column.name).type
        if column.type == "terms":
            wanted = "a list of strings"
            fits = (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and is_text(kind.value_type)
        elif column.type == "term":
            wanted, fits = "a string", is_text(kind)
        else:
            wanted, fits = column.type, str(kind) == column.type
        if not fits:
            raise UnreadableInput(f"expected column {column.name!r} to be {wanted}, found {kind}.", source=str(file))


def is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def require_short(words: pa.Array) -> None:
    if objection := objection_to_length(words):
        raise UnreadableInput(objection)


def require_memory(file: Path, metadata: Any, limit: int) -> None:
    """Refuse a table that would unpack to more than the limit: run-length coding makes a small file of a huge table."""
    needed = unpacked_size(metadata)
    if needed > limit:
        found = f"the table would unpack to {needed:,} bytes, but the limit is {limit:,}"
        raise UnreadableInput(f"{found}; raise the limit if you trust it.", source=str(file))
    said, size = said_size(metadata), file.stat().st_size
    if said > most_unpacked(size):
        found = f"{size:,} bytes and would unpack to {said:,}, but the limit for its size is {most_unpacked(size):,}"
        raise UnreadableInput(f"the table has {found}. Releases never reach it.", source=str(file))


def _numbers(values: pa.ChunkedArray, column: ColumnSchema, odd: Oddities) -> Ints64:
    fill = -1 if column.names_part else 0
    if values.null_count and not column.optional:
        odd.note(f"{_rows(values.null_count)} no {column.name}")
    filled = pc.fill_null(values, fill) if values.null_count else values
    numbers: Ints64 = filled.to_numpy().astype(np.int64, copy=False)
    negative = int((numbers < 0).sum()) - (values.null_count if fill < 0 else 0)
    if negative:
        odd.note(f"{_rows(negative)} a negative {column.name}")
    return numbers


def _rows(number: int) -> str:
    return counted(number, "row has", "rows have")


def _terms(table: pa.Table, layout: TableSchema, odd: Oddities) -> tuple[Ints64, Ints32, pa.StringArray]:
    """Return offsets, codes and words of the column of terms; missing terms are dropped and noted."""
    if layout.text is None:
        return np.zeros(table.num_rows + 1, np.int64), np.zeros(0, np.int32), pa.array([], pa.string())
    column = table[layout.text.name]
    lengths, codes, words = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [pa.array([], pa.string())]
    for part in column.chunks:
        size, inside = _opened(part)
        if not pa.types.is_dictionary(inside.type):
            require_short(inside)
        coded = inside if pa.types.is_dictionary(inside.type) else inside.dictionary_encode()
        shift = sum(map(len, words))
        lengths.append(size)
        indices = coded.indices if not coded.null_count else pc.fill_null(coded.indices, -1 - shift)
        codes.append(indices.to_numpy() + np.int32(shift))
        require_short(coded.dictionary)
        words.append(coded.dictionary.cast(pa.string()))
    if column.null_count and layout.text.type == "terms":  # for single terms, the next line finds missing ones
        odd.note(f"{_rows(column.null_count)} no list of terms")
    found = Ragged(offsets_of(np.concatenate(lengths)), np.concatenate(codes))
    absent = found.items < 0
    if absent.any():
        odd.note(f"{counted(int(absent.sum()), 'term is', 'terms are')} null")
        found = found.where(~absent)
    return found.offsets, found.items, pa.concat_arrays(words)


def _opened(part: pa.Array) -> tuple[Ints64, pa.Array]:
    """Return the number of terms of each row, and the terms of all rows."""
    if not (pa.types.is_list(part.type) or pa.types.is_large_list(part.type)):
        return np.ones(len(part), np.int64), part
    starts = part.offsets.to_numpy()
    return np.diff(starts).astype(np.int64), part.values.slice(starts[0], starts[-1] - starts[0])


MISSING = "?"


def read_strings(file: Path, memory_limit: int, odd: Oddities, without: Collection[str] = ()) -> Table:
    """Read the columns of a file, except `without`; raise `UnreadableInput` if one is not of strings."""
    with explained(file):
        columns = _string_columns(file, memory_limit, odd, without)
        names = columns.column_names
        coded = [_coded(name, columns[name], odd) for name in names]
        schema = Schema(tuple(Column(name) for name in names))
        return Table(schema, tuple(codes for codes, _ in coded), tuple(values for _, values in coded))


def _string_columns(file: Path, memory_limit: int, odd: Oddities, without: Collection[str]) -> pa.Table:
    """Return the columns, dictionary-coded, so that a value without rows is seen; note other contents of the file."""
    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    names = list(schema.names)
    if not names or len(set(names)) < len(names):
        raise UnreadableInput(f"expected columns of different names, found {listed(names)}.")
    names = [name for name in names if name not in without]
    for column in map(schema.field, names):
        if not is_text(column.type):
            raise UnreadableInput(f"expected column {quoted(column.name)} to be a string, found {column.type}.")
    require_memory(file, metadata, memory_limit)
    note_metadata(metadata, odd)
    table = pa.concat_tables(row_groups(file, names, names, odd))
    table.validate(full=True)
    return table


def _coded(name: str, column: pa.ChunkedArray, odd: Oddities) -> tuple[Ints32, pa.StringArray]:
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.null_count:
        odd.note(f"{counted(column.null_count, 'row has', 'rows have')} no {quoted(name)}")
    for chunk in column.chunks:
        require_short(chunk.dictionary)
    column = column.unify_dictionaries()
    words = column.chunk(0).dictionary.cast(pa.string()) if column.num_chunks else pa.array([], pa.string())
    words = pa.concat_arrays([words, pa.array([MISSING], pa.string())])  # for missing values
    absent = len(words) - 1
    parts = [np.asarray(pc.fill_null(chunk.indices, absent), np.int32) for chunk in column.chunks]
    codes = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    shown = words.filter(pa.array(used_by(len(words), codes))).unique()
    note_hidden(words.slice(0, absent), shown, f"values of {quoted(name)}", odd)
    values = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = np.asarray(pc.fill_null(pc.index_in(words, value_set=values), 0), np.int32)
    return ranks[codes], values
