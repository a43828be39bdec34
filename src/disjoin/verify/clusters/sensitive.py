"""V11: sensitive terms are only in term chunks, in every spelling."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from disjoin.model import KmAnonymity
from disjoin.model.ragged import Flags, Ints64
from disjoin.verify.chunks import in_chunks
from disjoin.verify.forest import Forest, summed, sums_by_row
from disjoin.verify.inspection import Finding
from disjoin.verify.source import Source, words_of


def _words(forest: Forest, is_sensitive: Flags) -> Ints64:
    """Return for every published term the first spelling of its sensitive word, or the term itself."""
    numbers = np.arange(len(forest.names))
    hidden = np.flatnonzero(is_sensitive)
    numbers[hidden] = hidden[words_of(forest.names.take(pa.array(hidden)).to_pylist())]
    return numbers


def leaves_with_sensitive(forest: Forest, is_sensitive: Flags) -> Flags:
    found = sums_by_row(forest.term_offsets, is_sensitive[forest.term_items].astype(np.int64)) > 0
    found[forest.chunk_nodes[forest.domains.chunks[is_sensitive[forest.domains.terms]]]] = True
    return found


def check_sensitive(
    forest: Forest, guarantee: KmAnonymity, is_sensitive: Flags, spared: Ints64 | None = None
) -> tuple[list[Finding], list[int]]:
    """Return the breaches of V11 and the largest forced association as [records, of records].

    No record is empty. So a leaf with N subrecords and the single term t in its term chunk has t in at least s - N of
    its s records, minus those that shared chunks above can fill, and the `spared` ones that need no term of its chunks.
    """
    message = "sensitive terms, in any spelling, must be in term chunks only."
    findings = in_chunks(forest, np.flatnonzero(is_sensitive[forest.domains.terms]), "V11", message)
    largest = [0, 1]
    for leaf, filled in _lonely(forest, is_sensitive):
        size = int(forest.sizes[leaf])
        filled += 0 if spared is None else int(spared[leaf])
        if size < 1:
            continue
        forced = size - filled
        if Fraction(forced, size) > Fraction(*largest):
            largest = [forced, size]
        if forced * guarantee.l > size:
            message = f"at least {forced} of {size} records must have its only term, but 1 in {guarantee.l} is allowed."
            findings.append(Finding("V11", message, leaf, example=forest.terms(forest.term_chunk(leaf))))
    return findings, largest


def _lonely(forest: Forest, is_sensitive: Flags) -> list[tuple[int, int]]:
    """Return (leaf, subrecords of its own and above it) for leaves whose term chunk is exactly one sensitive word."""
    words = _words(forest, is_sensitive)[forest.term_items]
    nodes = np.repeat(np.arange(len(forest)), np.diff(forest.term_offsets))
    first = words[forest.term_offsets[:-1][nodes]]
    others = np.bincount(nodes[(words != first) | ~is_sensitive[forest.term_items]], minlength=len(forest))
    leaves = np.flatnonzero(forest.is_leaf & (np.diff(forest.term_offsets) > 0) & (others == 0))
    subrecords = sums_by_row(forest.chunk_offsets, forest.domains.chunk_sizes)
    change = np.zeros(subrecords.size + 1, dtype=np.int64)  # differences of the sums over all ancestors
    np.add.at(change, forest.positions.first + 1, subrecords)  # descendants follow a node in pre-order
    np.subtract.at(change, forest.positions.last + 1, subrecords)
    fillers = subrecords + np.cumsum(change)[forest.positions.first]
    return [(int(leaf), int(fillers[leaf])) for leaf in leaves]


def check_possible_association(
    source: Source, forest: Forest, guarantee: KmAnonymity, is_sensitive: Flags
) -> list[Finding]:
    """V11 without the map, a necessary condition: a sensitive term must fit into its leaves at one record in l."""
    terms = len(forest.names)
    words = _words(forest, is_sensitive)
    entries = np.flatnonzero(is_sensitive[words[forest.term_items]])
    leaves = np.searchsorted(forest.term_offsets, entries, side="right") - 1
    holders, held = np.divmod(np.unique(leaves * terms + words[forest.term_items[entries]]), terms)
    room = summed(held, forest.sizes[holders] // guarantee.l, terms)
    supports = np.bincount(_records_and_words(source, words, is_sensitive)[1], minlength=terms)
    too_many = np.flatnonzero(is_sensitive & (supports - source.suppressed > room))
    return [
        Finding(
            "V11",
            f"{supports[item]} records of the original have it, but 1 in {guarantee.l} of each cluster: {room[item]}.",
            example=forest.terms([int(item)]),
        )
        for item in too_many.tolist()
    ]


def true_association(
    source: Source, forest: Forest, guarantee: KmAnonymity, is_sensitive: Flags
) -> tuple[list[Finding], list[int]]:
    """V11 with the map: at most 1 in l records of a leaf have a sensitive term. Also return the largest rate."""
    assert source.leaves is not None, "needs a map"
    findings: list[Finding] = []
    largest = [0, 1]
    records, words = _records_and_words(source, _words(forest, is_sensitive), is_sensitive)
    leaves = source.leaves[records]
    chosen = leaves >= 0
    keys = leaves[chosen] * len(forest.names) + words[chosen]
    pairs, counts = np.unique(keys, return_counts=True)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        leaf, item = divmod(pair, len(forest.names))
        size = int(forest.sizes[leaf])
        if size >= 1 and Fraction(count, size) > Fraction(*largest):
            largest = [count, size]
        if count * guarantee.l > size:
            message = f"{count} of its {size} records have a sensitive term, but 1 in {guarantee.l} is allowed."
            findings.append(Finding("V11", message, leaf, example=forest.terms([item])))
    return findings, largest


def _records_and_words(source: Source, words: Ints64, is_sensitive: Flags) -> tuple[Ints64, Ints64]:
    """Return the records of the original with their sensitive words; two spellings in a record count once."""
    wanted = np.append(is_sensitive[words], False)  # the last one is for -1, which is not published
    known = np.flatnonzero(wanted[source.items])
    records = np.searchsorted(source.offsets, known, side="right") - 1
    records, found = np.divmod(np.unique(records * words.size + words[source.items[known]]), words.size)
    return records, found
