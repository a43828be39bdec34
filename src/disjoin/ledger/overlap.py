"""How much of some data is in an earlier release: people by their ids, records by what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from disjoin.ledger.chance import Shared, shared_records
from disjoin.ledger.hashing import Fingerprints
from disjoin.ledger.store import LedgerEntry

Kind = Literal["same", "update", "part", "numbers"]


@dataclass(frozen=True, slots=True)
class Overlap:
    """What data have in common with an earlier release.

    `ids` of `of_ids` ids are in both; None where one of the two has none. `records` of `of_records` records have the
    same content as one of the release; `by_chance` is what chance explains at most.
    """

    release: LedgerEntry
    kind: Kind
    ids: int | None
    of_ids: int | None
    records: int
    of_records: int
    by_chance: int

    def __str__(self) -> str:
        from disjoin.ledger.words import sentence_of

        return sentence_of(self)


def overlap_of(new: Fingerprints, old: Fingerprints, release: LedgerEntry) -> Overlap | None:
    """Compare data with those of an earlier release; None if no more is common than chance explains.

    Any id in common counts. Without ids, or if they say nothing, the contents count as far as chance cannot explain
    them.
    """
    shared = shared_records(new.contents, old.contents)
    ids, of_ids, of_old = _common_ids(new, old)
    if not ids and not shared.is_telling:
        return None
    kind = _kind(shared, ids, of_old, old.contents.size)
    known = of_ids > 0
    return Overlap(
        release=release,
        kind=kind,
        ids=ids if known else None,
        of_ids=of_ids if known else None,
        records=shared.records,
        of_records=int(new.contents.size),
        by_chance=round(shared.by_chance),
    )


def _kind(shared: Shared, ids: int, of_old_ids: int, old_records: int) -> Kind:
    """Say what it looks like: the same data, a later state, a part; or ids that only number what is in each file."""
    if shared.is_same:
        return "same"
    if ids and not shared.is_telling:
        return "numbers"
    is_most = 2 * ids >= of_old_ids if ids else 2 * shared.records >= old_records
    return "update" if is_most else "part"


def _common_ids(new: Fingerprints, old: Fingerprints) -> tuple[int, int, int]:
    """Return how many ids are common, of how many here and there, by the two columns that agree most."""
    found = [
        (int(np.intersect1d(here, there, assume_unique=True).size), int(here.size), int(there.size))
        for here in new.ids
        for there in old.ids
    ]
    return max(found, default=(0, 0, 0))
