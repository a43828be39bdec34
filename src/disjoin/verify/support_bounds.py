"""O7: the supports in the original lie between the bounds that the published form gives."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from disjoin.model.arrays import Ints32, Ints64, offsets_of
from disjoin.verify.counting.bounds import Index, Tree, bounds, postings, supports
from disjoin.verify.finding import Finding
from disjoin.verify.forest import Forest
from disjoin.verify.original import Source
from disjoin.verify.overlap import Domains, sums_by_row
from disjoin.verify.tree import Positions

LARGEST = 3  # terms in an itemset
MOST_ITEMSETS = 20_000  # of one size; where there are more, a sample is tried
MOST_STEPS = 200_000_000  # itemsets of one size x clusters
UNBOUNDED = 2**40
SEED = 7  # a constant: the same question gets the same answer


def check_bounds(
    source: Source, forest: Forest, domains: Domains, positions: Positions, *, apart: bool
) -> tuple[list[Finding], dict[str, int]]:
    """O7 for itemsets of up to three terms; `apart` tells that V9 holds, which makes the upper bound sharper.

    The facts tell how many itemsets were tried, of how many. Needs a forest with V1, V3 and V4. With suppressed
    records, of which nothing is known, the original may have that many more than the upper bound.
    """
    tree = tree_of(forest, domains, positions)
    published = _index(forest.item_offsets, forest.items, forest.counts, len(forest.names))
    given = _given(source, len(forest.names))
    missing = _missing_terms(source)
    findings, tried = _too_frequent(source, missing), len(missing)
    for size in range(1, LARGEST + 1):
        itemsets = _itemsets(size, (given, published), min(MOST_ITEMSETS, MOST_STEPS // max(1, len(forest))))
        tried += len(itemsets)
        lower, upper = bounds(itemsets, size, tree, published, apart)
        findings += _compare(forest, itemsets, supports(itemsets, size, given), lower, upper + source.suppressed)
    terms = len(forest.names) + len(missing)
    return findings, {"itemsets": tried, "of": sum(comb(terms, size) for size in range(1, LARGEST + 1))}


def tree_of(forest: Forest, domains: Domains, positions: Positions) -> Tree:
    """Return the forest around the chunks as the counting loops take it."""
    n_terms = len(forest.names)
    alone = forest.is_leaf & (forest.parents < 0) & (np.diff(forest.term_offsets) == 0)
    spare = sums_by_row(forest.chunk_offsets, domains.chunk_sizes) - forest.sizes
    return Tree(
        positions.walk,
        forest.parents,
        forest.sizes,
        forest.is_joint,
        forest.chunk_nodes,
        forest.subrecord_offsets,
        np.where(alone, spare, UNBOUNDED),
        *postings(domains.offsets, domains.terms, n_terms),
        *postings(forest.term_offsets, forest.term_items, n_terms),
    )


def _index(offsets: Ints64, items: Ints32, weights: Ints64, n_terms: int) -> Index:
    return Index(offsets, items, weights, *postings(offsets, items, n_terms))


def _given(source: Source, n_terms: int) -> Index:
    """Index the original records by their published terms."""
    kept = source.items >= 0
    rows = np.repeat(np.arange(len(source)), np.diff(source.offsets))[kept]
    offsets = offsets_of(np.bincount(rows, minlength=len(source)))
    return _index(offsets, source.items[kept], np.ones(len(source), dtype=np.int64), n_terms)


def _missing_terms(source: Source) -> list[tuple[str, int]]:
    """Return the terms of the original that are not published, with their supports."""
    counts = np.bincount(source.terms, minlength=len(source.names))
    gone = np.flatnonzero((source.numbers < 0) & (counts > 0))
    return [(source.names[int(term)].as_py(), int(counts[term])) for term in gone]


def _too_frequent(source: Source, missing: list[tuple[str, int]]) -> list[Finding]:
    lost = [(count, term) for term, count in missing if count > source.suppressed]
    if not lost:
        return []
    message = f"{max(lost)[0]} records of the original have a term that is not published ({len(lost)} such terms)."
    return [Finding("O7", message, example=(max(lost)[1],))]


def _itemsets(size: int, indexes: tuple[Index, Index], most: int) -> NDArray[np.int64]:
    """Return all itemsets of a size, or a sample: half of it occurs in the original, half is visible in the release."""
    n_terms = indexes[0].post_offsets.size - 1
    if comb(n_terms, size) <= most:
        return np.array(list(combinations(range(n_terms), size)), dtype=np.int64).reshape(-1, size)
    chosen = np.concatenate([_draw(index, size, max(1, most // 2)) for index in indexes])
    return np.unique(np.sort(chosen, axis=1), axis=0).astype(np.int64)


def _draw(index: Index, size: int, wanted: int) -> NDArray[np.int32]:
    """Draw itemsets from rows that are long enough; those with a repeat are dropped."""
    generator = np.random.default_rng(SEED)
    lengths = np.diff(index.row_offsets)
    rows = np.flatnonzero(lengths >= size)
    if not rows.size:
        return np.empty((0, size), dtype=np.int32)
    rows = rows[generator.integers(rows.size, size=wanted)]
    picks = generator.integers(lengths[rows][:, None], size=(wanted, size))
    drawn: Ints32 = index.items[index.row_offsets[rows][:, None] + picks]
    ordered = np.sort(drawn, axis=1)
    distinct: NDArray[np.bool_] = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return drawn[distinct]


def _compare(forest: Forest, itemsets: NDArray[np.int64], true: Ints64, lower: Ints64, upper: Ints64) -> list[Finding]:
    findings = []
    for words, bound, excess in (("at least", lower, lower - true), ("at most", upper, true - upper)):
        found = int((excess > 0).sum())
        if found:
            worst = int(np.argmax(excess))
            message = f"{words} {bound[worst]} records have these terms, says the release; {true[worst]} have them"
            example = forest.terms(itemsets[worst])
            findings.append(Finding("O7", f"{message} in the original ({found} such itemsets).", example=example))
    return findings
