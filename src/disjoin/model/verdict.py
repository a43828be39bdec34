"""What the inspector says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from disjoin.escaping import legible
from disjoin.model.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken invariant: which, where, what was found, and terms that show it."""

    invariant: str
    place: str
    message: str
    example: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Violation({self.invariant!r}, {_printable(self.place)!r})"  # no example: it may be of the original

    def __str__(self) -> str:
        shown = f" ({', '.join(_printable(term) for term in self.example)})" if self.example else ""
        return f"{self.without_example()}{shown}"

    def without_example(self) -> str:
        """Say which invariant is broken, where and how, and show no term or cell: they may be the original's."""
        return f"{self.invariant} at {_printable(self.place)}: {_printable(self.message, 400)}"

    def to_json(self) -> dict[str, Any]:
        """Return the violation as plain JSON."""
        return {
            "invariant": self.invariant,
            "place": self.place,
            "message": self.message,
            "example": list(self.example),
        }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of an inspection; holds if and only if nothing was violated.

    `checked` names the invariants that were tested, `facts` what was measured on the way (slack, forced association,
    how much was sampled).
    """

    guarantee: Guarantee
    violations: tuple[Violation, ...]
    checked: tuple[str, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        found = f"{len(self.violations):,} violation{'' if len(self.violations) == 1 else 's'}"
        return f"Verdict({'holds' if self.holds else found}, {self.guarantee!r}, {len(self.checked):,} checked)"

    def __bool__(self) -> bool:
        return self.holds

    @property
    def holds(self) -> bool:
        """Whether nothing is violated; a guarantee that calls itself not proven asks for less than a proof needs."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain JSON."""
        return {
            "holds": self.holds,
            "guarantee": self.guarantee.to_json(),
            "violations": [violation.to_json() for violation in self.violations],
            "checked": list(self.checked),
            "facts": dict(self.facts),
        }


def _printable(term: str, longest: int = 60) -> str:
    """Return a term that cannot command a terminal: a release may come from a stranger."""
    shown = legible(term)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
