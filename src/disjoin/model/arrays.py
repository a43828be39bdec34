"""Read-only arrays and sorted vocabularies, the stuff that nouns are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints32 = NDArray[np.int32]
Ints64 = NDArray[np.int64]
Flags = NDArray[np.bool_]


def frozen(values: Any, dtype: type) -> NDArray[Any]:
    """Return a one-dimensional, contiguous, read-only array of `dtype` (shared where the input allows it).

    >>> frozen([1, 2], np.int32).flags.writeable
    False
    """
    array: NDArray[Any] = np.ascontiguousarray(values, dtype=dtype).reshape(-1).view()
    array.flags.writeable = False
    return array


def offsets_of(lengths: Any) -> Ints64:
    """Turn lengths into offsets: `offsets[i]:offsets[i + 1]` is the i-th part.

    >>> offsets_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    lengths = np.asarray(lengths)
    if lengths.dtype.kind == "f":  # whole numbers all the same: weighted counts, or none at all
        lengths = lengths.astype(np.int64)
    offsets = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def strings(terms: Sequence[str] | pa.Array) -> pa.StringArray:
    """Return the terms as one Arrow string array."""
    if isinstance(terms, pa.ChunkedArray):
        terms = terms.combine_chunks()
    if isinstance(terms, pa.Array) and pa.types.is_string(terms.type):
        return terms
    return pa.array(terms, pa.string())
