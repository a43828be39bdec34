"""O1-O6: the release against the records that it was made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.model import Transactions
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.verify.finding import Finding
from disjoin.verify.forest import Forest
from disjoin.verify.overlap import SHOWN, Domains
from disjoin.verify.tree import Positions


@dataclass(frozen=True, slots=True)
class Source:
    """Original records in the release's numbers."""

    offsets: Ints64  # (records + 1,)
    terms: Ints32  # (occurrences,) numbers in the original's vocabulary
    items: Ints32  # (occurrences,) published numbers, -1 if not published; the others ascend in every record
    names: pa.StringArray  # the original's vocabulary
    numbers: Ints32  # (terms of the original,) the published number of each
    leaves: Ints64 | None  # (records,) the leaf or group of each record, -1 for a suppressed one
    suppressed: int

    @classmethod
    def of(cls, data: Transactions, names: pa.StringArray, leaves: Ints64 | None, suppressed: int) -> Source:
        """Match the terms by their text; `names` are those of the release, ascending."""
        import pyarrow.compute as pc

        found = pc.index_in(data.vocabulary, value_set=names).fill_null(-1)
        numbers = np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int32)
        terms, known = data.items, numbers[numbers >= 0]
        if not (known[1:] > known[:-1]).all():  # a vocabulary that is not in code-point order
            rows = np.repeat(np.arange(len(data)), np.diff(data.offsets))
            terms = terms[np.lexsort((numbers[terms], rows))]
        return cls(data.offsets, terms, numbers[terms], data.vocabulary, numbers, leaves, suppressed)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def published_terms(self) -> Ints32:
        """Return the terms of all occurrences but those of records that are known to be suppressed."""
        if self.leaves is None or (self.leaves >= 0).all():
            return self.terms
        return self.terms[np.repeat(self.leaves >= 0, np.diff(self.offsets))]


def check_record_count(source: Source, published_records: int) -> list[Finding]:
    """O1 without the map: published and suppressed records add up to the original's, and none is empty."""
    empty = int((np.diff(source.offsets) == 0).sum())
    if empty:
        return [Finding("O1", f"{empty} records of the original are empty; the proof knows non-empty ones only.")]
    if published_records + source.suppressed == len(source):
        return []
    message = f"{published_records} records published and {source.suppressed} suppressed, but {len(source)} given."
    return [Finding("O1", message)]


def check_map(source: Source, forest: Forest) -> tuple[list[Finding], bool]:
    """O1: the map sends every record to a leaf or to nowhere (-1), and leaves have as many records as they say.

    Also tell whether the map can be followed at all.
    """
    leaves = source.leaves
    assert leaves is not None, "asked for only with a map"
    if leaves.size != len(source):
        return [Finding("O1", f"the map has {leaves.size} entries for {len(source)} records.")], False
    if leaves.size and not (int(leaves.min()) >= -1 and int(leaves.max()) < len(forest)):
        return [Finding("O1", "the map names clusters that do not exist.")], False
    found = np.bincount(leaves[leaves >= 0], minlength=len(forest))
    expected = np.where(forest.is_leaf, forest.sizes, 0)  # records belong to leaves, not to joints
    findings = [
        Finding("O1", f"{found[node]} records belong to it, where {expected[node]} should.", int(node))
        for node in np.flatnonzero(found != expected)
    ]
    left_out = int((leaves < 0).sum())
    if left_out != source.suppressed:
        findings.append(Finding("O1", f"{left_out} records are in no leaf, but {source.suppressed} were suppressed."))
    return findings, True


def check_terms(source: Source, forest: Forest) -> list[Finding]:
    """O6: no published term is new; none of the original is missing (unless unknown records were suppressed)."""
    occurs = np.zeros(len(source.names), dtype=np.bool_)
    occurs[source.published_terms()] = True
    missing = np.flatnonzero(occurs & (source.numbers < 0))
    is_old = np.zeros(len(forest.names), dtype=np.bool_)
    is_old[source.numbers[occurs & (source.numbers >= 0)]] = True
    is_published = np.zeros(len(forest.names), dtype=np.bool_)
    is_published[forest.items] = True
    is_published[forest.term_items] = True
    new = np.flatnonzero(is_published & ~is_old)
    findings = []
    if missing.size and (source.suppressed == 0 or source.leaves is not None):
        names = tuple(source.names[int(term)].as_py() for term in missing[:SHOWN])
        findings.append(Finding("O6", f"{missing.size} terms of the original are not published.", example=names))
    if new.size:
        message = f"{new.size} published terms are not in the original."
        findings.append(Finding("O6", message, example=forest.terms(new[:SHOWN])))
    return findings


def check_bags(source: Source, forest: Forest, domains: Domains, positions: Positions) -> list[Finding]:
    """O2-O5: every record, cut along the chunks, gives exactly what is published.

    O2: no term of a leaf's records is without a place. O3, O5: record and shared chunks are the bags of the
    projections. O4: every term of a term chunk occurs. Needs a forest with V1, V3 and V4 and a map with O1.
    """
    from disjoin.verify.counting.projections import NOWHERE, Bags, Places, Records, Tally, cut_records

    assert source.leaves is not None, "asked for only with a map"
    by_leaf = np.argsort(source.leaves, kind="stable")
    kept = np.bincount(source.leaves[source.leaves >= 0], minlength=len(forest))
    tally = Tally(
        seen=np.zeros(forest.counts.size, dtype=np.int64),
        term_seen=np.zeros(forest.term_items.size, dtype=np.int64),
        strays=np.full(domains.chunk_sizes.size, -1, dtype=np.int64),
        homeless=np.full(len(forest), -1, dtype=np.int64),
    )
    cut_records(
        Records(by_leaf[len(source) - int(kept.sum()) :], offsets_of(kept), source.offsets, source.items),
        Places(
            positions.walk,
            positions.last,
            forest.chunk_offsets,
            domains.offsets,
            domains.terms,
            forest.term_offsets,
            forest.term_items,
        ),
        Bags(forest.subrecord_offsets, forest.item_offsets, forest.items),
        tally,
        np.full(len(forest.names), NOWHERE, dtype=np.int64),
        int(np.diff(source.offsets).max(initial=0)),
    )
    return _unplaced(source, tally.homeless) + _bags(forest, tally.seen, tally.strays) + _idle(forest, tally.term_seen)


def _unplaced(source: Source, homeless: Ints64) -> list[Finding]:
    return [
        Finding(
            "O2",
            "a term of its records is published neither here nor above.",
            int(node),
            example=(source.names[int(source.terms[homeless[node]])].as_py(),),
        )
        for node in np.flatnonzero(homeless >= 0)
    ]


def _bags(forest: Forest, seen: Ints64, strays: Ints64) -> list[Finding]:
    wrong = np.flatnonzero(seen != forest.counts)
    chunks = np.union1d(forest.chunks_with(wrong), np.flatnonzero(strays >= 0))
    findings = []
    for chunk in chunks:
        node, number = forest.chunk_place(int(chunk))
        invariant = "O5" if forest.is_joint[node] else "O3"
        first, last = forest.subrecord_offsets[chunk], forest.subrecord_offsets[chunk + 1]
        inside = wrong[np.searchsorted(wrong, first) : np.searchsorted(wrong, last)]
        if inside.size:
            row = int(inside[0])
            message = f"a subrecord is published for {forest.counts[row]} records, and {seen[row]} have it."
            findings.append(Finding(invariant, message, node, number, forest.terms(forest.subrecord(row))))
        else:
            findings.append(Finding(invariant, "a record has a subrecord that is not published.", node, number))
    return findings


def _idle(forest: Forest, term_seen: Ints64) -> list[Finding]:
    idle = np.flatnonzero(term_seen == 0)
    nodes = np.searchsorted(forest.term_offsets, idle, side="right") - 1
    return [
        Finding("O4", "a term of its term chunk is in none of its records.", int(node), example=forest.terms([item]))
        for node, item in zip(nodes, forest.term_items[idle], strict=True)
    ]
