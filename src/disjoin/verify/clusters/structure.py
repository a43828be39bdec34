"""V1 and V12: sizes, counts, terms, and canonical order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.model import KmAnonymity
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.chunks import in_chunks
from disjoin.verify.counting import forests
from disjoin.verify.forest import Forest, check_vocabulary, rows_not_ascending, summed, sums_by_row
from disjoin.verify.inspection import ORDER_WARNING, SHOWN, Finding


def check_structure(vocabulary: pa.StringArray, forest: Forest) -> list[Finding]:
    """Return every breach of V1 in a readable forest (not tidied) and the vocabulary that came with it."""
    findings = check_vocabulary(vocabulary, forest.names, (forest.items, forest.term_items), "chunk", "V1")
    findings += _nodes(forest)
    breaches = (
        (np.flatnonzero(np.diff(forest.subrecord_offsets) == 0), "the chunk has no subrecords."),
        (forest.chunks_with(np.flatnonzero(np.diff(forest.item_offsets) == 0)), "a subrecord is empty."),
        (forest.chunks_with(np.flatnonzero(forest.counts < 1)), "a subrecord counts fewer than one record."),
    )
    findings += [forest.finding("V1", words, c) for chunks, words in breaches for c in chunks]
    return findings + _repeats(forest)


def _nodes(forest: Forest) -> list[Finding]:
    is_child = forest.parents >= 0
    children = np.bincount(forest.parents[is_child], minlength=len(forest))
    below = summed(forest.parents[is_child], forest.sizes[is_child], len(forest))
    joint = forest.is_joint
    breaches = (
        (forest.sizes < 1, "its size is below 1."),
        (joint & (below != forest.sizes), "its size is not the sum of its children's sizes."),
        (joint & (children < 2), "a joint cluster needs at least two children."),
        (joint & (np.diff(forest.chunk_offsets) == 0), "a joint cluster needs a shared chunk."),
        (joint & (np.diff(forest.term_offsets) > 0), "a joint cluster must not have a term chunk."),
    )
    return [Finding("V1", message, int(node)) for broken, message in breaches for node in np.flatnonzero(broken)]


def _repeats(forest: Forest) -> list[Finding]:
    findings = []
    for row in rows_not_ascending(forest.item_offsets, forest.items):
        if twice := _repeated(forest.subrecord(int(row))):
            (chunk,) = forest.chunks_with(np.array([row]))
            findings.append(forest.finding("V1", "a subrecord repeats a term.", chunk, twice))
    for node in rows_not_ascending(forest.term_offsets, forest.term_items):
        if twice := _repeated(forest.term_chunk(int(node))):
            findings.append(Finding("V1", "the term chunk repeats a term.", int(node), example=forest.terms(twice)))
    return findings


def _repeated(items: Ints32) -> list[int]:
    values, counts = np.unique(items, return_counts=True)
    return [int(value) for value in values[counts > 1][:SHOWN]]


def check_least_sizes(forest: Forest, guarantee: KmAnonymity, has_sensitive: Flags) -> list[Finding]:
    """V6: every leaf has at least k records, and at least l if it has a sensitive term."""
    least = np.where(has_sensitive, guarantee.least_size, guarantee.k)
    return [
        Finding("V6", f"its size is {forest.sizes[node]}, but at least {least[node]} is needed.", int(node))
        for node in np.flatnonzero(forest.is_leaf & (forest.sizes < least))
    ]


def check_counts(
    forest: Forest, chunk_sizes: Ints64, guarantee: KmAnonymity, *, known: int = 0
) -> tuple[list[Finding], dict[str, Any]]:
    """V7 (Lemma 2): a leaf has a term chunk, or N >= s + k(h-1) subrecords with h = max(1, min(m, chunks)).

    `known` records (V14) add one for each chunk but one. The fact is the least slack N - s - k(h-1) of leaves without
    term chunk (or None): at 0 the lemma fails as soon as one record of the leaf is fully known.
    """
    bare = np.flatnonzero(forest.is_leaf & (np.diff(forest.term_offsets) == 0))
    subrecords = sums_by_row(forest.chunk_offsets, chunk_sizes)[bare]
    parts = np.diff(forest.chunk_offsets)[bare]
    spread = np.maximum(1, np.minimum(min(guarantee.m, 2**31), parts))
    slack = subrecords - forest.sizes[bare] - guarantee.k * (spread - 1) - known * np.maximum(0, parts - 1)
    findings = [
        Finding("V7", f"no term chunk, and {n} subrecords, but {n - missing} are needed.", int(node))
        for node, n, missing in zip(bare[slack < 0], subrecords[slack < 0], slack[slack < 0], strict=True)
    ]
    least = int(slack.min()) if slack.size else None
    return findings, {"leaves_without_term_chunk": int(bare.size), "least_slack": least}


def check_shared_terms(forest: Forest) -> tuple[list[Finding], Flags]:
    """Return the breaches of V4 and V9, and for every chunk whether it meets T^r (the condition of Property 1)."""
    # For each entry of the domains: whether a chunk, or a term chunk, below a joint cluster also has the term.
    in_chunk, in_term_chunk = np.zeros((2, forest.domains.terms.size), dtype=np.bool_)
    if forest.is_joint.any():
        nearest = np.full((2, len(forest.names)), len(forest), dtype=np.int64)
        forests.shared_below(places_of(forest), nearest, in_chunk, in_term_chunk)
    message = "its terms are in a term chunk below it."
    findings = in_chunks(forest, np.flatnonzero(in_term_chunk), "V4", message)
    message = "its terms are also in a chunk below it: the guarantee is not proven."
    findings += in_chunks(forest, np.flatnonzero(in_chunk), "V9", message)
    meets = np.zeros(forest.domains.chunk_sizes.size, dtype=np.bool_)
    meets[forest.domains.chunks[in_chunk]] = True
    return findings, meets


def places_of(forest: Forest) -> forests.Places:
    domains, positions = forest.domains, forest.positions
    chunks = (forest.chunk_offsets, domains.offsets, domains.terms)
    term_chunks = (forest.term_offsets, forest.term_items)
    return forests.Places(positions.walk, positions.last, forest.is_joint, *chunks, *term_chunks)


def check_order_inside(forest: Forest) -> list[Finding]:
    """V12 inside chunks of a readable forest, not tidied: terms ascend, and subrecords ascend and are distinct."""
    rows = rows_not_ascending(forest.item_offsets, forest.items)
    findings = [
        forest.finding("V12", f"the terms of a subrecord are not sorted: {ORDER_WARNING}", chunk)
        for chunk in forest.chunks_with(rows)
    ]
    nodes = rows_not_ascending(forest.term_offsets, forest.term_items)
    findings += [Finding("V12", f"the term chunk is not sorted: {ORDER_WARNING}", int(node)) for node in nodes]
    falls = forests.first_not_ascending(forest.subrecord_offsets, forest.item_offsets, forest.items)
    message = f"the subrecords are not sorted, or not distinct: {ORDER_WARNING}"
    return findings + [
        forest.finding("V12", message, chunk, forest.subrecord(int(falls[chunk])))
        for chunk in np.flatnonzero(falls >= 0)
    ]


def check_order_between(vocabulary: pa.StringArray, forest: Forest) -> list[Finding]:
    """V12 between chunks of a tidied forest: chunks of a node and siblings ascend; nodes are numbered in pre-order."""
    findings = []
    if len(forest.names) == len(vocabulary) and not forest.names.equals(vocabulary):
        findings.append(Finding("V12", f"the vocabulary is not sorted: {ORDER_WARNING}"))
    moved = np.flatnonzero(forest.positions.first != np.arange(len(forest)))
    if moved.size:
        message = f"from here on, clusters are not numbered in pre-order: {ORDER_WARNING}"
        findings.append(Finding("V12", message, int(moved[0])))
    findings += [
        forest.finding("V12", f"the chunk before it must come after it: {ORDER_WARNING}", chunk)
        for chunk in np.flatnonzero(forests.chunks_out_of_order(forest.chunk_offsets, forest.bags))
    ]
    pairs, signs = compared_siblings(forest)
    return findings + [
        Finding("V12", f"cluster {one} must come after it: {ORDER_WARNING}", int(other))
        for one, other in pairs[signs > 0]
    ]


def compared_siblings(forest: Forest) -> tuple[Ints64, Ints64]:
    """Return pairs (n, 2) of siblings that follow each other, and whether the first is smaller, equal or larger."""
    order = np.argsort(forest.parents, kind="stable")  # siblings are adjacent, in the order of their numbers
    alike = forest.parents[order[1:]] == forest.parents[order[:-1]]
    pairs = np.column_stack((order[:-1][alike], order[1:][alike])).astype(np.int64)
    signs = _compare(forest, pairs)
    for tie in np.flatnonzero((signs == 0) & forest.is_joint[pairs[:, 0]]):
        signs[tie] = _compare_trees(forest, int(pairs[tie, 0]), int(pairs[tie, 1]))
    return pairs, signs


def _compare(forest: Forest, pairs: Ints64) -> Ints64:
    kinds = (forest.sizes, forest.is_joint, forest.chunk_offsets)
    return forests.compare_nodes(pairs, kinds, forest.bags, forest.term_offsets, forest.term_items)


def _compare_trees(forest: Forest, left: int, right: int) -> int:
    """Compare two joint clusters that are equal except below them, walking both in pre-order."""
    below_left, below_right = forest.positions.below(left)[1:], forest.positions.below(right)[1:]
    together = min(below_left.size, below_right.size)
    pairs = np.column_stack((below_left[:together], below_right[:together]))
    # A list of children that ends first is a prefix of the other, hence smaller: its walk is already higher up.
    higher = forest.positions.depth[pairs[:, 0]] - forest.positions.depth[pairs[:, 1]]
    signs = np.where(higher != 0, higher, _compare(forest, pairs))
    different = np.flatnonzero(signs)
    return int(signs[different[0]]) if different.size else below_left.size - below_right.size
