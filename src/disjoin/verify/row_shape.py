"""What every bag of records must be, whatever is promised: readable, well formed, and in canonical order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from disjoin.model import Bag
from disjoin.model.arrays import Ints64
from disjoin.verify.finding import Finding
from disjoin.verify.group_arrays import SHOWN
from disjoin.verify.rows import Rows
from disjoin.verify.shape import MOST_RECORDS, cuts, is_countable, is_text

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
