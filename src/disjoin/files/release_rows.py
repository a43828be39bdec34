"""What every form needs to put its tables together: one vocabulary, rows found by an id, lists in a new order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.files.release_columns import Columns
from disjoin.model.arrays import Flags, Ints32, Ints64, offsets_of


def vocabulary_of(*tables: Columns) -> tuple[pa.StringArray, list[Ints32]]:
    """Return the terms that rows have, in code-point order, and for each table the rank of every word of it."""
    words = pa.concat_arrays([table.words for table in tables])
    used = np.zeros(len(words), dtype=np.bool_)
    bounds = offsets_of([len(table.words) for table in tables])
    for table, first in zip(tables, bounds[:-1], strict=True):
        used[first:][table.codes] = True
    shown = words.filter(pa.array(used)).unique()
    vocabulary = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = pc.fill_null(pc.index_in(words, value_set=vocabulary), -1).to_numpy().astype(np.int32, copy=False)
    return vocabulary, [ranks[first:last] for first, last in pairwise(bounds)]


def find(ascending: Ints64, wanted: Ints64) -> tuple[Ints64, Flags]:
    """Return the first position of each wanted value, and whether it is there."""
    if not ascending.size:
        return np.zeros(wanted.size, np.int64), np.zeros(wanted.size, np.bool_)
    positions = np.minimum(np.searchsorted(ascending, wanted), ascending.size - 1)
    return positions, (ascending[positions] == wanted) & (wanted >= 0)


def take_lists(columns: Columns, rows: Ints64) -> tuple[Ints64, Ints32]:
    """Return offsets and codes of these rows, in this order."""
    if np.array_equal(rows, np.arange(columns.rows)):
        return columns.offsets, columns.codes
    lengths = np.diff(columns.offsets)[rows]
    offsets = offsets_of(lengths)
    shifts = np.repeat(columns.offsets[rows] - offsets[:-1], lengths)
    return offsets, columns.codes[np.arange(offsets[-1]) + shifts]
