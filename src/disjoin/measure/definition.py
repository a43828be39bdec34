"""Measures: their description, which reports use, and what they find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from inspect import cleandoc
from typing import Any, Literal

from disjoin.attack.possible_records import Sampled, Weighed
from disjoin.errors import InvalidParameter, require_kind
from disjoin.model.clusters import Clusters
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import require_integer

MOST_RECONSTRUCTIONS = 10  # no measure looks at more
_WHOLE = {  # the least value, and why it is no less
    "top": (1, "it is the number of itemsets that are compared."),
    "seed": (0, "any other whole number will do."),
    "reconstructions": (1, "supports come from reconstructions."),
    "r": (1, "it is the number of ordinary items of a query."),
    "queries": (1, "the divergence is a mean over queries."),
    "k": (1, "terms in that many records are frequent."),
}


@dataclass(frozen=True)
class Settings:
    """Settings of measures: the number of itemsets to compare, the seed, and the number of reconstructions.

    For groups: how many ordinary items a query has (`r`), and how many queries are asked. For tables: the column that
    a classifier would predict (`label`; by default the first sensitive one). `k`: in how many records a term must be to
    count as frequent (by default what the release guarantees).
    """

    top: int = 1000
    seed: int = 0
    reconstructions: int = MOST_RECONSTRUCTIONS
    r: int = 4
    queries: int = 100
    label: str | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        for name, (least, why) in _WHOLE.items():
            if name != "k" or self.k is not None:
                object.__setattr__(self, name, require_integer(name, getattr(self, name), least, why))
        if self.label is not None:
            require_kind(self.label, str, "the name of a column as label")
        if self.reconstructions > MOST_RECONSTRUCTIONS:
            raise InvalidParameter(
                f"reconstructions must be {MOST_RECONSTRUCTIONS} or less, got {self.reconstructions}: no measure looks "
                "at more."
            )


DEFAULTS = Settings()


Direction = Literal["higher", "lower", "neither"]
Rate = Literal["share", "error", "ratio", "nats", "bits"]
Amount = Literal["records", "occurrences", "terms", "chunks", "clusters", "groups", "cells", "pairs", "classes"]
PLACES = 4  # decimals that a report prints: the last bits of a float differ between machines, these do not


@dataclass(frozen=True, slots=True)
class Finding:
    """A value (exact unless a float), None where there is nothing to measure, and notes for its reader."""

    value: Fraction | int | float | None
    notes: tuple[str, ...] = ()  # sentences
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Measure:
    """A function with the name, title, meaning, unit and range of its value.

    It gets the evidence and returns a `Finding`, which must not be published. Without `needs_original` it gets the
    published clusters and the guarantee (`shared=False` ignores shared chunks), and returns a number, `Sampled`,
    `Weighed`, or None if that took longer than publishing."""

    name: str
    title: str
    meaning: str  # one sentence; of a release alone, {k} and {m} are the guarantee's, {more} is one more than m
    compute: Callable[..., Any]
    direction: Direction = "lower"  # which way is better
    least: float = 0
    largest: float | None = 1  # None: there is no limit
    unit: Rate | Amount = "share"
    forms: tuple[str, ...] = ("clusters",)  # of the published data that it is about
    wordings: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # title and meaning for forms with others
    needs_original: bool = True
    sign: Literal["≤", "≈", ""] = ""  # how the value relates to the truth: at most, about, exactly
    counts_shared: bool = True  # whether shared chunks make a difference
    not_computed: str = ""  # the sentence that replaces the meaning where there is no value

    def worded(self, form: str) -> Measure:
        title, meaning = self.wordings.get(form, (self.title, self.meaning))
        return replace(self, title=title, meaning=meaning)

    def to_json(self, published: Clusters, guarantee: KmAnonymity) -> dict[str, Any]:
        """Return the rounded value (or null) and its facts; with joint clusters also the value without these."""
        assert not self.needs_original, "what compares with the original is not for a report"
        value = self.compute(published, guarantee)
        facts: dict[str, Any] = {"value": _rounded(value)}
        if isinstance(value, Sampled):
            between = [round(each, PLACES) for each in value.interval]
            facts["sample"] = {"looked_at": value.looked_at, "found": value.found, "interval": between}
        elif isinstance(value, Weighed):
            facts = {"value": _rounded(value) or (10**-PLACES if value else 0.0), "sample": None}  # some is not none
        if value is not None and self.counts_shared and published.is_joint.any():
            facts["without_shared_chunks"] = _rounded(self.compute(published, guarantee, shared=False))
        meaning = self.meaning if value is not None else self.not_computed
        return facts | {
            "title": self.title,
            "direction": self.direction,
            "range": [float(self.least), None if self.largest is None else float(self.largest)],
            "sign": self.sign,
            "meaning": meaning.format(k=guarantee.k, m=guarantee.m, more=guarantee.m + 1),
        }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)


def measure(title: str, name: str = "", **facts: Any) -> Callable[[Callable[..., Finding]], Measure]:
    """Make a measure that needs the original; the first paragraph of the docstring is its meaning in reports."""

    def made(compute: Callable[..., Finding]) -> Measure:
        meaning = cleandoc(compute.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        return Measure(name or compute.__name__, title, meaning, compute, **facts)

    return made


def share_of(part: int, whole: int, of_nothing: int = 1) -> Fraction:
    """Return part / whole exactly; `of_nothing` if whole is 0 (by default 1: nothing was lost).

    >>> share_of(2, 8), share_of(0, 0)
    (Fraction(1, 4), Fraction(1, 1))
    """
    return Fraction(part, whole) if whole else Fraction(of_nothing)
