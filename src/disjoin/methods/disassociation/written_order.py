"""HORPART with the tie rule `first`, which reads the records in the order of the input.

It exists to reproduce AS23's tables: what it publishes depends on the input's order, so it is never the default. Each
part is read anew for every split; the tie rule `lex` has a fast kernel instead.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.methods.disassociation.horpart import ABANDON_NEXT, ADDING, LISTING
from disjoin.model import Transactions
from disjoin.model.arrays import Ints32, Ints64

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
