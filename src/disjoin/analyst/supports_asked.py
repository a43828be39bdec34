"""Itemsets as people give them: lists of sets, single terms, Arrow arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter

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
        raise InvalidParameter(f"{_WANTED}, got {type(given).__name__}.")
    return given.tolist() if isinstance(given, np.ndarray) else given


def _itemset(given: Any, number: int) -> list[str]:
    if isinstance(given, str):
        return [_term(given, number)]
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        given = given.to_pylist()
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise InvalidParameter(f"{_WANTED}; itemset {number} (from 0) is {_shown(given)}.")
    return sorted({_term(term, number) for term in given})


def _term(given: Any, number: int) -> str:
    if isinstance(given, pa.StringScalar):
        given = given.as_py()
    if not isinstance(given, str):
        raise InvalidParameter(f"a term is a string; itemset {number} (from 0) has {_shown(given)}.")
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError:
            raise InvalidParameter(f"a term is UTF-8 text; itemset {number} (from 0) has {given!a}.") from None
    return str(given)


def _shown(given: object) -> str:
    text = repr(given)
    return f"{text if len(text) <= 60 else text[:59] + '…'} ({type(given).__name__})"
