"""People whom no earlier release in a ledger contains, recognised by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.ledger.store import NO_ID, Fingerprints, LedgerEntry, hashes_of_ids
from disjoin.model import MixedRecords, Role, Table, Transactions
from disjoin.model.ragged import Flags, Ints64, offsets_of, ranks_of
from disjoin.model.spelling import folded

_WHY = "people are recognised by ids, because equal records can belong to different people"


def new_rows(
    data: Transactions | Table | MixedRecords, entries: Sequence[tuple[LedgerEntry, Fingerprints]], key: bytes
) -> Flags:
    """Report for every row whether its person is in no finished release. A row without an id counts as not new."""
    columns = _ids_of(data)
    known = [hashes for entry, each in entries if entry.finished for hashes in each.ids]
    earlier = np.unique(np.concatenate(known)) if known else np.zeros(0, np.uint64)
    is_new = np.ones(len(data), np.bool_)
    for values, codes in columns:
        texts = values.to_pylist()
        is_known = np.isin(hashes_of_ids(texts, key), earlier)
        is_known |= np.array([folded(str(text)) in NO_ID for text in texts], np.bool_)
        is_new &= ~is_known[codes]
    return is_new


def _ids_of(data: Transactions | Table | MixedRecords) -> list[tuple[pa.Array, Ints64]]:
    """Return the values of each column of ids, and the value of each row."""
    if isinstance(data, Table):
        names = data.schema.with_role(Role.IDENTIFIER)
        if not names:
            raise InvalidParameter(f"only_new needs a column of ids: {_WHY}. Name it as an identifier.")
        return [(data.values_of(name), data.codes_of(name).astype(np.int64)) for name in names]
    ids = data.intake.ids
    if ids is None or len(ids) != len(data):
        raise InvalidParameter(f"only_new needs a file with an id per person: {_WHY}.")
    if isinstance(data, Transactions) and data.intake.shared is not None:
        raise InvalidParameter("only_new needs ids of people, and here several records belong to one person.")
    return [(ids, np.arange(len(data)))]


def with_rows(data: Any, rows: Ints64) -> Any:
    """Return data with these rows only, and without values and terms that no row has."""
    if isinstance(data, Table):
        return _table(data, rows)
    if isinstance(data, MixedRecords):
        records = _records(data.records, rows)
        bare = int((records.records.lengths == 0).sum())
        intake = replace(data.intake, ids=_taken(data.intake.ids, rows), without_terms=bare)
        return replace(data, table=_table(data.table, rows), records=records, intake=intake)
    return _records(data, rows)


def _taken(ids: pa.Array | None, rows: Ints64) -> pa.Array | None:
    return None if ids is None else ids.take(pa.array(rows))


def _table(table: Table, rows: Ints64) -> Table:
    codes, values = [], []
    for old, texts in zip(table.codes, table.values, strict=True):
        used, new = np.unique(old[rows], return_inverse=True)
        codes.append(new.astype(np.int32))
        values.append(texts.take(pa.array(used)))
    return replace(table, codes=tuple(codes), values=tuple(values))


def _records(data: Transactions, rows: Ints64) -> Transactions:
    taken = data.records.take(rows)
    is_used = taken.used(data.n_terms)
    numbers, names = ranks_of(is_used), data.vocabulary.filter(pa.array(is_used))
    written = None if data.written is None else numbers[data.written[data.records.places(rows)]]
    return replace(
        data,
        offsets=offsets_of(taken.lengths),
        items=numbers[taken.items],
        vocabulary=names,
        sensitive=None if data.sensitive is None else data.sensitive[is_used],
        written=written,
        intake=replace(data.intake, ids=_taken(data.intake.ids, rows)),
    )
