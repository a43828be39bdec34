"""Bags of records as rows: form and order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from disjoin.model import Bag
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.verify.forest import MOST_RECORDS, cuts, is_countable, is_text, ranked
from disjoin.verify.group_arrays import SHOWN, sorting
from disjoin.verify.inspection import Finding


@dataclass(frozen=True, slots=True)
class Rows:
    """The arrays of a `Bag`, with items renumbered so that comparing items compares terms, and sorted in each row.

    Made from any addressable `Bag`: equal terms have equal numbers even where the vocabulary repeats them. `untidy`
    are the rows whose items had another order. Repeats stay.
    """

    names: pa.StringArray  # strictly ascending
    offsets: Ints64  # (rows + 1,)
    items: Ints32
    counts: Ints64  # (rows,)
    untidy: Flags  # (rows,)

    @classmethod
    def of(cls, bag: Bag) -> Rows:
        """Read a bag whose offsets and items are known to be addressable."""
        names, numbers = ranked(bag.vocabulary)
        items = bag.items if numbers is None else numbers[bag.items]
        order, untidy = sorting(bag.offsets, items)
        return cls(names, bag.offsets, items if order is None else items[order], bag.counts, untidy)

    def __len__(self) -> int:
        return self.counts.size

    @property
    def whole(self) -> Ints64:
        """Offsets that make one part of all rows, for loops that count in parts."""
        return np.array([0, len(self)], dtype=np.int64)

    def terms(self, items: Iterable[int]) -> tuple[str, ...]:
        """Return the terms of some items, as many as an example shows."""
        return tuple(self.names[int(item)].as_py() for item in list(items)[:SHOWN])

    def row(self, row: int) -> Ints32:
        """Return the items of a row."""
        return self.items[self.offsets[row] : self.offsets[row + 1]]

    def supports(self) -> Ints64:
        """Return how many records each term is in. Needs tidied rows."""
        supports = np.zeros(len(self.names), dtype=np.int64)
        np.add.at(supports, self.items, np.repeat(self.counts, np.diff(self.offsets)))
        return supports

    def repeats(self) -> Ints64:
        """Return the positions of items that their row has before."""
        row_of = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        return 1 + np.flatnonzero((row_of[1:] == row_of[:-1]) & (self.items[1:] == self.items[:-1]))

    def tidied(self) -> Rows:
        """Return the rows without repeated items, and without rows that stand for no record.

        Only rows that were refused lose anything; this lets other invariants be judged all the same.
        """
        repeats = self.repeats()
        if not repeats.size and (self.counts >= 1).all():
            return self
        row_of = np.repeat(np.arange(len(self)), np.diff(self.offsets))
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
        """Return one finding for all rows that are wrong in the same way, at the first of them; none for none."""
        if not wrong.size:
            return []
        first = int(wrong[0])
        others = f" So it is in {wrong.size:,} rows." if wrong.size > 1 else ""
        return [Finding(invariant, message + others, first, example=self.terms(self.row(first)), part="row")]


WARNING = "the order may tell something about the original."


def check_readable(bag: Bag, invariant: str) -> list[Finding]:
    """Return what makes the arrays unreadable: offsets, lengths, item numbers, magnitudes, text that is no text."""
    rows, terms = bag.counts.size, len(bag.vocabulary)
    broken = {
        "the offsets do not cut the items into rows, one for every count; the release is damaged.": not cuts(
            bag.offsets, rows, bag.items.size
        ),
        "the vocabulary is not valid UTF-8 text.": not is_text(bag.vocabulary),
        f"items name terms outside the vocabulary, which has {terms}.": bag.items.size > 0
        and not (int(bag.items.min()) >= 0 and int(bag.items.max()) < terms),
        f"the counts add up to more than {MOST_RECORDS}; they cannot be numbers of records.": not is_countable(
            bag.counts
        ),
    }
    return [Finding(invariant, message) for message, is_broken in broken.items() if is_broken]


def check_structure(vocabulary: pa.StringArray, rows: Rows, invariant: str) -> list[Finding]:
    """Check that terms are named and distinct, no row is empty, repeated or repeats a term, counts are at least 1."""
    twice = rows.repeats()
    with_twice = np.unique(np.searchsorted(rows.offsets, twice, side="right") - 1)
    uncounted = np.flatnonzero(rows.counts < 1)
    least = int(rows.counts[uncounted[0]]) if uncounted.size else 0
    return [
        *unnamed(vocabulary, "the vocabulary", invariant),
        *rows.finding(invariant, "it has no terms, at least 1 is needed.", np.flatnonzero(np.diff(rows.offsets) == 0)),
        *rows.finding(invariant, f"it stands for {least} records, at least 1 is needed.", uncounted),
        *rows.finding(invariant, "it has a term twice.", with_twice),
        *rows.finding(invariant, "a row before it is the same; its count should say how often.", _repeated(rows)),
    ]


def check_order(vocabulary: pa.StringArray, rows: Rows, invariant: str) -> list[Finding]:
    """Check that terms ascend in a row, rows among themselves (repeats are another matter), and the vocabulary.

    Every term of the vocabulary is used: one that is not betrays what was left out.
    """
    from disjoin.verify.counting.crowds import signs_of_neighbours

    signs = signs_of_neighbours(rows.whole, rows.offsets, rows.items)
    findings = [
        *rows.finding(invariant, f"its terms are not sorted: {WARNING}", np.flatnonzero(rows.untidy)),
        *rows.finding(invariant, f"the row before it should come after it: {WARNING}", np.flatnonzero(signs > 0)),
    ]
    if not is_ascending(vocabulary):
        findings.append(Finding(invariant, f"the vocabulary is not sorted: {WARNING}"))
    used = np.zeros(len(rows.names), dtype=np.bool_)
    used[rows.items] = True
    unused = np.flatnonzero(~used)
    if unused.size:
        message = f"{unused.size} terms of the vocabulary are in no row: they betray what was left out."
        findings.append(Finding(invariant, message, example=rows.terms(unused[:SHOWN])))
    return findings


def is_ascending(terms: pa.StringArray) -> bool:
    """Tell whether terms are in code-point order; repeats are another matter, and a null counts as empty."""
    import pyarrow.compute as pc

    if terms.null_count:
        terms = terms.fill_null("")
    return len(terms) < 2 or bool(pc.all(pc.less_equal(terms[:-1], terms[1:])).as_py())


def unnamed(terms: pa.StringArray, where: str, invariant: str) -> list[Finding]:
    """Return what is wrong with a list in which every term should be named, and named once."""
    import pyarrow.compute as pc

    if (
        not terms.null_count
        and pc.count_distinct(terms).as_py() == len(terms)
        and not pc.any(pc.equal(terms, "")).as_py()
    ):
        return []
    times = Counter(term or "" for term in terms.to_pylist())
    blank = times.pop("", 0)
    twice = tuple(sorted(term for term, count in times.items() if count > 1))
    findings = [Finding(invariant, f"{blank} terms of {where} are empty or missing.")] if blank else []
    if twice:
        findings.append(Finding(invariant, f"terms are in {where} more than once.", example=twice[:SHOWN]))
    return findings


def _repeated(rows: Rows) -> Ints64:
    """Return the rows that are equal to one before them."""
    from disjoin.verify.counting.crowds import first_equal, places_for, signs_of_neighbours

    if (signs_of_neighbours(rows.whole, rows.offsets, rows.items) < 0).all():
        return np.empty(0, dtype=np.int64)  # sorted and distinct, as it should be
    first = first_equal(np.zeros(len(rows), dtype=np.int64), rows.offsets, rows.items, places_for(len(rows)))
    return np.flatnonzero(first != np.arange(first.size))
