"""Itemsets as people give them: lists of sets, single terms, Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter, kind_of
from disjoin.escaping import legible
from disjoin.model import GeneralizedItems, NoisyRecords, Release
from disjoin.model.published import require_sets

_MOST_NAMED, _LONGEST = 12, 60
_WANTED = "expected itemsets, such as [['tea', 'milk'], 'tea']"


def itemsets_from(given: object) -> list[list[str]]:
    """Return itemsets as sorted lists of distinct terms; a string is the itemset of one term.

    >>> itemsets_from([{"tea", "milk"}, "jam", ()])
    [['milk', 'tea'], ['jam'], []]
    """
    if isinstance(given, str):
        return [[_term(given, 0)]]
    return [_itemset(itemset, number) for number, itemset in enumerate(_rows(given))]


def _rows(given: Any) -> Iterable[Any]:
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return given.to_pylist()  # type: ignore[no-any-return]
    if isinstance(given, (bytes, Mapping, pa.Table)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}, got {kind_of(given)}.")
    return given.tolist() if isinstance(given, np.ndarray) else given


def _itemset(given: Any, number: int) -> list[str]:
    if isinstance(given, str):
        return [_term(given, number)]
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        given = given.to_pylist()
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}; itemset {number} (from 0) is {kind_of(given)}.")
    return sorted({_term(term, number) for term in given})


def _term(given: Any, number: int) -> str:
    if isinstance(given, pa.StringScalar):
        given = given.as_py()
    if not isinstance(given, str):
        raise InvalidParameter(f"a term is a string; itemset {number} (from 0) has {kind_of(given)}.")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError:
            raise InvalidParameter(f"a term is UTF-8 text; itemset {number} (from 0) has another.") from None
    return str(given)


def unknown_terms(release: Release, itemsets: pa.ChunkedArray) -> list[str]:
    """Return the terms asked for that a release does not have; of generalised records no such name is answered."""
    published = require_sets(release.published, "support")
    if isinstance(published, GeneralizedItems):
        return []
    vocabulary = published.records.vocabulary if isinstance(published, NoisyRecords) else published.vocabulary
    asked = {term for itemset in itemsets.to_pylist() for term in itemset}
    return sorted(asked.difference(vocabulary.to_pylist()))


def unknown_in_words(terms: list[str]) -> str:
    """Say which terms the release does not have.

    >>> unknown_in_words(["coffee"]), unknown_in_words(["coffee", "milk, 1 l"])
    ('1 term is not in the release: coffee.', '2 terms are not in the release: coffee, "milk, 1 l".')
    """
    shown = [_as_typed(term) for term in terms[:_MOST_NAMED]]
    more = [f"and {len(terms) - _MOST_NAMED:,} more"] if len(terms) > _MOST_NAMED else []
    many = "1 term is" if len(terms) == 1 else f"{len(terms):,} terms are"
    return f"{many} not in the release: {', '.join(shown + more)}."


def _as_typed(term: str) -> str:
    """Return a term as it is written on the command line: in quotes if it has a comma or a quote, and harmless."""
    text = legible(term)
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return f'"{text.replace(chr(34), 2 * chr(34))}"' if not text or {",", '"'} & {*text} else text
