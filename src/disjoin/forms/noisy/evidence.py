"""Noisy records beside an original: what measures look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import RANGES, Ranks
from disjoin.measure.record import DEFAULTS, Settings
from disjoin.measure.set_evidence import BagEvidence, PairSupports, require_sets_of_items
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.ragged import Ints64
from disjoin.model.transactions import Transactions
from disjoin.progress import Progress, silent

ANY_ORIGINAL = "Nothing in noisy records tells whether they were made from this original; that was not checked."
NOTHING_IN_COMMON = "No published record has a term of the original: it may be the wrong one, or noise is all there is."


@dataclass(frozen=True, eq=False)
class NoisyEvidence(BagEvidence):
    """Noisy records beside the records that they are said to be made from: neither numbers nor terms need agree.

    Supports are those of the published records, as they are. Published terms that the original does not have are items
    of their own. `k` is promised by nobody; if it is not given, it is that of the papers' experiments.
    """

    form: ClassVar[str] = NoisyRecords.form

    original: Transactions
    published: NoisyRecords
    k: int | None = None
    hierarchy: Hierarchy | None = None
    settings: Settings = DEFAULTS
    ranges: tuple[Ranks, ...] = RANGES
    progress: Progress = field(default=silent, repr=False)

    def __post_init__(self) -> None:
        require_sets_of_items(self.published.records)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what cannot be checked."""
        return (ANY_ORIGINAL,) if self.shown.any() else (ANY_ORIGINAL, NOTHING_IN_COMMON)

    @property
    def taken(self) -> dict[str, Any]:
        """How measures are taken, for the reader of an evaluation."""
        is_given = self.settings.k is not None or self.k is not None
        return super().taken | {"k_is": "given" if is_given else "the usual one: none is promised"}

    def published_pairs(self, source: str = "") -> PairSupports:
        """Return the supports in the published records."""
        assert not source, "there is one reading of noisy records"
        return PairSupports.shared(self._pairs_of(self.original_items[self.ranked_terms]))

    def estimated_pairs(self, terms: Ints64) -> Floats:
        """Return the same of any terms."""
        return self._pairs_of(self.original_items[terms]).astype(np.float64)
