"""What the inspector is told beside the tables."""

from __future__ import annotations

from dataclasses import dataclass

from disjoin.model import Promise, Table, Transactions
from disjoin.model.arrays import Ints64


@dataclass(frozen=True, slots=True)
class Known:
    """The original and where its records went, as far as whoever asks knows them."""

    original: Transactions | Table | None = None
    part_of_record: Ints64 | None = None  # (records,) the leaf, group or published row of each, -1 for a suppressed one
    suppressed_records: int = 0
    exact: bool | None = None  # whether to try all possible originals
    stated: Promise | None = None  # what the release says of itself, if that may be less than what it is held against
