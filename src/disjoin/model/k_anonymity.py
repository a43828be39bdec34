"""The promises of generalised tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from disjoin.errors import InvalidParameter, described, kind_of, require_kind
from disjoin.model.closeness import NONE, Closeness
from disjoin.model.guarantee import fraction_from, require_integer
from disjoin.model.min_people import MinPeople, require_threshold, stored


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every row has the same values in the columns `quasi` as at least `k` - 1 others: they form a class.

    In no class does a larger share than `alpha` have the same value in a `sensitive` column; every class has at
    least `l` different values there, and values as even as `entropy_l` equally frequent ones (entropy at least the
    logarithm of it). `closeness` limits how far a class is from the whole table. All of these hold for each sensitive
    column by itself.

    With `suppress`, at most that share of the rows has `*`, or what includes all values, in every quasi-identifier.
    Starred rows are a class as all others are.

    With `k_map`, what a row says of its quasi-identifiers fits that many people of a population that the table is a
    part of. `least_presence` and `most_presence` limit the chance that any of them is in the table (delta-presence).

    With `min_people`, no published value of another column is had by fewer people.

    With `person`, the column of the original that says whose a row is, people are counted, not rows: a class has rows
    of `k` different people ((X,Y)-anonymity with X the quasi-identifiers and Y the person), at most a share of `alpha`
    of them have the same sensitive value in rows of the class, and whichever of its `l` or more values one takes,
    `l` - 1 of them do not have it there.

    >>> KAnonymity(5, ("age", "sex")).sentence()
    'Every row has the same age and sex as at least 4 others.'
    >>> KAnonymity(5, ("age", "sex"), person="patient").sentence()
    'Whatever age and sex a row has, rows of at least 5 different people have the same.'
    """

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
        require_threshold(self.min_people)
        object.__setattr__(self, "k", require_integer("k", self.k, 2, "with fewer than 2 rows nobody is hidden."))
        object.__setattr__(self, "l", require_integer("l", self.l, 1, "it counts different sensitive values."))
        for name in ("quasi", "sensitive"):
            object.__setattr__(self, name, column_names(name, getattr(self, name)))
        if not self.quasi:
            raise InvalidParameter("quasi must name at least one column: what somebody may know of a person.")
        both = set(self.quasi) & set(self.sensitive)
        if both:
            raise InvalidParameter(f"a column has one role, {min(both)!r} is named as quasi and as sensitive.")
        if self.alpha is not None:
            object.__setattr__(self, "alpha", fraction_from("alpha", self.alpha))
            if not 0 < self.alpha <= 1:
                raise InvalidParameter(f"alpha must be above 0 and at most 1, got {self.alpha}: it is a share.")
        if self.entropy_l is not None:
            object.__setattr__(self, "entropy_l", fraction_from("entropy_l", self.entropy_l))
            if self.entropy_l < 1:
                raise InvalidParameter(f"entropy_l must be at least 1, got {self.entropy_l}: it counts values.")
        if self.suppress is not None:
            object.__setattr__(self, "suppress", fraction_from("suppress", self.suppress))
            if not 0 < self.suppress < 1:
                raise InvalidParameter(f"suppress must be above 0 and below 1, got {self.suppress}: it is a share.")
        self._require_crowd()
        require_kind(self.closeness, Closeness, "closeness as a Closeness")
        if self.closeness.c is not None and self.l < 2:
            raise InvalidParameter(
                "c is that of recursive (c,l)-diversity, which needs an l of at least 2. Say l, too."
            )
        self._require_person()
        if not self.sensitive and self.is_about_sensitive:
            limits = "alpha, l, entropy_l, c, t, beta and delta"
            raise InvalidParameter(f"{limits} need a sensitive column, and none is named.")

    def _require_crowd(self) -> None:
        """Raise if what is promised of a population cannot be."""
        if self.k_map is not None:
            why = "it counts people who fit a row."
            object.__setattr__(self, "k_map", require_integer("k_map", self.k_map, 1, why))
        for name in ("least_presence", "most_presence"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, fraction_from(name, given))
                if not 0 <= getattr(self, name) <= 1:
                    raise InvalidParameter(f"{name} must be from 0 to 1, got {getattr(self, name)}: it is a share.")
        if self.presence is not None and self.presence[0] > self.presence[1]:
            raise InvalidParameter(
                f"least_presence must be at most most_presence, got {self.least_presence} and {self.most_presence}."
            )

    def _require_person(self) -> None:
        """Raise if people cannot be counted by what is said of them."""
        if self.person is None:
            return
        if not isinstance(self.person, str) or not self.person:
            raise InvalidParameter(f"person must be the name of one column, got {type(self.person).__name__}.")
        if self.person in (*self.quasi, *self.sensitive):
            raise InvalidParameter(f"a column has one role, {self.person!r} is named as person and as another.")
        if self.entropy_l is not None:
            raise InvalidParameter(
                "entropy_l is about rows, and with person it is people who count. Ask for alpha or l instead."
            )
        if self.closeness:
            raise InvalidParameter(
                "c, t, beta and delta are about rows, and with person it is people who count. Ask for alpha or l."
            )

    @property
    def is_about_sensitive(self) -> bool:
        """Whether anything is promised about sensitive columns."""
        return self.alpha is not None or self.l > 1 or self.entropy_l is not None or bool(self.closeness)

    @property
    def presence(self) -> tuple[Fraction, Fraction] | None:
        """The least and the largest chance that somebody of the population is in the table; None if not limited."""
        if self.least_presence is None and self.most_presence is None:
            return None
        return self.least_presence or Fraction(0), Fraction(1) if self.most_presence is None else self.most_presence

    @property
    def is_about_population(self) -> bool:
        """Whether anything is promised about people outside the table."""
        return self.k_map is not None or self.presence is not None

    @property
    def proven(self) -> bool:
        """Whether a proof is claimed: always."""
        return True

    def with_proof(self) -> KAnonymity:
        """Return the same promise, with a claim that it is proven."""
        return self

    def sentence(self) -> str:
        """Say the promise in words."""
        words = self._sentence_about_rows() if self.person is None else self._sentence_about_people()
        words += self._sentences_about_population()
        if self.suppress is not None:
            words += f" At most {share_in_words(self.suppress)} of the rows are starred: they say nothing there."
        return words + (self.min_people.sentence("values of other columns") if self.min_people else "")

    def _sentences_about_population(self) -> str:
        words = ""
        if self.k_map is not None:
            fits = f"What a row says of {columns_in_words(self.quasi)} fits at least {self.k_map} people"
            words += f" {fits} of the population that the table is a part of."
        if self.presence is not None:
            low, high = self.presence
            limits = [f"at least {share_in_words(low)}"] * (low > 0) + [f"at most {share_in_words(high)}"] * (high < 1)
            limits = limits or ["anything"]
            words += f" Anybody of the population is in the table with a chance of {' and '.join(limits)}."
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
        words = f"Whatever {listed} a row has, rows of at least {self.k} different people have the same."
        if self.alpha is not None:
            words += f" Of these people, at most {share_in_words(self.alpha)} have the same {column} in such rows."
        if self.l > 1:
            without = "1 of these people does" if self.l == 2 else f"{self.l - 1} of these people do"
            words += (
                f" There are at least {self.l} different values of {column} among them, and whichever one takes, at "
                f"least {without} not have it."
            )
        return words

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON."""
        facts: dict[str, Any] = {"type": "k-anonymity", "k": self.k, "quasi": list(self.quasi)}
        if self.person is not None:
            facts["person"] = self.person
        if self.sensitive:
            facts["sensitive"] = list(self.sensitive)
        if self.alpha is not None:
            facts["alpha"] = str(self.alpha)
        if self.l > 1:
            facts["l"] = self.l
        if self.entropy_l is not None:
            facts["entropy_l"] = str(self.entropy_l)
        shares = {name: getattr(self, name) for name in ("suppress", "least_presence", "most_presence")}
        facts |= {name: str(share) for name, share in shares.items() if share is not None}
        if self.k_map is not None:
            facts["k_map"] = self.k_map
        return facts | self.closeness.to_json() | stored(self.min_people)

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> KAnonymity:
        """Read the promise back from JSON."""
        require_kind(facts, dict, "the facts of a guarantee as a dict")
        if facts.get("type") != "k-anonymity":
            raise InvalidParameter(f"expected a guarantee of type k-anonymity, found {described(facts.get('type'))}")
        quasi, sensitive = facts.get("quasi", ()), facts.get("sensitive", ())
        limits = (facts.get("alpha"), facts.get("l", 1), facts.get("entropy_l"))
        more: dict[str, Any] = {name: facts.get(name) for name in ("person", "suppress", "k_map")}
        more |= {name: facts.get(name) for name in ("least_presence", "most_presence")}
        more["min_people"] = MinPeople.from_json(facts)
        return cls(facts.get("k", 0), quasi, sensitive, *limits, closeness=Closeness.from_json(facts), **more)


@dataclass(frozen=True, slots=True)
class XYAnonymity:
    """Everyone who has the same values in the columns `x` as somebody has one of at least `k` different values in `y`.

    Several columns in `y` count together: what counts is their combination.

    >>> XYAnonymity(3, ("age", "sex"), "disease").sentence()
    'Every age and sex goes with at least 3 different values of disease.'
    """

    k: int
    x: tuple[str, ...]
    y: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", require_integer("k", self.k, 1, "it counts different values."))
        for name in ("x", "y"):
            object.__setattr__(self, name, column_names(name, getattr(self, name)))
            if not getattr(self, name):
                raise InvalidParameter(f"{name} must name at least one column, and names none.")
        both = set(self.x) & set(self.y)
        if both:
            raise InvalidParameter(f"x and y must be different columns, {min(both)!r} is in both.")

    def sentence(self) -> str:
        """Say the promise in words."""
        x, y = columns_in_words(self.x), columns_in_words(self.y)
        return f"Every {x} goes with at least {self.k} different values of {y}."

    def to_json(self) -> dict[str, Any]:
        """Return the promise as plain JSON."""
        return {"type": "xy-anonymity", "k": self.k, "x": list(self.x), "y": list(self.y)}

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> XYAnonymity:
        """Read the promise back from JSON."""
        require_kind(facts, dict, "the facts of a guarantee as a dict")
        if facts.get("type") != "xy-anonymity":
            raise InvalidParameter(f"expected a guarantee of type xy-anonymity, found {described(facts.get('type'))}")
        return cls(facts.get("k", 0), facts.get("x", ()), facts.get("y", ()))


def column_names(what: str, given: object) -> tuple[str, ...]:
    """Return names of columns, each once; a single string is one name.

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
    """Return names as one says them: age, sex and postcode."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def share_in_words(share: Fraction) -> str:
    """Return a share as one says it: 1 in 3."""
    return f"{share.numerator} in {share.denominator}"


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"
