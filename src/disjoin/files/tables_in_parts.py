"""Tables in parts, read as the one table that they are, or some rows of any table after others.

How tables are cut is said in `release_parts`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.files.first_look_child import unpacked_size
from disjoin.files.release_columns import (
    Oddities,
    TableColumns,
    TableSchema,
    columns_of,
    explained,
    look_at,
    read_columns,
)
from disjoin.files.release_parts import paths_of
from disjoin.model.ragged import offsets_of, ranks_of, used_by

AT_ONCE = 1 << 13  # rows that are read together


def read_parts(folder: Path, paths: Sequence[str], layout: TableSchema, memory_limit: int) -> TableColumns:
    """Read the parts of a table as the one table that they are; what all of them unpack to is within the limit."""
    import pyarrow.parquet as pq

    found, unpacked = [], 0
    for path in paths:
        if not (folder / path).is_file():
            raise UnreadableInput("the release lacks this part of a table.", source=str(folder / path))
        found.append(read_columns(folder / path, layout, memory_limit=memory_limit, place=path))
        unpacked += unpacked_size(pq.read_metadata(folder / path))
        if unpacked > memory_limit:
            raise UnreadableInput(
                f"the parts of the table would unpack to more than {memory_limit:,} bytes, the limit; raise the limit "
                "if you trust it.",
                source=str(folder / path),
            )
    return replace(joined(found), parts=tuple(part.rows for part in found))


@dataclass(slots=True)
class RowsInTurn:
    """The rows of a table, in one file or in parts, some after others; afterwards it is known what was in the files."""

    folder: Path
    table: str
    layout: TableSchema
    memory_limit: int
    rows: dict[str, int] = field(default_factory=dict)  # by path
    hidden: bool = False  # whether a file has a term that no row has

    def __iter__(self) -> Iterator[TableColumns]:
        for path in paths_of(self.folder, self.table):
            self.rows[path] = 0
            with explained(self.folder / path):
                yield from self._of_file(self.folder / path, path)

    def _of_file(self, file: Path, path: str) -> Iterator[TableColumns]:
        import pyarrow.parquet as pq

        odd = Oddities(self.layout.broken, path)
        coded = look_at(file, self.layout, self.memory_limit, odd, lambda name: False)
        terms, shown = set[str](), set[str]()
        with pq.ParquetFile(file, read_dictionary=coded, memory_map=True) as parquet:
            for table in _batches(parquet, self.layout.names):
                found = columns_of(table, self.layout, odd)
                self.rows[path] += found.rows
                terms |= set(found.words.to_pylist())
                shown |= set(found.words.filter(pa.array(used_by(len(found.words), found.codes))).to_pylist())
                yield replace(found, anomalies=tuple(odd.found))
        self.hidden |= bool(terms - shown) or not coded


def _batches(parquet: Any, names: list[str]) -> Iterator[pa.Table]:
    """Yield some rows after others; an empty table, if there are none."""
    if not parquet.metadata.num_rows:
        yield parquet.read(columns=names)
        return
    for group in range(parquet.num_row_groups):  # whose dictionaries differ
        for batch in parquet.iter_batches(AT_ONCE, [group], names, use_threads=False):
            yield pa.Table.from_batches([batch])


def compact(columns: TableColumns) -> TableColumns:
    """Return the same rows, with the words that they have and no others."""
    used = used_by(len(columns.words), columns.codes)
    return replace(columns, words=columns.words.filter(pa.array(used)), codes=ranks_of(used)[columns.codes])


def joined(parts: Sequence[TableColumns]) -> TableColumns:
    """Return the rows of one after the other as one table."""
    shifts = offsets_of([len(part.words) for part in parts])[:-1].tolist()
    return TableColumns(
        rows=sum(part.rows for part in parts),
        numbers={name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers},
        offsets=offsets_of(np.concatenate([part.lists.lengths for part in parts])),
        codes=np.concatenate([part.codes + np.int32(shift) for part, shift in zip(parts, shifts, strict=True)]),
        words=pa.concat_arrays([part.words for part in parts]),
        anomalies=tuple(anomaly for part in parts for anomaly in part.anomalies),
    )


def sliced(columns: TableColumns, first: int, last: int) -> TableColumns:
    """Return some rows; anomalies, which may be of any, stay with the first."""
    offsets = columns.offsets[first : last + 1]
    return TableColumns(
        rows=last - first,
        numbers={name: numbers[first:last] for name, numbers in columns.numbers.items()},
        offsets=offsets - offsets[0],
        codes=columns.codes[offsets[0] : offsets[-1]],
        words=columns.words,
        anomalies=columns.anomalies if first == 0 else (),
    )
