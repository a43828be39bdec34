"""Groups seen as clusters: to the receiver, a group is a cluster whose records and sensitive items are chunks.

Which of its records has a sensitive item is as open as which parts of a cluster's chunks belong together: `count` of
the records have it, any of them may, and none of the records is empty. So everything that is known about supports
and possible originals of clusters holds for groups.
"""

from __future__ import annotations

import numpy as np

from disjoin.analyst.groups_form import require_sound_groups
from disjoin.analyst.reconstruction_puzzle import runs
from disjoin.model.arrays import Ints64, offsets_of
from disjoin.model.clusters import Clusters
from disjoin.model.groups import Groups


def as_clusters(published: Groups) -> Clusters:
    """Return a leaf for each group, with a chunk of its ordinary records and a chunk for each of its sensitive items.

    Raises `InvalidParameter` if the groups do not add up.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> as_clusters(groups).chunks_of(0)
    [[(('tea',), 2)], [(('pills',), 1)]]
    """
    require_sound_groups(published)
    n_groups, entries = len(published), np.diff(published.sensitive_offsets)
    shown = np.flatnonzero(np.diff(published.item_offsets))  # bare records show nothing
    owners = np.repeat(np.arange(n_groups), np.diff(published.record_offsets))[shown]
    records = np.bincount(owners, minlength=n_groups)  # (groups,) distinct, not bare
    with_records = np.flatnonzero(records)
    single = np.ones(published.sensitive_items.size, dtype=np.int64)
    order = _records_first(owners, entries)
    chunks = _records_first(with_records, entries)
    starts = np.concatenate((published.item_offsets[:-1][shown], published.items.size + np.arange(single.size)))
    lengths = np.concatenate((np.diff(published.item_offsets)[shown], single))
    both = np.concatenate((published.items, published.sensitive_items))
    return Clusters(
        vocabulary=published.vocabulary,
        parents=np.full(n_groups, -1, dtype=np.int64),
        sizes=published.sizes,
        term_offsets=np.zeros(n_groups + 1, dtype=np.int64),
        term_items=np.zeros(0, dtype=np.int32),
        chunk_offsets=offsets_of((records > 0) + entries),
        subrecord_offsets=offsets_of(np.concatenate((records[with_records], single))[chunks]),
        item_offsets=offsets_of(lengths[order]),
        items=both[runs(starts[order], (starts + lengths)[order])],
        counts=np.concatenate((published.counts[shown], published.sensitive_counts))[order],
    )


def _records_first(owners: Ints64, entries: Ints64) -> Ints64:
    """Return the order that has, group by group, what `owners` owns before the group's entries of sensitive items."""
    keys = np.concatenate((2 * owners, np.repeat(2 * np.arange(entries.size) + 1, entries)))
    return np.argsort(keys, kind="stable")
