"""What may be promised of sensitive values in a class beside those of the whole table, and of the most frequent one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, Literal

from disjoin.errors import InvalidParameter, described
from disjoin.model.guarantee import fraction_from

Distance = Literal["equal", "ordered", "hierarchical"]
DISTANCES = ("equal", "ordered", "hierarchical")
MOST_DIGITS = 10**9  # of a numerator or a denominator, so that exact tests fit into 64 bits
MOST_DELTA = 50  # e^50 is above every ratio of two shares


@dataclass(frozen=True, slots=True)
class Closeness:
    """Limits on how far a class may be from the whole table; a limit that is None is not promised.

    With p the share of a value in a class and P its share of all rows: `t` is t-closeness, by half the sum of |p - P|
    (`equal`), or by how far values must be moved: in the order of numbers (`ordered`), or in the column's hierarchy,
    where two values are as far apart as the level is high at which they meet (`hierarchical`). `beta` is beta-likeness,
    (p - P) / P at most beta and, if it is `enhanced`, at most -ln P. `delta` is delta-disclosure privacy, |ln(p / P)|
    below delta for every value of the column. `c` is recursive (c,l)-diversity: the most frequent value of a class is
    in fewer than c times as many rows as all values but the l - 1 most frequent ones.
    """

    c: Fraction | None = None
    t: Fraction | None = None
    t_distance: Distance = "equal"
    beta: Fraction | None = None
    enhanced_beta: bool = False
    delta: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("c", "t", "beta", "delta"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, _limit(name, given))
        if self.t is not None and self.t > 1:
            raise InvalidParameter(f"t must be at most 1, got {self.t}: it is a distance between shares.")
        if self.delta is not None and self.delta > MOST_DELTA:
            raise InvalidParameter(
                f"delta must be at most {MOST_DELTA}, got {self.delta}: it is a logarithm of a ratio of shares."
            )
        if self.t_distance not in DISTANCES:
            raise InvalidParameter(
                f"t_distance must be one of {', '.join(DISTANCES)}, got {described(self.t_distance)}."
            )
        if not isinstance(self.enhanced_beta, bool):
            raise InvalidParameter(f"enhanced_beta must be true or false, got {described(self.enhanced_beta)}.")
        if self.enhanced_beta and self.beta is None:
            raise InvalidParameter("enhanced_beta makes beta stricter, and there is none. Say beta, too.")
        if self.t_distance != "equal" and self.t is None:
            raise InvalidParameter("t_distance says how t is measured, and there is none. Say t, too.")

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.c, self.t, self.beta, self.delta))

    def sentences(self, column: str, l: int) -> Iterator[str]:  # noqa: E741 - the papers' name
        """Say each limit in words."""
        if self.c is not None:
            but = "the most frequent one" if l == 2 else f"the {l - 1} most frequent ones"
            yield (
                f"The most frequent value of {column} among them is in fewer than {_number(self.c)} times as many rows "
                f"as all values but {but}."
            )
        if self.t is not None:
            how = _MOVED[self.t_distance]
            yield f"Their values of {column} are within {_number(self.t)} of those of the whole table{how}."
        if self.beta is not None:
            less = ", or by its -ln if that is less" if self.enhanced_beta else ""
            yield (
                f"The share of no value of {column} is above its share of the whole table by more than "
                f"{_number(self.beta)} times that{less}."
            )
        if self.delta is not None:
            yield (
                f"The share of every value of {column} is between e^-{_number(self.delta)} and e^{_number(self.delta)} "
                "times its share of the whole table."
            )

    def to_json(self) -> dict[str, Any]:
        """Return the limits as plain JSON; nothing for what is not promised."""
        facts: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if value != part.default:
                facts[part.name] = str(value) if isinstance(value, Fraction) else value
        return facts

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Closeness:
        """Read the limits among the facts of a promise."""
        return cls(**{part.name: facts[part.name] for part in fields(cls) if part.name in facts})


NONE = Closeness()
_MOVED = {
    "equal": "",
    "ordered": ", measured by how far values must be moved",
    "hierarchical": ", measured by how far values must be moved in their hierarchy",
}


def _limit(name: str, given: Any) -> Fraction:
    value = fraction_from(name, given)
    if value <= 0:
        raise InvalidParameter(f"{name} must be above 0, got {value}.")
    if max(value.numerator, value.denominator) > MOST_DIGITS:
        raise InvalidParameter(f"{name} must be a number of at most nine digits, got {described(given)}.")
    return value


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"
