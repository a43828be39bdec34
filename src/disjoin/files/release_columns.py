"""A table of a release as flat arrays, from a Parquet file that nobody vouches for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import UnreadableInput
from disjoin.files.release_tables import COLUMNS, Column
from disjoin.files.wording import NO_PERMISSION, counted, listed, quoted
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.verdict import Violation


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table; row `i` has the terms `words[codes[offsets[i]:offsets[i + 1]]]`."""

    rows: int
    numbers: Mapping[str, Ints64]  # by column, each (rows,); -1 for an absent parent or cluster
    offsets: Ints64  # (rows + 1,)
    codes: Ints32
    words: pa.StringArray  # may repeat, in any order
    anomalies: tuple[Violation, ...]


def read_columns(file: Path, *, memory_limit: int) -> Columns:
    """Read one table of a release; raise `UnreadableInput` if it is absent, broken or of another shape."""
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    try:
        table, anomalies = _checked_table(file, memory_limit)
        numbers = {c.name: _numbers(table[c.name], c, file.name, anomalies) for c in _number_columns(file.name)}
        offsets, codes, words = _terms(table["terms"], file.name, anomalies)
    except UnreadableInput:
        raise
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(file)) from None
    except (pa.ArrowException, OSError, ValueError, LookupError) as failure:  # Arrow raises all of these on damage
        is_about_text = "utf8" in str(failure).lower().replace("-", "")
        found = "holds terms that are not UTF-8 text" if is_about_text else "is damaged or cut short"
        raise UnreadableInput(f"the Parquet file {found}. Copy it again.", source=str(file)) from failure
    return Columns(table.num_rows, numbers, offsets, codes, words, tuple(anomalies))


def _number_columns(name: str) -> list[Column]:
    return [column for column in COLUMNS[name] if column.type != "terms"]


def _checked_table(file: Path, memory_limit: int) -> tuple[pa.Table, list[Violation]]:
    """Return the table, and what is in the file besides it."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    _require_columns(file, schema)
    _require_memory(file, metadata, memory_limit)
    strangers = [f"column {quoted(name)}" for name in schema.names if name not in _names(file)]
    strangers += [f"metadata {quoted(key.decode('utf-8', 'replace'))}" for key in sorted(metadata.metadata or {})]
    # Asked for as a dictionary, a term is stored once however often it occurs, and a name that no row uses is seen.
    coded = ["terms.list.element"] if schema.field("terms").type.value_field.name == "element" else []
    try:
        table = _read_groups(file, coded)
    except pa.ArrowNotImplementedError:  # the file mixes two codings
        coded = []
        table = _read_groups(file, coded)
    if not coded:  # ours never look so, and unused names could hide in it
        strangers.append("way of storing the terms")
    return table, [Violation("V1", file.name, f"unexpected {stranger}") for stranger in strangers]


def _read_groups(file: Path, coded: list[str]) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file, read_dictionary=coded) as parquet:
        # Group by group: Arrow cannot join lists whose parts have different dictionaries.
        groups = [parquet.read_row_group(g, columns=_names(file)) for g in range(parquet.num_row_groups)]
        table = pa.concat_tables(groups) if groups else parquet.read(columns=_names(file))
    table.validate(full=True)
    return table


def _names(file: Path) -> list[str]:
    return [column.name for column in COLUMNS[file.name]]


def _require_columns(file: Path, schema: pa.Schema) -> None:
    names, found = _names(file), list(schema.names)
    if any(found.count(name) != 1 for name in names):
        raise UnreadableInput(f"expected the columns {', '.join(names)}, found {listed(found)}.", source=str(file))
    for column in COLUMNS[file.name]:
        _require_type(file, column, schema.field(column.name).type)


def _require_type(file: Path, column: Column, found: pa.DataType) -> None:
    if column.type != "terms":
        fits = str(found) == column.type
    else:
        fits = (pa.types.is_list(found) or pa.types.is_large_list(found)) and _is_text(found.value_type)
    if not fits:
        wanted = "a list of strings" if column.type == "terms" else column.type
        raise UnreadableInput(f"expected column {column.name!r} to be {wanted}, found {found}.", source=str(file))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _require_memory(file: Path, metadata: Any, limit: int) -> None:
    """Refuse a table that would unpack to more than the limit; run lengths make a small file of a huge table."""
    needed = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunks = [group.column(position) for position in range(group.num_columns)]
        needed += sum(max(chunk.total_uncompressed_size, 8 * chunk.num_values) for chunk in chunks)
    if needed > limit:
        raise UnreadableInput(
            f"the table would unpack to {needed:,} bytes, the limit is {limit:,}; raise the limit if you trust it.",
            source=str(file),
        )


def _numbers(values: pa.ChunkedArray, column: Column, file: str, anomalies: list[Violation]) -> Ints64:
    """Return a column of whole numbers; an absent cluster or parent becomes -1, an absent size or count 0."""
    fill = -1 if column.name in ("parent", "cluster") else 0
    if values.null_count and not column.optional:
        anomalies.append(Violation("V1", file, f"{_rows(values.null_count)} no {column.name}"))
    filled = pc.fill_null(values, fill) if values.null_count else values
    numbers: Ints64 = filled.to_numpy().astype(np.int64, copy=False)
    negative = int((numbers < 0).sum()) - (values.null_count if fill < 0 else 0)
    if negative and fill < 0:
        anomalies.append(Violation("V1", file, f"{_rows(negative)} a negative {column.name}"))
    return numbers


def _rows(number: int) -> str:
    return counted(number, "row has", "rows have")


def _terms(column: pa.ChunkedArray, file: str, anomalies: list[Violation]) -> tuple[Ints64, Ints32, pa.StringArray]:
    """Return offsets, codes and words of a column of term lists; absent terms are left out and become anomalies."""
    lengths, codes, words = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)], [pa.array([], pa.string())]
    for part in column.chunks:
        starts = part.offsets.to_numpy()
        inside = part.values.slice(starts[0], starts[-1] - starts[0])
        coded = inside if pa.types.is_dictionary(inside.type) else inside.dictionary_encode()
        shift = sum(map(len, words))
        lengths.append(np.diff(starts).astype(np.int64))
        indices = coded.indices if not coded.null_count else pc.fill_null(coded.indices, -1 - shift)
        codes.append(indices.to_numpy() + np.int32(shift))
        words.append(coded.dictionary.cast(pa.string()))
    everything = pa.concat_arrays(words)
    if column.null_count:
        anomalies.append(Violation("V1", file, f"{_rows(column.null_count)} no list of terms"))
    offsets, kept = _without_absent(offsets_of(np.concatenate(lengths)), np.concatenate(codes), file, anomalies)
    _look_at_words(everything, kept, file, anomalies)
    return offsets, kept, everything


def _without_absent(offsets: Ints64, codes: Ints32, file: str, anomalies: list[Violation]) -> tuple[Ints64, Ints32]:
    absent = codes < 0
    if not absent.any():
        return offsets, codes
    anomalies.append(Violation("V1", file, f"{counted(int(absent.sum()), 'term is', 'terms are')} null"))
    before = offsets_of(absent)  # (items + 1,)
    return offsets - before[offsets], codes[~absent]


def _look_at_words(words: pa.StringArray, codes: Ints32, file: str, anomalies: list[Violation]) -> None:
    """Report empty terms, and terms that lie in a dictionary page though no row has them."""
    used = np.zeros(len(words), dtype=np.bool_)
    used[codes] = True
    shown = words.filter(pa.array(used)).unique()
    hidden = pc.invert(pc.is_in(words, value_set=shown))
    if pc.any(hidden).as_py():
        example = words.filter(hidden)[0].as_py()
        anomalies.append(Violation("V1", file, "the file holds terms that no row has", (example,)))
    if pc.any(pc.equal(shown, "")).as_py():
        anomalies.append(Violation("V1", file, "a term is empty"))
