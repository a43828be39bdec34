"""Parameters of guarantees: their interface and JSON, checks of numbers, thresholds of people."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from operator import index
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from disjoin.errors import InvalidParameter, described, kind_of, require_kind

# Short enough to compute with and to print: 1e999999999 is a number, too.
_FRACTION = re.compile(r"[+-]?[0-9./]{1,60}(?:e[+-]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE)


@runtime_checkable
class Guarantee(Protocol):
    """A guarantee that can be printed as one sentence and stored as JSON."""

    def sentence(self) -> str: ...

    def to_json(self) -> dict[str, Any]: ...


class StoredGuarantee:
    """Base of guarantees: they claim a proof by default, and are read from JSON by their fields."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    def proven(self) -> bool:
        return True

    def with_proof(self) -> Self:
        return self

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Self:
        return cls(**fields_in(cls, facts))


def settle(guarantee: object, **values: object) -> None:
    """Set fields of a frozen guarantee to their checked values; raise if its threshold of people is invalid."""
    threshold = getattr(guarantee, "min_people", None)
    if threshold is not None and not isinstance(threshold, MinPeople):
        raise InvalidParameter(f"min_people must be a MinPeople, got {described(threshold)}.")
    for name, value in values.items():
        object.__setattr__(guarantee, name, value)


def stated(guarantee: Any, *names: str) -> dict[str, Any]:
    """Return these fields of a guarantee as JSON, without defaults; a threshold is added separately."""
    defaults = {part.name: part.default for part in fields(guarantee)}
    found: dict[str, Any] = {}
    for name in names:
        value = getattr(guarantee, name)
        if isinstance(value, MinPeople):
            found |= value.to_json()
        elif value != defaults[name]:
            is_text = isinstance(value, Fraction)
            found[name] = str(value) if is_text else list(value) if isinstance(value, tuple) else value
    return found


def fields_in(kind: Any, facts: Any, **lacking: Any) -> dict[str, Any]:
    """Return the fields in the JSON of a guarantee; absent ones have the values `lacking`, or one that is refused."""
    require_kind(facts, dict, "the facts of a guarantee as a dict")
    if facts.get("type") != kind.kind:
        raise InvalidParameter(f"expected a guarantee of type {kind.kind}, found {described(facts.get('type'))}")
    parts = {part.name: part for part in fields(kind)}
    needed = {name: () if "tuple" in part.type else 0 for name, part in parts.items() if part.default is MISSING}
    threshold = {"min_people": MinPeople.from_json(facts)} if "min_people" in parts else {}
    return needed | lacking | {name: facts[name] for name in parts.keys() & facts.keys()} | threshold


def fraction_from(name: str, value: Any) -> Fraction:
    """Return a number exactly: 0.1 is one tenth, not the nearest float.

    >>> fraction_from("alpha", 0.1), fraction_from("alpha", "1/3")
    (Fraction(1, 10), Fraction(1, 3))
    """
    if isinstance(value, Fraction):
        return value
    try:
        text = str(value).strip()
        if isinstance(value, bool) or not _FRACTION.fullmatch(text):
            raise ValueError
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InvalidParameter(f"{name} must be a number such as 0.5 or 1/2, got {described(value)}.") from None


def require_integer(name: str, value: Any, least: int, why: str) -> int:
    """Return `value` as an int; raise unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InvalidParameter(f"{name} must be a whole number of at least {least}, got {described(value)}.")
    if index(value) < least:
        raise InvalidParameter(f"{name} must be a whole number of at least {least}, got {value}: {why}")
    return index(value)


def sensitive_terms(given: object) -> tuple[str, ...]:
    """Return terms, sorted and without repeats; a single string is one term.

    >>> sensitive_terms("flu"), sensitive_terms(["flu", "cold", "flu"])
    (('flu',), ('cold', 'flu'))
    """
    if not isinstance(given, Iterable):
        raise InvalidParameter(f"sensitive must be a list of terms, got {described(given)}.")
    terms = [given] if isinstance(given, str) else list(given)
    for term in terms:
        if not isinstance(term, str):
            raise InvalidParameter(f"a sensitive term must be a string, got {kind_of(term)}.")
    return tuple(sorted({*terms}))


LEAVE_OUT, CATEGORY, OTHER = "leave-out", "category", "other"
RARE = (LEAVE_OUT, CATEGORY, OTHER)
SUPPRESSED = "*"  # a suppressed cell


@dataclass(frozen=True, slots=True)
class MinPeople:
    """At least `people` people have every published term (or value that is no quasi-identifier).

    Rarer ones are removed, or replaced by the lowest frequent category or the word "other" (`rare`).

    >>> MinPeople(10).to_json()
    {'min_people': 10}
    >>> MinPeople(10).sentence("terms")
    ' At least 10 people have each of the published terms; rarer ones are left out.'
    """

    people: int
    rare: str = LEAVE_OUT

    def __post_init__(self) -> None:
        settle(self, people=require_integer("min_people", self.people, 2, "with 1, nothing is left out."))
        if self.rare not in RARE:
            raise InvalidParameter(f"rare must be one of {', '.join(RARE)}, got {described(self.rare)}.")

    def sentence(self, what: str) -> str:
        """Return the guarantee in words, to follow another sentence; `what` are terms, items or values."""
        fate = {
            LEAVE_OUT: "are left out",
            CATEGORY: "are replaced by a category, or left out",
            OTHER: 'are replaced by "other", or left out',
        }[self.rare]
        return f" At least {self.people} people have each of the published {what}; rarer ones {fate}."

    def to_json(self) -> dict[str, Any]:
        return {"min_people": self.people} | ({} if self.rare == LEAVE_OUT else {"rare": self.rare})

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> MinPeople | None:
        """Read it from the facts of a guarantee; None if these have no threshold."""
        if "min_people" not in facts and "rare" not in facts:
            return None
        return cls(facts.get("min_people", 0), facts.get("rare", LEAVE_OUT))


def threshold_in(guarantee: object) -> MinPeople | None:
    found = getattr(guarantee, "min_people", None)
    return found if isinstance(found, MinPeople) else None
