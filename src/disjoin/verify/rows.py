"""Comparison of records as bags: canonical order, and equality of two bags."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.model import Bag
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.verify.counting.equal_records import first_equal, places_for, signs_of_neighbours
from disjoin.verify.forest import cuts, is_text, ranked, sorting, summed, uncountable, unnamed, unused
from disjoin.verify.inspection import Finding, examples


@dataclass(frozen=True, slots=True)
class Rows:
    """The arrays of a `Bag`, sorted and renumbered as in `Forest`; `untidy` rows were unsorted; repeats remain."""

    names: pa.StringArray  # strictly ascending
    offsets: Ints64  # (rows + 1,)
    items: Ints32
    counts: Ints64  # (rows,)
    untidy: Flags  # (rows,)

    @classmethod
    def of(cls, bag: Bag) -> Rows:
        names, numbers = ranked(bag.vocabulary)
        items = bag.items if numbers is None else numbers[bag.items]
        order, untidy = sorting(bag.offsets, items)
        return cls(names, bag.offsets, items if order is None else items[order], bag.counts, untidy)

    def __len__(self) -> int:
        return self.counts.size

    @property
    def whole(self) -> Ints64:
        """Offsets that make all rows one part, for loops that count in parts."""
        return np.array([0, len(self)], dtype=np.int64)

    def owners(self) -> Ints64:
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def row(self, row: int) -> Ints32:
        return self.items[self.offsets[row] : self.offsets[row + 1]]

    def supports(self) -> Ints64:
        """Return how many records each term is in. Needs tidied rows."""
        return summed(self.items, np.repeat(self.counts, np.diff(self.offsets)), len(self.names))

    def repeats(self) -> Ints64:
        return twice(self.owners(), self.items)

    def tidied(self) -> Rows:
        """Return the rows without repeated items and uncounted rows, so that other invariants can be checked."""
        repeats = self.repeats()
        if not repeats.size and (self.counts >= 1).all():
            return self
        row_of = self.owners()
        kept = self.counts >= 1
        items_kept = kept[row_of]
        items_kept[repeats] = False
        lengths = np.bincount(row_of[items_kept], minlength=len(self))[kept]
        return replace(
            self,
            offsets=offsets_of(lengths),
            items=self.items[items_kept],
            counts=self.counts[kept],
            untidy=self.untidy[kept],
        )

    def finding(self, invariant: str, message: str, wrong: Ints64) -> list[Finding]:
        """Return one finding for all rows with the same error, at the first of them; none if there are none."""
        if not wrong.size:
            return []
        first = int(wrong[0])
        others = f" This concerns {wrong.size:,} rows." if wrong.size > 1 else ""
        return [Finding(invariant, message + others, first, example=examples(self.names, self.row(first)), part="row")]


WARNING = "the order may reveal something about the original."


def check_readable(bag: Bag, invariant: str) -> list[Finding]:
    findings = []
    if not cuts(bag.offsets, bag.counts.size, bag.items.size):
        message = "the offsets do not cut the items into rows, one for every count; the release is damaged."
        findings.append(Finding(invariant, message))
    if not is_text(bag.vocabulary):
        findings.append(Finding(invariant, "the vocabulary is not valid UTF-8 text."))
    terms = len(bag.vocabulary)
    if bag.items.size and not (int(bag.items.min()) >= 0 and int(bag.items.max()) < terms):
        findings.append(Finding(invariant, f"items name terms outside the vocabulary, which has {terms}."))
    return findings + uncountable(invariant, {"counts": bag.counts})


def check_structure(vocabulary: pa.StringArray, rows: Rows, invariant: str) -> list[Finding]:
    """Check that terms are named and distinct, no row is empty, repeated or repeats a term, counts are at least 1."""
    with_twice = np.unique(np.searchsorted(rows.offsets, rows.repeats(), side="right") - 1)
    uncounted = np.flatnonzero(rows.counts < 1)
    least = int(rows.counts[uncounted[0]]) if uncounted.size else 0
    again = repeated(np.zeros(len(rows), dtype=np.int64), rows.whole, rows.offsets, rows.items)
    return [
        *unnamed(vocabulary, "the vocabulary", invariant),
        *rows.finding(invariant, "it has no terms.", np.flatnonzero(np.diff(rows.offsets) == 0)),
        *rows.finding(invariant, f"its count is {least}, but at least 1 is needed.", uncounted),
        *rows.finding(invariant, "it has a term twice.", with_twice),
        *rows.finding(invariant, "an earlier row is equal; give their number as its count.", again),
    ]


def check_order(vocabulary: pa.StringArray, rows: Rows, invariant: str) -> list[Finding]:
    """Check that terms ascend in a row, rows ascend (except repeats), and the vocabulary ascends and is used."""
    signs = signs_of_neighbours(rows.whole, rows.offsets, rows.items)
    findings = [
        *rows.finding(invariant, f"its terms are not sorted: {WARNING}", np.flatnonzero(rows.untidy)),
        *rows.finding(invariant, f"the row before it must come after it: {WARNING}", np.flatnonzero(signs > 0)),
    ]
    if not is_ascending(vocabulary):
        findings.append(Finding(invariant, f"the vocabulary is not sorted: {WARNING}"))
    return findings + unused(rows.names, (rows.items,), "row", invariant)


def is_ascending(terms: pa.StringArray) -> bool:
    """Return whether terms are in code-point order, repeats allowed; a null counts as empty."""
    if terms.null_count:
        terms = terms.fill_null("")
    return len(terms) < 2 or bool(pc.all(pc.less_equal(terms[:-1], terms[1:])).as_py())


def twice(rows: Ints64, items: Ints32) -> Ints64:
    """Return the entries that repeat the one before them; rows ascend, and so do the items inside a row."""
    return 1 + np.flatnonzero((rows[1:] == rows[:-1]) & (items[1:] == items[:-1]))


def repeated(groups: Ints64, group_offsets: Ints64, offsets: Ints64, items: Ints32) -> Ints64:
    """Return the rows that equal an earlier one in their group; `groups` has the group of each row."""
    if (signs_of_neighbours(group_offsets, offsets, items) < 0).all():
        return np.empty(0, dtype=np.int64)  # sorted and distinct, as required
    first = first_equal(groups, offsets, items, places_for(groups.size))
    return np.flatnonzero(first != np.arange(first.size))
