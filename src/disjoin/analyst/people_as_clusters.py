"""Mixed data seen as clusters: one chunk more, of the values in the rows, or of the people who match a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from disjoin.model.clusters import Clusters
from disjoin.model.mixed import Mixed
from disjoin.model.ragged import Ints64, Ragged, Spans, offsets_of

Row = tuple[int, tuple[str, ...], int]  # cluster, terms, people


def with_terms_of_rows(published: Mixed) -> Clusters:
    """Return the clusters with the terms that stand with rows as a chunk; values are left out."""
    if not published.people.items.size:
        return published.clusters
    return with_chunk(published.clusters, _rows(published, [()] * len(published.rows)))


def with_values(published: Mixed) -> Clusters:
    """Return the clusters with a chunk of the rows: their published values, written column=value, and their terms."""
    return with_chunk(published.clusters, _rows(published, value_terms(published)))


def with_mark(published: Mixed, mark: str, marked: Ints64, everybody: str) -> Clusters:
    """Return the clusters with a chunk in which `marked[e]` people of entry e have the term `mark`.

    All have the term `everybody`: so nobody needs another to have any, whatever the release says of that.
    """
    rows: list[Row] = []
    for (leaf, terms, count), having in zip(
        _rows(published, [(everybody,)] * marked.size), marked.tolist(), strict=True
    ):
        rows += [(leaf, (*terms, mark), having)] if having else []
        rows += [(leaf, terms, count - having)] if count > having else []
    return with_chunk(published.clusters, rows)


def with_entries(published: Mixed, everybody: str) -> tuple[Clusters, Ints64]:
    """Return the clusters with a chunk in which every entry has a subrecord of its own, and where that is.

    An entry has the terms that stand with its row, and the term `everybody`.
    """
    clusters, people = published.clusters, published.people
    names = sorted({everybody, *clusters.vocabulary.to_pylist(), *people.vocabulary.to_pylist()})
    rank = {name: number for number, name in enumerate(names)}
    mine, theirs = (
        np.array([rank[name] for name in names.to_pylist()], dtype=np.int32)
        for names in (clusters.vocabulary, people.vocabulary)
    )
    entries = np.argsort(published.leaves, kind="stable")
    leaves, sizes = np.unique(published.leaves, return_counts=True)
    terms = Ragged(people.sets.offsets, theirs[people.sets.items]).take(entries)
    added = np.insert(terms.items, terms.offsets[:-1], rank[everybody])  # before the terms of every entry
    owners = np.concatenate([clusters.nodes.owners(), leaves])  # of chunks
    order = np.argsort(owners, kind="stable")
    chunks = np.concatenate([clusters.chunks.lengths, sizes])
    places = Spans.of(chunks).places(order)  # of subrecords
    lengths = np.concatenate([clusters.subrecords.lengths, terms.lengths + 1])
    subrecords = Ragged(offsets_of(lengths), np.concatenate([mine[clusters.items], added])).take(places)
    where = np.empty(places.size, np.int64)
    where[places] = np.arange(places.size)
    at = np.empty(entries.size, np.int64)
    at[entries] = where[clusters.counts.size :]
    whole = Clusters(
        vocabulary=pa.array(names, pa.string()),
        parents=clusters.parents,
        sizes=clusters.sizes,
        term_offsets=clusters.term_offsets,
        term_items=mine[clusters.term_items],
        chunk_offsets=offsets_of(np.bincount(owners, minlength=len(clusters))),
        subrecord_offsets=offsets_of(chunks[order]),
        item_offsets=subrecords.offsets,
        items=subrecords.items,
        counts=np.concatenate([clusters.counts, people.counts[entries]])[places],
    )
    return whole, at


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
    return Clusters(
        vocabulary=pa.array(names, pa.string()),
        parents=clusters.parents,
        sizes=clusters.sizes,
        term_offsets=clusters.term_offsets,
        term_items=mine[clusters.term_items],
        chunk_offsets=offsets_of(np.bincount(owners, minlength=len(clusters))),
        subrecord_offsets=offsets_of(sizes[order]),
        item_offsets=subrecords.offsets,
        items=subrecords.items,
        counts=np.concatenate([clusters.counts, counts])[places],
    )
