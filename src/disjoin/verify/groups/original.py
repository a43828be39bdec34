"""Q1-Q4: groups compared with the original records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disjoin.model.ragged import Flags, Ints32, Ints64, Spans, offsets_of
from disjoin.verify.counting.equal_records import first_equal, places_for
from disjoin.verify.forest import summed
from disjoin.verify.groups.shape import GroupArrays, in_group
from disjoin.verify.inspection import SHOWN, Finding
from disjoin.verify.source import Source, check_total, compare_terms, follow_map, is_among


@dataclass(frozen=True, slots=True)
class Expected:
    """The contents that groups of these originals must have; without the map all groups are one, number 0."""

    is_mapped: bool
    is_whole: bool  # whether all these records must be published; otherwise some unknown ones are suppressed
    parts: Ints64  # (records,) the group of each
    offsets: Ints64  # (records + 1,)
    ordinary: Ints32  # published numbers; terms that are not published have the number after the last
    secret_parts: Ints64  # (occurrences of published sensitive items,) the group of each
    secrets: Ints32
    lost_secrets: tuple[str, ...]  # sensitive terms of these records that are not published at all

    @classmethod
    def of(cls, source: Source, arrays: GroupArrays, is_sensitive: Flags, named: tuple[str, ...]) -> Expected:
        parts = np.zeros(len(source), dtype=np.int64) if source.leaves is None else source.leaves
        rows, is_here = Spans(source.offsets), parts >= 0
        lost = (source.numbers < 0) & is_among(source.names, named)
        is_secret = np.append(is_sensitive, False)[source.items]  # -1 selects the last
        is_lost = lost[source.terms]
        ordinary = ~(is_secret | is_lost)
        if not is_here.all():
            kept = rows.spread(is_here)
            for flags in (ordinary, is_secret, is_lost):
                flags &= kept
        taken, secret, others = source.items[ordinary], np.flatnonzero(is_secret), np.flatnonzero(~ordinary)
        lengths = rows.lengths - np.bincount(_owners(source, others), minlength=len(source))
        taken[taken < 0] = len(arrays.names)
        return cls(
            is_mapped=source.leaves is not None,
            is_whole=source.leaves is not None or source.suppressed == 0,
            parts=parts[is_here],
            offsets=offsets_of(lengths[is_here]),
            ordinary=taken,
            secret_parts=parts[_owners(source, secret)],
            secrets=source.items[secret],
            lost_secrets=tuple(source.names[int(term)].as_py() for term in np.unique(source.terms[is_lost])),
        )


def _owners(source: Source, occurrences: Ints64) -> Ints64:
    found: Ints64 = np.searchsorted(source.offsets, occurrences, side="right") - 1
    return found


def check_extent(source: Source, arrays: GroupArrays) -> tuple[list[Finding], Source]:
    """Q1 and Q2: all records, none empty, and the terms. Also return the source, without an unusable map."""
    empty = int((np.diff(source.offsets) == 0).sum())
    findings = [Finding("Q1", f"{empty} records of the original are empty, but no record may be.")] if empty else []
    findings += check_total(source, int(arrays.sizes.sum()), "Q1")
    strayed, source = follow_map(source, arrays.sizes, "Q1", "group")
    terms = compare_terms(source, arrays.names, (arrays.items, arrays.sensitive_items), "Q2")
    return findings + strayed + terms, source


def check_records(expected: Expected, arrays: GroupArrays) -> list[Finding]:
    """Q3: the records without their sensitive items equal those published, as bags. Needs groups with P1."""
    mine = arrays.record_groups if expected.is_mapped else np.zeros(arrays.counts.size, dtype=np.int64)
    keys = np.concatenate((mine, expected.parts))
    lengths = np.concatenate((np.diff(arrays.item_offsets), np.diff(expected.offsets)))
    items, offsets = np.concatenate((arrays.items, expected.ordinary)), offsets_of(lengths)
    first = first_equal(keys, offsets, items, places_for(keys.size))
    published = summed(first[: mine.size], arrays.counts, keys.size)
    given = np.bincount(first[mine.size :], minlength=keys.size)
    wrong = _differ(published, given, expected)
    findings = []
    for row, others in _one_in_each(keys, wrong):
        record = items[offsets[row] : offsets[row + 1]]
        what = "a record" if record.size else "a record without ordinary items"
        message = f"{what} is published {published[row]}x, but the original has it {given[row]}x{others}."
        shown = arrays.terms(record[record < len(arrays.names)])
        findings.append(in_group("Q3", message, int(keys[row]) if expected.is_mapped else -1, shown))
    return findings


def check_sensitive_counts(expected: Expected, arrays: GroupArrays) -> list[Finding]:
    """Q4: every sensitive item is in as many records as the groups state. Needs groups with P1."""
    mine = arrays.sensitive_groups if expected.is_mapped else np.zeros(arrays.sensitive_items.size, dtype=np.int64)
    terms = max(1, len(arrays.names))
    listed = mine * terms + arrays.sensitive_items
    codes, entries = np.unique(
        np.concatenate((listed, expected.secret_parts * terms + expected.secrets)), return_inverse=True
    )
    published = summed(entries[: mine.size], arrays.sensitive_counts, codes.size)
    given = np.bincount(entries[mine.size :], minlength=codes.size)
    findings = []
    for entry, others in _one_in_each(codes // terms, _differ(published, given, expected)):
        message = f"a sensitive item is counted {published[entry]}x, but the original has it {given[entry]}x{others}."
        group = int(codes[entry] // terms) if expected.is_mapped else -1
        findings.append(in_group("Q4", message, group, arrays.terms([int(codes[entry] % terms)])))
    if expected.lost_secrets and expected.is_whole:
        message = f"{len(expected.lost_secrets)} sensitive items of the original are counted nowhere."
        findings.append(Finding("Q4", message, example=expected.lost_secrets[:SHOWN]))
    return findings


def _differ(published: Ints64, given: Ints64, expected: Expected) -> Ints64:
    """Return where the numbers differ; if unknown records are suppressed, the original may have more."""
    return np.flatnonzero(published != given if expected.is_whole else published > given)


def _one_in_each(parts: Ints64, wrong: Ints64) -> list[tuple[int, str]]:
    _, first, times = np.unique(parts[wrong], return_index=True, return_counts=True)
    return [(int(wrong[at]), f" ({n - 1} more differ)" if n > 1 else "") for at, n in zip(first, times, strict=True)]
