"""R1, R2, R5, R6: rows of every cluster."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from disjoin.model import Bag, Clusters, Mixed, MixedAnonymity
from disjoin.model.ragged import Ints64, offsets_of
from disjoin.verify.chunks import check_combinations
from disjoin.verify.forest import Forest, is_countable, is_text, packed
from disjoin.verify.inspection import Finding, examples
from disjoin.verify.source import is_among, value_as_read, words_of
from disjoin.verify.table.classes import LISTED, Classes, combined, distinct, listed, shown


def check_shape(published: Mixed) -> list[Finding]:
    """R1, first part: what makes the rows unreadable."""
    people, n = published.people, len(published.rows)
    if not people.sets.is_sound(n, len(people.vocabulary)) or not is_text(people.vocabulary):
        return [Finding("R1", "the terms with rows are not in the vocabulary; the release is damaged.")]
    if not is_countable(people.counts):
        return [Finding("R1", "the counts of rows add up to more than the largest number of people.")]
    joint = published.clusters.is_joint
    strangers = (published.leaves < 0) | (published.leaves >= joint.size)
    if strangers.any():
        return [Finding("R1", f"{int(strangers.sum())} rows belong to a cluster that does not exist.")]
    names = people.vocabulary.to_pylist()
    findings = []
    if any(not name for name in names) or len(set(names)) < len(names) or not people.sets.used(len(names)).all():
        findings.append(Finding("R1", "terms with rows are empty, repeated, or in no row."))
    if people.sets.have_repeats():
        findings.append(Finding("R1", "a row has the same term twice."))
    if (people.counts < 1).any():
        findings.append(Finding("R1", "a row has a count below 1."))
    findings += [
        Finding("R1", "a joint cluster must not have rows.", int(node))
        for node in np.unique(published.leaves[joint[published.leaves]])
    ]
    return findings


def check_sizes(published: Mixed) -> list[Finding]:
    """R1: every cluster that is not joint has a row for each of its records."""
    clusters = published.clusters
    found = np.bincount(published.leaves, published.people.counts, len(clusters)).astype(np.int64)
    return [
        Finding("R1", f"it has rows for {found[node]} people, but {clusters.sizes[node]} records.", int(node))
        for node in np.flatnonzero(~clusters.is_joint & (found != clusters.sizes))
    ]


def spared_people(published: Mixed, guarantee: MixedAnonymity) -> Ints64:
    """Return how many people of every cluster need no term of its chunks: those with terms in rows, or all."""
    clusters, people = published.clusters, published.people
    if guarantee.without_terms:
        return np.asarray(clusters.sizes, dtype=np.int64)
    if check_shape(published):
        return np.zeros(len(clusters), dtype=np.int64)
    having = np.where(np.diff(people.offsets) > 0, people.counts, 0)
    return np.bincount(published.leaves, having, len(clusters)).astype(np.int64)


def leaf_classes(published: Mixed, quasi: tuple[str, ...]) -> Classes:
    """Group the entries of a cluster with the same published quasi-identifiers; sizes are numbers of people."""
    rows = published.rows
    columns = [(rows.codes_of(name), len(rows.values_of(name))) for name in quasi]
    numbers, first = distinct(combined([(published.leaves, len(published.clusters)), *columns], len(rows)))
    sizes = np.bincount(numbers, published.people.counts, first.size).astype(np.int64)
    return Classes(rows, quasi, numbers, sizes, first)


def check_classes(published: Mixed, guarantee: MixedAnonymity, classes: Classes) -> list[Finding]:
    """R2: at least k people of a cluster share their row, and at least k of these each set of up to m terms in it."""
    small = np.flatnonzero(classes.sizes < guarantee.k)
    needed = f"but at least {guarantee.k} are needed."
    findings = [
        _of_class(published, classes, number, "R2", f"{classes.sizes[number]} people have this row, {needed}")
        for number in small[:LISTED]
    ]
    findings = listed(findings, small.size, "rows belong to too few people")
    if not published.people.items.size:
        return findings
    forest = Forest.of(bags_as_leaves(published.people, classes.of_row, classes.sizes))
    for rare in check_combinations(forest, guarantee.of_terms)[:LISTED]:
        words = rare.message.replace("in the chunk", "with this row")
        found = _of_class(published, classes, rare.node, "R2", words)
        findings.append(found._replace(example=(*found.example, *rare.example)))
    return findings


def _of_class(published: Mixed, classes: Classes, number: int, invariant: str, words: str) -> Finding:
    entry = int(classes.rows[number])
    example = shown(published.rows, classes.columns, entry)
    return Finding(invariant, words, int(published.leaves[entry]), example=example)


def bags_as_leaves(people: Bag, owners: Ints64, sizes: Ints64) -> Clusters:
    """Return a leaf for every owner, whose only chunk has its non-empty sets, sorted and counted."""
    bags: dict[int, Counter[tuple[int, ...]]] = {}
    for entry in np.flatnonzero(np.diff(people.offsets)).tolist():
        row = tuple(sorted(people.sets[entry].tolist()))
        bags.setdefault(int(owners[entry]), Counter())[row] += int(people.counts[entry])
    subrecord_offsets, item_offsets, items, counts = packed([bags[owner] for owner in sorted(bags)])
    return Clusters(
        vocabulary=people.vocabulary,
        parents=np.full(sizes.size, -1, dtype=np.int64),
        sizes=sizes,
        term_offsets=np.zeros(sizes.size + 1, dtype=np.int64),
        term_items=np.zeros(0, dtype=np.int32),
        chunk_offsets=offsets_of([owner in bags for owner in range(sizes.size)]),
        subrecord_offsets=subrecord_offsets,
        item_offsets=item_offsets,
        items=items,
        counts=counts,
    )


def check_sensitive(published: Mixed, guarantee: MixedAnonymity, classes: Classes) -> list[Finding]:
    """R5 and R6: sensitive columns are diverse in a class; then no terms may be published with rows."""
    if guarantee.alpha is None and guarantee.column_l == 1:
        return []
    findings = []
    if published.people.items.size:
        findings.append(Finding("R5", "terms are published with rows, which splits classes that must be diverse."))
    for name in guarantee.sensitive_columns:
        owners, counts = _tally(published, name, classes)
        if guarantee.alpha is not None:
            findings += _frequent(published, guarantee.alpha, classes, name, owners, counts)
        different = np.bincount(owners, minlength=classes.sizes.size)
        findings += [
            _of_class(published, classes, number, "R6", f"it has {different[number]} different {name}.")
            for number in np.flatnonzero(different < guarantee.column_l)[:LISTED]
        ]
    return findings


def _tally(published: Mixed, name: str, classes: Classes) -> tuple[Ints64, Ints64]:
    texts = [value or "" for value in published.rows.values_of(name).to_pylist()]
    words = words_of(texts, value_as_read)[published.rows.codes_of(name)]
    width = max(1, len(texts))
    numbers, first = distinct(classes.of_row * width + words)
    counts = np.bincount(numbers, published.people.counts, first.size).astype(np.int64)
    return classes.of_row[first], counts


def _frequent(
    published: Mixed, alpha: Fraction, classes: Classes, name: str, owners: Ints64, counts: Ints64
) -> list[Finding]:
    most = [size * alpha.numerator // alpha.denominator for size in classes.sizes.tolist()]
    wrong = np.flatnonzero(counts > np.array(most, dtype=np.int64)[owners])
    findings = []
    for entry in wrong[:LISTED]:
        number = int(owners[entry])
        people = f"{counts[entry]} of {classes.sizes[number]} people with this row"
        words = f"{people} have the same {name}, but at most a share of {alpha} may."
        findings.append(_of_class(published, classes, number, "R5", words))
    return listed(findings, wrong.size, f"values of {name} are too frequent")


def check_names(published: Mixed, guarantee: MixedAnonymity) -> list[Finding]:
    names = published.people.vocabulary
    secret = np.flatnonzero(is_among(names, guarantee.sensitive))
    if not secret.size:
        return []
    return [Finding("V11", "sensitive terms are published with rows.", example=examples(names, secret))]
