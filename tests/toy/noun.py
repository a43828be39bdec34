"""The noun: how many records have how many terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disjoin.model import Published, Violation
from disjoin.model.ragged import Ints64, frozen


@dataclass(frozen=True, slots=True, eq=False)
class Lengths(Published):
    """Spans of lengths: `counts[i]` records have `least[i]` to `largest[i]` terms."""

    form: ClassVar[str] = "lengths"
    in_words: ClassVar[str] = "lengths of records"
    inspection: ClassVar[str] = "toy.inspection"

    least: Ints64
    largest: Ints64
    counts: Ints64
    anomalies: tuple[Violation, ...] = ()

    def __post_init__(self) -> None:
        for name in ("least", "largest", "counts"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.int64))

    def __len__(self) -> int:
        return int(self.counts.size)

    @property
    def extent(self) -> dict[str, int]:
        return {"records": int(self.counts.sum()), "spans": len(self)}
