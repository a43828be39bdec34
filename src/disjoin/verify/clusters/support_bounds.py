"""O7: original supports are between the published bounds."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, offsets_of
from disjoin.verify.counting.bounds import NOWHERE, Index, Tree, postings, supports, upper_bounds
from disjoin.verify.forest import Forest, sums_by_row
from disjoin.verify.inspection import Clock, Finding
from disjoin.verify.source import Source

LARGEST = 3  # terms in an itemset
MOST_ITEMSETS = 10_000  # itemsets of one size; if there are more, a sample is tried
SECONDS = 0.5  # time limit: small compared to publishing a million records
BLOCK = 16  # itemsets between two readings of the clock
UNBOUNDED = 2**40
SEED = 7  # a constant, so that results are repeatable


def _listed(rows: Ragged, n_terms: int) -> tuple[Ints64, Ints64]:
    offsets, free = np.zeros(n_terms + 1, dtype=np.int64), np.zeros(n_terms, dtype=np.int64)
    found = np.empty(rows.items.size, dtype=np.int64)
    postings(rows.offsets, rows.items, offsets, free, found)
    return offsets, found


def check_bounds(source: Source, forest: Forest, *, apart: bool, clock: Clock) -> tuple[list[Finding], dict[str, Any]]:
    """O7 for itemsets of up to three terms. Needs V1, V3 and V4; `apart`: V9 holds, for sharper upper bounds.

    Facts: tested itemsets, of how many, and the seconds if stopped. Originals may exceed bounds by suppressed records.
    """
    n_terms, missing = len(forest.names), _missing_terms(source)
    given, visible = Ragged(source.offsets, source.items), Ragged(forest.item_offsets, forest.items)
    if not (published := given.items >= 0).all():
        given = given.where(published)
    filled = int(forest.sizes[forest.is_leaf].sum()) <= len(source)  # otherwise some people have no terms
    bounds = Bounds(forest, apart=apart, filled=filled)
    original = Index(np.ones(len(source), dtype=np.int64), *_listed(given, n_terms))
    samples = [
        Sample(bounds.rarest_first(_itemsets(size, n_terms, (given, visible), MOST_ITEMSETS)), original, bounds)
        for size in range(1, LARGEST + 1)
    ]
    end, more = clock() + SECONDS, True
    while more:  # in turn, until all are done or time is up; at least one block of each
        for sample in samples:
            sample.go_on()
        more = not all(sample.is_done for sample in samples) and clock() < end
    findings = _too_frequent(source, missing)
    for sample in samples:
        findings += _compare(forest, sample, source.suppressed)
    everything = sum(comb(n_terms + len(missing), size) for size in range(1, LARGEST + 1))
    facts = {"itemsets": len(missing) + sum(sample.tried for sample in samples), "of": everything}
    return findings, facts if all(sample.is_done for sample in samples) else facts | {"stopped_after": SECONDS}


class Sample:
    """Itemsets of one size; per block, their supports in the original are compared with the bounds."""

    def __init__(self, itemsets: Ints64, original: Index, bounds: Bounds) -> None:
        self.tried = 0
        self.itemsets = itemsets[np.random.default_rng(SEED).permutation(len(itemsets))]  # in random order
        self.true, self.lower, self.upper = np.zeros((3, len(itemsets)), dtype=np.int64)
        self._original, self._bounds = original, bounds
        self._at = np.empty(itemsets.shape[1], dtype=np.int64)
        self._room = bounds.room(itemsets.shape[1])

    @property
    def is_done(self) -> bool:
        return self.tried == len(self.itemsets)

    def go_on(self) -> None:
        block = slice(self.tried, min(self.tried + BLOCK, len(self.itemsets)))
        these = self.itemsets[block]
        self.true[block] = supports(these, self._original, self._at)
        self.lower[block] = self._bounds.lower(these, self._at)
        self.upper[block] = self._bounds.upper(these, self._room)
        self.tried = block.stop


class Bounds:
    """Lower and upper bounds on supports, as a recipient of the release can compute them."""

    def __init__(self, forest: Forest, *, apart: bool, filled: bool) -> None:
        self._apart = apart
        self._tree = _tree(forest, filled)
        self._shown = Index(forest.counts, *_listed(Ragged(forest.item_offsets, forest.items), len(forest.names)))
        self._term_chunks = np.bincount(forest.term_items, minlength=len(forest.names))

    def rarest_first(self, itemsets: Ints64) -> Ints64:
        places = np.diff(self._tree.entry_offsets)
        return np.take_along_axis(itemsets, np.argsort(places[itemsets], axis=1, kind="stable"), axis=1)

    def lower(self, itemsets: Ints64, at: Ints64) -> Ints64:
        shown = supports(itemsets, self._shown, at)
        return shown + self._term_chunks[itemsets[:, 0]] if itemsets.shape[1] == 1 else shown

    def room(self, size: int) -> tuple[Ints64, Ints64]:
        """Return scratch arrays for `upper`, which restores them."""
        nodes = self._tree.nodes.shape[1]
        return np.full((size, nodes), NOWHERE, dtype=np.int64), np.zeros((4, max(LARGEST, nodes)), dtype=np.int64)

    def upper(self, itemsets: Ints64, room: tuple[Ints64, Ints64]) -> Ints64:
        return upper_bounds(itemsets, self._tree, self._shown, *room, self._apart)


def _tree(forest: Forest, filled: bool) -> Tree:
    """Return the forest around the chunks as the counting loops need it; `filled`: no record is empty."""
    alone = filled & forest.is_leaf & (forest.parents < 0) & (np.diff(forest.term_offsets) == 0)
    spare = sums_by_row(forest.chunk_offsets, forest.domains.chunk_sizes) - forest.sizes
    holders = np.repeat(np.arange(len(forest)), np.diff(forest.term_offsets))
    terms = np.concatenate((forest.domains.terms, forest.term_items))
    entries = np.concatenate((forest.domains.chunks, -1 - holders))
    by_term = np.argsort(terms, kind="stable")
    nodes = (
        forest.parents,
        forest.sizes,
        forest.is_joint,
        forest.positions.first,
        forest.positions.last,
        forest.positions.roots(),
        np.where(alone, spare, UNBOUNDED),
        forest.positions.walk,
    )
    chunks = (forest.subrecord_offsets[:-1], forest.subrecord_offsets[1:], forest.chunk_nodes)
    return Tree(
        np.array(nodes, dtype=np.int64),
        np.array(chunks, dtype=np.int64),
        offsets_of(np.bincount(terms, minlength=len(forest.names))),
        entries[by_term],
    )


def _missing_terms(source: Source) -> list[tuple[str, int]]:
    counts = np.bincount(source.terms, minlength=len(source.names))
    gone = np.flatnonzero((source.numbers < 0) & (counts > 0))
    return [(source.names[int(term)].as_py(), int(counts[term])) for term in gone]


def _too_frequent(source: Source, missing: list[tuple[str, int]]) -> list[Finding]:
    lost = [(count, term) for term, count in missing if count > source.suppressed]
    if not lost:
        return []
    message = f"{max(lost)[0]} records of the original have a term that is not published ({len(lost)} such terms)."
    return [Finding("O7", message, example=(max(lost)[1],))]


def _itemsets(size: int, n_terms: int, sources: tuple[Ragged, Ragged], most: int) -> Ints64:
    """Return all itemsets of a size, or a sample: half of it from the original, half visible in the release."""
    if comb(n_terms, size) <= most:
        return np.array(list(combinations(range(n_terms), size)), dtype=np.int64).reshape(-1, size)
    chosen = np.concatenate([_draw(rows, size, max(1, most // 2)) for rows in sources])
    return np.unique(np.sort(chosen, axis=1), axis=0).astype(np.int64)


def _draw(rows: Ragged, size: int, wanted: int) -> Ints32:
    """Draw itemsets from rows that are long enough, three times as many as wanted: those with a repeat are dropped."""
    generator = np.random.default_rng(SEED)
    lengths = np.diff(rows.offsets)
    long = np.flatnonzero(lengths >= size)
    if not long.size:
        return np.empty((0, size), dtype=np.int32)
    chosen = long[generator.integers(long.size, size=3 * wanted)]
    picks = generator.integers(lengths[chosen][:, None], size=(3 * wanted, size))
    drawn: Ints32 = rows.items[rows.offsets[chosen][:, None] + picks]
    ordered = np.sort(drawn, axis=1)
    distinct: Flags = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    return drawn[distinct][:wanted]


def _compare(forest: Forest, sample: Sample, suppressed: int) -> list[Finding]:
    findings, tried = [], slice(0, sample.tried)
    true, lower, upper = sample.true[tried], sample.lower[tried], sample.upper[tried] + suppressed
    for words, bound, excess in (("at least", lower, lower - true), ("at most", upper, true - upper)):
        found = int((excess > 0).sum())
        if found:
            worst = int(np.argmax(excess))
            message = f"{words} {bound[worst]} records have these terms by the release, but {true[worst]} have them"
            example = forest.terms(np.sort(sample.itemsets[worst]))
            findings.append(Finding("O7", f"{message} in the original ({found} such itemsets).", example=example))
    return findings
