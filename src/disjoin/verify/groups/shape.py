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
from disjoin.verify.chunks import sums_by_row
from disjoin.verify.forest import check_vocabulary, is_text, ranked, sorting, uncountable, unfit_items, unfit_offsets
from disjoin.verify.inspection import ORDER_WARNING, Finding, examples
from disjoin.verify.rows import repeated, twice


@dataclass(frozen=True, slots=True)
class Crowds:
    """The arrays of `Groups`, sorted and renumbered as in `Forest`; `untidy` records and lists had another order."""

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
    def of(cls, published: Groups) -> Crowds:
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
    """Return what makes the arrays unreadable: offsets, lengths, item numbers, magnitudes, text that is no text."""
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


def check_structure(vocabulary: pa.StringArray, crowds: Crowds) -> list[Finding]:
    """Return every other breach of P1, in groups that can be read and the vocabulary that came with them."""
    findings = check_vocabulary(vocabulary, crowds.names, (crowds.items, crowds.sensitive_items), "group", "P1")
    terms = [] if crowds.names.equals(vocabulary) else [term or "" for term in vocabulary.to_pylist()]
    if terms != sorted(terms):
        findings.append(Finding("P1", "the vocabulary is not sorted."))
    return findings + _numbers(crowds) + _repeats(crowds)


def _numbers(crowds: Crowds) -> list[Finding]:
    listed = sums_by_row(crowds.record_offsets, crowds.counts)
    lacks = np.diff(crowds.record_offsets) == 0
    breaches: tuple[tuple[Flags, Callable[[int], str]], ...] = (
        (crowds.sizes < 1, lambda group: f"its size is {crowds.sizes[group]}, at least 1 is needed."),
        (lacks, lambda group: "it lists no records, at least 1 is needed."),
        (
            (listed != crowds.sizes) & ~lacks,
            lambda group: f"its records add up to {listed[group]}, and its size is {crowds.sizes[group]}.",
        ),
    )
    findings = [
        in_group("P1", words(group), group) for broken, words in breaches for group in np.flatnonzero(broken).tolist()
    ]
    for row in np.flatnonzero(crowds.counts < 1):
        message = f"a record stands for {crowds.counts[row]} records, at least 1 is needed."
        findings.append(in_group("P1", message, crowds.record_groups[row], crowds.record(int(row))))
    for entry in np.flatnonzero(crowds.sensitive_counts < 1):
        message = f"a sensitive item is in {crowds.sensitive_counts[entry]} records, at least 1 is needed."
        findings.append(_of_sensitive(crowds, int(entry), message))
    return findings


def _repeats(crowds: Crowds) -> list[Finding]:
    rows = np.repeat(np.arange(crowds.counts.size), np.diff(crowds.item_offsets))
    within_record = twice(rows, crowds.items)
    findings = [
        in_group("P1", "a record has an item twice.", group, crowds.terms([item]))
        for group, item in zip(crowds.record_groups[rows[within_record]], crowds.items[within_record], strict=True)
    ]
    for row in repeated(crowds.record_groups, crowds.record_offsets, crowds.item_offsets, crowds.items):
        message = "a record is listed twice, its count should say how often it is there."
        findings.append(in_group("P1", message, crowds.record_groups[row], crowds.record(int(row))))
    return findings + [
        _of_sensitive(crowds, int(entry), "a sensitive item is listed twice.")
        for entry in twice(crowds.sensitive_groups, crowds.sensitive_items)
    ]


def _of_sensitive(crowds: Crowds, entry: int, message: str) -> Finding:
    example = crowds.terms(crowds.sensitive_items[[entry]])
    return in_group("P1", message, crowds.sensitive_groups[entry], example)


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
        in_group("P4", f"{what} are not sorted: {ORDER_WARNING}", group)
        for what, groups in breaches.items()
        for group in groups
    ]


def check_order_between(crowds: Crowds) -> list[Finding]:
    """P4 between groups with P1, sorted inside: they ascend by size, records, sensitive items, repeats written out."""
    from disjoin.verify.counting.crowds import groups_out_of_order

    rows = (crowds.record_offsets, crowds.item_offsets, crowds.items, crowds.counts)
    singly = np.arange(crowds.sensitive_items.size + 1)  # the sensitive items, as rows that have one item each
    secrets = (crowds.sensitive_offsets, singly, crowds.sensitive_items, crowds.sensitive_counts)
    return [
        in_group("P4", f"group {group - 1} should come after it: {ORDER_WARNING}", group)
        for group in np.flatnonzero(groups_out_of_order(crowds.sizes, rows, secrets))
    ]
