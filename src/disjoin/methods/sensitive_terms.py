"""Sensitive terms: those declared by name or prefix. Another spelling of one (`b20` for `B20`) means the same to a
reader: it is refused, or treated as sensitive, but never published as an ordinary term."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from disjoin.errors import InvalidParameter, Remedy, described
from disjoin.model.spelling import folded, in_quotes
from disjoin.text import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from disjoin.model.ragged import Ints64

_LONGEST_NAME = 60
_MOST_NAMES = 12


def terms_of(terms: Iterable[str] | str | None) -> tuple[str, ...]:
    """Return sensitive terms, sorted and without repeats; a single string is one term.

    >>> terms_of(["flu", 7, "flu"])
    ('7', 'flu')
    """
    if terms is None:
        return ()
    try:
        given = {terms} if isinstance(terms, str) else set(terms)
    except TypeError:
        raise InvalidParameter(f"sensitive must be a list of terms, got {described(terms)}.") from None
    wrong = [term for term in given if not isinstance(term, (str, int)) or isinstance(term, bool)]
    if wrong:
        raise InvalidParameter(f"a sensitive term must be a string, got {described(wrong[0])}.")
    return tuple(sorted(str(term) for term in given))


def named(terms: Iterable[str], noun: str = "", facts: Mapping[str, str] | None = None) -> str:
    """Return terms for a message: in quotes, escaped, shortened, and only the first of very many. With `noun` they
    follow it (in the plural if needed); with `facts`, each is followed by its own fact.

    >>> named(["hiv"], "term"), named(["flu", "hiv"], "term"), named(["hiv"], facts={"hiv": "3 records"})
    ("term 'hiv'", "terms 'flu', 'hiv'", "'hiv' (3 records)")
    """
    every = list(terms)
    shown = [
        in_quotes(term if len(term) <= _LONGEST_NAME else term[: _LONGEST_NAME - 1] + "…")
        + (f" ({facts[term]})" if facts else "")
        for term in every[:_MOST_NAMES]
    ]
    more = [f"and {len(every) - _MOST_NAMES:,} more"] if len(every) > _MOST_NAMES else []
    plural = "" if len(every) == 1 or not noun else "s"
    return f"{noun}{plural} {', '.join(shown + more)}".strip()


MATCHES = ("exact", "loose")
MATCH_HELP = "refuse other spellings of a sensitive term (case, blanks around it, width), or treat them as sensitive"
MISSING_HELP = "continue if a sensitive term does not occur in the data"
ANY = "*"  # at the end of a declared term: all terms that begin with what is before it


class CountedTerms(Protocol):
    """Terms and their numbers of records: `Transactions`, or facts about records that are stored elsewhere."""

    @property
    def vocabulary(self) -> pa.StringArray:
        """All terms, in order."""

    def supports(self) -> Ints64: ...

    def sensitive_terms(self) -> tuple[str, ...]:
        """Return the terms that are marked as sensitive."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sensitive terms of the data, and the declared ones that do not occur; both are sorted."""

    terms: tuple[str, ...]
    missing: tuple[str, ...]

    def notes(self) -> list[str]:
        """Return notes on declared terms that do not occur; they are not published."""
        if not self.missing:
            return []
        rest = "" if self.terms else " No other was declared, so nothing is treated as sensitive."
        return [f"not in the data, and ignored: the sensitive {named(self.missing, 'term')}.{rest}"]


def require_declared(method: Any) -> None:
    """Raise unless the settings about sensitive terms make sense, whatever the data are."""
    if not isinstance(method.allow_missing_sensitive, bool):  # show only its type: it may list the terms
        raise InvalidParameter(
            f"allow_missing_sensitive must be true or false, got {type(method.allow_missing_sensitive).__name__}."
        )
    empty = [term for term in method.sensitive if term.endswith(ANY) and not folded(term.removesuffix(ANY))]
    if empty:
        raise InvalidParameter(
            f"a sensitive term that ends with * means all terms that begin like it, but {empty[0]!r} would mean "
            "all terms. Write their common beginning before the *."
        )


def chosen_terms(method: Any, data: CountedTerms, more: Iterable[str] = ()) -> Chosen:
    """Return the terms to treat as sensitive: declared ones, those marked in the data, and `more`. Raises if the data
    have other spellings that may not be added, or if a required declared term does not occur."""
    marked = {*data.sensitive_terms(), *more}
    if not method.sensitive and not marked:
        return Chosen((), ())
    supports = data.supports()
    occurring = data.vocabulary.take(supports.nonzero()[0]).to_pylist()
    declared, loosely = _Patterns(method.sensitive), _Patterns(method.sensitive, _folded_pattern)
    sensitive = marked | {term for term in occurring if declared.of(term)}
    spellings = {folded(term) for term in sensitive}
    alike = [
        term
        for term in occurring
        if term not in sensitive and ((other := folded(term)) in spellings or loosely.of(other))
    ]
    if alike and method.sensitive_match == "exact":
        by_term = dict(zip(data.vocabulary.to_pylist(), supports.tolist(), strict=True))
        counts = {term: counted(by_term[term], "record") for term in alike}
        raise InvalidParameter(
            "sensitive terms must have one spelling, but the data have others: "
            f"{named(sorted(alike), '', counts)}. Correct the data.",
            remedies=[Remedy("sensitive_match", "loose", "treat other spellings as sensitive, too")],
        )
    found = set[str]().union(*map(declared.of, sensitive), *(loosely.of(folded(term)) for term in alike))
    missing = tuple(term for term in method.sensitive if term not in found)
    if missing and not method.allow_missing_sensitive:
        raise InvalidParameter(
            f"every sensitive term must occur in the data, but nothing is found for the {named(missing, 'term')}. "
            "Check the spelling.",
            remedies=[Remedy("allow_missing_sensitive", True, "publish without them")],
        )
    return Chosen(tuple(sorted(sensitive.union(alike))), missing)


def _folded_pattern(term: str) -> str:
    """Return the form of a declared term for comparisons: blanks before a * are part of the prefix."""
    return folded(term[:-1] + "x")[:-1] + ANY if term.endswith(ANY) else folded(term)


class _Patterns:
    """Declared terms to compare others with; `spelled` has the spelling of the declared ones for this comparison."""

    def __init__(self, declared: Iterable[str], spelled: Callable[[str], str] = str) -> None:
        self._whole: dict[str, set[str]] = {}
        self._beginnings: dict[str, set[str]] = {}
        for term in declared:
            is_beginning, written = term.endswith(ANY), spelled(term)
            where = self._beginnings if is_beginning else self._whole
            where.setdefault(written.removesuffix(ANY) if is_beginning else written, set()).add(term)
        self._lengths = sorted({len(beginning) for beginning in self._beginnings})

    def of(self, term: str) -> set[str]:
        """Return the declared terms that match a term: equal to it, or a prefix of it."""
        found = [self._beginnings.get(term[:length], set()) for length in self._lengths]
        return self._whole.get(term, set()).union(*found)
