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

from disjoin.errors import InvalidParameter
from disjoin.model.bag import Bag
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.published import Published, PublishedRecords
from disjoin.model.ragged import Ints64, are_below, offsets_of, runs

Sets = Clusters | Groups | PublishedRecords


def require_sets(published: Published, what: str) -> Sets:
    """Return what is published if it stands for records that are sets; `what` names the work that needs them."""
    if not isinstance(published, Sets):
        raise InvalidParameter(
            f"{what} is about sets of items, and this release has {published.in_words}. "
            "Its README.md shows how to read that instead."
        )
    return published


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
        unknown = [name for name in itemset if name not in self.meanings]
        if unknown:
            are = (
                "is neither a published name nor a term"
                if len(unknown) == 1
                else "are neither published names nor terms"
            )
            raise InvalidParameter(f"{', '.join(map(repr, unknown))} {are} of the release. mapping.parquet lists both.")
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
    return published.groups.sums(np.where(published.records.lengths == 0, published.counts, 0))


def _offsets_finding(published: Groups) -> str | None:
    groups, rows = len(published), published.counts.size
    fits = (
        published.groups.cuts(groups, rows)
        and published.records.cuts(rows, published.items.size)
        and published.secrets.cuts(groups, published.sensitive_items.size)
        and published.sensitive_counts.size == published.sensitive_items.size
    )
    return None if fits else "the offsets do not fit"


def _records_finding(published: Groups) -> str | None:
    if not are_below(published.items, len(published.vocabulary)):
        return "an item has no name"
    if (published.counts < 1).any():
        return "a record stands for nobody"
    if (published.groups.sums(published.counts) != published.sizes).any():
        return "a group is not as large as its records say"
    if (published.sizes < 1).any():
        return "a group has no records"
    return "a record has the same item twice" if published.records.have_repeats() else None


def _sensitive_finding(published: Groups) -> str | None:
    owners = published.secrets.owners()
    counts = published.sensitive_counts
    if not are_below(published.sensitive_items, len(published.vocabulary)):
        return "an item has no name"
    if published.is_sensitive[published.items].any():
        return "an item is sensitive and ordinary"
    if published.secrets.have_repeats():
        return "a group lists the same sensitive item twice"
    if ((counts < 1) | (counts > published.sizes[owners])).any():
        return "a sensitive item is in no record of a group, or in more than it has"
    listed = published.secrets.sums(counts)
    if (listed < bare_records_of(published)).any():
        return "a group has fewer sensitive items than records that have nothing else"
    return None


def as_clusters(published: Groups, *, is_inspected: bool = False) -> Clusters:
    """Return a leaf for each group, with a chunk of its ordinary records and a chunk for each of its sensitive items.

    Raises `InvalidParameter` if the groups do not add up; those of a release do, and are not checked again.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> as_clusters(groups).chunks_of(0)
    [[(('tea',), 2)], [(('pills',), 1)]]
    """
    if not is_inspected:
        require_sound_groups(published)
    n_groups, entries = len(published), published.secrets.lengths
    shown = np.flatnonzero(published.records.lengths)  # bare records show nothing
    owners = published.groups.owners()[shown]
    records = np.bincount(owners, minlength=n_groups)  # (groups,) distinct, not bare
    with_records = np.flatnonzero(records)
    single = np.ones(published.sensitive_items.size, dtype=np.int64)
    order = _records_first(owners, entries)
    chunks = _records_first(with_records, entries)
    starts = np.concatenate((published.item_offsets[:-1][shown], published.items.size + np.arange(single.size)))
    lengths = np.concatenate((published.records.lengths[shown], single))
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
    if (records.sets.lengths < 1).any():
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
