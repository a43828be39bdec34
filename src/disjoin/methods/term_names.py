"""Terms as people give them to a method, and as messages name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from disjoin.errors import InvalidParameter, described

_LONGEST_NAME = 60
_MOST_NAMES = 12


def terms_of(terms: Iterable[str] | str | None) -> tuple[str, ...]:
    """Return sensitive terms, sorted and each once; a single string is one term.

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
    """Return terms for a message: in quotes, harmless, shortened, and the first of very many only.

    With `noun` they follow it (in the plural if need be); with `facts`, each is followed by its own.

    >>> named(["hiv"], "term"), named(["flu", "hiv"], "term"), named(["hiv"], facts={"hiv": "3 records"})
    ("term 'hiv'", "terms 'flu', 'hiv'", "'hiv' (3 records)")
    """
    every = list(terms)
    shown = [
        repr(term if len(term) <= _LONGEST_NAME else term[: _LONGEST_NAME - 1] + "…")
        + (f" ({facts[term]})" if facts else "")
        for term in every[:_MOST_NAMES]
    ]
    more = [f"and {len(every) - _MOST_NAMES:,} more"] if len(every) > _MOST_NAMES else []
    plural = "" if len(every) == 1 or not noun else "s"
    return f"{noun}{plural} {', '.join(shown + more)}".strip()
