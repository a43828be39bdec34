"""Rows of people compared with the term chunks of their clusters (R3, R4, R7, R8)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from disjoin.model import Clusters, Mixed, MixedAnonymity
from disjoin.model.intervals import interval_from
from disjoin.model.mixed_anonymity import Exclusion
from disjoin.model.ragged import Flags, Ragged, Spans, offsets_of, used_by
from disjoin.verify.chunks import check_disjoint
from disjoin.verify.clusters.structure import check_shared_terms, compared_siblings
from disjoin.verify.forest import Forest, sums_by_row
from disjoin.verify.inspection import ORDER_WARNING, Finding
from disjoin.verify.mixed.rows import bags_as_leaves
from disjoin.verify.source import as_read
from disjoin.verify.table.classes import descents
from disjoin.verify.table.original import lowest_nodes


def with_standing_terms(published: Mixed) -> Clusters:
    """Return the clusters with the terms that are published with rows as one more chunk, the last."""
    clusters, people = published.clusters, published.people
    if not people.items.size:
        return clusters
    added = bags_as_leaves(people, published.leaves, clusters.sizes)
    vocabularies = clusters.vocabulary.to_pylist(), people.vocabulary.to_pylist()
    names = sorted({name for each in vocabularies for name in each})
    rank = {name: number for number, name in enumerate(names)}
    mine, theirs = (np.array([rank[name] for name in each], dtype=np.int32) for each in vocabularies)
    owners = np.concatenate([clusters.nodes.owners(), added.nodes.owners()])  # owners of chunks
    order = np.argsort(owners, kind="stable")
    sizes = np.concatenate([clusters.chunks.lengths, added.chunks.lengths])
    places = Spans.of(sizes).places(order)  # places of subrecords
    subrecords = Ragged(
        offsets_of(np.concatenate([clusters.subrecords.lengths, added.subrecords.lengths])),
        np.concatenate([mine[clusters.items], theirs[added.items]]),
    ).take(places)
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
        counts=np.concatenate([clusters.counts, added.counts])[places],
    )


def check_apart(published: Mixed, whole: Clusters) -> list[Finding]:
    """R3: terms published with rows are in no other chunk here or above; `whole` has them as chunks."""
    known = {(each.node, each.example) for each in _overlaps(published.clusters)}
    words = "terms published with rows here, or below it, are also in a chunk."
    return [
        each._replace(invariant="R3", message=words)
        for each in _overlaps(whole)
        if (each.node, each.example) not in known
    ]


def _overlaps(clusters: Clusters) -> list[Finding]:
    forest = Forest.of(clusters)
    return check_disjoint(forest) + check_shared_terms(forest)[0]


def check_filled(published: Mixed, guarantee: MixedAnonymity) -> list[Finding]:
    """R4: no record has to be empty, whichever records have the known terms.

    A cluster has a term chunk, or no row without terms, or N >= min(e, s - k) + k h subrecords, where e of its s rows
    have none and h = max(1, min(m, chunks)). Not checked if the guarantee states that people may have no terms.
    """
    if guarantee.without_terms:
        return []
    clusters, people = published.clusters, published.people
    blank = np.where(np.diff(people.offsets) == 0, people.counts, 0)
    empty = np.bincount(published.leaves, blank, len(clusters)).astype(np.int64)
    subrecords = sums_by_row(clusters.chunk_offsets, sums_by_row(clusters.subrecord_offsets, clusters.counts))
    spread = np.maximum(1, np.minimum(guarantee.m, np.diff(clusters.chunk_offsets)))
    needed = np.minimum(empty, clusters.sizes - guarantee.k) + guarantee.k * spread
    bare = ~clusters.is_joint & (np.diff(clusters.term_offsets) == 0) & (empty > 0)
    return [
        Finding("R4", f"no term chunk, and {subrecords[node]} subrecords, but {needed[node]} are needed.", int(node))
        for node in np.flatnonzero(bare & (subrecords < needed))
    ]


def check_exclusions(published: Mixed, guarantee: MixedAnonymity) -> list[Finding]:
    """R7: no cluster has a term, in it or above it, together with a row that all exclusions of the term exclude."""
    findings = []
    for about, terms in _by_exclusions(published, guarantee.exclusions).items():
        has_term = nodes_with(published, terms)
        for column in sorted({exclusion.column for exclusion in about}):
            together = [exclusion for exclusion in about if exclusion.column == column]
            values = {value for exclusion in together for value in exclusion.values}
            excluded = excluded_values(published, column, values)[published.rows.codes_of(column)]
            nodes = used_by(len(published.clusters), published.leaves[excluded])
            known = "; ".join(exclusion.in_words() for exclusion in together)
            words = f"it has rows of people who cannot have a term that it has: {known}."
            findings += [Finding("R7", words, int(node)) for node in np.flatnonzero(nodes & has_term)]
    return findings


def _by_exclusions(published: Mixed, exclusions: tuple[Exclusion, ...]) -> dict[tuple[Exclusion, ...], set[str]]:
    found: dict[tuple[Exclusion, ...], set[str]] = {}
    for name in {*published.clusters.vocabulary.to_pylist(), *published.people.vocabulary.to_pylist()}:
        about = tuple(exclusion for exclusion in exclusions if _is_about(exclusion.term, name or ""))
        if about:
            found.setdefault(about, set()).add(name or "")
    return dict(sorted(found.items()))


def _is_about(term: str, name: str) -> bool:
    """Return whether a published term is the excluded one, or begins like it (`O80*`), in any spelling.

    >>> _is_about("o80*", "O80.1"), _is_about("O80", "o80 "), _is_about("O80", "O81")
    (True, True, False)
    """
    if term.endswith("*"):
        return as_read(name).startswith(as_read(term[:-1] + "|")[:-1])
    return as_read(name) == as_read(term)


def excluded_values(published: Mixed, column: str, values: set[str]) -> Flags:
    """Return for every value whether everything that it includes is among these; an interval counts by its ends."""
    texts = [text or "" for text in published.rows.values_of(column).to_pylist()]
    wanted = {as_read(value) for value in values}
    tree = published.hierarchies.get(column)
    if tree is not None:
        nodes = lowest_nodes(tree)
        is_named, outside = np.zeros((2, len(tree)), dtype=np.bool_)
        is_named[[node for name, node in nodes.items() if as_read(name) in wanted]] = True
        paths = tree.paths()
        outside[paths[~is_named[paths].any(axis=1)]] = True  # the nodes above a leaf that matches the term
        return np.array([as_read(text) in wanted or (text in nodes and not outside[nodes[text]]) for text in texts])
    spans = [ends for ends in map(interval_from, values) if ends is not None]

    def is_inside(text: str) -> bool:
        ends = interval_from(text)
        return ends is not None and all(any(low <= end <= high for low, high in spans) for end in ends)

    return np.array([as_read(text) in wanted or is_inside(text) for text in texts], dtype=np.bool_)


def nodes_with(published: Mixed, terms: set[str]) -> Flags:
    clusters, people = published.clusters, published.people
    mine = np.array([term in terms for term in clusters.vocabulary.to_pylist()], dtype=np.bool_)
    theirs = np.array([term in terms for term in people.vocabulary.to_pylist()], dtype=np.bool_)
    found = np.zeros(len(clusters), dtype=np.bool_)
    of_chunk = clusters.nodes.over(clusters.chunks).over(clusters.subrecords)
    found[of_chunk.owners()[mine[clusters.items]]] = True
    found[clusters.term_chunks.owners()[mine[clusters.term_items]]] = True
    found[published.leaves[people.sets.owners()[theirs[people.items]]]] = True
    for node, parent in enumerate(clusters.parents.tolist()):  # parents come first
        found[node] |= parent >= 0 and found[parent]
    return found


def check_order(published: Mixed) -> list[Finding]:
    """R8: rows ascend by cluster, values and terms, each once; so do clusters that are equal except for their rows."""
    findings = []
    names, sets = published.people.vocabulary.to_pylist(), published.people.sets
    if names != sorted(names):
        findings.append(Finding("R8", f"the terms with rows are not sorted: {ORDER_WARNING}"))
    if not sets.are_ascending():
        findings.append(Finding("R8", f"the terms of a row are not sorted: {ORDER_WARNING}"))
    larger, equal = descents([published.leaves, *published.rows.codes], published.leaves.size)
    repeated = (row for row in equal.tolist() if sets[row].tolist() >= sets[row + 1].tolist())
    if late := [*larger.tolist(), *repeated]:
        message = f"the row before must come after it: {ORDER_WARNING}"
        findings.append(Finding("R8", message, 1 + min(late), part="row"))
    return findings or _twins(published)


def _twins(published: Mixed) -> list[Finding]:
    forest = Forest.of(published.clusters)
    pairs, signs = compared_siblings(forest)
    starts = np.searchsorted(published.leaves, np.arange(len(forest) + 1))

    def rows_below(node: int) -> list[list[tuple[object, ...]]]:
        leaves = [n for n in forest.positions.below(node).tolist() if not forest.is_joint[n]]
        return [entries_of(published, int(starts[n]), int(starts[n + 1])) for n in leaves]

    return [
        Finding("R8", f"cluster {one} is equal except for rows, and must come after it: {ORDER_WARNING}", int(other))
        for one, other in pairs[signs == 0].tolist()
        if rows_below(one) > rows_below(other)
    ]


def entries_of(published: Mixed, first: int, last: int) -> list[tuple[object, ...]]:
    codes = [codes[first:last].tolist() for codes in published.rows.codes]
    sets = [tuple(published.people.sets[entry].tolist()) for entry in range(first, last)]
    return list(zip(*codes, sets, published.people.counts[first:last].tolist(), strict=True))
