"""Disassociation of mixed data: terms with k^m-anonymity, next to k-anonymous columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.run import disassociate, forest_in_canonical_order
from disjoin.methods.disassociation.write_leaves import Forest, Leaves, chunks_in_order, concatenated, rearranged
from disjoin.methods.generalization.encoding import order_by_content
from disjoin.methods.mixed.people import chosen_columns, order_of_people, parts_by_exclusion, taken
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model import Bag, Clusters, Draft, Generalized, Mixed, MixedRecords, Table, Transactions
from disjoin.model.generalized import MISSING
from disjoin.model.ragged import Ints32, Ints64, Ragged, offsets_of, ranks_of, used_by
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.mixed import MixedDisassociation


@dataclass(frozen=True, slots=True)
class LeafTerms:
    """The people of one cluster: which kind of row each has, and which terms."""

    leaf: int
    kinds: Ints64  # (people,)
    sets: list[frozenset[int]]  # (people,) terms of record chunks
    chunks: list[frozenset[int]]  # the terms of each record chunk
    has_term_chunk: bool


def standing_in(leaf: LeafTerms, k: int, m: int, *, whole: bool, may_be_empty: bool) -> frozenset[int]:
    """Return the terms that stand with the rows of a cluster.

    With `whole`, chunks are taken whole or not at all, so that no pair of terms is torn; else terms one by one. What
    is tried first has more occurrences.
    """
    supports = Counter(term for terms in leaf.sets for term in terms)
    chunks = sorted(leaf.chunks, key=lambda chunk: (-sum(supports[term] for term in chunk), sorted(chunk)))
    if whole:
        offers = chunks
    else:
        offers = [frozenset({term}) for term in sorted(supports, key=lambda term: (-supports[term], term))]
    alone = _enough_alone(leaf, k)
    chosen: frozenset[int] = frozenset()
    for offer in offers:
        both = chosen | offer
        if offer <= alone and _is_crowded(leaf, both, offer, k, m) and (may_be_empty or _is_filled(leaf, both, k, m)):
            chosen = both
    return chosen


def _enough_alone(leaf: LeafTerms, k: int) -> frozenset[int]:
    """Return the terms that in every kind of row nobody has, or at least k people have."""
    pairs = Counter((kind, term) for kind, terms in zip(leaf.kinds.tolist(), leaf.sets, strict=True) for term in terms)
    rare = {term for (_, term), count in pairs.items() if count < k}
    return frozenset(term for _, term in pairs if term not in rare)


def _is_crowded(leaf: LeafTerms, terms: frozenset[int], new: frozenset[int], k: int, m: int) -> bool:
    """Tell whether every set of 2 to m of the terms, one of them new, is had by none or k people of every kind."""
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for kind, has in zip(leaf.kinds.tolist(), leaf.sets, strict=True):
        shown = sorted(has & terms)
        if new.isdisjoint(shown):
            continue
        for size in range(2, m + 1):
            counts.update((kind, known) for known in combinations(shown, size) if not new.isdisjoint(known))
    return all(count >= k for count in counts.values())


def _is_filled(leaf: LeafTerms, terms: frozenset[int], k: int, m: int) -> bool:
    """Tell whether R4 of PROOF.md holds if these terms stand with rows."""
    empty = sum(terms.isdisjoint(has) for has in leaf.sets)
    if leaf.has_term_chunk or not empty:
        return True
    left = [(chunk - terms) for chunk in leaf.chunks if chunk - terms]
    parts = sum(not chunk.isdisjoint(has) for chunk in left for has in leaf.sets)
    return parts >= min(empty, len(leaf.sets) - k) + k * max(1, min(m, len(left)))


def leaves_with_terms(forest: Forest, records: Transactions, leaf_of: Ints64, kinds: Ints64) -> list[LeafTerms]:
    """Return every leaf that has record chunks; terms are numbers of the records' vocabulary."""
    nodes, is_joint = forest.nodes, np.zeros(forest.parents.size, dtype=np.bool_)
    is_joint[forest.parents[forest.parents >= 0]] = True
    order = np.argsort(leaf_of, kind="stable")
    bounds = np.searchsorted(leaf_of[order], np.arange(is_joint.size + 1))
    found = []
    for leaf in np.flatnonzero(~is_joint & (np.diff(nodes.chunk_offsets) > 0)).tolist():
        ends = nodes.item_offsets[
            nodes.subrecord_offsets[nodes.chunk_offsets[leaf] : nodes.chunk_offsets[leaf + 1] + 1]
        ]
        chunks = [frozenset(nodes.items[first:last].tolist()) for first, last in pairwise(ends.tolist())]
        people = order[bounds[leaf] : bounds[leaf + 1]]
        domain = frozenset().union(*chunks)
        sets = [domain.intersection(records[person].tolist()) for person in people.tolist()]
        has_terms = bool(nodes.term_offsets[leaf] < nodes.term_offsets[leaf + 1])
        found.append(LeafTerms(leaf, kinds[people], sets, chunks, has_terms))
    return found


# Clusters with rows in canonical order: by their chunks as ever, and those that are equal by their rows.

Entry = tuple[int, ...]
Run = Callable[[Task], Draft[Clusters]]


def in_canonical_order(forest: Forest) -> tuple[Forest, Ints64]:
    """Return a forest whose parents come first in canonical order, and the new number of every node."""
    nodes, n = forest.nodes, forest.parents.size
    nodes = rearranged(nodes, np.arange(n), chunks_in_order(nodes))
    backwards = np.arange(n)[::-1].copy()  # children first
    parents = np.where(forest.parents < 0, -1, n - 1 - forest.parents)[::-1].copy()
    moved, above, source = forest_in_canonical_order(
        rearranged(nodes, backwards, np.arange(nodes.subrecord_offsets.size - 1)), parents
    )
    new = np.empty(n, dtype=np.int64)
    new[backwards[source]] = np.arange(n)
    return Forest(moved, above), new


def without_terms(forest: Forest, terms: dict[int, frozenset[int]]) -> Forest:
    """Return the forest with these terms, by leaf, taken out of the leaves' chunks; chunks may be out of order then."""
    parts, start = [], 0
    for leaf in sorted(terms):
        parts += [_sliced(forest.nodes, start, leaf), _lessened(forest.nodes, leaf, terms[leaf])]
        start = leaf + 1
    parts.append(_sliced(forest.nodes, start, forest.parents.size))
    return Forest(concatenated(parts), forest.parents)


def _sliced(nodes: Leaves, first: int, last: int) -> Leaves:
    chunks = nodes.chunk_offsets[first], nodes.chunk_offsets[last]
    rows = nodes.subrecord_offsets[chunks[0]], nodes.subrecord_offsets[chunks[1]]
    items = nodes.item_offsets[rows[0]], nodes.item_offsets[rows[1]]
    terms = nodes.term_offsets[first], nodes.term_offsets[last]
    return Leaves(
        sizes=nodes.sizes[first:last],
        term_offsets=nodes.term_offsets[first : last + 1] - terms[0],
        term_items=nodes.term_items[terms[0] : terms[1]],
        chunk_offsets=nodes.chunk_offsets[first : last + 1] - chunks[0],
        subrecord_offsets=nodes.subrecord_offsets[chunks[0] : chunks[1] + 1] - rows[0],
        item_offsets=nodes.item_offsets[rows[0] : rows[1] + 1] - items[0],
        items=nodes.items[items[0] : items[1]],
        counts=nodes.counts[rows[0] : rows[1]],
    )


def _lessened(nodes: Leaves, leaf: int, terms: frozenset[int]) -> Leaves:
    """Return one leaf without some terms."""
    chunks: list[Counter[Entry]] = []
    for chunk in range(int(nodes.chunk_offsets[leaf]), int(nodes.chunk_offsets[leaf + 1])):
        bag: Counter[Entry] = Counter()
        for row in range(int(nodes.subrecord_offsets[chunk]), int(nodes.subrecord_offsets[chunk + 1])):
            has = nodes.items[nodes.item_offsets[row] : nodes.item_offsets[row + 1]].tolist()
            bag[tuple(item for item in has if item not in terms)] += int(nodes.counts[row])
        del bag[()]
        chunks += [bag] if bag else []
    rows = [row for bag in chunks for row in sorted(bag)]
    alone = _sliced(nodes, leaf, leaf + 1)
    return alone._replace(
        chunk_offsets=np.array([0, len(chunks)], dtype=np.int64),
        subrecord_offsets=offsets_of([len(bag) for bag in chunks]),
        item_offsets=offsets_of([len(row) for row in rows]),
        items=np.array([item for row in rows for item in row], dtype=np.int32),
        counts=np.array([bag[row] for bag in chunks for row in sorted(bag)], dtype=np.int64),
    )


def arranged(forest: Forest, entries: list[list[Entry]]) -> tuple[Forest, Ints64]:
    """Sort siblings that are equal by their rows; return the forest, which looks the same, and the new numbers."""
    n = forest.parents.size
    children: list[list[int]] = [[] for _ in range(n + 1)]  # the roots are those of number n, which is -1
    for node, parent in enumerate(forest.parents.tolist()):
        children[parent].append(node)
    sizes = _subtree_sizes(forest.parents)
    for parent in [*range(n - 1, -1, -1), n]:  # those further down first, the roots last
        children[parent] = _sorted_twins(forest, children, sizes, entries, children[parent])
    walk: list[int] = []
    waiting = children[n][::-1]
    while waiting:
        node = waiting.pop()
        walk.append(node)
        waiting += children[node][::-1]
    new = np.empty(n, dtype=np.int64)
    new[np.array(walk, dtype=np.int64)] = np.arange(n)
    return forest, new


def _subtree_sizes(parents: Ints64) -> list[int]:
    sizes = [1] * parents.size
    for node in range(parents.size - 1, -1, -1):
        if parents[node] >= 0:
            sizes[int(parents[node])] += sizes[node]
    return sizes


def _sorted_twins(
    forest: Forest, children: list[list[int]], sizes: list[int], entries: list[list[Entry]], siblings: list[int]
) -> list[int]:
    """Return siblings, which are in order, with runs of equal ones sorted by the rows below them."""

    def rows_below(node: int) -> list[list[Entry]]:
        if not children[node]:
            return [entries[node]]
        return [rows for child in children[node] for rows in rows_below(child)]

    arranged_siblings: list[int] = []
    start = 0
    for end in range(1, len(siblings) + 1):
        if end == len(siblings) or not _are_equal(forest, sizes, siblings[start], siblings[end]):
            run = siblings[start:end]
            arranged_siblings += sorted(run, key=rows_below) if len(run) > 1 else run
            start = end
    return arranged_siblings


def _are_equal(forest: Forest, sizes: list[int], one: int, other: int) -> bool:
    """Tell whether two subtrees are equal; nodes are in pre-order, so each is a stretch of them."""
    if sizes[one] != sizes[other] or forest.nodes.sizes[one] != forest.nodes.sizes[other]:
        return False
    first, second = (_sliced(forest.nodes, node, node + sizes[node]) for node in (one, other))
    above = [forest.parents[node + 1 : node + sizes[node]] - node for node in (one, other)]
    parts = [(getattr(first, name), getattr(second, name)) for name in Leaves._fields]
    return all(np.array_equal(one_part, other_part) for one_part, other_part in [(above[0], above[1]), *parts])


def publish_mixed(
    method: MixedDisassociation, data: MixedRecords, engine: Engine, progress: Progress, run: Run = disassociate
) -> Draft[Mixed]:
    """Run the method; people are sorted by content first, so that neither ids nor the order of rows decide anything."""
    chosen = chosen_columns(method, data)
    marked = chosen.records.with_sensitive(chosen_terms(method, chosen.records).terms)
    chosen = replace(chosen, records=marked)
    order = order_of_people(chosen)
    people = taken(chosen, order)
    forest, leaf_of = _forest(method, people, engine, progress, run)
    rows = _rows(method, people, leaf_of, engine, progress)
    forest, standing = _with_standing(method, people, forest, leaf_of, rows)
    moved, new = in_canonical_order(forest)
    entries = _Entries.of(new[leaf_of], rows, people, {int(new[leaf]): terms for leaf, terms in standing.items()})
    moved, new = arranged(moved, entries.by_leaf(moved.parents.size))
    entries = replace(entries, leaves=new[entries.leaves])
    published, part = _mixed(moved, entries, people)
    part_of_record = np.empty(len(data), dtype=np.int64)
    part_of_record[order] = part
    terms = set(published.vocabulary.to_pylist())
    return Draft(
        published,
        part_of_record,
        sensitive=tuple(term for term in people.records.sensitive_terms() if term in terms),
        private={"people_without_terms": data.without_terms, "standing_terms": len(published.people.vocabulary)},
    )


def _forest(
    method: MixedDisassociation, people: MixedRecords, engine: Engine, progress: Progress, run: Run
) -> tuple[Forest, Ints64]:
    """Return clusters of the people's terms, parents first, in their own numbers, and the leaf of everybody."""
    import pyarrow.compute as pc

    parts: list[Leaves] = []
    parents: list[Ints64] = []
    leaf_of, base = np.empty(len(people), dtype=np.int64), 0
    for part in parts_by_exclusion(method, people):
        draft = _clustered(method, taken(people, part), engine, progress, run)
        clusters = draft.published
        found = pc.index_in(clusters.vocabulary, value_set=people.records.vocabulary)
        numbers = found.to_numpy(zero_copy_only=False).astype(np.int32)
        arrays = {name: getattr(clusters, name) for name in Leaves._fields}
        arrays |= {name: numbers[arrays[name]] for name in ("items", "term_items")}
        parts.append(Leaves(**arrays))
        parents.append(np.where(clusters.parents < 0, -1, clusters.parents + base))
        assert draft.part_of_record is not None, "disassociation says where everybody went"
        leaf_of[part] = draft.part_of_record + base
        base += len(clusters)
    return Forest(concatenated(parts), np.concatenate(parents)), leaf_of


def _clustered(
    method: MixedDisassociation, people: MixedRecords, engine: Engine, progress: Progress, run: Run
) -> Draft[Clusters]:
    """Disassociate the terms; with a strong link, in clusters of people whose rows are alike."""
    task = Task(method.of_terms, people.records, engine, progress)
    if method.link != "strong":
        return run(task)
    draft = method.of_rows.publish(people.table, engine, progress)
    assert draft.part_of_record is not None, "generalisation says what every row became"
    table = draft.published.table
    columns = [table.codes_of(name)[draft.part_of_record] for name in draft.published.quasi]
    order = order_by_content(columns)
    differs = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(differs) + 1, [order.size]])
    partition = Partition(order.astype(np.int32), np.diff(starts))
    return disassociate(task, Clustered(partition))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The published row of everybody: codes and values, column by column, and its kind: leaf and quasi-identifiers."""

    codes: tuple[Ints32, ...]
    values: tuple[pa.StringArray, ...]
    kinds: Ints64


def _rows(
    method: MixedDisassociation, people: MixedRecords, leaf_of: Ints64, engine: Engine, progress: Progress
) -> _Rows:
    """Generalise the rows of every leaf, as if it were a table of its own."""
    names, table = people.table.schema.names, people.table
    order = np.argsort(leaf_of, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(leaf_of[order])) + 1, order.size)
    numbers: dict[str, dict[str, int]] = {name: {} for name in method.quasi}
    codes = {name: np.empty(len(people), dtype=np.int32) for name in method.quasi}
    first = 0
    for done, end in enumerate(ends.tolist()):
        inside = order[first:end]
        draft = _generalised(method, taken(people, inside).table, engine)
        published, places = draft.published.table, draft.part_of_record
        for name in method.quasi:
            known = numbers[name]
            mine = [known.setdefault(text, len(known)) for text in published.values_of(name).to_pylist()]
            codes[name][inside] = np.array(mine, dtype=np.int32)[published.codes_of(name)[places]]
        first = end
        progress("generalising", done + 1, ends.size)
    pairs = {name: _sorted_values(codes[name], list(numbers[name])) for name in method.quasi}
    pairs |= {name: _used_values(table, name) for name in method.sensitive_columns}
    keys = [leaf_of.astype(np.int32), *(pairs[name][0] for name in method.quasi)]
    return _Rows(tuple(pairs[name][0] for name in names), tuple(pairs[name][1] for name in names), _numbered(keys))


def _generalised(method: MixedDisassociation, table: Table, engine: Engine) -> Draft[Generalized]:
    try:
        return method.of_rows.publish(table, engine, silent)
    except GuaranteeUnreachable as failure:
        raise GuaranteeUnreachable(
            f"in a cluster of {len(table):,} people, {failure} Or use a clustering with larger clusters, such as core."
        ) from None


def _sorted_values(codes: Ints32, texts: list[str]) -> tuple[Ints32, pa.StringArray]:
    values = sorted(texts)
    rank = {text: number for number, text in enumerate(values)}
    return np.array([rank[text] for text in texts], dtype=np.int32)[codes], pa.array(values, pa.string())


def _used_values(table: Table, name: str) -> tuple[Ints32, pa.StringArray]:
    codes, values = table.codes_of(name), table.values_of(name)
    used = used_by(len(values), codes)
    return ranks_of(used)[codes], values.filter(pa.array(used))


def _numbered(columns: list[Ints32]) -> Ints64:
    """Return a number for everybody that is the same where all columns are."""
    order = order_by_content(columns)
    differs = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    numbers = np.zeros(order.size, dtype=np.int64)
    numbers[order[1:]] = np.cumsum(differs)
    return numbers


def _with_standing(
    method: MixedDisassociation, people: MixedRecords, forest: Forest, leaf_of: Ints64, rows: _Rows
) -> tuple[Forest, dict[int, frozenset[int]]]:
    """Return the forest without the terms that stand with rows, and these by leaf."""
    if method.link not in ("chunks", "terms") or method.is_about_columns:
        return forest, {}
    found = {
        leaf.leaf: standing_in(
            leaf, method.k, method.m, whole=method.link == "chunks", may_be_empty=people.without_terms > 0
        )
        for leaf in leaves_with_terms(forest, people.records, leaf_of, rows.kinds)
    }
    standing = {leaf: terms for leaf, terms in found.items() if terms}
    return (without_terms(forest, standing) if standing else forest), standing


@dataclass(frozen=True, slots=True)
class _Entries:
    """Everybody's leaf, row and standing terms."""

    leaves: Ints64
    rows: _Rows
    sets: list[tuple[int, ...]]  # different sets of standing terms, in order
    set_of: Ints32  # which of them everybody has

    @classmethod
    def of(cls, leaves: Ints64, rows: _Rows, people: MixedRecords, standing: dict[int, frozenset[int]]) -> _Entries:
        """Find what everybody has of their leaf's standing terms."""
        has: list[tuple[int, ...]] = [()] * leaves.size
        if standing:
            for person, leaf in enumerate(leaves.tolist()):
                if leaf in standing:
                    has[person] = tuple(t for t in people.records[person].tolist() if t in standing[leaf])
        sets = sorted(set(has))
        rank = {terms: number for number, terms in enumerate(sets)}
        return cls(leaves, rows, sets, np.array([rank[terms] for terms in has], dtype=np.int32))

    def sorted_once(self) -> tuple[Ints64, Ints64]:
        """Return one person of each different entry, in order, and the entry of everybody."""
        columns = [self.leaves.astype(np.int32), *self.rows.codes, self.set_of]
        order = order_by_content(columns)
        differs = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
        fresh = np.concatenate([[True], differs])
        entry_of = np.empty(order.size, dtype=np.int64)
        entry_of[order] = np.cumsum(fresh) - 1
        return order[fresh], entry_of

    def by_leaf(self, nodes: int) -> list[list[tuple[int, ...]]]:
        """Return the entries of every leaf as what can be compared."""
        first, entry_of = self.sorted_once()
        counts = np.bincount(entry_of, minlength=first.size)
        columns = [codes[first].tolist() for codes in (*self.rows.codes, self.set_of)]
        found: list[list[tuple[int, ...]]] = [[] for _ in range(nodes)]
        for leaf, *entry in zip(self.leaves[first].tolist(), *columns, counts.tolist(), strict=True):
            found[leaf].append(tuple(entry))
        return found


def _mixed(forest: Forest, entries: _Entries, people: MixedRecords) -> tuple[Mixed, Ints64]:
    """Put the noun together, and say which entry everybody became."""
    first, entry_of = entries.sorted_once()
    nodes, vocabulary = forest.nodes, people.records.vocabulary
    used = used_by(len(vocabulary), nodes.items, nodes.term_items)
    rank = ranks_of(used)
    arrays = nodes._asdict() | {"items": rank[nodes.items], "term_items": rank[nodes.term_items]}
    clusters = Clusters(vocabulary.filter(pa.array(used)), forest.parents, **arrays)
    chosen = [entries.sets[number] for number in entries.set_of[first].tolist()]
    sets = Ragged(
        offsets_of([len(terms) for terms in chosen]), np.array([t for terms in chosen for t in terms], dtype=np.int32)
    )
    table, values = people.table, entries.rows.values
    trees = {
        name: tree.with_missing() if MISSING in values[table.schema.position(name)].to_pylist() else tree
        for name, tree in table.hierarchies.items()
    }
    rows = Table(table.schema, tuple(codes[first] for codes in entries.rows.codes), values, trees)
    counts = np.bincount(entry_of, minlength=first.size)
    return Mixed(clusters, entries.leaves[first], rows, Bag.of(vocabulary, sets, counts)), entry_of
