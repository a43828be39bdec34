"""What a measure says about itself, so that reports need no special cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from disjoin.model.clusters import Clusters
from disjoin.model.guarantee import KmAnonymity

PLACES = 4  # decimals that a report prints: the last bits of a float differ between machines, these do not


class Compute(Protocol):
    """Return the value for a release; without `shared` chunks, as if these did not show anything."""

    def __call__(self, published: Clusters, promise: KmAnonymity, *, shared: bool = True) -> float | None:
        """Compute it; None if that would take longer than publishing."""


def whatever_is_promised(compute: Callable[..., float]) -> Compute:
    """Return a function of the published content alone as one that is told the promise, too."""

    def computed(published: Clusters, promise: KmAnonymity, *, shared: bool = True) -> float:
        return compute(published, shared=shared)

    return computed


@dataclass(frozen=True, slots=True)
class Measure:
    """A function of the published content and the promise, with the facts that are needed to read its value."""

    name: str
    title: str
    direction: Literal["higher", "lower"]  # which way is better
    least: float
    largest: float
    sign: Literal["≤", "≈", ""]  # how the value stands to the truth: at most, about, exactly
    meaning: str  # one sentence; {k} is that of the promise, {more} one term more than it is about
    compute: Compute
    counts_shared: bool = True  # whether shared chunks make a difference
    not_computed: str = ""  # the sentence that stands for the meaning where there is no value

    def to_json(self, published: Clusters, promise: KmAnonymity) -> dict[str, Any]:
        """Return the value, rounded, with the facts about it; with joint clusters also what it is without these.

        Without a value, which is then null, the meaning says why.
        """
        value = self.compute(published, promise)
        facts: dict[str, Any] = {"value": _rounded(value)}
        if value is not None and self.counts_shared and published.is_joint.any():
            facts["without_shared_chunks"] = _rounded(self.compute(published, promise, shared=False))
        meaning = self.meaning if value is not None else self.not_computed
        return facts | {
            "title": self.title,
            "direction": self.direction,
            "range": [self.least, self.largest],
            "sign": self.sign,
            "meaning": meaning.format(k=promise.k, more=promise.m + 1),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)
