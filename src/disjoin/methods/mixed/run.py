"""Mixed data from people to a draft: cluster by terms, generalise the rows of each cluster, link both where allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable
from disjoin.methods.contract import Engine
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.run import disassociate, disassociate_once
from disjoin.methods.disassociation.write_leaves import Forest, Leaves, concatenated
from disjoin.methods.generalization.encoding import order_by_content
from disjoin.methods.mixed.arranging import arranged, in_canonical_order, without_terms
from disjoin.methods.mixed.people import chosen_columns, order_of_people, parts_by_exclusion, taken
from disjoin.methods.mixed.standing_terms import leaves_with_terms, standing_in
from disjoin.methods.sensitive_terms import chosen_terms
from disjoin.model import Bag, Clusters, Draft, Generalized, Mixed, MixedRecords, Table
from disjoin.model.generalized import MISSING
from disjoin.model.ragged import Ints32, Ints64, Ragged, offsets_of, ranks_of, used_by
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.mixed import MixedDisassociation


def publish_mixed(method: MixedDisassociation, data: MixedRecords, engine: Engine, progress: Progress) -> Draft[Mixed]:
    """Run the method; people are sorted by content first, so that neither ids nor the order of rows decide anything."""
    chosen = chosen_columns(method, data)
    marked = chosen.records.with_sensitive(chosen_terms(method, chosen.records).terms)
    chosen = replace(chosen, records=marked)
    order = order_of_people(chosen)
    people = taken(chosen, order)
    forest, leaf_of = _forest(method, people, engine, progress)
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
    method: MixedDisassociation, people: MixedRecords, engine: Engine, progress: Progress
) -> tuple[Forest, Ints64]:
    """Return clusters of the people's terms, parents first, in their own numbers, and the leaf of everybody."""
    import pyarrow.compute as pc

    parts: list[Leaves] = []
    parents: list[Ints64] = []
    leaf_of, base = np.empty(len(people), dtype=np.int64), 0
    for part in parts_by_exclusion(method, people):
        draft = _clustered(method, taken(people, part), engine, progress)
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
    method: MixedDisassociation, people: MixedRecords, engine: Engine, progress: Progress
) -> Draft[Clusters]:
    """Disassociate the terms; with a strong link, in clusters of people whose rows are alike."""
    if method.link != "strong":
        return disassociate(method.of_terms, people.records, engine, progress)
    draft = method.of_rows.publish(people.table, engine, progress)
    assert draft.part_of_record is not None, "generalisation says what every row became"
    table = draft.published.table
    columns = [table.codes_of(name)[draft.part_of_record] for name in draft.published.quasi]
    order = order_by_content(columns)
    differs = np.any([column[order[1:]] != column[order[:-1]] for column in columns], axis=0)
    starts = np.concatenate([[0], np.flatnonzero(differs) + 1, [order.size]])
    partition = Partition(order.astype(np.int32), np.diff(starts))
    return disassociate_once(Task(method.of_terms, people.records, engine, progress), Clustered(partition))


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
