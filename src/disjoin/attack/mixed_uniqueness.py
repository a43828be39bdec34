"""Whom known columns and a few known terms single out together, among people who have both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from disjoin.attack.uniqueness import Progress, uniqueness
from disjoin.model.mixed import MixedRecords
from disjoin.model.ragged import Ints64, Ragged, offsets_of
from disjoin.model.transactions import Transactions


def mixed_uniqueness(
    data: MixedRecords, quasi: Sequence[str], largest: int = 2, progress: Progress | None = None
) -> tuple[int, ...]:
    """Return how many people all columns `quasi` and up to 0, 1, ... `largest` known terms single out.

    People with other values cannot be taken for one another. So a term counts as another one for every combination of
    values, and whoever is unique among all is unique among people of the same values.

    >>> people = MixedRecords.from_people({"sex": ["f", "f", "m"]}, [{"flu"}, {"gout"}, {"flu"}])
    >>> mixed_uniqueness(people, ["sex"])
    (1, 3, 3)
    """
    classes = _classes(data, quasi)
    is_alone = np.bincount(classes)[classes] == 1
    alone, others = int(is_alone.sum()), np.flatnonzero(~is_alone)
    rows = Ragged(data.records.offsets, data.records.items).take(others)
    keys, items = np.unique(
        classes[others][rows.owners()] * max(1, len(data.records.vocabulary)) + rows.items, return_inverse=True
    )
    if not keys.size:
        return (alone,) * (largest + 1)
    has_terms = rows.lengths > 0
    named = Transactions(
        offsets_of(rows.lengths[has_terms]), items.astype(np.int32), pa.array(map(str, range(keys.size)), pa.string())
    )
    return alone, *(alone + found.unique_records for found in uniqueness(named, largest, progress=progress))


def _classes(data: MixedRecords, quasi: Sequence[str]) -> Ints64:
    """Return a number for everybody that people with the same values share."""
    classes = np.zeros(len(data), np.int64)
    for name in quasi:
        codes = data.table.codes_of(name).astype(np.int64)
        _, classes = np.unique(classes * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return classes.astype(np.int64)
