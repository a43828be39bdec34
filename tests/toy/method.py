"""The method: lengths in ascending order, gathered until a span has k records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.contract import Method
from disjoin.methods.settings import misstated, setting
from disjoin.model import AnyGuarantee, Draft, KmAnonymity, Transactions
from disjoin.progress import Progress, silent
from toy.noun import Lengths


@dataclass(frozen=True, slots=True)
class LengthsOnly(Method):
    """Publish how many records have how many terms, in spans of at least `k` records."""

    name: ClassVar[str] = "lengths"
    help: ClassVar[str] = "Publish how long the records of FILE are."

    k: int = setting(5, "every span of lengths has at least K records", flag="-k", least=2)

    def __post_init__(self) -> None:
        KmAnonymity(self.k, 1)

    def warnings(self, data: Transactions) -> list[str]:
        return []

    def prepared(self, data: Transactions) -> Transactions:
        return data

    def claim(self, draft: Draft[Lengths]) -> KmAnonymity:
        return KmAnonymity(self.k, 1)

    def parameters(self) -> Mapping[str, Any]:
        return {"k": self.k}

    @classmethod
    def contradictions(cls, guarantee: AnyGuarantee, stated: Mapping[str, Any], suppressed: int) -> list[str]:
        found = misstated(cls, stated)
        if guarantee != KmAnonymity(stated.get("k", 2), 1):
            found.append("the parameter k is not the k that is promised")
        return found

    def publish(self, data: Transactions, engine: object, progress: Progress = silent) -> Draft[Lengths]:
        lengths = np.diff(data.offsets)
        if lengths.size < self.k:
            raise GuaranteeUnreachable(f"{lengths.size} records cannot make a span of {self.k}. Lower k.")
        starts = spans(np.sort(lengths), self.k)
        least, ends = np.sort(lengths)[starts], np.append(starts[1:], lengths.size)
        published = Lengths(least, np.sort(lengths)[ends - 1], np.diff(np.append(starts, lengths.size)))
        return Draft(published, part_of_record=np.searchsorted(least, lengths, side="right") - 1)


def spans(lengths: np.ndarray, k: int) -> np.ndarray:
    """Return where spans begin: each has k records or more, and equal lengths are in one."""
    starts, firsts = [0], np.flatnonzero(np.diff(lengths)) + 1
    for first in firsts:
        if first - starts[-1] >= k and lengths.size - first >= k:
            starts.append(int(first))
    return np.array(starts)
