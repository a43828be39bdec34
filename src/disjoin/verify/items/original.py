"""B1-B3: generalised items compared with the original records."""

from __future__ import annotations

import numpy as np

from disjoin.model import Hierarchy
from disjoin.model.ragged import Ints32, Ints64, offsets_of, used_by
from disjoin.text import counted
from disjoin.verify.counting.equal_records import first_equal, places_for
from disjoin.verify.forest import summed
from disjoin.verify.inspection import Finding, examples
from disjoin.verify.items.cut import Cut
from disjoin.verify.rows import Rows
from disjoin.verify.source import Source, follow_map, positions


def check_extent(source: Source, rows: Rows, hierarchy: Hierarchy) -> tuple[list[Finding], Source]:
    """B1 and B2: the records, none empty, and their terms. Also return the source, without an unusable map."""
    findings = []
    empty, published = int((np.diff(source.offsets) == 0).sum()), int(rows.counts.sum())
    if empty:
        message = f"the original has {counted(empty, 'record')} without terms, but none may be empty."
        findings.append(Finding("B1", message))
    if published != len(source):
        findings.append(Finding("B1", f"{counted(published, 'record')} published, but {len(source):,} given."))
    strayed, source = follow_map(source, rows.counts, "B1", "row")
    has_leaf = positions(source.names, hierarchy.names.slice(0, hierarchy.n_leaves)) >= 0
    lost = np.flatnonzero(used_by(len(source.names), source.terms) & ~has_leaf)
    if lost.size:
        message = f"the original has {counted(lost.size, 'term')} without a leaf in the hierarchy."
        strayed.append(Finding("B2", message, example=examples(source.names, lost)))
    return findings + strayed, source


def check_records(source: Source, rows: Rows, cut: Cut) -> list[Finding]:
    """B3: the records are the original's with images for terms; needs A1, and a map only if it is usable."""
    lengths, images = _images(source, rows, cut)
    is_mapped = source.leaves is not None
    mine = np.arange(len(rows)) if is_mapped else np.zeros(len(rows), dtype=np.int64)
    given_keys = source.leaves if source.leaves is not None else np.zeros(len(source), dtype=np.int64)
    keys = np.concatenate((mine, given_keys))
    offsets = offsets_of(np.concatenate((np.diff(rows.offsets), lengths)))
    items = np.concatenate((rows.items, images))
    first = first_equal(keys, offsets, items, places_for(keys.size))
    published = summed(first[: mine.size], rows.counts, keys.size)
    given = np.bincount(first[mine.size :][given_keys >= 0], minlength=keys.size)  # a map may omit records
    wrong = np.flatnonzero(published != given)
    if not wrong.size:
        return []
    row = int(wrong[0])
    record = items[offsets[row] : offsets[row + 1]]
    others = f" ({wrong.size - 1:,} more differ)" if wrong.size > 1 else ""
    message = f"a record is published {published[row]}x, but the original gives it {given[row]}x{others}."
    shown = examples(rows.names, record[record < len(rows.names)])
    return [Finding("B3", message, int(keys[row]) if is_mapped else -1, example=shown, part="row")]


def _images(source: Source, rows: Rows, cut: Cut) -> tuple[Ints64, Ints32]:
    """Return lengths and ascending items of the generalised records; unpublished items have one extra number."""
    nowhere = len(rows.names)
    published = np.append(positions(cut.images, rows.names), -1)
    numbers = published[positions(source.names, cut.terms)]
    numbers[numbers < 0] = nowhere
    row_of = np.repeat(np.arange(len(source)), np.diff(source.offsets))
    codes = np.sort(row_of * (nowhere + 1) + numbers[source.terms])
    codes = codes[np.flatnonzero(np.diff(codes, prepend=-1))]  # terms with the same image become one
    lengths = np.bincount(codes // (nowhere + 1), minlength=len(source)).astype(np.int64)
    return lengths, (codes % (nowhere + 1)).astype(np.int32)
