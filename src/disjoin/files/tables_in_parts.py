"""Tables in parts, read as the one table that they are; how they are cut is said in `release_parts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.files.first_look_child import unpacked_size
from disjoin.files.release_columns import TableColumns, TableSchema, read_columns
from disjoin.model.ragged import offsets_of


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
