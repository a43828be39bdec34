"""What a measure says about itself, so that reports need no special cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from disjoin.model.clusters import Clusters

PLACES = 4  # decimals that a report prints: the last bits of a float differ between machines, these do not


class Compute(Protocol):
    """Return the value for a release; without `shared` chunks, what only these show counts as lost."""

    def __call__(self, published: Clusters, *, shared: bool = True) -> float:
        """Compute it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A function of the published content with the facts that are needed to read its value."""

    name: str
    title: str
    direction: Literal["higher", "lower"]  # which way is better
    least: float
    largest: float
    sign: Literal["≤", "≈", ""]  # how the value stands to the truth: at most, about, exactly
    meaning: str  # one sentence
    compute: Compute

    def to_json(self, published: Clusters) -> dict[str, Any]:
        """Return the value, rounded, with the facts about it; with joint clusters also what it is without these."""
        facts: dict[str, Any] = {"value": round(self.compute(published), PLACES)}
        if published.is_joint.any():
            facts["without_shared_chunks"] = round(self.compute(published, shared=False), PLACES)
        return facts | {
            "title": self.title,
            "direction": self.direction,
            "range": [self.least, self.largest],
            "sign": self.sign,
            "meaning": self.meaning,
        }
