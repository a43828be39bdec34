"""V10 and G1: which originals are possible, decided exactly for small trees and tiny data.

V10, at least one original is possible, follows from V1-V4, V7 and V9; it is decided for trees that break one of them.
G1 is the guarantee itself: every set of up to m terms of a record must be in at least k records of some reconstruction.
Leaves outside joint clusters have a closed form; a joint cluster is an integer program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, count, pairwise
from typing import Any

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.model import KmAnonymity
from disjoin.verify.chunks import combinations_of
from disjoin.verify.forest import Forest
from disjoin.verify.inspection import Finding
from disjoin.verify.source import Source


@dataclass(frozen=True, slots=True)
class Part:
    """One distinct subrecord of a chunk: its terms, the number of copies to place, and the leaves that may take it."""

    chunk: int
    terms: frozenset[int]
    count: int
    leaves: tuple[int, ...]


def leaves_of(forest: Forest, root: int) -> list[int]:
    """Return the leaves below a node, itself if it is one."""
    return [int(node) for node in forest.positions.below(root) if not forest.is_joint[node]]


def parts_of(forest: Forest, root: int) -> list[Part]:
    """Return all parts of a tree.

    A subrecord of a record chunk stays in its leaf. One of a shared chunk of J may be placed in a leaf below J unless
    it has a term of a chunk of the leaf, or of a shared chunk of a joint cluster strictly between.
    """
    own, parts = {}, []
    for node in forest.positions.below(root).tolist():
        first, last = forest.item_offsets[forest.subrecord_offsets[forest.chunk_offsets[node : node + 2]]]
        own[node] = frozenset(forest.items[first:last].tolist())
    for node in own:
        taken = {leaf: _taken(forest, own, leaf, node) for leaf in leaves_of(forest, node)}
        for chunk in range(int(forest.chunk_offsets[node]), int(forest.chunk_offsets[node + 1])):
            for terms, times in _bag(forest, chunk):
                leaves = tuple(leaf for leaf, others in taken.items() if not terms & others)
                parts.append(Part(chunk, terms, times, leaves))
    return parts


def _bag(forest: Forest, chunk: int) -> list[tuple[frozenset[int], int]]:
    rows = range(int(forest.subrecord_offsets[chunk]), int(forest.subrecord_offsets[chunk + 1]))
    return [(frozenset(forest.subrecord(row).tolist()), int(forest.counts[row])) for row in rows]


def _taken(forest: Forest, own: dict[int, frozenset[int]], leaf: int, top: int) -> frozenset[int]:
    """Return the terms that a part of `top` must not add to `leaf`; none if they are the same node."""
    if leaf == top:
        return frozenset()
    terms = frozenset(forest.term_chunk(leaf).tolist())
    node = leaf
    while node != top:
        terms |= own[node]
        node = int(forest.parents[node])
    return terms


SUFFICIENT = ("V1", "V2", "V3", "V4", "V7", "V9")
MOST_LINKS = 200_000  # the largest subrecords x leaves of a joint cluster that is decided exactly
MOST_LINKS_IN_ALL = 2_000_000
MOST_PLACED = 2**30  # records: the flow computation uses 32 bits


def check_existence(forest: Forest, findings: Iterable[Finding]) -> tuple[list[Finding], dict[str, Any]]:
    """V10 for the trees that break one of its conditions. The facts count decided and too large ones."""
    nodes = [finding.node for finding in findings if finding.node >= 0 and finding.invariant in SUFFICIENT]
    suspects = np.unique(forest.positions.roots()[nodes]).tolist()
    countable = max(int(np.maximum(forest.sizes, 0).sum()), int(forest.counts.sum())) <= MOST_PLACED
    broken, undecided, spent = [], 0, 0
    for root in suspects:
        links = _links(forest, root) if countable else MOST_LINKS + 1
        if links > MOST_LINKS or spent + links > MOST_LINKS_IN_ALL:
            undecided += 1
            continue
        spent += links
        if not has_reconstruction(forest, root):
            broken.append(Finding("V10", "its parts cannot be combined to records that are all non-empty.", root))
    facts = {"trees_put_together": len(suspects) - undecided, "trees_too_large": undecided} if suspects else {}
    return broken, facts


def has_reconstruction(forest: Forest, root: int) -> bool:
    """Return whether a tree has a reconstruction.

    Every record of the leaves without a term chunk needs a part, and every chunk must place all its parts, at most one
    per record. If each is possible alone, both are possible together (Mendelsohn and Dulmage); term chunks fill the
    rest.
    """
    if not forest.is_joint[root]:
        return _leaf_has_reconstruction(forest, root)
    parts = parts_of(forest, root)
    room = {leaf: max(0, int(forest.sizes[leaf])) for leaf in leaves_of(forest, root)}
    has_terms = {leaf: forest.term_chunk(leaf).size > 0 for leaf in room}
    if any(has_terms[leaf] and room[leaf] == 0 for leaf in room):
        return False
    needy = {leaf: size for leaf, size in room.items() if not has_terms[leaf]}
    if _flow(parts, needy) < sum(needy.values()):
        return False
    return all(
        _flow(mine, room) == sum(part.count for part in mine)
        for mine in ([p for p in parts if p.chunk == chunk] for chunk in sorted({p.chunk for p in parts}))
    )


def _leaf_has_reconstruction(forest: Forest, leaf: int) -> bool:
    size = int(forest.sizes[leaf])
    cuts = forest.subrecord_offsets[forest.chunk_offsets[leaf] : forest.chunk_offsets[leaf + 1] + 1].tolist()
    chunk_sizes = [int(forest.counts[a:b].sum()) for a, b in pairwise(cuts)]
    fits = max(chunk_sizes, default=0) <= max(0, size)
    return fits and (size >= 1 if forest.term_chunk(leaf).size else sum(chunk_sizes) >= size)


def _flow(parts: list[Part], room: dict[int, int]) -> int:
    """Return how many parts can be placed if leaf P takes `room[P]` of them."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    source, sink = 0, 1
    number = {leaf: 2 + len(parts) + i for i, leaf in enumerate(room)}
    links = [(source, 2 + i, part.count) for i, part in enumerate(parts)]
    links += [(2 + i, number[leaf], part.count) for i, part in enumerate(parts) for leaf in part.leaves if leaf in room]
    links += [(number[leaf], sink, size) for leaf, size in room.items()]
    rows, columns, capacities = np.array(links, dtype=np.int32).reshape(-1, 3).T
    n = 2 + len(parts) + len(room)
    graph = csr_array((capacities, (rows, columns)), shape=(n, n), dtype=np.int32)
    return int(maximum_flow(graph, source, sink).flow_value)


def _links(forest: Forest, root: int) -> int:
    """Return the size of a tree's problem: its subrecords times its leaves; 0 for a leaf, which has a closed form."""
    if not forest.is_joint[root]:
        return 0
    below = forest.positions.below(root)
    first = forest.subrecord_offsets[forest.chunk_offsets[below]]
    last = forest.subrecord_offsets[forest.chunk_offsets[below + 1]]
    return int((last - first).sum()) * int(forest.is_leaf[below].sum())


MOST_RECORDS = 60  # tiny: checked by default when V9 leaves the guarantee unproven
MOST_ITEMSETS = 500
MOST_COMBINATIONS = 100_000  # if requested
MOST_VARIABLES = 20_000  # of one integer program


def check_guarantee(source: Source, forest: Forest, guarantee: KmAnonymity) -> tuple[list[Finding], dict[str, Any]]:
    """G1 for the itemsets of up to m terms in the original; the facts have their number and the fewest candidates."""
    _require_tiny(source, guarantee.m)
    itemsets = occurring(source, guarantee.m)
    most = [most_records(forest, itemset) for itemset in itemsets]
    findings = []
    for itemset, records in zip(itemsets, most, strict=True):
        if records < guarantee.k:
            message = f"at most {records} records can have these terms together, but at least {guarantee.k} are needed."
            findings.append(Finding("G1", message, example=forest.terms(sorted(itemset))))
    return findings, {"itemsets": len(itemsets), "fewest_candidates": min(most, default=None)}


def _require_tiny(source: Source, m: int) -> None:
    if source.suppressed and source.leaves is None:
        raise InvalidParameter("the exact check needs to know the suppressed records: give the leaf of each record.")
    found = _combinations(source, m)
    if found > MOST_COMBINATIONS:
        raise _not_tiny(f"the records have {found} combinations of up to {m} terms", MOST_COMBINATIONS)


def _not_tiny(found: str, most: int) -> InvalidParameter:
    return InvalidParameter(f"the exact check is for tiny data: {found}, at most {most} are possible. Use fewer data.")


def _combinations(source: Source, m: int) -> int:
    return sum(combinations_of(length, m) for length in np.diff(source.offsets).tolist())


def is_tiny(source: Source, forest: Forest, guarantee: KmAnonymity) -> bool:
    terms = int((forest.sizes * np.diff(forest.term_offsets)).sum())
    return (
        len(source) <= MOST_RECORDS
        and (forest.counts.size + 1) * len(source) + terms <= MOST_VARIABLES
        and int(forest.counts.sum()) <= MOST_ITEMSETS
        and _combinations(source, guarantee.m) <= MOST_ITEMSETS
        and (source.suppressed == 0 or source.leaves is not None)
    )


def occurring(source: Source, m: int) -> list[frozenset[int]]:
    """Return the itemsets of up to m published terms that records have (except suppressed ones), in a fixed order."""
    found: set[tuple[int, ...]] = set()
    for record in range(len(source)):
        if source.leaves is not None and source.leaves[record] < 0:
            continue
        items = source.items[source.offsets[record] : source.offsets[record + 1]]
        items = items[items >= 0]
        for size in range(1, min(m, items.size) + 1):
            found.update(combinations(items.tolist(), size))
    return [frozenset(itemset) for itemset in sorted(found, key=lambda itemset: (len(itemset), itemset))]


def most_records(forest: Forest, itemset: Iterable[int]) -> int:
    """Return the maximal number of records with an itemset over all reconstructions."""
    wanted = frozenset(itemset)
    return sum(
        _most_in_joint(forest, int(root), wanted) if forest.is_joint[root] else most_in_leaf(forest, int(root), wanted)
        for root in np.flatnonzero(forest.parents < 0)
    )


def most_in_leaf(forest: Forest, leaf: int, wanted: frozenset[int]) -> int:
    """Return the closed form for a leaf outside joint clusters: the smallest part, with spare subrecords shared."""
    size, terms = int(forest.sizes[leaf]), set(forest.term_chunk(leaf).tolist())
    left, most, parts, subrecords = wanted - terms, size, 0, 0
    for chunk in range(int(forest.chunk_offsets[leaf]), int(forest.chunk_offsets[leaf + 1])):
        bag = _bag(forest, chunk)
        subrecords += sum(times for _, times in bag)
        here = left & frozenset().union(*(row for row, _ in bag))
        if here:
            most = min(most, sum(times for row, times in bag if here <= row))
            left, parts = left - here, parts + 1
    if left or (not terms and subrecords < size):  # a term that the leaf lacks, or no reconstruction at all
        return 0
    return min(most, (subrecords - size) // (parts - 1)) if not terms and parts >= 2 else most


def _most_in_joint(forest: Forest, root: int, wanted: frozenset[int]) -> int:
    parts = parts_of(forest, root)
    slots = [leaf for leaf in leaves_of(forest, root) for _ in range(int(forest.sizes[leaf]))]
    terms = {leaf: frozenset(forest.term_chunk(leaf).tolist()) for leaf in set(slots)}
    known = frozenset().union(*(part.terms for part in parts), *terms.values())
    if not wanted <= known:
        return 0
    variables = len(parts) * len(slots) + sum(len(terms[leaf]) for leaf in slots) + len(slots)
    if variables > MOST_VARIABLES:
        raise _not_tiny(f"cluster {root} would need {variables} variables", MOST_VARIABLES)
    return _most_with(parts, slots, terms, wanted)


Row = tuple[list[int], float, float]  # variables, and the least and the most that they add up to


def _requirements(
    parts: list[Part], slots: list[int], terms: dict[int, frozenset[int]]
) -> tuple[list[Row], dict[tuple[int, int], list[int]], int]:
    """Return the constraints that all reconstructions of a tree satisfy: which part and which term goes to which slot.

    A slot is a record of a leaf. Also returns the variables that put a term on a slot, and the first free one.
    """
    rows: list[Row] = []
    holders: dict[tuple[int, int], list[int]] = {}
    numbers = count()

    def new(slot: int, brought: Iterable[int]) -> int:
        number = next(numbers)
        for term in brought:
            holders.setdefault((slot, term), []).append(number)
        return number

    once: dict[tuple[int, int], list[int]] = {}
    for part in parts:
        placed = {slot: new(slot, part.terms) for slot, leaf in enumerate(slots) if leaf in part.leaves}
        rows.append((list(placed.values()), part.count, part.count))
        for slot, number in placed.items():
            once.setdefault((part.chunk, slot), []).append(number)
    rows += [(columns, -np.inf, 1) for columns in once.values()]  # at most one part of a chunk in a record
    for leaf, chunk in terms.items():
        for term in sorted(chunk):
            rows.append(([new(slot, [term]) for slot, owner in enumerate(slots) if owner == leaf], 1, np.inf))
    filled: list[set[int]] = [set() for _ in slots]
    for (slot, _), columns in holders.items():
        filled[slot].update(columns)
    rows += [(sorted(columns), 1, np.inf) for columns in filled]  # no record is empty
    return rows, holders, next(numbers)


def _most_with(parts: list[Part], slots: list[int], terms: dict[int, frozenset[int]], wanted: frozenset[int]) -> int:
    """Return the largest number of slots that have all wanted terms; 0 if there is no reconstruction."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    rows, holders, free = _requirements(parts, slots, terms)
    hits = range(free, free + len(slots))
    entries = [(row, column, 1) for row, (columns, _, _) in enumerate(rows) for column in columns]
    limits = [(least, most) for _, least, most in rows]
    for slot, hit in enumerate(hits):
        for term in sorted(wanted):
            entries += [(len(limits), hit, 1), *((len(limits), c, -1) for c in holders.get((slot, term), []))]
            limits.append((-np.inf, 0))
    row, column, value = np.array(entries, dtype=np.int32).reshape(-1, 3).T  # older solvers take no wider indices
    matrix = csr_array((value.astype(float), (row, column)), shape=(len(limits), hits.stop))
    objective = np.zeros(hits.stop)
    objective[hits.start :] = -1
    constraints = LinearConstraint(matrix, *zip(*limits, strict=True))
    answer = milp(objective, integrality=np.ones(hits.stop), bounds=Bounds(0, 1), constraints=constraints)
    return round(-answer.fun) if answer.success else 0
