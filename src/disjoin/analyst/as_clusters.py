"""Conversion of groups, records and people to clusters, so that one analysis serves all forms.

A group does not show which of its records has a sensitive item, as a cluster does not show which parts of its chunks
belong together; records that are published as they are make one cluster with one chunk. So everything that is known
about supports and possible originals of clusters holds for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import InvalidParameter
from disjoin.model.clusters import Clusters
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.parameters import Guarantee
from disjoin.model.published import Published, PublishedRecords
from disjoin.model.ragged import Bag, Ints32, Ints64, Ragged, Spans, are_below, offsets_of, runs
from disjoin.model.release import Release

Sets = Clusters | Groups | PublishedRecords


def require_sets(published: Published, what: str) -> Sets:
    """Return what is published, or raise if its records are not sets; `what` names the work that needs them."""
    if not isinstance(published, Sets):
        raise InvalidParameter(
            f"{what} is about sets of items, and this release has {published.in_words}. "
            "Its README.md shows how to read that instead."
        )
    return published


def sets_of(release: Release, what: str) -> tuple[Sets, Guarantee]:
    """Return what a release has published, and its guarantee; values of mixed data are terms, written column=value."""
    published, guarantee = release.published, release.guarantee
    if isinstance(published, Mixed):
        assert isinstance(guarantee, MixedAnonymity), "mixed data has its own guarantee"
        return with_values(published), guarantee.of_terms
    return require_sets(published, what), guarantee


ItemNames = Mapping[str, tuple[str, int]]  # the published item of a name, and how many terms it contains


def item_names(published: GeneralizedItems) -> ItemNames:
    """Return every name of generalised records that can be asked for; a published one represents itself, whole.

    >>> from disjoin.model import Hierarchy
    >>> tree = Hierarchy.from_rows([["tea", "drink", "*"], ["milk", "drink", "*"], ["rye", "*"]])
    >>> mapping = {"tea": "drink", "milk": "drink", "rye": "rye"}
    >>> names = item_names(GeneralizedItems.from_mapping([(["drink", "rye"], 4)], mapping, tree))
    >>> looked_up(names, ["rye", "tea"]), looked_up(names, ["drink"])
    ((['drink', 'rye'], 2.0), (['drink'], 1.0))
    """
    tree, mapping = published.hierarchy, published.mapping
    leaves = dict(zip(tree.names.to_pylist(), tree.leaf_counts.tolist(), strict=True))
    if not leaves.keys() >= set(mapping.values()):
        raise InvalidParameter(
            "a term is published as what its hierarchy does not have: these are not sound records. "
            "Ask disjoin.verify what is wrong."
        )
    terms = {term: (image, leaves[image]) for term, image in mapping.items()}
    return terms | {image: (image, 1) for image in mapping.values()}


def looked_up(names: ItemNames, itemset: list[str]) -> tuple[list[str], float]:
    """Return what is published for an itemset, each once and sorted, and by what its support is divided: the number of
    terms that the names contain, all equally likely and independent. So the quotient is an estimate, exact for 1."""
    unknown = [name for name in itemset if name not in names]
    if unknown:
        one, several = "is neither a published name nor a term", "are neither published names nor terms"
        are = one if len(unknown) == 1 else several
        raise InvalidParameter(f"{', '.join(map(repr, unknown))} {are} of the release. mapping.parquet lists both.")
    found = [names[name] for name in itemset]
    return sorted({published for published, _ in found}), prod((float(terms) for _, terms in found), start=1.0)


def require_sound_groups(published: Groups) -> None:
    """Raise `InvalidParameter` unless some original can have been published so (how private it is, is not asked)."""
    if finding := _groups_finding(published):
        raise InvalidParameter(f"{finding}: these are not sound groups. Ask disjoin.verify what is wrong.")


def bare_records_of(published: Groups) -> Ints64:
    """Count the records without ordinary items of every group."""
    return published.groups.sums(np.where(published.records.lengths == 0, published.counts, 0))


def holders_listed(published: Groups, item: int) -> Ints64:
    """Return for every group how many of its records have a sensitive item."""
    return published.secrets.sums(np.where(published.sensitive_items == item, published.sensitive_counts, 0))


def _groups_finding(published: Groups) -> str | None:
    groups, rows, n_items = len(published), published.counts.size, len(published.vocabulary)
    counts, secrets = published.sensitive_counts, published.secrets
    if not (
        published.groups.cuts(groups, rows)
        and published.records.cuts(rows, published.items.size)
        and secrets.cuts(groups, published.sensitive_items.size)
        and counts.size == published.sensitive_items.size
    ):
        return "the offsets do not fit"
    if not (are_below(published.items, n_items) and are_below(published.sensitive_items, n_items)):
        return "an item has no name"
    is_out_of_range = (counts < 1) | (counts > secrets.spread(published.sizes))
    findings = {
        "a record has a count below 1": published.counts < 1,
        "the size of a group is not the sum of its counts": published.groups.sums(published.counts) != published.sizes,
        "a group has no records": published.sizes < 1,
        "a record has the same item twice": published.records.have_repeats(),
        "an item is sensitive and ordinary": published.is_sensitive[published.items],
        "a group lists the same sensitive item twice": secrets.have_repeats(),
        "a sensitive item is in no record of a group, or in more than it has": is_out_of_range,
        "a group has fewer sensitive items than records that have nothing else": secrets.sums(counts)
        < bare_records_of(published),
    }
    return next((finding for finding, is_found in findings.items() if np.any(is_found)), None)


def as_clusters(published: Sets, *, is_inspected: bool = False) -> Clusters:
    """Return a leaf for each group, with a chunk of its ordinary records and a chunk for each of its sensitive items.
    Records become one leaf with one chunk; clusters stay as they are.

    Raises `InvalidParameter` if the groups do not add up; those of a release do, and are not checked again.

    >>> groups = Groups.from_nested([{"records": [[["tea"], 2], [[], 1]], "sensitive": {"pills": 1}}])
    >>> as_clusters(groups).chunks_of(0)
    [[(('tea',), 2)], [(('pills',), 1)]]
    """
    if isinstance(published, Clusters):
        return published
    if isinstance(published, PublishedRecords):
        return records_as_clusters(published.records)
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


# Mixed data seen as clusters: one chunk more, of the values in the rows, or of the people who match a question.


def with_terms_of_rows(published: Mixed) -> Clusters:
    """Return the clusters with a chunk of the terms in the rows, without values."""
    if not published.people.items.size:
        return published.clusters
    return _with_rows(published, [()] * len(published.rows))


def with_values(published: Mixed) -> Clusters:
    """Return the clusters with a chunk of the rows: their published values, written column=value, and their terms."""
    columns = [[f"{name}={value}" for value in published.rows.column(name).to_pylist()] for name in published.quasi]
    return _with_rows(published, list(zip(*columns, strict=True)))


def with_entries(published: Mixed, mark: str, everybody: str) -> tuple[Clusters, Ints64]:
    """Return the clusters with a chunk in which every entry has two neighbouring subrecords, and where the first is.
    Both have the terms of the row, and `everybody`; the first also has `mark`, and represents all people of the entry.
    A question about some of them divides the counts between the two."""
    clusters, people = published.clusters, published.people
    names = [everybody, mark, *sorted({*clusters.vocabulary.to_pylist(), *people.vocabulary.to_pylist()})]
    entries = np.argsort(published.leaves, kind="stable")
    leaves, sizes = np.unique(published.leaves, return_counts=True)
    added = _headed(people.sets.renumbered(_ranks(people.vocabulary, names)).take(np.repeat(entries, 2)))
    counts = np.column_stack((people.counts[entries], np.zeros_like(entries))).reshape(-1)
    whole, where = _with_chunks(clusters, names, leaves, 2 * sizes, added, counts)
    first = np.empty(entries.size, np.int64)
    first[entries] = where[::2]
    return whole, first


def _ranks(vocabulary: pa.StringArray, names: list[str]) -> Ints32:
    rank = {name: number for number, name in enumerate(names)}
    return np.array([rank[name] for name in vocabulary.to_pylist()], dtype=np.int32)


def _headed(rows: Ragged) -> Ragged:
    """Put the items 0 and 1 before the items of every other row, and 0 before those of the rows between."""
    heads = np.tile([2, 1], len(rows) // 2)  # of each row
    items = np.insert(rows.items, np.repeat(rows.offsets[:-1], heads), np.tile([0, 1, 0], len(rows) // 2))
    return Ragged(offsets_of(rows.lengths + heads), items)


def _with_rows(published: Mixed, values: Sequence[tuple[str, ...]]) -> Clusters:
    """Return the clusters, with a last chunk for each that has rows with values or terms."""
    clusters, bags = published.clusters, dict[int, Counter[tuple[str, ...]]]()
    for leaf, extra, (terms, count) in zip(published.leaves.tolist(), values, published.people.rows(), strict=True):
        if extra or terms:
            bags.setdefault(leaf, Counter())[tuple(sorted((*extra, *terms)))] += count
    leaves = sorted(bags)
    added = [(terms, bags[leaf][terms]) for leaf in leaves for terms in sorted(bags[leaf])]
    names = sorted({*clusters.vocabulary.to_pylist(), *(term for terms, _ in added for term in terms)})
    rank = {name: number for number, name in enumerate(names)}
    subrecords = Ragged.from_lists([[rank[term] for term in terms] for terms, _ in added])
    sizes, counts = [len(bags[leaf]) for leaf in leaves], [count for _, count in added]
    return _with_chunks(clusters, names, leaves, sizes, subrecords, counts)[0]


def _with_chunks(
    clusters: Clusters, names: list[str], leaves: Any, sizes: Any, subrecords: Ragged, counts: Any
) -> tuple[Clusters, Ints64]:
    """Return the clusters with one chunk more in some leaves, and where its subrecords are. `names` are all terms,
    `sizes` the subrecords of each chunk; these are in the order of the leaves, which ascend."""
    mine = _ranks(clusters.vocabulary, names)
    owners = np.concatenate([clusters.nodes.owners(), np.array(leaves, np.int64)])  # of chunks
    order = np.argsort(owners, kind="stable")
    lengths = np.concatenate([clusters.chunks.lengths, np.array(sizes, np.int64)])
    places = Spans.of(lengths).places(order)  # of subrecords
    both = Ragged(
        offsets_of(np.concatenate([clusters.subrecords.lengths, subrecords.lengths])),
        np.concatenate([mine[clusters.items], subrecords.items]),
    ).take(places)
    whole = Clusters(
        vocabulary=pa.array(names, pa.string()),
        parents=clusters.parents,
        sizes=clusters.sizes,
        term_offsets=clusters.term_offsets,
        term_items=mine[clusters.term_items],
        chunk_offsets=offsets_of(np.bincount(owners, minlength=len(clusters))),
        subrecord_offsets=offsets_of(lengths[order]),
        item_offsets=both.offsets,
        items=both.items,
        counts=np.concatenate([clusters.counts, np.array(counts, np.int64)])[places],
    )
    where = np.empty(places.size, np.int64)
    where[places] = np.arange(places.size)
    return whole, where[clusters.counts.size :]
