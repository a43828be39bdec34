"""Tables of a release: how they are described, and their columns as flat arrays, read from what nobody vouches for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import UnreadableInput
from disjoin.files.build_transactions import objection_to_length
from disjoin.files.first_look_child import most_unpacked, said_size, unpacked_size
from disjoin.files.wording import NO_PERMISSION, counted, listed, quoted
from disjoin.model.published import Violation
from disjoin.model.ragged import Ints32, Ints64, Ragged, offsets_of, used_by

CODED = {"terms": "terms.list.element", "term": "term"}  # columns of text, and what Parquet calls their values


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """A column as the receiver sees it; `type` is one of int64, int32, terms (a list of strings), term (one string).

    A column of text has the name of its type. `names_part` is for numbers that name a cluster or a group.
    """

    name: str
    type: str
    meaning: str
    optional: bool = False
    names_part: bool = False

    @property
    def is_text(self) -> bool:
        """Whether it holds terms and not numbers."""
        return self.type in CODED


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table as the receiver sees it; rows are found by its first column."""

    meaning: str
    columns: tuple[ColumnSchema, ...]
    broken: str  # the invariant that says the table is well formed
    primary_key: tuple[str, ...] = ()
    foreign_keys: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # column -> (table or "", its column)

    @property
    def names(self) -> list[str]:
        """The names of the columns, in order."""
        return [column.name for column in self.columns]

    @property
    def text(self) -> ColumnSchema | None:
        """The column of terms, if there is one; there are never two."""
        return next((column for column in self.columns if column.is_text), None)


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of a table; row `i` has the terms `words[codes[offsets[i]:offsets[i + 1]]]`."""

    rows: int
    numbers: Mapping[str, Ints64]  # by column, each (rows,); -1 for an absent id
    offsets: Ints64  # (rows + 1,)
    codes: Ints32
    words: pa.StringArray  # may repeat, in any order
    anomalies: tuple[Violation, ...]
    parts: tuple[int, ...] = ()  # the rows of each part, if the table is in parts

    @property
    def lists(self) -> Ragged:
        """The codes of every row."""
        return Ragged(self.offsets, self.codes)


def read_columns(
    file: Path,
    layout: TableSchema,
    *,
    memory_limit: int,
    besides: Callable[[str], bool] = lambda name: False,
    place: str = "",
) -> TableColumns:
    """Read one table of a release; raise `UnreadableInput` if it is absent, broken or of another shape.

    Columns `besides` those of the layout are somebody else's to read; any other is noted. Findings call it `place`.
    """
    odd = Oddities(layout.broken, place or file.name)
    with explained(file):
        coded = look_at(file, layout, memory_limit, odd, besides)
        try:
            table = _whole(file, layout, coded)
        except pa.ArrowNotImplementedError:  # the file mixes two codings
            table, coded = _whole(file, layout, []), []
        if layout.text and not coded:  # ours never look so, and unused names could hide in it
            odd.note("unexpected way of storing the terms")
        columns = columns_of(table, layout, odd)
        _look_at_words(columns.words, columns.codes, odd)
    return replace(columns, anomalies=tuple(odd.found))


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """Say in a sentence what is wrong with a file that cannot be read."""
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    try:
        yield
    except UnreadableInput as failure:
        raise failure if failure.source else UnreadableInput(str(failure), source=str(file)) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(file)) from None
    except (pa.ArrowException, OSError, ValueError, LookupError) as failure:  # Arrow raises all of these on damage
        is_about_text = "utf8" in str(failure).lower().replace("-", "")
        found = "holds terms that are not UTF-8 text" if is_about_text else "is damaged or cut short"
        raise UnreadableInput(f"the Parquet file {found}. Copy it again.", source=str(file)) from failure


def columns_of(table: pa.Table, layout: TableSchema, odd: Oddities) -> TableColumns:
    """Return the columns of a table, or of some rows of it."""
    table.validate(full=True)
    numbers = {c.name: _numbers(table[c.name], c, odd) for c in layout.columns if not c.is_text}
    return TableColumns(table.num_rows, numbers, *_terms(table, layout, odd), ())


@dataclass(frozen=True, slots=True)
class Oddities:
    """What is wrong with a table that can be read all the same."""

    invariant: str
    file: str
    found: list[Violation] = field(default_factory=list)

    def note(self, message: str, *example: str) -> None:
        """Keep a finding."""
        self.found.append(Violation(self.invariant, self.file, message, example))


def look_at(
    file: Path, layout: TableSchema, memory_limit: int, odd: Oddities, besides: Callable[[str], bool]
) -> list[str]:
    """Note what is in a file besides the table; return the columns that are to be read as a dictionary.

    So a term is stored once however often it occurs, and a name that no row uses is seen.
    """
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    _require_columns(file, layout, schema)
    require_memory(file, metadata, memory_limit)
    for name in schema.names:
        if name not in layout.names and not besides(name):
            odd.note(f"unexpected column {quoted(name)}")
    for key in sorted(metadata.metadata or {}):
        odd.note(f"unexpected metadata {quoted(key.decode('utf-8', 'replace'))}")
    return _coded(layout, schema)


def _coded(layout: TableSchema, schema: pa.Schema) -> list[str]:
    """Return what Parquet calls the values of the column of terms, if it is stored as ours are."""
    column = layout.text
    if column is None or (column.type == "terms" and schema.field(column.name).type.value_field.name != "element"):
        return []
    return [CODED[column.type]]


def _whole(file: Path, layout: TableSchema, coded: list[str]) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file, read_dictionary=coded) as parquet:
        # Group by group: Arrow cannot join lists whose parts have different dictionaries.
        groups = [parquet.read_row_group(g, columns=layout.names) for g in range(parquet.num_row_groups)]
        return pa.concat_tables(groups) if groups else parquet.read(columns=layout.names)


def _require_columns(file: Path, layout: TableSchema, schema: pa.Schema) -> None:
    names, found = layout.names, list(schema.names)
    if any(found.count(name) != 1 for name in names):
        raise UnreadableInput(f"expected the columns {', '.join(names)}, found {listed(found)}.", source=str(file))
    for column in layout.columns:
        _require_type(file, column, schema.field(column.name).type)


def _require_type(file: Path, column: ColumnSchema, found: pa.DataType) -> None:
    if column.type == "terms":
        wanted = "a list of strings"
        fits = (pa.types.is_list(found) or pa.types.is_large_list(found)) and is_text(found.value_type)
    elif column.type == "term":
        wanted, fits = "a string", is_text(found)
    else:
        wanted, fits = column.type, str(found) == column.type
    if not fits:
        raise UnreadableInput(f"expected column {column.name!r} to be {wanted}, found {found}.", source=str(file))


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column holds strings, coded or not."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def require_short(words: pa.Array) -> None:
    """Refuse a term that is longer than any release has."""
    if objection := objection_to_length(words):
        raise UnreadableInput(objection)


def require_memory(file: Path, metadata: Any, limit: int) -> None:
    """Refuse a table that would unpack to more than the limit; run lengths make a small file of a huge table."""
    needed = unpacked_size(metadata)
    if needed > limit:
        raise UnreadableInput(
            f"the table would unpack to {needed:,} bytes, the limit is {limit:,}; raise the limit if you trust it.",
            source=str(file),
        )
    said, size = said_size(metadata), file.stat().st_size
    if said > most_unpacked(size):
        raise UnreadableInput(
            f"the table has {size:,} bytes and would unpack to {said:,}, the limit for its size is "
            f"{most_unpacked(size):,}; no release is like that.",
            source=str(file),
        )


def _numbers(values: pa.ChunkedArray, column: ColumnSchema, odd: Oddities) -> Ints64:
    """Return a column of whole numbers; an absent id becomes -1, an absent size or count 0."""
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
    """Return offsets, codes and words of the column of terms; absent terms are left out and noted."""
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
    everything = pa.concat_arrays(words)
    if column.null_count and layout.text.type == "terms":  # of single terms, the next line finds those that are absent
        odd.note(f"{_rows(column.null_count)} no list of terms")
    offsets, kept = _without_absent(offsets_of(np.concatenate(lengths)), np.concatenate(codes), odd)
    return offsets, kept, everything


def _opened(part: pa.Array) -> tuple[Ints64, pa.Array]:
    """Return how many terms each row has, and the terms of all rows."""
    if not (pa.types.is_list(part.type) or pa.types.is_large_list(part.type)):
        return np.ones(len(part), np.int64), part
    starts = part.offsets.to_numpy()
    return np.diff(starts).astype(np.int64), part.values.slice(starts[0], starts[-1] - starts[0])


def _without_absent(offsets: Ints64, codes: Ints32, odd: Oddities) -> tuple[Ints64, Ints32]:
    absent = codes < 0
    if not absent.any():
        return offsets, codes
    odd.note(f"{counted(int(absent.sum()), 'term is', 'terms are')} null")
    kept = Ragged(offsets, codes).where(~absent)
    return kept.offsets, kept.items


def _look_at_words(words: pa.StringArray, codes: Ints32, odd: Oddities) -> None:
    """Note empty terms, and terms that lie in a dictionary page though no row has them."""
    used = used_by(len(words), codes)
    shown = words.filter(pa.array(used)).unique()
    hidden = pc.invert(pc.is_in(words, value_set=shown))
    if pc.any(hidden).as_py():
        odd.note("the file holds terms that no row has", words.filter(hidden)[0].as_py())
    if pc.any(pc.equal(shown, "")).as_py():
        odd.note("a term is empty")
