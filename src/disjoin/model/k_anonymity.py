"""Guarantees of tables: k-anonymity, l-diversity, t-closeness and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal

from disjoin.errors import InvalidParameter, described, kind_of, require_kind
from disjoin.model import parameters
from disjoin.model.parameters import MinPeople, StoredGuarantee, require_integer, settle, stated

Distance = Literal["equal", "ordered", "hierarchical"]
DISTANCES = ("equal", "ordered", "hierarchical")
MOST_DIGITS = 10**9  # limit on numerators and denominators, so that exact tests fit into 64 bits
MOST_DELTA = 50  # e^50 is above every ratio of two shares


@dataclass(frozen=True, slots=True)
class Closeness:
    """Limits on the distance of a class from the whole table; a limit that is None is not guaranteed.

    With p the share of a value in a class and P its share of all rows: `t` is t-closeness, by half the sum of |p - P|
    (`equal`), or by the earth mover's distance: in the order of numbers (`ordered`), or in the column's hierarchy,
    where the distance of two values is the level of their lowest common ancestor (`hierarchical`). `beta` is
    beta-likeness, (p - P) / P at most beta and, if it is `enhanced`, at most -ln P. `delta` is delta-disclosure
    privacy, |ln(p / P)|
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
                settle(self, **{name: _limit(name, given)})
        if self.t is not None and self.t > 1:
            raise InvalidParameter(f"t must be at most 1, got {self.t}: it is a distance between shares.")
        if self.delta is not None and self.delta > MOST_DELTA:
            raise InvalidParameter(f"delta must be at most {MOST_DELTA}, got {self.delta}: it is a logarithm.")
        if self.t_distance not in DISTANCES:
            known = ", ".join(DISTANCES)
            raise InvalidParameter(f"t_distance must be one of {known}, got {described(self.t_distance)}.")
        if not isinstance(self.enhanced_beta, bool):
            raise InvalidParameter(f"enhanced_beta must be true or false, got {described(self.enhanced_beta)}.")
        if self.enhanced_beta and self.beta is None:
            raise InvalidParameter("enhanced_beta makes beta stricter, and there is none. Give beta, too.")
        if self.t_distance != "equal" and self.t is None:
            raise InvalidParameter("t_distance needs a t, and there is none. Give t, too.")

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.c, self.t, self.beta, self.delta))

    def sentences(self, column: str, l: int) -> Iterator[str]:  # noqa: E741 - the papers' name
        if self.c is not None:
            but = "the most frequent one" if l == 2 else f"the {l - 1} most frequent ones"
            least = f"{_number(self.c)} times as many rows as all values but {but}"
            yield f"The most frequent value of {column} among them is in fewer than {least}."
        if self.t is not None:
            how = _MOVED[self.t_distance]
            yield f"Their values of {column} are within {_number(self.t)} of those of the whole table{how}."
        if self.beta is not None:
            less = ", or by its -ln if that is less" if self.enhanced_beta else ""
            most = f"more than {_number(self.beta)} times that{less}"
            yield f"The share of no value of {column} is above its share of the whole table by {most}."
        if self.delta is not None:
            between = f"between e^-{_number(self.delta)} and e^{_number(self.delta)} times its share"
            yield f"The share of every value of {column} is {between} of the whole table."

    def to_json(self) -> dict[str, Any]:
        return stated(self, *(part.name for part in fields(self)))

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Closeness:
        return cls(**{part.name: facts[part.name] for part in fields(cls) if part.name in facts})


NONE = Closeness()
_MOVED = {
    "equal": "",
    "ordered": ", measured by the distance that values must be moved",
    "hierarchical": ", measured by the distance that values must be moved in their hierarchy",
}


_FRACTIONS: dict[str, tuple[Callable[[Fraction], bool], str, str]] = {
    "alpha": (lambda share: 0 < share <= 1, "above 0 and at most 1", "it is a share."),
    "entropy_l": (lambda number: number >= 1, "at least 1", "it is a number of values."),
    "suppress": (lambda share: 0 < share < 1, "above 0 and below 1", "it is a share."),
    "least_presence": (lambda share: 0 <= share <= 1, "from 0 to 1", "it is a share."),
    "most_presence": (lambda share: 0 <= share <= 1, "from 0 to 1", "it is a share."),
}


def _limit(name: str, given: Any) -> Fraction:
    value = parameters.fraction_from(name, given)
    if value <= 0:
        raise InvalidParameter(f"{name} must be above 0, got {value}.")
    if max(value.numerator, value.denominator) > MOST_DIGITS:
        raise InvalidParameter(f"{name} must be a number of at most nine digits, got {described(given)}.")
    return value


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"


@dataclass(frozen=True, slots=True)
class KAnonymity(StoredGuarantee):
    """Every row has the same values in the columns `quasi` as at least `k` - 1 others: they form a class.

    For each `sensitive` column: in no class does a larger share than `alpha` have the same value; every class has at
    least `l` different values, and values as even as `entropy_l` equally frequent ones (entropy at least the logarithm
    of it). `closeness` limits the distance of a class from the whole table.

    With `suppress`, at most that share of the rows has `*`, or includes all values, in every quasi-identifier. They are
    a class like the others. With `min_people`, at least that many people have each value of other columns.

    With `k_map`, the quasi-identifiers of a row fit that many people of a population that the table is a part of.
    `least_presence` and `most_presence` limit the probability that any of them is in the table (delta-presence).

    With `person`, the column of the original that identifies people, people are counted, not rows: a class has rows
    of `k` different people ((X,Y)-anonymity with X the quasi-identifiers and Y the person), at most a share of `alpha`
    of them have the same sensitive value in rows of the class, and for each of its `l` or more values, `l` - 1 of them
    do not have it there.

    >>> KAnonymity(5, ("age", "sex")).sentence()
    'Every row has the same age and sex as at least 4 others.'
    >>> KAnonymity(5, ("age", "sex"), person="patient").sentence()
    'For every row, rows of at least 5 different people have the same age and sex.'
    """

    kind: ClassVar[str] = "k-anonymity"

    k: int
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    alpha: Fraction | None = None
    l: int = 1  # noqa: E741 - the papers' name
    entropy_l: Fraction | None = None
    person: str | None = None
    closeness: Closeness = NONE
    suppress: Fraction | None = None
    k_map: int | None = None
    least_presence: Fraction | None = None
    most_presence: Fraction | None = None
    min_people: MinPeople | None = None

    def __post_init__(self) -> None:
        k = require_integer("k", self.k, 2, "a class of fewer than 2 rows hides no one.")
        settle(self, k=k, l=require_integer("l", self.l, 1, "it counts different sensitive values."))
        settle(self, **{name: column_names(name, getattr(self, name)) for name in ("quasi", "sensitive")})
        if not self.quasi:
            raise InvalidParameter("quasi must name at least one column that an attacker may know of a person.")
        both = set(self.quasi) & set(self.sensitive)
        if both:
            raise InvalidParameter(f"a column has one role, but {min(both)!r} is named as quasi and as sensitive.")
        for name, (fits, words, why) in _FRACTIONS.items():
            if getattr(self, name) is not None:
                value = parameters.fraction_from(name, getattr(self, name))
                settle(self, **{name: value})
                if not fits(value):
                    raise InvalidParameter(f"{name} must be {words}, got {value}: {why}")
        if self.k_map is not None:
            settle(self, k_map=require_integer("k_map", self.k_map, 1, "it is a number of people who fit a row."))
        if self.presence is not None and self.presence[0] > self.presence[1]:
            found = f"{self.least_presence} and {self.most_presence}"
            raise InvalidParameter(f"least_presence must be at most most_presence, got {found}.")
        require_kind(self.closeness, Closeness, "closeness as a Closeness")
        if self.closeness.c is not None and self.l < 2:
            raise InvalidParameter("c is for recursive (c,l)-diversity, which needs an l of at least 2. Give l, too.")
        self._require_person()
        if not self.sensitive and self.is_about_sensitive:
            limits = "alpha, l, entropy_l, c, t, beta and delta"
            raise InvalidParameter(f"{limits} need a sensitive column, but none is named.")

    def _require_person(self) -> None:
        if self.person is None:
            return
        if not isinstance(self.person, str) or not self.person:
            raise InvalidParameter(f"person must be the name of one column, got {type(self.person).__name__}.")
        if self.person in (*self.quasi, *self.sensitive):
            raise InvalidParameter(f"a column has one role, but {self.person!r} is named as person and in another one.")
        if self.entropy_l is not None or self.closeness:
            limits = "entropy_l, c, t, beta and delta"
            raise InvalidParameter(f"{limits} are about rows, but with person people are counted. Use alpha or l.")

    @property
    def is_about_sensitive(self) -> bool:
        return self.alpha is not None or self.l > 1 or self.entropy_l is not None or bool(self.closeness)

    @property
    def presence(self) -> tuple[Fraction, Fraction] | None:
        """The least and the largest probability that a person of the population is in the table; None: no limit."""
        if self.least_presence is None and self.most_presence is None:
            return None
        return self.least_presence or Fraction(0), Fraction(1) if self.most_presence is None else self.most_presence

    @property
    def is_about_population(self) -> bool:
        return self.k_map is not None or self.presence is not None

    def sentence(self) -> str:
        words = self._sentence_about_rows() if self.person is None else self._sentence_about_people()
        words += self._sentences_about_population()
        if self.suppress is not None:
            words += f" At most {share_in_words(self.suppress)} of the rows are suppressed there."
        return words + (self.min_people.sentence("values of other columns") if self.min_people else "")

    def _sentences_about_population(self) -> str:
        words = ""
        if self.k_map is not None:
            fits = f"Every row's {columns_in_words(self.quasi)} can belong to at least {self.k_map} people"
            words += f" {fits} of the population that the table is a part of."
        if self.presence is not None:
            low, high = self.presence
            limits = [f"at least {share_in_words(low)}"] * (low > 0) + [f"at most {share_in_words(high)}"] * (high < 1)
            limits = limits or ["anything"]
            words += f" Every member of the population is in the table with a probability of {' and '.join(limits)}."
        return words

    def _sentence_about_rows(self) -> str:
        others = "1 other" if self.k == 2 else f"{self.k - 1} others"
        words = f"Every row has the same {columns_in_words(self.quasi)} as at least {others}."
        if not self.is_about_sensitive:
            return words
        column = columns_in_words(self.sensitive)
        if self.alpha is not None:
            words += f" Of these, at most {share_in_words(self.alpha)} have the same {column}."
        if self.l > 1:
            words += f" There are at least {self.l} different values of {column} among them."
        if self.entropy_l is not None:
            words += f" Values of {column} are as even among them as {_number(self.entropy_l)} equally frequent ones."
        return " ".join((words, *self.closeness.sentences(column, self.l)))

    def _sentence_about_people(self) -> str:
        listed, column = columns_in_words(self.quasi), columns_in_words(self.sensitive) if self.sensitive else ""
        words = f"For every row, rows of at least {self.k} different people have the same {listed}."
        if self.alpha is not None:
            words += f" Of these people, at most {share_in_words(self.alpha)} have the same {column} in such rows."
        if self.l > 1:
            without = "1 of these people does" if self.l == 2 else f"{self.l - 1} of these people do"
            words += f" There are at least {self.l} different values of {column} among them, and"
            words += f" of each value, at least {without} not have it."
        return words

    def to_json(self) -> dict[str, Any]:
        facts = {"type": self.kind, "k": self.k, "quasi": list(self.quasi)}
        facts |= stated(self, "person", "sensitive", "alpha", "l", "entropy_l", "suppress")
        facts |= stated(self, "least_presence", "most_presence", "k_map")
        return facts | self.closeness.to_json() | stated(self, "min_people")

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> KAnonymity:
        found = parameters.fields_in(cls, facts)
        return cls(**found | {"closeness": Closeness.from_json(facts)})


@dataclass(frozen=True, slots=True)
class XYAnonymity(StoredGuarantee):
    """Rows with the same values in the columns `x` have at least `k` different values in the columns `y`.

    Several columns in `y` count together, by the combination of their values.

    >>> XYAnonymity(3, ("age", "sex"), "disease").sentence()
    'Every age and sex goes with at least 3 different values of disease.'
    """

    kind: ClassVar[str] = "xy-anonymity"

    k: int
    x: tuple[str, ...]
    y: tuple[str, ...]

    def __post_init__(self) -> None:
        settle(self, k=require_integer("k", self.k, 1, "it is a number of different values."))
        for name in ("x", "y"):
            settle(self, **{name: column_names(name, getattr(self, name))})
            if not getattr(self, name):
                raise InvalidParameter(f"{name} must name at least one column, but names none.")
        both = set(self.x) & set(self.y)
        if both:
            raise InvalidParameter(f"x and y must be different columns, but {min(both)!r} is in both.")

    def sentence(self) -> str:
        x, y = columns_in_words(self.x), columns_in_words(self.y)
        return f"Every {x} goes with at least {self.k} different values of {y}."

    def to_json(self) -> dict[str, Any]:
        return {"type": self.kind, "k": self.k, "x": list(self.x), "y": list(self.y)}


def column_names(what: str, given: object) -> tuple[str, ...]:
    """Return names of columns without repeats; a single string is one name.

    >>> column_names("quasi", "age"), column_names("quasi", ["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    names = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise InvalidParameter(f"{what} must be names of columns, got {kind_of(wrong[0])}.")
    if len(set(names)) < len(names):
        raise InvalidParameter(f"{what} names a column twice: {', '.join(names)}.")
    return names


def columns_in_words(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def share_in_words(share: Fraction) -> str:
    return f"{share.numerator} in {share.denominator}"
