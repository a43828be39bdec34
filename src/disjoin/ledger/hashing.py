"""Keyed hashes of ids and of what records hold: they can be compared with one another, and read by nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.model import MixedRecords, Role, Table, Transactions
from disjoin.model.spelling import folded

Hashes = NDArray[np.uint64]

HASH_BYTES = 8  # of a and b hashes, a * b / 2**64 pairs are equal by accident: of a million each, .00000005
_NOBODY = ("", "?")  # what a missing id is read as


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fingerprints:
    """What a ledger keeps of the data of a release; sorted, so that the order of the input is not in it.

    `contents` has a hash for each record, equal records as often as they occur. `ids` has an array of different hashes
    for each column that names people; it is empty where nothing names them.
    """

    contents: Hashes  # (records,)
    ids: tuple[Hashes, ...] = ()  # for each such column (different ids,)


def fingerprints_of(data: Transactions | Table | MixedRecords, key: bytes) -> Fingerprints:
    """Return the hashes of records and, where they are known, of the ids: of a long table, of a table's identifiers.

    Ids that differ only in spelling have the same hash. Records are compared as they are written; rows of a table
    without its identifiers, and in any order of the columns.
    """
    if isinstance(data, Table):
        named = [_ids(_occurring(data, name), key) for name in data.schema.with_role(Role.IDENTIFIER)]
        contents = _rows(data, key)
    elif isinstance(data, MixedRecords):
        named = [] if data.intake.ids is None else [_ids(data.intake.ids, key)]
        both = np.column_stack((_rows(data.table, key), _records(data.records, key)))
        contents = _hashed((row.tobytes() for row in both), key, b"person")
    else:
        named = [] if data.intake.ids is None else [_ids(data.intake.ids, key)]
        contents = _records(data, key)
    return Fingerprints(np.sort(contents), tuple(known for known in named if known.size))


def _records(data: Transactions, key: bytes) -> Hashes:
    terms = _hashed((term.encode() for term in data.vocabulary.to_pylist()), key, b"term")
    together = memoryview(terms[data.items].tobytes())  # the terms of a record are in code-point order everywhere
    ends = (data.offsets * HASH_BYTES).tolist()
    return _hashed((together[first:end] for first, end in pairwise(ends)), key, b"record")


def _rows(table: Table, key: bytes) -> Hashes:
    hidden = table.schema.with_role(Role.IDENTIFIER)
    names = sorted(name for name in table.schema.names if name not in hidden)
    cells = np.empty((len(table), len(names)), np.uint64)
    for place, name in enumerate(names):
        texts = (f"{len(name)} {name} {value}".encode() for value in table.values_of(name).to_pylist())
        cells[:, place] = _hashed(texts, key, b"cell")[table.codes_of(name)]
    together, width = memoryview(cells.tobytes()), len(names) * HASH_BYTES
    rows = (together[row * width : (row + 1) * width] for row in range(len(table)))
    return _hashed(rows, key, b"row")


def _ids(values: pa.Array, key: bytes) -> Hashes:
    different = {folded(str(value)) for value in values.to_pylist()}.difference(_NOBODY)
    return np.unique(_hashed((name.encode() for name in different), key, b"id"))


def _occurring(table: Table, name: str) -> pa.Array:
    return table.values_of(name).take(pa.array(np.unique(table.codes_of(name))))


def _hashed(parts: Iterable[bytes | memoryview], key: bytes, purpose: bytes) -> Hashes:
    digests = (blake2b(part, digest_size=HASH_BYTES, key=key, person=purpose).digest() for part in parts)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
