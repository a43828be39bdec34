"""What is promised, apart from how it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from disjoin.errors import InvalidParameter


@runtime_checkable
class Guarantee(Protocol):
    """A promise that can be printed as one sentence and stored as JSON."""

    def sentence(self) -> str:
        """Say the promise in words."""

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON."""


def require_integer(name: str, value: object, least: int, why: str) -> None:
    """Raise unless `value` is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidParameter(f"{name} must be a whole number of at least {least}, got {value!r}: {why}")


@dataclass(frozen=True, slots=True)
class KmAnonymity:
    """Who knows up to `m` terms of a record finds no fewer than `k` candidates.

    With sensitive terms, no one is linked to one of them with a probability above 1/`l`.

    >>> KmAnonymity(5, 2).sentence()
    'Anyone who knows up to 2 terms of a record finds at least 5 candidates for it.'
    """

    k: int
    m: int
    l: int = 1  # noqa: E741 - the papers' name
    sensitive: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_integer("k", self.k, 2, "with fewer than 2 candidates nobody is hidden.")
        require_integer("m", self.m, 1, "it is the number of terms that an attacker may know.")
        require_integer("l", self.l, 1, "it bounds the link to a sensitive term by 1/l.")
        object.__setattr__(self, "sensitive", tuple(sorted(set(self.sensitive))))

    @property
    def least_size(self) -> int:
        """The smallest cluster that can keep the promise."""
        return max(self.k, self.l)

    def sentence(self) -> str:
        """Say the promise in words."""
        knows = "1 term" if self.m == 1 else f"up to {self.m} terms"
        words = f"Anyone who knows {knows} of a record finds at least {self.k} candidates for it."
        if self.sensitive and self.l > 1:
            words += f" Within a cluster, at most one record in {self.l} has any one sensitive term."
        return words

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON."""
        facts: dict[str, Any] = {"type": "km-anonymity", "k": self.k, "m": self.m}
        if self.sensitive:
            facts |= {"l": self.l, "sensitive": list(self.sensitive)}
        return facts

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> KmAnonymity:
        """Read the promise back from JSON."""
        if facts.get("type") != "km-anonymity":
            raise InvalidParameter(f"expected a guarantee of type km-anonymity, found {facts.get('type')!r}")
        return cls(facts.get("k", 0), facts.get("m", 0), facts.get("l", 1), tuple(facts.get("sensitive", ())))
