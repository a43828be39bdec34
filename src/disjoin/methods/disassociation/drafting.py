"""From leaves and joint clusters to a draft: canonical order, and published terms only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from disjoin.methods.disassociation.forest_order import forest_in_canonical_order
from disjoin.methods.disassociation.horpart_strategies import Partition
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.model import Clusters, Draft, Transactions
from disjoin.model.arrays import Ints64


class Forest(NamedTuple):
    """Leaves in the order of their partition, then joint clusters; a parent has a greater number than its children."""

    nodes: Leaves
    parents: Ints64  # -1 for a root

    @classmethod
    def without_joints(cls, leaves: Leaves) -> Forest:
        """Return a forest of leaves alone."""
        return cls(leaves, np.full(leaves.sizes.size, -1, np.int64))


def draft_of(forest: Forest, data: Transactions, partition: Partition) -> Draft[Clusters]:
    """Put the forest in canonical order and say where every record went."""
    nodes, parents, source = forest_in_canonical_order(*forest)
    return Draft(_clusters(nodes, parents, data), _places(len(data), partition, source))


def _places(n: int, partition: Partition, source: Ints64) -> Ints64:
    """Return for every record the number of its published leaf, -1 for a suppressed one."""
    place = np.empty_like(source)
    place[source] = np.arange(source.size)
    part_of_record = np.full(n, -1, np.int64)
    part_of_record[partition.records] = np.repeat(place[: partition.sizes.size], partition.sizes)
    return part_of_record


def _clusters(nodes: Leaves, parents: Ints64, data: Transactions) -> Clusters:
    """Wrap the nodes, with a vocabulary of published terms only (an unused name would betray a suppressed record)."""
    used = np.zeros(data.n_terms, np.bool_)
    used[nodes.items] = True
    used[nodes.term_items] = True
    items, term_items, vocabulary = nodes.items, nodes.term_items, data.vocabulary
    if not used.all():
        rank = (np.cumsum(used) - 1).astype(np.int32)
        items, term_items = rank[items], rank[term_items]
        vocabulary = vocabulary.take(pa.array(np.flatnonzero(used)))
    return Clusters(
        vocabulary=vocabulary,
        parents=parents,
        sizes=nodes.sizes,
        term_offsets=nodes.term_offsets,
        term_items=term_items,
        chunk_offsets=nodes.chunk_offsets,
        subrecord_offsets=nodes.subrecord_offsets,
        item_offsets=nodes.item_offsets,
        items=items,
        counts=nodes.counts,
    )
