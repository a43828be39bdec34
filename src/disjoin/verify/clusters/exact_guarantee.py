"""G1: the guarantee itself by exact enumeration, for tiny data.

Every set of up to m terms that a record has must be in at least k records of some reconstruction. Leaves outside
joints have a closed form; a joint cluster is an integer program.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import KmAnonymity
from disjoin.verify.chunks import combinations_of
from disjoin.verify.clusters.existence import Part, leaves_of, parts_of
from disjoin.verify.clusters.structure import Positions
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding
from disjoin.verify.source import Source


class Program:
    """All reconstructions of one tree: which part and which term-chunk term goes to which slot (record of a leaf)."""

    def __init__(self, parts: list[Part], slots: list[int], terms: dict[int, frozenset[int]]) -> None:
        self._rows: list[tuple[list[int], list[int], float, float]] = []  # columns, coefficients, least, most
        self._slots = slots
        self._holders: dict[tuple[int, int], list[int]] = {}  # (slot, term): the variables that bring it
        self._columns = 0
        self._place_parts(parts)
        self._place_terms(terms)
        filled: list[list[int]] = [[] for _ in slots]
        for (slot, _), columns in self._holders.items():
            filled[slot] += columns
        for columns in filled:  # no record is empty
            self._require(columns, least=1)

    def _place_parts(self, parts: list[Part]) -> None:
        once: dict[tuple[int, int], list[int]] = {}
        for part in parts:
            columns = []
            for slot, leaf in enumerate(self._slots):
                if leaf in part.leaves:
                    columns.append(self._new(slot, part.terms))
                    once.setdefault((part.chunk, slot), []).append(columns[-1])
            self._require(columns, least=part.count, most=part.count)
        for columns in once.values():  # at most one part of a chunk in a record
            self._require(columns, most=1)

    def _place_terms(self, terms: dict[int, frozenset[int]]) -> None:
        for leaf, chunk in terms.items():
            for term in sorted(chunk):
                mine = [slot for slot, owner in enumerate(self._slots) if owner == leaf]
                self._require([self._new(slot, [term]) for slot in mine], least=1)

    def _new(self, slot: int, terms: Iterable[int]) -> int:
        for term in terms:
            self._holders.setdefault((slot, term), []).append(self._columns)
        self._columns += 1
        return self._columns - 1

    def _require(self, columns: list[int], least: float = -np.inf, most: float = np.inf) -> None:
        columns = sorted(set(columns))
        self._rows.append((columns, [1] * len(columns), least, most))

    def most_with(self, wanted: frozenset[int]) -> int:
        """Return the largest number of slots that have all wanted terms; 0 if there is no reconstruction."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        hits = range(self._columns, self._columns + len(self._slots))
        rows = list(self._rows)
        for slot, hit in enumerate(hits):
            for term in sorted(wanted):
                holders = self._holders.get((slot, term), [])
                rows.append(([hit, *holders], [1] + [-1] * len(holders), -np.inf, 0))
        triples = [
            (r, c, v) for r, (columns, values, _, _) in enumerate(rows) for c, v in zip(columns, values, strict=True)
        ]
        row, column, value = np.array(triples, dtype=np.int32).reshape(-1, 3).T  # older solvers take no wider indices
        matrix = csr_array((value.astype(float), (row, column)), shape=(len(rows), hits.stop))
        objective = np.zeros(hits.stop)
        objective[hits.start :] = -1
        answer = milp(
            objective,
            integrality=np.ones(hits.stop),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, [r[2] for r in rows], [r[3] for r in rows]),
        )
        return round(-answer.fun) if answer.success else 0


MOST_RECORDS = 60  # tiny: checked without being asked when V9 leaves the guarantee unproven
MOST_ITEMSETS = 500
MOST_COMBINATIONS = 100_000  # when it is asked for
MOST_VARIABLES = 20_000  # of one integer program


def check_guarantee(
    source: Source, forest: Forest, positions: Positions, guarantee: KmAnonymity
) -> tuple[list[Finding], dict[str, Any]]:
    """G1 for all itemsets of up to m terms that occur in the original; needs V1-V4.

    The facts tell how many itemsets there were and the fewest records that any of them can be in.
    """
    _require_tiny(source, guarantee.m)
    findings = []
    fewest: int | None = None
    itemsets = occurring(source, guarantee.m)
    for itemset in itemsets:
        most = most_records(forest, positions, itemset)
        fewest = most if fewest is None else min(fewest, most)
        if most < guarantee.k:
            message = f"at most {most} records can have these terms together; at least {guarantee.k} are needed."
            findings.append(Finding("G1", message, example=forest.terms(sorted(itemset))))
    return findings, {"itemsets": len(itemsets), "fewest_candidates": fewest}


def _require_tiny(source: Source, m: int) -> None:
    if source.suppressed and source.leaves is None:
        raise InvalidParameter(
            "the exact check must know which records were suppressed: give the leaf of each record (-1: suppressed)."
        )
    combinations_in_all = sum(combinations_of(int(length), m) for length in np.diff(source.offsets))
    if combinations_in_all > MOST_COMBINATIONS:
        raise InvalidParameter(
            f"the exact check is for tiny data: the records hold {combinations_in_all} combinations of up to {m} "
            f"terms, {MOST_COMBINATIONS} are possible. Ask for it on a smaller file, or do without it."
        )


def is_tiny(source: Source, forest: Forest, guarantee: KmAnonymity) -> bool:
    """Tell whether G1 may be checked without being asked for."""
    lengths = np.diff(source.offsets).tolist()
    terms = int((forest.sizes * np.diff(forest.term_offsets)).sum())
    return (
        len(source) <= MOST_RECORDS
        and (forest.counts.size + 1) * len(source) + terms <= MOST_VARIABLES
        and int(forest.counts.sum()) <= MOST_ITEMSETS
        and sum(combinations_of(length, guarantee.m) for length in lengths) <= MOST_ITEMSETS
        and (source.suppressed == 0 or source.leaves is not None)
    )


def occurring(source: Source, m: int) -> list[frozenset[int]]:
    """Return the itemsets of up to m published terms that records have (suppressed records aside), in a fixed order."""
    found: set[tuple[int, ...]] = set()
    for record in range(len(source)):
        if source.leaves is not None and source.leaves[record] < 0:
            continue
        items = source.items[source.offsets[record] : source.offsets[record + 1]]
        items = items[items >= 0]
        for size in range(1, min(m, items.size) + 1):
            found.update(combinations(items.tolist(), size))
    return [frozenset(itemset) for itemset in sorted(found, key=lambda itemset: (len(itemset), itemset))]


def most_records(forest: Forest, positions: Positions, itemset: Iterable[int]) -> int:
    """Return in how many records an itemset can be, at most, over all reconstructions."""
    wanted = frozenset(itemset)
    return sum(
        _most_in_joint(forest, positions, int(root), wanted)
        if forest.is_joint[root]
        else most_in_leaf(forest, int(root), wanted)
        for root in np.flatnonzero(forest.parents < 0)
    )


def most_in_leaf(forest: Forest, leaf: int, wanted: frozenset[int]) -> int:
    """Return the closed form for a leaf outside joints: the smallest part, and the spare subrecords shared out."""
    size, terms = int(forest.sizes[leaf]), set(forest.term_chunk(leaf).tolist())
    left, most, parts, subrecords = wanted - terms, size, 0, 0
    for chunk in range(int(forest.chunk_offsets[leaf]), int(forest.chunk_offsets[leaf + 1])):
        rows = range(int(forest.subrecord_offsets[chunk]), int(forest.subrecord_offsets[chunk + 1]))
        bag = [(frozenset(forest.subrecord(row).tolist()), int(forest.counts[row])) for row in rows]
        subrecords += sum(count for _, count in bag)
        here = left & frozenset().union(*(row for row, _ in bag))
        if here:
            most = min(most, sum(count for row, count in bag if here <= row))
            left, parts = left - here, parts + 1
    if left or (not terms and subrecords < size):  # a term that is not there, or no reconstruction at all
        return 0
    return min(most, (subrecords - size) // (parts - 1)) if not terms and parts >= 2 else most


def _most_in_joint(forest: Forest, positions: Positions, root: int, wanted: frozenset[int]) -> int:
    parts = parts_of(forest, positions, root)
    slots = [leaf for leaf in leaves_of(forest, positions, root) for _ in range(int(forest.sizes[leaf]))]
    terms = {leaf: frozenset(forest.term_chunk(leaf).tolist()) for leaf in set(slots)}
    known = frozenset().union(*(part.terms for part in parts), *terms.values())
    if not wanted <= known:
        return 0
    variables = len(parts) * len(slots) + sum(len(terms[leaf]) for leaf in slots) + len(slots)
    if variables > MOST_VARIABLES:
        raise InvalidParameter(
            f"the exact check is for tiny data: cluster {root} would need {variables} variables, {MOST_VARIABLES} "
            "are possible. Ask for it on a smaller file, or do without it."
        )
    return Program(parts, slots, terms).most_with(wanted)
