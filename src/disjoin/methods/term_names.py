"""Terms as people give them to a method."""

from __future__ import annotations

from collections.abc import Iterable

from disjoin.errors import InvalidParameter, described


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
