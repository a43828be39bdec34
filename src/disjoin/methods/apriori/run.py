"""Apriori and direct anonymisation, from records to a draft."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.jit.decision import prepare
from disjoin.methods.apriori import ALGORITHMS
from disjoin.methods.apriori.rare_itemsets import RareSets
from disjoin.methods.apriori.tree import Cut, ItemTree, NodeRows, Postings, cheapest_repair
from disjoin.model import Bag, Draft, GeneralizedItems, Hierarchy, Transactions
from disjoin.model.hierarchy_builders import fan_out_hierarchy
from disjoin.model.parameters import OTHER
from disjoin.model.ragged import strings
from disjoin.progress import Progress
from disjoin.text import counted

if TYPE_CHECKING:
    from disjoin.methods.apriori import Apriori

INTERPRETED = 50e-6  # seconds per occurrence and term of an itemset


def require_records(k: int, data: Transactions) -> None:
    n = len(data)
    if n < k:
        remedy = f"Add records, or lower k to {n} or less." if n >= 2 else "Add records."
        raise GuaranteeUnreachable(f"{counted(n, 'record')} cannot have {k} candidates. {remedy}")


def hierarchy_for(data: Transactions, given: Hierarchy | None, fan_out: int) -> Hierarchy:
    """Return the hierarchy given, which must have a leaf for every term that occurs, or build one over these terms."""
    there = data.vocabulary.take(pa.array(np.flatnonzero(data.supports()))).to_pylist()
    if given is None:
        return fan_out_hierarchy(there, fan_out)
    leaves = {*given.names.slice(0, given.n_leaves).to_pylist()}
    lost = [term for term in there if term not in leaves]
    if lost:
        found = "1 term has none, in" if len(lost) == 1 else f"{len(lost):,} terms have none, for example in"
        item = data.vocabulary.index(lost[0]).as_py()
        record = int(np.searchsorted(data.offsets, np.flatnonzero(data.items == item)[0], side="right")) - 1
        raise InvalidParameter(
            f"every term needs a leaf in the hierarchy, but {found} record {record:,} (from 0). "
            "Add a row for each: the term, what it generalises to, and so on to the root."
        )
    return given


def with_these_leaves(tree: Hierarchy, data: Transactions) -> Hierarchy:
    """Return the hierarchy without leaves that the data do not have; the word "other" is added below the root."""
    there = {*data.vocabulary.to_pylist()}
    rows = [row for row in tree.rows() if row[0] in there]
    if OTHER in there and not any(row[0] == OTHER for row in rows):
        rows.append((OTHER, tree.names[tree.root].as_py()))
    if not rows:
        return tree  # no term has a leaf, which is an error
    fewer = Hierarchy.from_rows(rows)
    return Hierarchy(fewer.names, fewer.parents, tree.told_apart)


def generalize_items(
    method: Apriori, data: Transactions, hierarchy: Hierarchy, progress: Progress
) -> Draft[GeneralizedItems]:
    prepare(INTERPRETED * min(method.m, data.records.longest) * data.items.size)
    tree = ItemTree.of(hierarchy)
    there = np.flatnonzero(data.supports())
    nodes = np.zeros(data.n_terms, dtype=np.int32)  # node of each term; unused terms may have any
    nodes[there] = tree.node_of_leaf[hierarchy.encode(data.vocabulary.take(pa.array(there)))]
    each = NodeRows(data.offsets, data.items, np.ones(len(data), dtype=np.int64), np.arange(len(data)))
    rows = each.published_as(nodes, tree)
    cut = Cut(tree, rows.supports(rows.weights, len(tree)))
    levels = ALGORITHMS[method.algorithm].load()(method.m)
    for level, wanted in enumerate(levels):
        _repair_all(method.k, wanted, cut, Postings(rows, tree), _part(progress, level, len(levels)))
        rows = rows.published_as(cut.image_of, tree)
    progress("generalising", len(levels) * len(tree), len(levels) * len(tree))
    terms = hierarchy.names.slice(0, hierarchy.n_leaves).to_pylist()
    image_of_term = dict(zip(terms, cut.image_of[tree.node_of_leaf].tolist(), strict=True))
    images = [tree.names[image_of_term[term]] for term in sorted(terms)]
    bag = Bag.of(strings(tree.names), rows, rows.weights)
    items = GeneralizedItems(bag, strings(sorted(terms)), strings(images), hierarchy)
    return Draft(items, rows.row_of_record, private={"ncp": cut.ncp, "generalized_terms": cut.raised_terms})


def size_by_size(m: int) -> list[range]:
    """Return the rounds of the algorithm AA: single terms, then pairs, and so on up to sets of m terms."""
    return [range(size, size + 1) for size in range(1, m + 1)]


def all_sizes(m: int) -> list[range]:
    """Return the one round of the direct algorithm (DA)."""
    return [range(1, m + 1)]


def _part(progress: Progress, level: int, levels: int) -> Progress:
    def told(stage: str, done: int, total: int, note: str = "") -> None:
        progress(stage, level * total + done, levels * total, note)

    return told


def _repair_all(k: int, sizes: range, cut: Cut, postings: Postings, progress: Progress) -> None:
    rare_sets = RareSets(k, sizes, cut, postings, progress)
    while (rare := rare_sets.next()) is not None:
        for node in cheapest_repair(rare, k, cut, postings):
            if not cut.is_image[node]:
                cut.raise_to(node)
                rare_sets.add(node)
