"""Count what goes together with an itemset: word by word where items are dense, row by row where they are sparse.

Items are known by rank, the most frequent first. An itemset is extended by more frequent items only, so every itemset
is met once, coming from the one without its most frequent item.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.kernels.compiling import inner, kernel

_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_TOTAL = np.uint64(0x0101010101010101)
_ONE, _TWO, _FOUR, _TOP_BYTE = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


class Store(NamedTuple):
    """The rows as a miner wants them; all ranks with fewer than `bits.shape[0]` are dense and have bits."""

    items: Any  # (ranks,), the item of each rank
    supports: Any  # (ranks,)
    offsets: Any  # (rows + 1,)
    ranks: Any  # of each row, ascending
    weights: Any  # (rows,)
    starts: Any  # (ranks + 1,)
    rows: Any  # that have each rank, ascending
    bits: Any  # (dense ranks, words)
    word_weights: Any  # (words,), of each of the rows that have their bits in a word
    enters: Any  # (ranks,), numbers of nodes in a walk through the hierarchy, a parent before its children
    leaves: Any  # (ranks,), the number after that of the last descendant


@inner
def ones(word):
    """Count the bits that are set."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _TOTAL) >> _TOP_BYTE)


@kernel
def filled_bits(starts, rows, places, n_dense, n_words):
    """Return a bit for every row that has a dense rank, at the row's place."""
    bits = np.zeros((n_dense, n_words), dtype=np.uint64)
    for rank in range(n_dense):
        for at in range(starts[rank], starts[rank + 1]):
            place = places[rows[at]]
            bits[rank, place >> 6] |= _ONE << np.uint64(place & 63)
    return bits


@inner
def are_related(store, one, other):
    """Tell whether one rank is the other or an ancestor of it."""
    if store.enters[one] > store.enters[other]:
        one, other = other, one
    return store.enters[other] < store.leaves[one]


@inner
def may_join(store, rank, members, size):
    """Tell whether a rank is related to none of the members."""
    met = 0
    for i in range(size):
        met += are_related(store, rank, members[i])
    return met == 0


@inner
def count_words(store, members, size, tallies, common):
    """Tally with bits: the members are all dense."""
    for word in range(common.size):
        common[word] = store.bits[members[0], word]
    for i in range(1, size):
        for word in range(common.size):
            common[word] &= store.bits[members[i], word]
    for rank in range(members[0]):
        total = 0
        for word in range(common.size):
            total += store.word_weights[word] * ones(common[word] & store.bits[rank, word])
        tallies[rank] = total


@inner
def count_rows(store, members, size, tallies):
    """Tally row by row, over the rows of the least frequent member."""
    for rank in range(members[0]):
        tallies[rank] = 0
    rarest = members[size - 1]
    for at in range(store.starts[rarest], store.starts[rarest + 1]):
        row = store.rows[at]
        first, end = store.offsets[row], store.offsets[row + 1]
        seen, position = 0, first
        while seen < size and position < end and store.ranks[position] <= members[seen]:
            seen += store.ranks[position] == members[seen]
            position += 1
        if seen < size:
            continue
        for position in range(first, end):
            if store.ranks[position] >= members[0]:
                break
            tallies[store.ranks[position]] += store.weights[row]


@inner
def tally(store, members, size, tallies, common):
    """Set `tallies` of all ranks before the first of `members` (ranks, ascending) to their supports with them all."""
    if members[size - 1] < store.bits.shape[0]:
        count_words(store, members, size, tallies, common)
    else:
        count_rows(store, members, size, tallies)
