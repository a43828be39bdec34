"""What a measure that compares a release with its original says about itself, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

Direction = Literal["higher", "lower", "neither"]
Rate = Literal["share", "error", "ratio", "nats", "bits"]
Amount = Literal["records", "occurrences", "terms", "chunks", "clusters", "groups", "cells", "pairs", "classes"]
Number = Fraction | int | float


@dataclass(frozen=True, slots=True)
class Finding:
    """A value (exact unless a float), None where there is nothing to measure, and what a reader of it should know."""

    value: Number | None
    notes: tuple[str, ...] = ()  # sentences
    details: Mapping[str, Any] = field(default_factory=dict)


class Wording(NamedTuple):
    """What a measure is called, and what it means, for one form of published data."""

    form: str
    title: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A function of a release and its original, with the facts that are needed to read its value.

    The value is a fact about the original: it is for the data steward and must not be published.
    """

    name: str
    title: str
    direction: Direction  # which way is better
    least: int
    largest: int | None  # None: there is no limit
    unit: Rate | Amount
    meaning: str  # one sentence
    page: str  # docs/measures/<page>.md
    compute: Callable[[Any], Finding]  # of the evidence that its forms have
    forms: tuple[str, ...] = ("clusters",)  # of the published data that it is about
    wordings: tuple[Wording, ...] = ()  # for forms of which title and meaning are not true

    def worded(self, form: str) -> Comparison:
        """Return the same measure in words that are true for a form."""
        for there, title, meaning in self.wordings:
            if there == form:
                return replace(self, title=title, meaning=meaning, wordings=())
        return self


def share_of(part: int, whole: int) -> Fraction:
    """Return part / whole exactly; where there was nothing to lose nothing is lost.

    >>> share_of(2, 8), share_of(0, 0)
    (Fraction(1, 4), Fraction(1, 1))
    """
    return Fraction(part, whole) if whole else Fraction(1)
