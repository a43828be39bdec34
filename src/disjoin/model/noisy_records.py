"""Noisy records, published by DiffPart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from disjoin.model.published import PublishedRecords, Violation
from disjoin.model.ragged import Bag


@dataclass(frozen=True, slots=True, eq=False)
class NoisyRecords(PublishedRecords):
    """Synthetic records with noisy counts: records and their number may differ from the original.

    >>> NoisyRecords(Bag.from_rows([(["tea"], 12)])).extent
    {'records': 12, 'terms': 1}
    """

    form: ClassVar[str] = "noisy"
    in_words: ClassVar[str] = "noisy records"
    inspection: ClassVar[str] = "disjoin.verify.noisy"
    is_exact: ClassVar[bool] = False

    records: Bag
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"NoisyRecords({self.n_records:,} records, {len(self.records.vocabulary):,} terms)"
