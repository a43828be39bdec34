"""Threshold of people in a guarantee: no published value belongs to fewer people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from disjoin.errors import InvalidParameter, described

LEAVE_OUT, CATEGORY, OTHER = "leave-out", "category", "other"
RARE = (LEAVE_OUT, CATEGORY, OTHER)
SUPPRESSED = "*"  # a cell whose value is left out
_WHY = "with 1, nothing is left out."


@dataclass(frozen=True, slots=True)
class MinPeople:
    """Every published term (or value that is no quasi-identifier) is had by at least `people` people.

    `rare` is what became of those that fewer people have: left out, replaced by the lowest category that enough people
    have, or replaced by the word "other".

    >>> MinPeople(10).to_json()
    {'min_people': 10}
    >>> MinPeople(10).sentence("terms")
    ' Published terms are had by at least 10 people each; rarer ones are left out.'
    """

    people: int
    rare: str = LEAVE_OUT

    def __post_init__(self) -> None:
        from disjoin.model.guarantee import require_integer  # which has guarantees with thresholds

        object.__setattr__(self, "people", require_integer("min_people", self.people, 2, _WHY))
        if self.rare not in RARE:
            raise InvalidParameter(f"rare must be one of {', '.join(RARE)}, got {described(self.rare)}.")

    def sentence(self, what: str) -> str:
        """Return the guarantee in words, to follow another sentence; `what` are terms, items or values."""
        fate = {
            LEAVE_OUT: "are left out",
            CATEGORY: "are replaced by a category, or left out",
            OTHER: 'are replaced by "other", or left out',
        }[self.rare]
        return f" Published {what} are had by at least {self.people} people each; rarer ones {fate}."

    def to_json(self) -> dict[str, Any]:
        """Return what a guarantee stores."""
        return {"min_people": self.people} | ({} if self.rare == LEAVE_OUT else {"rare": self.rare})

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> MinPeople | None:
        """Read it back from the facts of a guarantee; None if these have no threshold."""
        if "min_people" not in facts and "rare" not in facts:
            return None
        return cls(facts.get("min_people", 0), facts.get("rare", LEAVE_OUT))


def stored(given: MinPeople | None) -> dict[str, Any]:
    """Return what a guarantee stores of its threshold, nothing if there is none."""
    return {} if given is None else given.to_json()


def threshold_in(guarantee: object) -> MinPeople | None:
    """Return the threshold of any guarantee; None if it has none."""
    found = getattr(guarantee, "min_people", None)
    return found if isinstance(found, MinPeople) else None


def require_threshold(given: object) -> None:
    """Raise unless it is a threshold, or None."""
    if given is not None and not isinstance(given, MinPeople):
        raise InvalidParameter(f"min_people must be a MinPeople, got {described(given)}.")
