"""P1: arrays, sizes, counts and lists are well formed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from disjoin.model import Groups
from disjoin.model.ragged import Ints32, Ints64
from disjoin.verify.chunks import sums_by_row
from disjoin.verify.forest import MOST_RECORDS, cuts, is_countable, is_text
from disjoin.verify.group_arrays import SHOWN, Crowds, in_group
from disjoin.verify.inspection import Finding


def check_readable(published: Groups) -> list[Finding]:
    """Return what makes the arrays unreadable: offsets, lengths, item numbers, magnitudes, text that is no text."""
    findings = _unfit_lengths(published)
    if not is_text(published.vocabulary):
        findings.append(Finding("P1", "the vocabulary is not valid UTF-8 text."))
    return findings or _unfit_items(published) + _unfit_magnitudes(published)


def check_structure(vocabulary: pa.StringArray, crowds: Crowds) -> list[Finding]:
    """Return every other breach of P1, in groups that can be read and the vocabulary that came with them."""
    return _vocabulary(vocabulary, crowds) + _numbers(crowds) + _repeats(crowds)


def _unfit_lengths(published: Groups) -> list[Finding]:
    groups = published.sizes.size
    records = published.item_offsets.size - 1
    tables = {  # name: (offsets, how many rows they cut, length of what they cut)
        "record_offsets": (published.record_offsets, groups, records),
        "item_offsets": (published.item_offsets, records, published.items.size),
        "sensitive_offsets": (published.sensitive_offsets, groups, published.sensitive_items.size),
    }
    findings = [
        Finding("P1", f"{name} does not cut its table into consecutive rows; the release is damaged.")
        for name, (offsets, rows, length) in tables.items()
        if not cuts(offsets, rows, length)
    ]
    if groups == 0:
        findings.append(Finding("P1", "there is no group, so nothing is published."))
    if published.counts.size != records:
        findings.append(Finding("P1", f"{published.counts.size} counts for {records} records."))
    found, needed = published.sensitive_counts.size, published.sensitive_items.size
    if found != needed:
        findings.append(Finding("P1", f"{found} sensitive counts for {needed} sensitive items."))
    return findings


def _unfit_items(published: Groups) -> list[Finding]:
    terms = len(published.vocabulary)
    return [
        Finding("P1", f"{name} names terms outside the vocabulary, which has {terms}.")
        for name, items in (("items", published.items), ("sensitive_items", published.sensitive_items))
        if items.size and not (int(items.min()) >= 0 and int(items.max()) < terms)
    ]


def _unfit_magnitudes(published: Groups) -> list[Finding]:
    columns = {
        "sizes": published.sizes,
        "counts": published.counts,
        "sensitive counts": published.sensitive_counts,
    }
    return [
        Finding("P1", f"the {name} add up to more than {MOST_RECORDS}; they cannot be numbers of records.")
        for name, numbers in columns.items()
        if not is_countable(numbers)
    ]


def _vocabulary(vocabulary: pa.StringArray, crowds: Crowds) -> list[Finding]:
    findings = []
    if not crowds.names.equals(vocabulary) or (len(vocabulary) and not vocabulary[0].as_py()):
        findings += _untidy_vocabulary([term or "" for term in vocabulary.to_pylist()])
    used = np.zeros(len(crowds.names), dtype=np.bool_)
    used[crowds.items] = True
    used[crowds.sensitive_items] = True
    unused = np.flatnonzero(~used)
    if unused.size:
        message = f"{unused.size} terms of the vocabulary are in no group: they betray what was left out."
        findings.append(Finding("P1", message, example=crowds.terms(unused[:SHOWN])))
    return findings


def _untidy_vocabulary(terms: list[str]) -> list[Finding]:
    findings = []
    times = Counter(terms)
    blank = times.pop("", 0)
    twice = tuple(sorted(term for term, count in times.items() if count > 1))
    if blank:
        findings.append(Finding("P1", f"{blank} terms of the vocabulary are empty or missing."))
    if twice:
        findings.append(Finding("P1", "terms are in the vocabulary more than once.", example=twice[:SHOWN]))
    if terms != sorted(terms):
        findings.append(Finding("P1", "the vocabulary is not sorted."))
    return findings


def _numbers(crowds: Crowds) -> list[Finding]:
    listed = sums_by_row(crowds.record_offsets, crowds.counts)
    lacking = np.flatnonzero(np.diff(crowds.record_offsets) == 0)
    wrong = np.flatnonzero((listed != crowds.sizes) & (np.diff(crowds.record_offsets) > 0))
    findings = [
        in_group("P1", f"its size is {crowds.sizes[group]}, at least 1 is needed.", group)
        for group in np.flatnonzero(crowds.sizes < 1)
    ]
    findings += [in_group("P1", "it lists no records, at least 1 is needed.", group) for group in lacking]
    findings += [
        in_group("P1", f"its records add up to {listed[group]}, and its size is {crowds.sizes[group]}.", group)
        for group in wrong
    ]
    for row in np.flatnonzero(crowds.counts < 1):
        message = f"a record stands for {crowds.counts[row]} records, at least 1 is needed."
        findings.append(in_group("P1", message, crowds.record_groups[row], crowds.terms(crowds.record(int(row)))))
    for entry in np.flatnonzero(crowds.sensitive_counts < 1):
        message = f"a sensitive item is in {crowds.sensitive_counts[entry]} records, at least 1 is needed."
        example = crowds.terms(crowds.sensitive_items[[entry]])
        findings.append(in_group("P1", message, crowds.sensitive_groups[entry], example))
    return findings


def _repeats(crowds: Crowds) -> list[Finding]:
    rows = np.repeat(np.arange(crowds.counts.size), np.diff(crowds.item_offsets))
    within_record = _twice(rows, crowds.items)
    within_list = _twice(crowds.sensitive_groups, crowds.sensitive_items)
    findings = [
        in_group("P1", "a record has an item twice.", group, crowds.terms([item]))
        for group, item in zip(crowds.record_groups[rows[within_record]], crowds.items[within_record], strict=True)
    ]
    for row in repeated_records(crowds):
        message = "a record is listed twice, its count should say how often it is there."
        findings.append(in_group("P1", message, crowds.record_groups[row], crowds.terms(crowds.record(int(row)))))
    for entry in within_list:
        example = crowds.terms(crowds.sensitive_items[[entry]])
        findings.append(in_group("P1", "a sensitive item is listed twice.", crowds.sensitive_groups[entry], example))
    return findings


def _twice(rows: Ints64, items: Ints32) -> Ints64:
    """Return the entries that repeat the one before them; rows ascend, and the items inside a row do."""
    return 1 + np.flatnonzero((rows[1:] == rows[:-1]) & (items[1:] == items[:-1]))


def repeated_records(crowds: Crowds) -> Ints64:
    """Return the records that their group has listed before."""
    from disjoin.verify.counting.crowds import first_equal, places_for, signs_of_neighbours

    if (signs_of_neighbours(crowds.record_offsets, crowds.item_offsets, crowds.items) < 0).all():
        return np.empty(0, dtype=np.int64)  # sorted and distinct, as it should be
    first = first_equal(crowds.record_groups, crowds.item_offsets, crowds.items, places_for(crowds.counts.size))
    return np.flatnonzero(first != np.arange(first.size))


WARNING = "the order may tell which parts belong together."


def check_order_inside(crowds: Crowds) -> list[Finding]:
    """P4 inside groups: the items of a record, the records and the sensitive items ascend (repeats are P1's)."""
    from disjoin.verify.counting.crowds import signs_of_neighbours

    signs = signs_of_neighbours(crowds.record_offsets, crowds.item_offsets, crowds.items)
    breaches = {
        "the items of a record": np.unique(crowds.record_groups[crowds.untidy]),
        "its records": np.unique(crowds.record_groups[signs > 0]),
        "its sensitive items": np.flatnonzero(crowds.untidy_lists),
    }
    return [
        in_group("P4", f"{what} are not sorted: {WARNING}", group)
        for what, groups in breaches.items()
        for group in groups
    ]


def check_order_between(crowds: Crowds) -> list[Finding]:
    """P4 between groups: they ascend by size, list of records and list of sensitive items, repeats written out.

    Needs groups with P1 that are sorted inside.
    """
    from disjoin.verify.counting.crowds import groups_out_of_order

    return [
        in_group("P4", f"group {group - 1} should come after it: {WARNING}", group)
        for group in np.flatnonzero(groups_out_of_order(crowds.sizes, crowds.rows, crowds.secrets))
    ]
