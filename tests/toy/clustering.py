"""A toy: a clustering and a strategy of disassociation, each a function. Their records are in the test."""

from __future__ import annotations

import numpy as np

from disjoin.jit.ordering import by_content
from disjoin.methods.disassociation.clustering import Clustered, Task
from disjoin.methods.disassociation.horpart_strategies import Partition, Splitting, chop
from disjoin.model.ragged import Ints32


def by_length(task: Task) -> Clustered:
    """Make one cluster of the shorter half of the records and one of the longer."""
    data = task.data
    records = by_content(data, np.arange(len(data), dtype=np.int32))
    records = records[np.argsort(np.diff(data.offsets)[records], kind="stable")]
    half = max(task.method.least, len(data) // 2)
    sizes = [half, len(data) - half] if len(data) - half >= task.method.least else [len(data)]
    return Clustered(Partition(records, np.array(sizes, np.int64)))


def blocks(records: Ints32, how: Splitting) -> Partition:
    """Split by no term at all."""
    return chop(records, how)
