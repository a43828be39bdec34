"""Fewer records than there are: a part that is chosen by what records are, and the first ones, to warm up with."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from disjoin.model import Transactions
from disjoin.model.guarantee import require_integer
from disjoin.model.ragged import Ints64, ranks_of

Hashes = NDArray[np.uint64]
WARM_UP = 2_000  # records: enough that large clusters, which are packed in another way, occur
_STEP = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiples of it never meet


def part_of(data: Transactions, records: int) -> Transactions:
    """Return that many records, or all if there are no more: those with the smallest hashes.

    A hash is of a record's terms and of which of the equal records it is, so that equal records are drawn one by one
    and the order of the input has no say. The same file gives the same part.

    >>> data = Transactions.from_sets([{"tea"}, {"tea", "milk"}, {"jam"}, {"tea"}])
    >>> len(part_of(data, 3)), len(part_of(data, 9))
    (3, 4)
    """
    records = require_integer("records", records, 1, "it is the number of records to take.")
    if records >= len(data):
        return data
    return _taken(data, np.sort(np.argsort(_hashes(data), kind="stable")[:records]))


def first_of(data: Transactions, k: int) -> Transactions:
    """Return the first records, as many as it takes for crowds of k and for code to be loaded and compiled."""
    return _taken(data, np.arange(min(len(data), max(WARM_UP, 4 * k))))


def _taken(data: Transactions, chosen: Ints64) -> Transactions:
    """Return some records, without the terms that none of them has."""
    rows = data.records.take(chosen)
    used = rows.used(data.n_terms)
    sensitive = None if data.sensitive is None else data.sensitive[used]
    return Transactions(rows.offsets, ranks_of(used)[rows.items], data.vocabulary.take(np.flatnonzero(used)), sensitive)


def _hashes(data: Transactions) -> Hashes:
    """Return a number for every record, different for equal ones."""
    of_terms = np.array([_hash(term) for term in data.vocabulary.to_pylist()], np.uint64)
    of_sets = _mixed(data.records.sums(of_terms[data.items]))
    return _mixed(of_sets + _copy_numbers(of_sets) * _STEP)


def _hash(term: str) -> int:
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), "little")


def _copy_numbers(hashes: Hashes) -> Hashes:
    """Count, for every record, the equal ones before it."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    lengths = np.diff(np.append(starts, hashes.size))
    numbers = np.empty(hashes.size, np.uint64)
    numbers[order] = np.arange(hashes.size) - np.repeat(starts, lengths)
    return numbers


def _mixed(numbers: Hashes) -> Hashes:
    """Spread numbers over all 64 bits, so that similar ones are far apart (the finaliser of MurmurHash3)."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        numbers = (numbers ^ (numbers >> np.uint64(33))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(33))
