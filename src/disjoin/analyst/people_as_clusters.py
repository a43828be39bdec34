"""Mixed data seen as clusters: one chunk more, of the values in the rows, or of the people who match a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from disjoin.model.clusters import Clusters
from disjoin.model.mixed import Mixed
from disjoin.model.ragged import Ints32, Ints64, Ragged, Spans, offsets_of

Row = tuple[int, tuple[str, ...], int]  # cluster, terms, people


def with_terms_of_rows(published: Mixed) -> Clusters:
    """Return the clusters with the terms that stand with rows as a chunk; values are left out."""
    if not published.people.items.size:
        return published.clusters
    return with_chunk(published.clusters, _rows(published, [()] * len(published.rows)))


def with_values(published: Mixed) -> Clusters:
    """Return the clusters with a chunk of the rows: their published values, written column=value, and their terms."""
    return with_chunk(published.clusters, _rows(published, value_terms(published)))


def with_entries(published: Mixed, mark: str, everybody: str) -> tuple[Clusters, Ints64]:
    """Return the clusters with a chunk in which every entry has two subrecords of its own, and where the first is.

    Both have the terms that stand with the row, and `everybody`; the first, right before the other, has `mark`
    besides, and is taken for all people of the entry. So whoever asks for some people divides counts anew.
    """
    clusters, people = published.clusters, published.people
    names = [everybody, mark, *sorted({*clusters.vocabulary.to_pylist(), *people.vocabulary.to_pylist()})]
    rank = {name: number for number, name in enumerate(names)}
    mine, theirs = (
        np.array([rank[name] for name in vocabulary.to_pylist()], dtype=np.int32)
        for vocabulary in (clusters.vocabulary, people.vocabulary)
    )
    entries = np.argsort(published.leaves, kind="stable")
    leaves, sizes = np.unique(published.leaves, return_counts=True)
    added = _headed(Ragged(people.sets.offsets, theirs[people.sets.items]).take(np.repeat(entries, 2)))
    owners = np.concatenate([clusters.nodes.owners(), leaves])  # of chunks
    order = np.argsort(owners, kind="stable")
    chunks = np.concatenate([clusters.chunks.lengths, 2 * sizes])
    places = Spans.of(chunks).places(order)  # of subrecords
    lengths = np.concatenate([clusters.subrecords.lengths, added.lengths])
    subrecords = Ragged(offsets_of(lengths), np.concatenate([mine[clusters.items], added.items])).take(places)
    where = np.empty(places.size, np.int64)
    where[places] = np.arange(places.size)
    first = np.empty(entries.size, np.int64)
    first[entries] = where[clusters.counts.size :: 2]
    counts = np.zeros(places.size, np.int64)
    counts[where[: clusters.counts.size]] = clusters.counts
    counts[first] = people.counts
    whole = _with_chunks(clusters, names, mine, owners, chunks[order], subrecords, counts)
    return whole, first


def _headed(rows: Ragged) -> Ragged:
    """Put the items 0 and 1 before the items of every other row, and 0 before those of the rows between."""
    offsets = offsets_of(rows.lengths + np.where(np.arange(len(rows)) % 2 == 0, 2, 1))
    items, is_head = np.zeros(offsets[-1], np.int32), np.zeros(offsets[-1], np.bool_)
    is_head[offsets[:-1]] = is_head[offsets[:-1:2] + 1] = True
    items[offsets[:-1:2] + 1] = 1
    items[~is_head] = rows.items
    return Ragged(offsets, items)


def value_terms(published: Mixed) -> list[tuple[str, ...]]:
    """Return the values of every entry as terms, column=value."""
    columns = [[f"{name}={value}" for value in published.rows.column(name).to_pylist()] for name in published.quasi]
    return list(zip(*columns, strict=True))


def _rows(published: Mixed, more: Sequence[tuple[str, ...]]) -> list[Row]:
    sets = published.people.rows()
    leaves = published.leaves.tolist()
    return [(leaf, (*extra, *terms), n) for leaf, extra, (terms, n) in zip(leaves, more, sets, strict=True)]


def with_chunk(clusters: Clusters, rows: Iterable[Row]) -> Clusters:
    """Return the clusters with one more chunk, the last, for every cluster that has rows which are not empty."""
    bags: dict[int, Counter[tuple[str, ...]]] = {}
    for leaf, terms, count in rows:
        if terms:
            bags.setdefault(leaf, Counter())[tuple(sorted(terms))] += count
    leaves = sorted(bags)
    added = [row for leaf in leaves for row in sorted(bags[leaf])]
    names = sorted({*clusters.vocabulary.to_pylist(), *(term for row in added for term in row)})
    rank = {name: number for number, name in enumerate(names)}
    mine = np.array([rank[name] for name in clusters.vocabulary.to_pylist()], dtype=np.int32)
    theirs = np.array([rank[term] for row in added for term in row], dtype=np.int32)
    owners = np.concatenate([clusters.nodes.owners(), np.array(leaves, dtype=np.int64)])  # of chunks
    order = np.argsort(owners, kind="stable")
    sizes = np.concatenate([clusters.chunks.lengths, [len(bags[leaf]) for leaf in leaves]]).astype(np.int64)
    places = Spans.of(sizes).places(order)  # of subrecords
    lengths = np.concatenate([clusters.subrecords.lengths, [len(row) for row in added]]).astype(np.int64)
    subrecords = Ragged(offsets_of(lengths), np.concatenate([mine[clusters.items], theirs])).take(places)
    counts = np.array([bags[leaf][row] for leaf in leaves for row in sorted(bags[leaf])], dtype=np.int64)
    counts = np.concatenate([clusters.counts, counts])[places]
    return _with_chunks(clusters, names, mine, owners, sizes[order], subrecords, counts)


def _with_chunks(
    clusters: Clusters,
    names: list[str],
    mine: Ints32,
    owners: Ints64,
    lengths: Ints64,
    subrecords: Ragged,
    counts: Ints64,
) -> Clusters:
    """Return the clusters with other chunks: their owners in any order, and the rest in the order of the owners.

    `names` are all terms, and `mine` tells which of them those of the clusters are.
    """
    return Clusters(
        vocabulary=pa.array(names, pa.string()),
        parents=clusters.parents,
        sizes=clusters.sizes,
        term_offsets=clusters.term_offsets,
        term_items=mine[clusters.term_items],
        chunk_offsets=offsets_of(np.bincount(owners, minlength=len(clusters))),
        subrecord_offsets=offsets_of(lengths),
        item_offsets=subrecords.offsets,
        items=subrecords.items,
        counts=counts,
    )
