"""Disassociation of mixed data: terms with k^m-anonymity, next to k-anonymous columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.horpart import Partition
from disjoin.methods.disassociation.leaves import Forest, Leaves, chunks_in_order, concatenated, rearranged
from disjoin.methods.disassociation.run import clusters_of, disassociate, forest_in_canonical_order
from disjoin.methods.generalization.encoding import order_by_content
from disjoin.methods.mixed.people import chosen_columns, order_of_people, parts_by_exclusion, taken
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model import Bag, Clusters, Draft, Generalized, Mixed, MixedRecords, Table, Transactions
from disjoin.model.generalized import MISSING
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, inverse, offsets_of, ranks_of, used_by
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.mixed import MixedDisassociation

Entry = tuple[int, ...]
Run = Callable[[Task], Draft[Clusters]]


class LeafTerms(NamedTuple):
    """The people of one cluster: the kind of row of each, and the terms."""

    leaf: int
    kinds: Ints64  # (people,)
    sets: list[frozenset[int]]  # (people,) terms of record chunks
    chunks: list[frozenset[int]]  # the terms of each record chunk
    has_term_chunk: bool


def standing_in(leaf: LeafTerms, k: int, m: int, *, whole: bool, may_be_empty: bool) -> frozenset[int]:
    """Return the terms published with a cluster's rows, frequent ones first; `whole`: in whole chunks."""
    supports = Counter(term for terms in leaf.sets for term in terms)
    offers = leaf.chunks if whole else [frozenset({term}) for term in supports]
    pairs = Counter((kind, term) for kind, terms in zip(leaf.kinds.tolist(), leaf.sets, strict=True) for term in terms)
    rare = {term for (_, term), count in pairs.items() if count < k}  # 1 to k - 1 people of some kind of row have them
    chosen: frozenset[int] = frozenset()
    for offer in sorted(offers, key=lambda offer: (-sum(supports[term] for term in offer), sorted(offer))):
        both = chosen | offer
        if (
            not offer & rare
            and _has_candidates(leaf, both, offer, k, m)
            and (may_be_empty or _is_filled(leaf, both, k, m))
        ):
            chosen = both
    return chosen


def _has_candidates(leaf: LeafTerms, terms: frozenset[int], new: frozenset[int], k: int, m: int) -> bool:
    """Return whether none or k people of every kind have every set of 2 to m of the terms, one of them new."""
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for kind, has in zip(leaf.kinds.tolist(), leaf.sets, strict=True):
        shown = sorted(has & terms)
        if new.isdisjoint(shown):
            continue
        for size in range(2, m + 1):
            counts.update((kind, known) for known in combinations(shown, size) if not new.isdisjoint(known))
    return all(count >= k for count in counts.values())


def _is_filled(leaf: LeafTerms, terms: frozenset[int], k: int, m: int) -> bool:
    """Return whether R4 of PROOF.md holds if these terms are published with rows."""
    empty = sum(terms.isdisjoint(has) for has in leaf.sets)
    if leaf.has_term_chunk or not empty:
        return True
    left = [chunk - terms for chunk in leaf.chunks if chunk - terms]
    parts = sum(not chunk.isdisjoint(has) for chunk in left for has in leaf.sets)
    return parts >= min(empty, len(leaf.sets) - k) + k * max(1, min(m, len(left)))


def leaves_with_terms(forest: Forest, records: Transactions, leaf_of: Ints64, kinds: Ints64) -> list[LeafTerms]:
    nodes, is_joint = forest.nodes, np.zeros(forest.parents.size, dtype=np.bool_)
    is_joint[forest.parents[forest.parents >= 0]] = True
    order = np.argsort(leaf_of, kind="stable")
    bounds = np.searchsorted(leaf_of[order], np.arange(is_joint.size + 1))
    ends, found = nodes.item_offsets[nodes.subrecord_offsets], []  # ends of the items of chunks
    for leaf in np.flatnonzero(~is_joint & (np.diff(nodes.chunk_offsets) > 0)).tolist():
        cuts = ends[nodes.chunk_offsets[leaf] : nodes.chunk_offsets[leaf + 1] + 1].tolist()
        chunks = [frozenset(nodes.items[first:last].tolist()) for first, last in pairwise(cuts)]
        people = order[bounds[leaf] : bounds[leaf + 1]]
        domain = frozenset().union(*chunks)
        sets = [domain.intersection(records[person].tolist()) for person in people.tolist()]
        has_terms = bool(nodes.term_offsets[leaf] < nodes.term_offsets[leaf + 1])
        found.append(LeafTerms(leaf, kinds[people], sets, chunks, has_terms))
    return found


def in_canonical_order(forest: Forest) -> tuple[Forest, Ints64]:
    nodes, n = forest.nodes, forest.parents.size
    backwards = np.arange(n)[::-1].copy()  # children before parents
    parents = np.where(forest.parents < 0, -1, n - 1 - forest.parents)[::-1].copy()
    nodes = rearranged(nodes, np.arange(n), chunks_in_order(nodes))
    nodes = rearranged(nodes, backwards, np.arange(nodes.subrecord_offsets.size - 1))
    moved, above, source = forest_in_canonical_order(nodes, parents)
    return Forest(moved, above), inverse(backwards[source])


def without_terms(forest: Forest, terms: dict[int, frozenset[int]]) -> Forest:
    """Return the forest without these terms, by leaf, in the leaves' chunks; chunks may then be out of order."""
    parts, start = [], 0
    for leaf in sorted(terms):
        parts += [_sliced(forest.nodes, start, leaf), _lessened(forest.nodes, leaf, terms[leaf])]
        start = leaf + 1
    parts.append(_sliced(forest.nodes, start, forest.parents.size))
    return Forest(concatenated(parts), forest.parents)


def _sliced(nodes: Leaves, first: int, last: int) -> Leaves:
    chunks = nodes.chunk_offsets[first : last + 1]
    rows = nodes.subrecord_offsets[chunks[0] : chunks[-1] + 1]
    items = nodes.item_offsets[rows[0] : rows[-1] + 1]
    terms = nodes.term_offsets[first : last + 1]
    return Leaves(
        sizes=nodes.sizes[first:last],
        term_offsets=terms - terms[0],
        term_items=nodes.term_items[terms[0] : terms[-1]],
        chunk_offsets=chunks - chunks[0],
        subrecord_offsets=rows - rows[0],
        item_offsets=items - items[0],
        items=nodes.items[items[0] : items[-1]],
        counts=nodes.counts[rows[0] : rows[-1]],
    )


def _lessened(nodes: Leaves, leaf: int, terms: frozenset[int]) -> Leaves:
    alone = _sliced(nodes, leaf, leaf + 1)
    subrecords, chunks = Ragged(alone.item_offsets, alone.items).to_lists(), []
    for first, last in pairwise(alone.subrecord_offsets.tolist()):
        bag: Counter[Entry] = Counter()
        for has, count in zip(subrecords[first:last], alone.counts[first:last].tolist(), strict=True):
            bag[tuple(item for item in has if item not in terms)] += count
        del bag[()]
        chunks += [sorted(bag.items())] if bag else []
    rows = [row for chunk in chunks for row, _ in chunk]
    return alone._replace(
        chunk_offsets=np.array([0, len(chunks)], dtype=np.int64),
        subrecord_offsets=offsets_of([len(chunk) for chunk in chunks]),
        item_offsets=offsets_of([len(row) for row in rows]),
        items=np.array([item for row in rows for item in row], dtype=np.int32),
        counts=np.array([count for chunk in chunks for _, count in chunk], dtype=np.int64),
    )


def arranged(forest: Forest, entries: list[list[Entry]]) -> Ints64:
    n = forest.parents.size
    children: list[list[int]] = [[] for _ in range(n + 1)]  # children[n] has the roots, because their parent is -1
    sizes = [1] * n  # sizes of subtrees
    for node in range(n - 1, -1, -1):
        parent = int(forest.parents[node])
        children[parent].append(node)
        if parent >= 0:
            sizes[parent] += sizes[node]
    for parent in [*range(n - 1, -1, -1), n]:  # bottom up, the roots last
        children[parent] = _sorted_twins(forest, children, sizes, entries, children[parent][::-1])
    walk: list[int] = []
    waiting = children[n][::-1]
    while waiting:
        node = waiting.pop()
        walk.append(node)
        waiting += children[node][::-1]
    return inverse(np.array(walk, dtype=np.int64))


def _sorted_twins(
    forest: Forest, children: list[list[int]], sizes: list[int], entries: list[list[Entry]], siblings: list[int]
) -> list[int]:
    def rows_below(node: int) -> list[list[Entry]]:
        if not children[node]:
            return [entries[node]]
        return [rows for child in children[node] for rows in rows_below(child)]

    found: list[int] = []
    start = 0
    for end in range(1, len(siblings) + 1):
        if end == len(siblings) or not _are_equal(forest, sizes, siblings[start], siblings[end]):
            run = siblings[start:end]
            found += sorted(run, key=rows_below) if len(run) > 1 else run
            start = end
    return found


def _are_equal(forest: Forest, sizes: list[int], one: int, other: int) -> bool:
    """Return whether two subtrees are equal; nodes are in pre-order, so each is a span of them."""
    if sizes[one] != sizes[other] or forest.nodes.sizes[one] != forest.nodes.sizes[other]:
        return False
    stretches: list[list[Any]] = [
        [forest.parents[node + 1 : node + sizes[node]] - node, *_sliced(forest.nodes, node, node + sizes[node])]
        for node in (one, other)
    ]
    return all(map(np.array_equal, *stretches))


def publish_mixed(
    method: MixedDisassociation, data: MixedRecords, engine: Engine, progress: Progress, run: Run = disassociate
) -> Draft[Mixed]:
    """Run the method; people are sorted by content first, so that neither ids nor the order of rows matter."""
    chosen = chosen_columns(method, data)
    marked = chosen.records.with_sensitive(chosen_terms(method, chosen.records).terms)
    chosen = replace(chosen, records=marked)
    order = order_of_people(chosen)
    people = taken(chosen, order)
    forest, leaf_of = _forest(method, people, engine, progress, run)
    rows = _rows(method, people, leaf_of, engine, progress)
    forest, standing = _with_standing(method, people, forest, leaf_of, rows)
    sets, set_of = _standing_sets(people, leaf_of, standing)
    forest, new = in_canonical_order(forest)
    leaf_of = new[leaf_of]
    codes = [*(rows[name][0] for name in people.table.schema.names), set_of]
    leaf_of = arranged(forest, _entries_by_leaf(leaf_of, codes, forest.parents.size))[leaf_of]
    first, entry_of = _different([leaf_of.astype(np.int32), *codes])
    bag = Ragged.from_lists([list(sets[number]) for number in set_of[first].tolist()])
    counts = np.bincount(entry_of, minlength=first.size)
    standing_terms = Bag.of(people.records.vocabulary, bag, counts)
    clusters, _ = clusters_of(*forest, people.records.vocabulary)
    published = Mixed(clusters, leaf_of[first], _table(people.table, rows, first), standing_terms)
    part_of_record = np.empty(len(data), dtype=np.int64)
    part_of_record[order] = entry_of
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
    """Return clusters of the people's terms, parents first, in their own numbers, and the leaf of every person."""
    import pyarrow.compute as pc

    parts: list[Leaves] = []
    parents: list[Ints64] = []
    leaf_of, base = np.empty(len(people), dtype=np.int64), 0
    for part in parts_by_exclusion(method, people):
        draft = _clustered(method, taken(people, part), engine, progress, run)
        clusters = draft.published
        found = pc.index_in(clusters.vocabulary, value_set=people.records.vocabulary)
        numbers = found.to_numpy(zero_copy_only=False).astype(np.int32)
        nodes = Leaves(*(getattr(clusters, name) for name in Leaves._fields))
        parts.append(nodes._replace(items=numbers[nodes.items], term_items=numbers[nodes.term_items]))
        parents.append(np.where(clusters.parents < 0, -1, clusters.parents + base))
        assert draft.part_of_record is not None, "disassociation returns the leaf of every record"
        leaf_of[part] = draft.part_of_record + base
        base += len(clusters)
    return Forest(concatenated(parts), np.concatenate(parents)), leaf_of


def _clustered(
    method: MixedDisassociation, people: MixedRecords, engine: Engine, progress: Progress, run: Run
) -> Draft[Clusters]:
    task = Task(method.of_terms, people.records, engine, progress)
    if method.link != "strong":
        return run(task)
    draft = method.of_rows.publish(people.table, engine, progress)
    assert draft.part_of_record is not None, "generalisation returns the class of every row"
    table = draft.published.table
    order, fresh = _sorted_alike([table.codes_of(name)[draft.part_of_record] for name in draft.published.quasi])
    partition = Partition(order.astype(np.int32), np.diff(np.append(np.flatnonzero(fresh), order.size)))
    return disassociate(task, Clustered(partition))


def _sorted_alike(columns: list[Ints32]) -> tuple[Ints64, Flags]:
    order = order_by_content(columns)
    differs = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    return order, np.concatenate([[True], differs])


def _different(columns: list[Ints32]) -> tuple[Ints64, Ints64]:
    order, fresh = _sorted_alike(columns)
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(fresh) - 1
    return order[fresh], number


Rows = dict[str, tuple[Ints32, pa.StringArray]]  # the published row of every person: codes and values of every column


def _rows(
    method: MixedDisassociation, people: MixedRecords, leaf_of: Ints64, engine: Engine, progress: Progress
) -> Rows:
    order = np.argsort(leaf_of, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(leaf_of[order])) + 1, order.size)
    numbers: dict[str, dict[str, int]] = {name: {} for name in method.quasi}
    codes = {name: np.empty(len(people), dtype=np.int32) for name in method.quasi}
    for done, (first, end) in enumerate(pairwise([0, *ends.tolist()])):
        inside = order[first:end]
        draft = _generalised(method, taken(people, inside).table, engine)
        published, places = draft.published.table, draft.part_of_record
        for name in method.quasi:
            known = numbers[name]
            mine = [known.setdefault(text, len(known)) for text in published.values_of(name).to_pylist()]
            codes[name][inside] = np.array(mine, dtype=np.int32)[published.codes_of(name)[places]]
        progress("generalising", done + 1, ends.size)
    rows: Rows = {}
    for name, known in numbers.items():
        values = sorted(known)
        rank = np.empty(len(values), dtype=np.int32)
        rank[[known[text] for text in values]] = np.arange(len(values))
        rows[name] = rank[codes[name]], pa.array(values, pa.string())
    for name in method.sensitive_columns:
        given, texts = people.table.codes_of(name), people.table.values_of(name)
        used = used_by(len(texts), given)
        rows[name] = ranks_of(used)[given], texts.filter(pa.array(used))
    return rows


def _generalised(method: MixedDisassociation, table: Table, engine: Engine) -> Draft[Generalized]:
    try:
        return method.of_rows.publish(table, engine, silent)
    except GuaranteeUnreachable as failure:
        raise GuaranteeUnreachable(
            f"in a cluster of {len(table):,} people, {failure} Or use a clustering with larger clusters, such as core."
        ) from None


def _with_standing(
    method: MixedDisassociation, people: MixedRecords, forest: Forest, leaf_of: Ints64, rows: Rows
) -> tuple[Forest, dict[int, frozenset[int]]]:
    if method.link not in ("chunks", "terms") or method.is_about_columns:
        return forest, {}
    _, kinds = _different([leaf_of.astype(np.int32), *(rows[name][0] for name in method.quasi)])
    how = {"whole": method.link == "chunks", "may_be_empty": people.without_terms > 0}
    leaves = leaves_with_terms(forest, people.records, leaf_of, kinds)
    found = {leaf.leaf: standing_in(leaf, method.k, method.m, **how) for leaf in leaves}
    standing = {leaf: terms for leaf, terms in found.items() if terms}
    return (without_terms(forest, standing) if standing else forest), standing


def _standing_sets(
    people: MixedRecords, leaf_of: Ints64, standing: dict[int, frozenset[int]]
) -> tuple[list[Entry], Ints32]:
    has: list[Entry] = [()] * leaf_of.size
    for person, leaf in enumerate(leaf_of.tolist() if standing else []):
        if leaf in standing:
            has[person] = tuple(term for term in people.records[person].tolist() if term in standing[leaf])
    sets = sorted(set(has))
    rank = {terms: number for number, terms in enumerate(sets)}
    return sets, np.array([rank[terms] for terms in has], dtype=np.int32)


def _entries_by_leaf(leaf_of: Ints64, codes: list[Ints32], nodes: int) -> list[list[Entry]]:
    first, entry_of = _different([leaf_of.astype(np.int32), *codes])
    counts = np.bincount(entry_of, minlength=first.size)
    found: list[list[Entry]] = [[] for _ in range(nodes)]
    columns = [column[first].tolist() for column in codes]
    for leaf, *entry in zip(leaf_of[first].tolist(), *columns, counts.tolist(), strict=True):
        found[leaf].append(tuple(entry))
    return found


def _table(table: Table, rows: Rows, people: Ints64) -> Table:
    columns = [rows[name] for name in table.schema.names]
    trees = {
        name: tree.with_missing() if MISSING in rows[name][1].to_pylist() else tree
        for name, tree in table.hierarchies.items()
    }
    codes, values = (tuple(codes[people] for codes, _ in columns), tuple(values for _, values in columns))
    return Table(table.schema, codes, values, trees)
