"""V12: everything stands in canonical order, so that the order tells nothing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disjoin.model.ragged import Ints64
from disjoin.verify.clusters.structure import Positions
from disjoin.verify.forest import Forest, rows_not_ascending
from disjoin.verify.inspection import Finding

WARNING = "the order may tell which parts belong together."


def check_order_inside(forest: Forest) -> list[Finding]:
    """V12 inside chunks: terms ascend in a subrecord and in a term chunk; subrecords ascend and are distinct.

    The forest is readable, not tidied.
    """
    return _terms(forest) + _subrecords(forest)


def check_order_between(vocabulary: pa.StringArray, forest: Forest, positions: Positions) -> list[Finding]:
    """V12 around chunks: chunks of a node, children of a joint and roots ascend; nodes are numbered in pre-order.

    The forest is tidied: what is inside is compared in its right order.
    """
    return _numbering(vocabulary, forest, positions) + _chunks(forest) + _siblings(forest, positions)


def _numbering(vocabulary: pa.StringArray, forest: Forest, positions: Positions) -> list[Finding]:
    findings = []
    if len(forest.names) == len(vocabulary) and not forest.names.equals(vocabulary):
        findings.append(Finding("V12", f"the vocabulary is not sorted: {WARNING}"))
    moved = np.flatnonzero(positions.first != np.arange(len(forest)))
    if moved.size:
        message = f"clusters are not numbered in pre-order, from this one on: {WARNING}"
        findings.append(Finding("V12", message, int(moved[0])))
    return findings


def _terms(forest: Forest) -> list[Finding]:
    rows = rows_not_ascending(forest.item_offsets, forest.items)
    nodes = rows_not_ascending(forest.term_offsets, forest.term_items)
    findings = [
        Finding("V12", f"the terms of a subrecord are not sorted: {WARNING}", *forest.chunk_place(int(chunk)))
        for chunk in forest.chunks_with(rows)
    ]
    return findings + [Finding("V12", f"the term chunk is not sorted: {WARNING}", int(node)) for node in nodes]


def _subrecords(forest: Forest) -> list[Finding]:
    from disjoin.verify.counting.forests import first_not_ascending

    falls = first_not_ascending(forest.subrecord_offsets, forest.item_offsets, forest.items)
    return [
        Finding(
            "V12",
            f"the subrecords are not sorted, or not distinct: {WARNING}",
            *forest.chunk_place(int(chunk)),
            forest.terms(forest.subrecord(int(falls[chunk]))),
        )
        for chunk in np.flatnonzero(falls >= 0)
    ]


def _chunks(forest: Forest) -> list[Finding]:
    from disjoin.verify.counting.forests import chunks_out_of_order

    return [
        Finding("V12", f"the chunk before it should come after it: {WARNING}", *forest.chunk_place(int(chunk)))
        for chunk in np.flatnonzero(chunks_out_of_order(forest.chunk_offsets, forest.bags))
    ]


def _siblings(forest: Forest, positions: Positions) -> list[Finding]:
    pairs, signs = compared_siblings(forest, positions)
    return [
        Finding("V12", f"cluster {pairs[i, 0]} should come after it: {WARNING}", int(pairs[i, 1]))
        for i in np.flatnonzero(signs > 0)
    ]


def compared_siblings(forest: Forest, positions: Positions) -> tuple[Ints64, Ints64]:
    """Return pairs (n, 2) of siblings that follow each other, and whether the first is smaller, equal or larger."""
    order = np.argsort(forest.parents, kind="stable")  # siblings side by side, in the order of their numbers
    alike = forest.parents[order[1:]] == forest.parents[order[:-1]]
    pairs = np.column_stack((order[:-1][alike], order[1:][alike])).astype(np.int64)
    signs = _compare(forest, pairs)
    for tie in np.flatnonzero((signs == 0) & forest.is_joint[pairs[:, 0]]):
        signs[tie] = _compare_trees(forest, positions, int(pairs[tie, 0]), int(pairs[tie, 1]))
    return pairs, signs


def _compare(forest: Forest, pairs: Ints64) -> Ints64:
    from disjoin.verify.counting.forests import compare_nodes

    kinds = (forest.sizes, forest.is_joint, forest.chunk_offsets)
    return compare_nodes(pairs, kinds, forest.bags, forest.term_offsets, forest.term_items)


def _compare_trees(forest: Forest, positions: Positions, left: int, right: int) -> int:
    """Compare two joints that are equal but for what lies below them, walking both side by side in pre-order."""
    below_left = positions.walk[positions.first[left] + 1 : positions.last[left] + 1]
    below_right = positions.walk[positions.first[right] + 1 : positions.last[right] + 1]
    together = min(below_left.size, below_right.size)
    pairs = np.column_stack((below_left[:together], below_right[:together]))
    # A list of children that ends first is a prefix of the other, hence smaller: its walk is already higher up.
    higher = positions.depth[pairs[:, 0]] - positions.depth[pairs[:, 1]]
    signs = np.where(higher != 0, higher, _compare(forest, pairs))
    different = np.flatnonzero(signs)
    return int(signs[different[0]]) if different.size else below_left.size - below_right.size
