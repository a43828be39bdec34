"""HORPART and its strategies for small parts: which records stand together (TLMS12; AS23; NAG22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.disassociation.horpart import ABANDON, ABANDON_NEXT, ADDING, LISTING
from disjoin.model import Transactions
from disjoin.model.ragged import Ints32, Ints64, offsets_of

Part = list[int]


def split_in_written_order(
    data: Transactions, records: Ints32, rule: int, largest: int, least: int
) -> tuple[Ints32, Ints64]:
    """Split records into clusters, most frequent term first, among equals the one that is read first."""
    if data.written is None:
        raise InvalidParameter(
            "ties='first' needs the terms in the order of the source; read the data with keep_order=True."
        )
    reader = _Reader(data)
    always = frozenset() if data.sensitive is None else frozenset(np.flatnonzero(data.sensitive).tolist())
    if rule == ADDING:
        clusters = _adding(reader, records.tolist(), always, largest, least)
    else:
        clusters = _listing(reader, records.tolist(), always, largest, least if rule != LISTING else 0, rule)
    return np.array([r for c in clusters for r in c], np.int32), np.array([len(c) for c in clusters], np.int64)


class _Reader:
    """Gives the terms of a record in written order."""

    def __init__(self, data: Transactions) -> None:
        assert data.written is not None
        cuts, items = data.offsets.tolist(), data.written.tolist()
        self.terms = [items[a:b] for a, b in pairwise(cuts)]

    def candidates(self, part: Part, ignored: frozenset[int]) -> list[tuple[int, int]]:
        """List (term, count), most frequent first; a Counter keeps the order of first sight, and sorting is stable."""
        counts = Counter(term for record in part for term in self.terms[record] if term not in ignored)
        return sorted(counts.items(), key=lambda entry: -entry[1])

    def split(self, part: Part, term: int) -> tuple[Part, Part]:
        """Separate the records with the term from those without, in order."""
        return [r for r in part if term in self.terms[r]], [r for r in part if term not in self.terms[r]]


def _listing(reader: _Reader, records: Part, always: frozenset[int], largest: int, least: int, rule: int) -> list[Part]:
    stack, saved = [(records, always)], []
    while stack:
        part, ignored = stack.pop()
        chosen = None
        if len(part) >= largest:
            for term, count in reader.candidates(part, ignored):
                if count == len(part):
                    ignored |= {term}
                elif min(count, len(part) - count) >= least:
                    chosen = term
                    break
                elif rule != ABANDON_NEXT:
                    break
        if chosen is None:
            saved.append(part)
            continue
        left, right = reader.split(part, chosen)
        stack += [(right, ignored), (left, ignored | {chosen})]
    return saved


def _adding(reader: _Reader, records: Part, always: frozenset[int], largest: int, least: int) -> list[Part]:
    stack, saved = [(records, always)], []
    while stack:
        part, ignored = stack.pop()
        candidates = reader.candidates(part, ignored) if len(part) >= largest else []
        if candidates:
            term = candidates[0][0]
            left, right = reader.split(part, term)
            stack += [(right, ignored)] * bool(right) + [(left, ignored | {term})]
        elif len(part) >= least:
            saved.append(part)
        elif stack:
            waiting, also_ignored = stack[-1]
            stack[-1] = (waiting + part, also_ignored | ignored)
        else:
            saved[-1] = saved[-1] + part
    return saved


Splitter = Callable[[Ints32, int], tuple[Ints32, Ints64]]  # records, rule -> records in order, cluster sizes


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Records in the order of their clusters, and the clusters' sizes; suppressed records are in none."""

    records: Ints32
    sizes: Ints64

    @property
    def ends(self) -> Ints64:
        """Where clusters begin and end: `records[ends[i]:ends[i + 1]]` is cluster i."""
        return offsets_of(self.sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Splitting:
    """What a strategy works with: the splitter, the limits on cluster sizes and the records' content for sorting."""

    split: Splitter
    largest: int  # exclusive
    least: int
    content: Callable[[Ints32], Ints32]  # records -> the same, sorted by content


def abandon(records: Ints32, how: Splitting) -> Partition:
    """Leave a part whole when splitting would make a small one (AS23's "original")."""
    return Partition(*how.split(records, ABANDON))


def abandon_next(records: Ints32, how: Splitting) -> Partition:
    """Try the next most frequent term when splitting would make a small part."""
    return Partition(*how.split(records, ABANDON_NEXT))


def adding(records: Ints32, how: Splitting) -> Partition:
    """Add a small part to the next one that waits, or else to the last cluster."""
    return Partition(*how.split(records, ADDING))


def suppression(records: Ints32, how: Splitting) -> Partition:
    """Leave the records of small parts out of the release."""
    saved, _ = _large_and_small(*how.split(records, LISTING), how.least)
    if saved.sizes.size == 0:
        raise GuaranteeUnreachable(nothing_left(how.least))
    return saved


def nothing_left(least: int) -> str:
    """Say that the strategy 'suppression' would suppress everything."""
    return (
        f"no cluster reaches {least} records, so the strategy 'suppression' would suppress everything. "
        "Choose another strategy, a smaller k or a larger max_cluster_size."
    )


def remaining(records: Ints32, how: Splitting) -> Partition:
    """Collect the records of small parts and start over with them, as long as that saves any."""
    return in_passes(records, how, PASSES["remaining"])


def cardiff(records: Ints32, how: Splitting) -> Partition:
    """Like `remaining`, but start over once only and cut what is left into equal blocks (NAG22)."""
    return in_passes(records, how, PASSES["cardiff"])


PASSES = {"remaining": None, "cardiff": 2}  # before what is left is cut into blocks; None: as long as it helps


def in_passes(left: Ints32, how: Splitting, passes: int | None) -> Partition:
    """Split records, collect those of small parts and start over; after that many passes cut the rest into blocks."""
    done: list[Partition] = []
    number = 0
    while left.size >= how.least:
        if number == passes:
            done.append(chop(left, how))
            left = left[:0]
            break
        saved, left = _large_and_small(*how.split(left, LISTING), how.least)
        number += 1
        if saved.sizes.size == 0:  # nothing shrinks any more
            saved, left = chop(left, how), left[:0]
        done.append(saved)
    sizes = np.concatenate([part.sizes for part in done])
    sizes[-1] += left.size  # fewer than `least` are left: the last cluster takes them
    return Partition(np.concatenate([*(part.records for part in done), left]), sizes)


def _large_and_small(records: Ints32, sizes: Ints64, least: int) -> tuple[Partition, Ints32]:
    """Separate the clusters that may be published from the records of those that may not."""
    is_large = np.repeat(sizes >= least, sizes)
    return Partition(records[is_large], sizes[sizes >= least]), records[~is_large]


def chop(records: Ints32, how: Splitting) -> Partition:
    """Cut records, sorted by content, into blocks of nearly equal size, each of at least `least` records."""
    return Partition(how.content(records), block_sizes(records.size, how.largest, how.least))


def block_sizes(n: int, largest: int, least: int) -> Ints64:
    """Return the sizes of the blocks that `n` records are cut into.

    >>> block_sizes(10, 5, 2).tolist()
    [4, 3, 3]
    """
    blocks = max(1, min(-(-n // (largest - 1)), n // least))
    size, larger = divmod(n, blocks)
    sizes = np.full(blocks, size, np.int64)
    sizes[:larger] += 1
    return sizes
