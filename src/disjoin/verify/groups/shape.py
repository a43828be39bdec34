"""Groups as the verifier reads them, and P1 and P4: well-formed tables in canonical order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import index
from typing import SupportsIndex

import numpy as np
import pyarrow as pa

from disjoin.model import Groups
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.counting.equal_records import groups_out_of_order, signs_of_neighbours
from disjoin.verify.forest import (
    check_vocabulary,
    is_text,
    ranked,
    sorting,
    sums_by_row,
    uncountable,
    unfit_items,
    unfit_offsets,
)
from disjoin.verify.inspection import ORDER_WARNING, Finding, examples
from disjoin.verify.rows import repeated, twice


@dataclass(frozen=True, slots=True)
class GroupArrays:
    """The arrays of `Groups`, sorted and renumbered as in `Forest`; `untidy` records and lists were unsorted."""

    names: pa.StringArray  # strictly ascending
    sizes: Ints64  # (groups,)
    record_offsets: Ints64  # (groups + 1,)
    record_groups: Ints64  # (records,) the group of each record
    item_offsets: Ints64  # (records + 1,)
    items: Ints32
    counts: Ints64  # (records,)
    sensitive_offsets: Ints64  # (groups + 1,)
    sensitive_groups: Ints64  # (sensitive entries,) the group of each
    sensitive_items: Ints32
    sensitive_counts: Ints64
    untidy: Flags  # (records,)
    untidy_lists: Flags  # (groups,)

    @classmethod
    def of(cls, published: Groups) -> GroupArrays:
        names, numbers = ranked(published.vocabulary)
        items, secrets = published.items, published.sensitive_items
        if numbers is not None:
            items, secrets = numbers[items], numbers[secrets]
        by_record, untidy = sorting(published.item_offsets, items)
        by_group, untidy_lists = sorting(published.sensitive_offsets, secrets)
        groups = np.arange(len(published))
        return cls(
            names=names,
            sizes=published.sizes,
            record_offsets=published.record_offsets,
            record_groups=np.repeat(groups, np.diff(published.record_offsets)),
            item_offsets=published.item_offsets,
            items=items if by_record is None else items[by_record],
            counts=published.counts,
            sensitive_offsets=published.sensitive_offsets,
            sensitive_groups=np.repeat(groups, np.diff(published.sensitive_offsets)),
            sensitive_items=secrets if by_group is None else secrets[by_group],
            sensitive_counts=published.sensitive_counts if by_group is None else published.sensitive_counts[by_group],
            untidy=untidy,
            untidy_lists=untidy_lists,
        )

    @property
    def is_bare(self) -> Flags:
        bare: Flags = np.diff(self.item_offsets) == 0
        return bare

    def terms(self, items: Iterable[int]) -> tuple[str, ...]:
        return examples(self.names, items)

    def record(self, record: int) -> tuple[str, ...]:
        return self.terms(self.items[self.item_offsets[record] : self.item_offsets[record + 1]])


def in_group(invariant: str, message: str, group: SupportsIndex, example: tuple[str, ...] = ()) -> Finding:
    return Finding(invariant, message, index(group), example=example, part="group")


def check_readable(published: Groups) -> list[Finding]:
    """Return what makes the arrays unreadable: offsets, lengths, item numbers, magnitudes, invalid text."""
    groups, records = published.sizes.size, published.item_offsets.size - 1
    secrets = published.sensitive_items
    tables = {
        "record_offsets": (published.record_offsets, groups, records),
        "item_offsets": (published.item_offsets, records, published.items.size),
        "sensitive_offsets": (published.sensitive_offsets, groups, secrets.size),
    }
    findings = unfit_offsets("P1", tables)
    if groups == 0:
        findings.append(Finding("P1", "there is no group, so nothing is published."))
    if published.counts.size != records:
        findings.append(Finding("P1", f"{published.counts.size} counts for {records} records."))
    found = published.sensitive_counts.size
    if found != secrets.size:
        findings.append(Finding("P1", f"{found} sensitive counts for {secrets.size} sensitive items."))
    if not is_text(published.vocabulary):
        findings.append(Finding("P1", "the vocabulary is not valid UTF-8 text."))
    items = {"items": published.items, "sensitive_items": secrets}
    numbers = {"sizes": published.sizes, "counts": published.counts, "sensitive counts": published.sensitive_counts}
    return findings or unfit_items("P1", items, len(published.vocabulary)) + uncountable("P1", numbers)


def check_structure(vocabulary: pa.StringArray, arrays: GroupArrays) -> list[Finding]:
    """Return every other breach of P1, in groups that can be read and the vocabulary that came with them."""
    findings = check_vocabulary(vocabulary, arrays.names, (arrays.items, arrays.sensitive_items), "group", "P1")
    terms = [] if arrays.names.equals(vocabulary) else [term or "" for term in vocabulary.to_pylist()]
    if terms != sorted(terms):
        findings.append(Finding("P1", "the vocabulary is not sorted."))
    return findings + _numbers(arrays) + _repeats(arrays)


def _numbers(arrays: GroupArrays) -> list[Finding]:
    listed = sums_by_row(arrays.record_offsets, arrays.counts)
    lacks = np.diff(arrays.record_offsets) == 0
    breaches: tuple[tuple[Flags, Callable[[int], str]], ...] = (
        (arrays.sizes < 1, lambda group: f"its size is {arrays.sizes[group]}, but at least 1 is needed."),
        (lacks, lambda group: "it lists no records, but at least 1 is needed."),
        (
            (listed != arrays.sizes) & ~lacks,
            lambda group: f"its records add up to {listed[group]}, but its size is {arrays.sizes[group]}.",
        ),
    )
    findings = [
        in_group("P1", words(group), group) for broken, words in breaches for group in np.flatnonzero(broken).tolist()
    ]
    for row in np.flatnonzero(arrays.counts < 1):
        message = f"a record has the count {arrays.counts[row]}, but at least 1 is needed."
        findings.append(in_group("P1", message, arrays.record_groups[row], arrays.record(int(row))))
    for entry in np.flatnonzero(arrays.sensitive_counts < 1):
        message = f"a sensitive item is in {arrays.sensitive_counts[entry]} records, but at least 1 is needed."
        findings.append(_of_sensitive(arrays, int(entry), message))
    return findings


def _repeats(arrays: GroupArrays) -> list[Finding]:
    rows = np.repeat(np.arange(arrays.counts.size), np.diff(arrays.item_offsets))
    within_record = twice(rows, arrays.items)
    findings = [
        in_group("P1", "a record has an item twice.", group, arrays.terms([item]))
        for group, item in zip(arrays.record_groups[rows[within_record]], arrays.items[within_record], strict=True)
    ]
    for row in repeated(arrays.record_groups, arrays.record_offsets, arrays.item_offsets, arrays.items):
        message = "a record is listed twice; give its number as count instead."
        findings.append(in_group("P1", message, arrays.record_groups[row], arrays.record(int(row))))
    return findings + [
        _of_sensitive(arrays, int(entry), "a sensitive item is listed twice.")
        for entry in twice(arrays.sensitive_groups, arrays.sensitive_items)
    ]


def _of_sensitive(arrays: GroupArrays, entry: int, message: str) -> Finding:
    example = arrays.terms(arrays.sensitive_items[[entry]])
    return in_group("P1", message, arrays.sensitive_groups[entry], example)


def check_order_inside(arrays: GroupArrays) -> list[Finding]:
    """P4 inside groups: the items of a record, the records and the sensitive items ascend (P1 covers repeats)."""
    signs = signs_of_neighbours(arrays.record_offsets, arrays.item_offsets, arrays.items)
    breaches = {
        "the items of a record": np.unique(arrays.record_groups[arrays.untidy]),
        "its records": np.unique(arrays.record_groups[signs > 0]),
        "its sensitive items": np.flatnonzero(arrays.untidy_lists),
    }
    return [
        in_group("P4", f"{what} are not sorted: {ORDER_WARNING}", group)
        for what, groups in breaches.items()
        for group in groups
    ]


def check_order_between(arrays: GroupArrays) -> list[Finding]:
    """P4 between groups with P1, sorted inside: they ascend by size, records, sensitive items, repeats written out."""
    rows = (arrays.record_offsets, arrays.item_offsets, arrays.items, arrays.counts)
    singly = np.arange(arrays.sensitive_items.size + 1)  # the sensitive items, as rows of one item each
    secrets = (arrays.sensitive_offsets, singly, arrays.sensitive_items, arrays.sensitive_counts)
    return [
        in_group("P4", f"group {group - 1} must come after it: {ORDER_WARNING}", group)
        for group in np.flatnonzero(groups_out_of_order(arrays.sizes, rows, secrets))
    ]
