"""Count what goes together with an itemset: word by word where items are dense, row by row where they are sparse.

Items are known by rank, the most frequent first. An itemset is extended by more frequent items only, so every itemset
is met once, coming from the one without its most frequent item. Only items that make a frequent pair with every member
are counted.
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

RANK, SUPPORT = range(2)  # lines of what is found


class Store(NamedTuple):
    """The rows that have three ranks or more, as a miner wants them; the first `bits.shape[0]` ranks are dense."""

    items: Any  # (ranks,), the item of each rank
    pair_starts: Any  # (ranks + 1,)
    partners: Any  # more frequent ranks with which each rank makes a frequent pair, ascending
    pair_supports: Any
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
    """Count the bits that are set, pairs first, then fours, then bytes; the product adds all bytes into the top one."""
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
def pair_support(store, rank, partner):
    """Return the support of a pair, 0 if it is not frequent; the partner is the more frequent one."""
    low, high = store.pair_starts[rank], store.pair_starts[rank + 1]
    while low < high:
        middle = (low + high) // 2
        if store.partners[middle] < partner:
            low = middle + 1
        else:
            high = middle
    if low < store.pair_starts[rank + 1] and store.partners[low] == partner:
        return store.pair_supports[low]
    return 0


@inner
def candidates(store, members, size, floor, found):
    """Write the ranks before the first member, with their least pair supports, that make frequent pairs with all."""
    n = 0
    for at in range(store.pair_starts[members[0]], store.pair_starts[members[0] + 1]):
        least = store.pair_supports[at]
        i = 1
        while i < size and least >= floor:
            least = min(least, pair_support(store, members[i], store.partners[at]))
            i += 1
        if least >= floor:
            found[RANK, n] = store.partners[at]
            found[SUPPORT, n] = least
            n += 1
    return n


@inner
def count_words(store, members, size, found, n, common):
    """Set the supports of the candidates with bits: all ranks in question are dense."""
    for word in range(common.size):
        common[word] = store.bits[members[0], word]
    for i in range(1, size):
        for word in range(common.size):
            common[word] &= store.bits[members[i], word]
    for i in range(n):
        total = 0
        for word in range(common.size):
            total += store.word_weights[word] * ones(common[word] & store.bits[found[RANK, i], word])
        found[SUPPORT, i] = total


@inner
def count_rows(store, members, size, found, n, tallies):
    """Set the supports of the candidates row by row, over the rows of the least frequent member."""
    for i in range(n):
        tallies[found[RANK, i]] = 0
    rarest, last = members[size - 1], found[RANK, n - 1]
    for at in range(store.starts[rarest], store.starts[rarest + 1]):
        row = store.rows[at]
        first, end = store.offsets[row], store.offsets[row + 1]
        if store.ranks[first] > last:
            continue
        seen, position = 0, first
        while seen < size and position < end and store.ranks[position] <= members[seen]:
            seen += store.ranks[position] == members[seen]
            position += 1
        if seen < size:
            continue
        position = first
        while store.ranks[position] <= last:
            tallies[store.ranks[position]] += store.weights[row]
            position += 1
    for i in range(n):
        found[SUPPORT, i] = tallies[found[RANK, i]]


@inner
def extensions(store, members, size, floor, found, tallies, common):
    """Write all more frequent ranks that have at least a support of `floor` with all members, and these supports.

    `members` are ranks, ascending; `floor` is not below the least support of a frequent pair. Returns their number.
    """
    n = candidates(store, members, size, floor, found)
    if size == 1 or n == 0:
        return n
    if members[size - 1] < store.bits.shape[0]:
        count_words(store, members, size, found, n, common)
    else:
        count_rows(store, members, size, found, n, tallies)
    kept = 0
    for i in range(n):
        if found[SUPPORT, i] >= floor:
            found[RANK, kept], found[SUPPORT, kept] = found[RANK, i], found[SUPPORT, i]
            kept += 1
    return kept
