"""A toy: a clustering and a strategy of disassociation, each a function. Their records are in the test."""

from __future__ import annotations

import numpy as np

from disjoin.arrays.ordering import by_content
from disjoin.methods.disassociation.clustering import Clustered, Split, Task, chop
from disjoin.methods.disassociation.horpart import Partition
from disjoin.model.ragged import Ints32


def by_length(task: Task) -> Clustered:
    """Make one cluster of the shorter half of the records and one of the longer."""
    data = task.data
    records = by_content(data, np.arange(len(data), dtype=np.int32))
    records = records[np.argsort(np.diff(data.offsets)[records], kind="stable")]
    half = max(task.method.min_cluster_size, len(data) // 2)
    sizes = [half, len(data) - half] if len(data) - half >= task.method.min_cluster_size else [len(data)]
    return Clustered(Partition(records, np.array(sizes, np.int64)))


def blocks(task: Task, records: Ints32, split: Split) -> Partition:
    """Split by no term at all."""
    return chop(task, records)
