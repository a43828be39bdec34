"""Weighted rows of items: what records, chunks and records with their ancestors have in common for a miner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.jit.ragged import mirrored, replaced
from disjoin.model import Clusters, Hierarchy, Transactions
from disjoin.model.ragged import Ints32, Ints64, Ragged, offsets_of, strings


@dataclass(frozen=True, slots=True, eq=False)
class ItemRows(Ragged):
    """Sets of items, each standing for a number of records.

    `items[offsets[i]:offsets[i + 1]]` are the items of row `i`, ascending and distinct, in 0..n_terms - 1; the row
    stands for `weights[i]` records. A row may be empty.
    """

    weights: Ints64  # (rows,)
    n_terms: int


def rows_of(data: Transactions) -> ItemRows:
    """Return the records, each for itself.

    >>> rows_of(Transactions.from_sets([{"tea"}, {"tea", "milk"}])).items.tolist()
    [1, 0, 1]
    """
    return ItemRows(data.offsets, data.items, np.ones(len(data), dtype=np.int64), data.n_terms)


def chunk_rows(published: Clusters) -> ItemRows:
    """Return the subrecords of all record and shared chunks with their counts: what is certain without term chunks.

    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> chunk_rows(Clusters.from_nested([leaf])).weights.tolist()
    [2]
    """
    n_terms = len(published.vocabulary)
    own = np.arange(n_terms, dtype=np.int32)  # every item stays what it is; only order and repeats are put right
    rows = _replaced(published.subrecords, [own[i : i + 1] for i in own], n_terms)
    return ItemRows(rows.offsets, rows.items, published.counts, n_terms)


def extended(rows: ItemRows, hierarchy: Hierarchy, names: pa.StringArray | Sequence[str]) -> tuple[ItemRows, Ints32]:
    """Return the rows with all ancestors of their terms, without the root, and the parent of every item.

    `names` are the terms of `rows` by item; each must be a node of the hierarchy, a leaf or not. The new items are
    numbered as in `extended_names`, whatever the rows are, so that original and published data can be compared. The
    parent is -1 below the root: it is what `top_itemsets` takes as `related`.

    >>> tree = Hierarchy.from_rows([["cat", "pet", "*"], ["dog", "pet", "*"], ["cow", "farm", "*"]])
    >>> rows, parents = extended(rows_of(Transactions.from_sets([{"cat", "dog"}])), tree, ["cat", "dog"])
    >>> [extended_names(tree)[item].as_py() for item in rows.items], parents.tolist()
    (['cat', 'dog', 'pet'], [4, 3, 4, -1, -1])
    """
    number = {name: item for item, name in enumerate(extended_names(hierarchy).to_pylist())}
    chains, parents = _chains(hierarchy, number)
    terms = strings(names).to_pylist()
    unknown = sum(term not in chains for term in terms)
    if unknown:
        raise InvalidParameter(
            f"every term needs a place in the hierarchy, {unknown:,} of {len(terms):,} have none; add a row for each."
        )
    longer = _replaced(rows, [chains[term] for term in terms], len(number))
    return ItemRows(longer.offsets, longer.items, rows.weights, len(number)), parents


def extended_names(hierarchy: Hierarchy) -> pa.StringArray:
    """Return the names of all nodes but the root, each once, in code-point order: the vocabulary of extended rows."""
    names = set(hierarchy.names.to_pylist()) - {hierarchy.names[hierarchy.root].as_py()}
    return strings(sorted(names))


def _chains(hierarchy: Hierarchy, number: dict[str, int]) -> tuple[dict[str, Ints32], Ints32]:
    """Return, for every name, its own item and those of its ancestors, and for every item the parent's."""
    names = hierarchy.names.to_pylist()
    above: dict[int, tuple[int, ...]] = {hierarchy.root: ()}
    for node in range(hierarchy.root - 1, -1, -1):  # a parent comes after its children
        rest = above[int(hierarchy.parents[node])]
        item = number.get(names[node], -1)
        # A leaf may be repeated upwards, and so may the root downwards: one name is one item.
        above[node] = rest if item < 0 or item in rest else (item, *rest)
    parents = np.full(len(number), -1, dtype=np.int32)
    for chain in above.values():
        if len(chain) > 1:
            parents[chain[0]] = chain[1]
    return {names[node]: np.array(chain, dtype=np.int32) for node, chain in above.items()}, parents


def _replaced(rows: Ragged, chains: list[Ints32], n_terms: int) -> Ragged:
    """Return rows in which every item has made room for its chain: ascending, without repeats."""
    links = np.concatenate([*chains, np.zeros(0, dtype=np.int32)])
    chain_offsets = offsets_of([chain.size for chain in chains])
    unsorted = replaced(rows.offsets, rows.items, chain_offsets, links, n_terms)
    return Ragged(*mirrored(*mirrored(*unsorted, n_terms), len(rows)))
