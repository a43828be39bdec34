"""Groups and records seen as clusters: a group is a cluster whose records and sensitive items are chunks.

Which of its records has a sensitive item is as open as which parts of a cluster's chunks belong together, and records
that are published as they are make one cluster with one chunk. So everything that is known about supports and possible
originals of clusters holds for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from disjoin.analyst.reconstruct_puzzle import runs
from disjoin.errors import InvalidParameter
from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups


@dataclass(frozen=True, slots=True)
class ItemNames:
    """For every name that can be asked for: what is published for it, and for how many terms that stands.

    A published name means itself, whole: it stands for one of itself.
    """

    meanings: Mapping[str, tuple[str, int]]

    def looked_up(self, itemset: list[str]) -> tuple[list[str], float]:
        """Return what is published for the names, each once and sorted, and by how much its support is divided.

        Each term is taken for one of those that its published name stands for, all equally likely and independent of
        the others. So the quotient is an estimate; it is exact where nothing is divided.
        """
        unknown = next((name for name in itemset if name not in self.meanings), None)
        if unknown is not None:
            raise InvalidParameter(
                f"{unknown!r} is neither a published name nor a term of the release. mapping.parquet lists both."
            )
        found = [self.meanings[name] for name in itemset]
        return sorted({published for published, _ in found}), prod((float(terms) for _, terms in found), start=1.0)


def item_names(published: GeneralizedItems) -> ItemNames:
    """Return the names of generalised records.

    >>> from disjoin.model import Hierarchy
    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> names = item_names(GeneralizedItems.from_mapping([(["drink", "rye"], 4)], mapping, tree))
    >>> names.looked_up(["rye", "tea"]), names.looked_up(["drink"])
    ((['drink', 'rye'], 2.0), (['drink'], 1.0))
    """
    tree = published.hierarchy
    leaves = dict(zip(tree.names.to_pylist(), tree.leaf_counts.tolist(), strict=True))
    mapping = published.mapping
    if not leaves.keys() >= set(mapping.values()):
        raise InvalidParameter(
            "a term is published as what its hierarchy does not have: these are not sound records. "
            "Ask disjoin.verify what is wrong."
        )
    terms = {term: (image, leaves[image]) for term, image in mapping.items()}
    return ItemNames(terms | {image: (image, 1) for image in mapping.values()})


def require_sound_groups(published: Groups) -> None:
    """Raise `InvalidParameter` unless some original can have been published so (how private it is, is not asked)."""
    finding = _offsets_finding(published) or _records_finding(published) or _sensitive_finding(published)
    if finding:
        raise InvalidParameter(f"{finding}: these are not sound groups. Ask disjoin.verify what is wrong.")


def bare_records_of(published: Groups) -> Ints64:
    """Count the records without ordinary items of every group."""
    bare = np.where(np.diff(published.item_offsets) == 0, published.counts, 0)
    return np.diff(offsets_of(bare)[published.record_offsets])


def _offsets_finding(published: Groups) -> str | None:
    groups, rows = len(published), published.counts.size
    fits = (
        _is_cut(published.record_offsets, groups, rows)
        and _is_cut(published.item_offsets, rows, published.items.size)
        and _is_cut(published.sensitive_offsets, groups, published.sensitive_items.size)
        and published.sensitive_counts.size == published.sensitive_items.size
    )
    return None if fits else "the offsets do not fit"


def _is_cut(offsets: Ints64, rows: int, values: int) -> bool:
    return bool(
        offsets.size == rows + 1 and offsets[0] == 0 and offsets[-1] == values and (np.diff(offsets) >= 0).all()
    )


def _records_finding(published: Groups) -> str | None:
    if not _within(published.items, len(published.vocabulary)):
        return "an item has no name"
    if (published.counts < 1).any():
        return "a record stands for nobody"
    if (np.diff(offsets_of(published.counts)[published.record_offsets]) != published.sizes).any():
        return "a group is not as large as its records say"
    if (published.sizes < 1).any():
        return "a group has no records"
    return "a record has the same item twice" if _repeats(published.item_offsets, published.items) else None


def _sensitive_finding(published: Groups) -> str | None:
    owners = np.repeat(np.arange(len(published)), np.diff(published.sensitive_offsets))
    counts = published.sensitive_counts
    if not _within(published.sensitive_items, len(published.vocabulary)):
        return "an item has no name"
    if published.is_sensitive[published.items].any():
        return "an item is sensitive and ordinary"
    if _repeats(published.sensitive_offsets, published.sensitive_items):
        return "a group lists the same sensitive item twice"
    if ((counts < 1) | (counts > published.sizes[owners])).any():
        return "a sensitive item is in no record of a group, or in more than it has"
    listed = np.diff(offsets_of(counts)[published.sensitive_offsets])
    if (listed < bare_records_of(published)).any():
        return "a group has fewer sensitive items than records that have nothing else"
    return None


def _within(items: Ints32, end: int) -> bool:
    return items.size == 0 or bool(items.min() >= 0 and items.max() < end)


def _repeats(offsets: Ints64, items: Ints32) -> bool:
    """Tell whether a row has an item twice; rows usually ascend, and only where one does not they are sorted."""
    rises = np.diff(items) > 0
    rises[offsets[(offsets > 0) & (offsets < items.size)] - 1] = True
    if rises.all():
        return False
    rows = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    keys = np.sort(rows * (int(items.max()) + 1) + items)
    return bool((keys[1:] == keys[:-1]).any())


def as_clusters(published: Groups, *, is_inspected: bool = False) -> Clusters:
    """Return a leaf for each group, with a chunk of its ordinary records and a chunk for each of its sensitive items.

    Raises `InvalidParameter` if the groups do not add up; those of a release do, and are not checked again.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> as_clusters(groups).chunks_of(0)
    [[(('tea',), 2)], [(('pills',), 1)]]
    """
    if not is_inspected:
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


def records_as_clusters(records: Bag) -> Clusters:
    """Return one leaf whose only chunk has the records; no leaf, if there are none.

    >>> records_as_clusters(Bag.from_rows([(["tea"], 2), (["milk", "tea"], 1)])).chunks_of(0)
    [[(('milk', 'tea'), 1), (('tea',), 2)]]
    """
    if (np.diff(records.offsets) < 1).any():
        raise InvalidParameter("a record has no items: these are not sound records. Ask disjoin.verify what is wrong.")
    leaves = min(len(records), 1)
    return Clusters(
        vocabulary=records.vocabulary,
        parents=np.full(leaves, -1, dtype=np.int64),
        sizes=np.full(leaves, records.n_records, dtype=np.int64),
        term_offsets=np.zeros(leaves + 1, dtype=np.int64),
        term_items=np.zeros(0, dtype=np.int32),
        chunk_offsets=np.arange(leaves + 1, dtype=np.int64),
        subrecord_offsets=offsets_of([len(records)] * leaves),
        item_offsets=records.offsets,
        items=records.items,
        counts=records.counts,
    )
