"""Cells that contain lists of values."""

from __future__ import annotations

from typing import NamedTuple
from unicodedata import category

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.model.ragged import Ints64

_STRONG = (";", "|", "\n", "\t")  # seldom part of a name
_WEAK = (",",)  # often part of a name: "bag, red"
_LEAST_SHARE = 0.05  # of the cells
_FEWEST_CELLS = 2
_BLANKS = " \t\r\n"


class ListedCells(NamedTuple):
    """What parts the lists, what share of the cells are lists, and the form of the most frequent of them.

    The form has other letters and digits, as messages show no data.
    """

    separator: str
    share: float
    form: str


class _Parts(NamedTuple):
    """The parts of the cells that have a separator, without blank and repeated ones."""

    owners: Ints64  # (parts,), the cell of each
    codes: Ints64  # (parts,)
    is_first: NDArray[np.bool_]  # (parts,), whether it begins its cell
    names: pa.StringArray  # (distinct parts,)


def lists_in(cells: pa.StringArray, counts: Ints64) -> ListedCells | None:
    """Return how distinct cells, with how often each occurs, look like lists; None if they do not.

    A part of a list is known from elsewhere: it also occurs alone, or it begins one cell and follows in another. Of a
    name with a comma, such as "bag, red", the parts keep their places and are seldom alone. So a cell is a list if all
    its parts are known; half of them, if names seldom have the separator or all parts are codes with digits. Cells
    look like lists if one in twenty is a list.

    >>> codes = pa.array(["I10;E11.9", "E11.9;J45", "J45", "I10"])
    >>> lists_in(codes, np.array([4, 2, 1, 1]))
    ListedCells(separator=';', share=0.75, form='A99;A99.9')
    >>> lists_in(pa.array(["bag, red", "bag, blue", "box, red"]), np.array([4, 2, 1])) is None
    True
    """
    total = int(counts.sum())
    found = [_lists(cells, counts, separator, total) for separator in (*_STRONG, *_WEAK)]
    return max((one for one in found if one is not None), key=lambda one: one.share, default=None)


def _lists(cells: pa.StringArray, counts: Ints64, separator: str, total: int) -> ListedCells | None:
    has_separator = np.asarray(pc.match_substring(cells, separator))
    weights = counts[has_separator]
    if not _are_many(int(weights.sum()), total):
        return None
    listed = cells.filter(pa.array(has_separator))
    parts = _parts(listed, separator)
    n_parts = np.bincount(parts.owners, minlength=len(listed))
    known, codes = (np.bincount(parts.owners, w, len(listed)) for w in (_known(parts, cells), _are_codes(parts)))
    is_easy = (codes == n_parts) | (separator not in _WEAK)
    is_list = (n_parts > 1) & (known >= np.where(is_easy, n_parts / 2, n_parts))
    if separator == ",":
        is_list &= _are_no_decimals(listed, n_parts, is_list)
    occurrences = int(weights[is_list].sum())
    if not _are_many(occurrences, total):
        return None
    example = listed[int(np.argmax(np.where(is_list, weights, -1)))].as_py()
    return ListedCells(separator, occurrences / total, _form_of(example))


def _form_of(example: str) -> str:
    shapes = {"Lu": "A", "Ll": "a", "Nd": "9"}
    return "".join(shapes.get(category(letter), letter if letter.isascii() else "a") for letter in example[:60])


def _are_many(occurrences: int, total: int) -> bool:
    return occurrences >= max(_FEWEST_CELLS, _LEAST_SHARE * total)


def _parts(listed: pa.StringArray, separator: str) -> _Parts:
    split = pc.split_pattern(listed, separator)
    texts = pc.utf8_trim(split.flatten(), _BLANKS)
    kept = np.asarray(pc.not_equal(texts, ""))
    owners = np.asarray(pc.list_parent_indices(split), np.int64)[kept]
    coded = texts.filter(pa.array(kept)).dictionary_encode()
    codes = np.asarray(coded.indices, np.int64)
    _, once = np.unique(owners * max(1, len(coded.dictionary)) + codes, return_index=True)  # no part twice in a cell
    once.sort()
    owners, codes = owners[once], codes[once]
    is_first = np.ones(owners.size, np.bool_)
    is_first[1:] = owners[1:] != owners[:-1]
    return _Parts(owners, codes, is_first, coded.dictionary)


def _known(parts: _Parts, cells: pa.StringArray) -> NDArray[np.float64]:
    """Tell (1 or 0) of every part whether it occurs alone, or begins one cell and follows in another."""
    alone = np.asarray(pc.is_in(parts.names, value_set=pc.utf8_trim(cells, _BLANKS)))
    begins, follows = np.zeros(alone.size, np.bool_), np.zeros(alone.size, np.bool_)
    begins[parts.codes[parts.is_first]] = True
    follows[parts.codes[~parts.is_first]] = True
    known: NDArray[np.float64] = (alone | (begins & follows))[parts.codes].astype(np.float64)
    return known


def _are_codes(parts: _Parts) -> NDArray[np.float64]:
    """Tell (1 or 0) of every part whether it is a code, such as E11.9: one word with a digit in it."""
    is_code = np.asarray(pc.match_substring_regex(parts.names, r"^[A-Za-z0-9._:-]*[0-9][A-Za-z0-9._:-]*$"))
    codes: NDArray[np.float64] = is_code[parts.codes].astype(np.float64)
    return codes


def _are_no_decimals(
    listed: pa.StringArray, n_parts: NDArray[np.int64], is_list: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell which cells are no numbers such as 3,5; where others have three parts, none is meant as one."""
    if np.any(is_list & (n_parts > 2)):
        return np.ones(len(listed), np.bool_)
    return ~np.asarray(pc.match_substring_regex(listed, r"^\s*[+-]?[0-9]+,[0-9]+\s*$"))
