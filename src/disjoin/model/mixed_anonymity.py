"""Guarantee of mixed data: known columns together with up to m known terms."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

from disjoin.errors import InvalidParameter, described, kind_of
from disjoin.model.k_anonymity import KAnonymity, columns_in_words, share_in_words
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.parameters import MinPeople, StoredGuarantee, settle, stated
from disjoin.model.spelling import folded

_EXCLUSION = re.compile(r"(?P<term>.+):(?P<column>[^:=]+)=(?P<values>.+)", re.DOTALL)


class Exclusion(NamedTuple):
    """A term that no person with one of `values` in `column` has; a final * means all terms that begin so.

    >>> Exclusion.read("O80*:sex=m|male")
    Exclusion(term='O80*', column='sex', values=('m', 'male'))
    >>> Exclusion.read("O80:age=0..9").values
    ('[0, 9]',)
    >>> Exclusion.read("O80*:sex=m").is_about("o80.1"), str(Exclusion.read("O80:sex=m"))
    (True, 'O80:sex=m')
    """

    term: str
    column: str
    values: tuple[str, ...]

    @classmethod
    def read(cls, text: object) -> Exclusion:
        """Read TERM:COLUMN=VALUE, or several values separated by bars."""
        found = _EXCLUSION.fullmatch(text.strip()) if isinstance(text, str) else None
        values = tuple(sorted({_value(text) for text in found["values"].split("|")})) if found else ()
        if found is None or not all(values) or found["term"].strip() in ("", "*"):
            wanted = "a term and values of a column, such as O80:sex=m or O80*:sex=m|male"
            raise InvalidParameter(f"an exclusion is {wanted}, got {described(text)}.")
        return cls(found["term"].strip(), found["column"].strip(), values)

    def __str__(self) -> str:
        return f"{self.term}:{self.column}={'|'.join(self.values)}"

    def is_about(self, term: str) -> bool:
        """Return whether a term is the excluded one, or begins like it, in any spelling."""
        if self.term.endswith("*"):
            return folded(term).startswith(folded(self.term[:-1] + "x")[:-1])  # a blank before the * counts
        return folded(term) == folded(self.term)

    def in_words(self) -> str:
        """Return the exclusion as a clause.

        >>> Exclusion.read("O80:sex=m|male").in_words()
        'O80 never occurs with sex m or male'
        """
        return f"{self.term} never occurs with {self.column} {' or '.join(self.values)}"


def _value(text: str) -> str:
    low, dots, high = text.strip().partition("..")
    return f"[{low.strip()}, {high.strip()}]" if dots and low.strip() and high.strip() else text.strip()


def exclusions_from(given: object) -> tuple[Exclusion, ...]:
    if isinstance(given, str):
        given = (given,)
    if not isinstance(given, Iterable):
        raise InvalidParameter(f"exclusions must be a list such as O80:sex=m, got {kind_of(given)}.")
    return tuple(sorted({each if isinstance(each, Exclusion) else Exclusion.read(each) for each in given}))


@dataclass(frozen=True, slots=True)
class MixedAnonymity(StoredGuarantee):
    """An attacker who knows the columns `quasi` of a person and up to `m` of their terms finds `k` candidates.

    Sensitive terms (`sensitive`) and `l` are as in `KmAnonymity`. Among the rows of a cluster with the same published
    quasi-identifiers at most a share of `alpha` has the same value of a column of `sensitive_columns`, and there are
    `column_l` different ones. `without_terms`: people may have no term at all. The attacker may also know the
    `exclusions`: terms that never occur with values. At least `min_people` have each published term and sensitive
    value.

    >>> print(MixedAnonymity(5, 2, ("age", "sex")).sentence())
    An attacker who knows the age and sex of a person and up to 2 of their terms finds at \
least 5 candidates.
    """

    kind: ClassVar[str] = "mixed-anonymity"

    k: int
    m: int
    quasi: tuple[str, ...]
    l: int = 1  # noqa: E741 - the papers' name
    sensitive: tuple[str, ...] = ()
    sensitive_columns: tuple[str, ...] = ()
    alpha: Fraction | None = None
    column_l: int = 1
    without_terms: bool = False
    exclusions: tuple[Exclusion, ...] = ()
    min_people: MinPeople | None = None

    def __post_init__(self) -> None:
        terms = KmAnonymity(self.k, self.m, self.l, self.sensitive)
        columns = KAnonymity(terms.k, self.quasi, self.sensitive_columns, self.alpha, self.column_l)
        checked = {name: getattr(terms, name) for name in ("k", "m", "l", "sensitive")}
        checked |= {"quasi": columns.quasi, "sensitive_columns": columns.sensitive, "alpha": columns.alpha}
        checked |= {"column_l": columns.l, "exclusions": exclusions_from(self.exclusions)}
        settle(self, **checked)
        if not isinstance(self.without_terms, bool):
            raise InvalidParameter(f"without_terms must be true or false, got {described(self.without_terms)}.")
        for exclusion in self.exclusions:
            if exclusion.column not in self.quasi:
                known = columns_in_words(self.quasi)
                raise InvalidParameter(f"an exclusion is about one of {known}, got one about {exclusion.column!r}.")

    @property
    def of_terms(self) -> KmAnonymity:
        """The guarantee against an attacker who knows only terms."""
        return KmAnonymity(self.k, self.m, self.l, self.sensitive)

    @property
    def of_columns(self) -> KAnonymity:
        """The guarantee for the rows in every cluster."""
        return KAnonymity(self.k, self.quasi, self.sensitive_columns, self.alpha, self.column_l)

    def sentence(self) -> str:
        terms = "1 of their terms" if self.m == 1 else f"up to {self.m} of their terms"
        known_columns = columns_in_words(self.quasi)
        who = f"An attacker who knows the {known_columns} of a person and {terms}"
        words = f"{who} finds at least {self.k} candidates."
        if self.sensitive:
            words += self.of_terms.sentence().removeprefix(KmAnonymity(self.k, self.m).sentence())
        column = columns_in_words(self.sensitive_columns) if self.sensitive_columns else ""
        limits = [f"at most {share_in_words(self.alpha)} have the same {column}"] if self.alpha is not None else []
        limits += [f"there are at least {self.column_l} different values of {column}"] * (self.column_l > 1)
        if limits:
            words += f" Among rows of a cluster with the same published {known_columns}, {' and '.join(limits)}."
        if self.exclusions:
            known = "; ".join(exclusion.in_words() for exclusion in self.exclusions)
            words += f" The attacker may also know this: {known}."
        counted = f"terms and values of {column}" if column else "terms"
        return words + (self.min_people.sentence(counted) if self.min_people else "")

    def to_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"type": self.kind, "k": self.k, "m": self.m, "quasi": list(self.quasi)}
        if self.sensitive:
            facts |= {"l": self.l, "sensitive": list(self.sensitive)}
        facts |= stated(self, "sensitive_columns", "alpha", "column_l", "without_terms")
        if self.exclusions:
            facts["exclusions"] = [str(exclusion) for exclusion in self.exclusions]
        return facts | stated(self, "min_people")
