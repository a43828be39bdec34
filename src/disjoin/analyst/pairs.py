"""Expected co-occurrence of all pairs of terms, as a sparse matrix.

Rows of the result are made in blocks of terms. In a tree that keeps its terms apart a pair meets in a node (inside a
chunk exactly, between parts by chance), or one of its terms in a joint and the other below it. A row has the first
for larger terms only, and the second where its own term is the lower one; the sum with its mirror image is the
result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import Sets
from disjoin.analyst.index import IN_TERM_CHUNK, SupportIndex, desk_of_clusters, may_take, seek
from disjoin.errors import InvalidParameter, described
from disjoin.jit.kernel import inner, kernel
from disjoin.model import Release
from disjoin.model.ragged import Flags, Ints64, Spans, offsets_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CELLS_AT_ONCE = 4_000_000  # of the matrix, while it is made: 32 MB

Floats = NDArray[np.float64]


class Pairs(NamedTuple):
    """The matrix and the terms of its rows and columns."""

    matrix: csr_array  # (terms, terms), symmetric; the diagonal is the estimated support of each term
    terms: pa.StringArray  # in code-point order, as the vocabulary of the release


def pair_matrix(source: Release | Sets | SupportIndex, *, at_least: float = 0.0, rare: str = "once") -> Pairs:
    """Return how many records are expected to have both terms by chance, for every pair.

    The estimate of `support` is the same number, or lower where fewer records can have both terms.
    Entries below `at_least` are left out; those of 0 always are. A large vocabulary has many small entries: with
    `at_least` the result needs a fraction of the memory, the work is the same. Of generalised and noisy records, the
    terms are the published names; not for groups.

    >>> from disjoin.model import Clusters
    >>> leaf = {"size": 3, "record_chunks": [{"subrecords": [[["tea"], 2]]}], "term_chunk": ["milk"]}
    >>> found = pair_matrix(Clusters.from_nested([leaf]))
    >>> found.terms.to_pylist(), found.matrix.toarray().round(2).tolist()
    (['milk', 'tea'], [[1.0, 0.67], [0.67, 2.0]])
    """
    desk = desk_of_clusters(source, "pairs")
    once = desk.once(rare)
    if isinstance(at_least, bool) or not isinstance(at_least, (int, float)) or not 0 <= at_least < np.inf:
        raise InvalidParameter(f"at_least must be a number of records, 0 or more, got {described(at_least)}.")
    matrix = expected_pairs(desk, np.ones(desk.n_terms, dtype=np.bool_), once)
    if at_least > 0:
        matrix.data[matrix.data < at_least] = 0.0
        matrix.eliminate_zeros()
    return Pairs(matrix, desk.published.vocabulary)


def single_estimates(desk: SupportIndex, once: float) -> Floats:
    """Return the estimated support of every term; exact but for term chunks."""
    index = desk.index
    rare = np.maximum(np.minimum(once, index.sizes[index.places]), index.forced[index.places])
    masses = np.where(index.held == IN_TERM_CHUNK, rare, index.holdings.supports[index.held])
    return Spans(index.starts).sums(masses)  # whole and half numbers: exact


def expected_pairs(desk: SupportIndex, wanted: Flags, once: float) -> csr_array:
    """Return the estimates of all pairs of wanted terms, and on the diagonal those of the terms. First a matrix is made
    whose sum with its mirror image has all of them."""
    from scipy import sparse

    lengths, columns, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)], [np.zeros(0)]
    for first, block in _blocks(desk, wanted, once):
        asked = wanted[first : first + block.shape[0]]
        for row in np.flatnonzero(asked):
            block[row, first + row] = 1.0  # room for the diagonal
        ends = np.zeros(block.shape[0], dtype=np.int64)
        squeeze(block, asked, ends, columns[0], values[0])
        columns.append(np.empty(ends[-1], dtype=np.int32))
        values.append(np.empty(ends[-1]))
        squeeze(block, asked, ends, columns[-1], values[-1])
        lengths.append(np.diff(ends, prepend=0))
    pointers = offsets_of(np.concatenate(lengths))
    pointers = pointers.astype(np.int32) if pointers[-1] < 2**31 else pointers
    shape = (desk.n_terms, desk.n_terms)
    half = sparse.csr_array((np.concatenate(values), np.concatenate(columns), pointers), shape=shape)
    half.setdiag(np.where(wanted, single_estimates(desk, once), 0.0) / 2)
    return sparse.csr_array(half + half.T.tocsr())


def expected_square(desk: SupportIndex, terms: Ints64, once: float) -> Floats:
    """Return the same estimates for some terms, in their order, as a square: there is no sparse matrix on the way."""
    wanted = np.zeros(desk.n_terms, np.bool_)
    wanted[terms] = True
    half, place = np.zeros((terms.size, terms.size)), np.empty(desk.n_terms, np.int64)
    place[terms] = np.arange(terms.size)
    for first, block in _blocks(desk, wanted, once):
        rows = np.flatnonzero(wanted[first : first + block.shape[0]])
        half[place[first + rows]] = block[rows][:, terms]
    np.fill_diagonal(half, single_estimates(desk, once)[terms] / 2)
    return half + half.T


def _blocks(desk: SupportIndex, wanted: Flags, once: float) -> Iterator[tuple[int, Floats]]:
    """Yield the first row and the rows of the matrix, some at a time."""
    index, n_nodes, n_terms = desk.index, len(desk.published), desk.n_terms
    lists = _lists(desk, wanted, once)
    cursor, below, touched = lists[0][:-1].copy(), np.zeros(n_nodes), np.empty(n_nodes, dtype=np.int64)
    is_mixed = bool(index.is_mixed.any())
    rows = max(1, CELLS_AT_ONCE // max(1, n_terms))
    for first in range(0, n_terms, rows):
        block = np.zeros((min(rows, n_terms - first), n_terms))
        meet_apart(first, block, index, wanted, lists, cursor, below, touched)
        if is_mixed:
            part, found = np.empty((2, n_terms), dtype=np.int64)
            meet_mixed(first, block, index, wanted, lists, chunks_by_place(desk), np.zeros(n_terms), part, found)
        yield first, block


def _lists(desk: SupportIndex, wanted: Flags, once: float) -> tuple[Any, ...]:
    """Return for every place its wanted terms: where they start, the terms, their chunks and expected records."""
    index = desk.index
    kept = index.places[Spans(index.starts).spread(wanted)]
    starts = offsets_of(np.bincount(kept, minlength=len(desk.published)))
    terms, chunks = np.empty((2, kept.size), dtype=np.int32)
    masses = np.empty(kept.size, dtype=np.float64)
    turn_back(index, wanted, once, starts[:-1].copy(), terms, chunks, masses)
    return starts, terms, chunks, masses


def chunks_by_place(desk: SupportIndex) -> tuple[Ints64, Ints64]:
    """Return the first chunk and the end of the chunks of every place, and the subrecords of every chunk."""
    offsets = desk.published.chunk_offsets
    ends = np.empty((len(desk.published), 2), dtype=np.int64)
    ends[desk.places] = np.column_stack((offsets[:-1], offsets[1:]))
    return ends, desk.published.subrecord_offsets


@kernel
def turn_back(index, wanted, once, free, terms, chunks, masses):
    """List for every place its wanted terms, ascending, with their chunk and the records that are expected to have it.
    `free` has for every place where its list starts, and afterwards where it ends."""
    for term in range(wanted.size):
        if not wanted[term]:
            continue
        for e in range(index.starts[term], index.starts[term + 1]):
            place, held = index.places[e], index.held[e]
            spot = free[place]
            free[place] += 1
            terms[spot] = term
            if held == IN_TERM_CHUNK:
                chunks[spot] = IN_TERM_CHUNK
                masses[spot] = min(once, float(index.sizes[place]))
            else:
                chunks[spot] = index.holdings.chunks[held]
                masses[spot] = index.holdings.supports[held]


@kernel
def meet_apart(first, block, index, wanted, lists, cursor, below, touched):
    """Add to a block of rows, from term `first` on, the pairs of trees that keep their terms apart. `lists` is what
    `turn_back` made. `cursor` has for every place the next term of its list and goes from block to block; `below` is 0
    for every place, `touched` room for as many."""
    starts, terms, chunks, masses = lists
    for r in range(block.shape[0]):
        if not wanted[first + r]:
            continue
        row, many = block[r], 0
        for e in range(index.starts[first + r], index.starts[first + r + 1]):
            place, held = index.places[e], index.held[e]
            spot = cursor[place]
            cursor[place] += 1
            if index.is_mixed[place]:
                continue
            rate = masses[spot] / index.sizes[place]
            for other in range(spot + 1, starts[place + 1]):
                if held == IN_TERM_CHUNK or chunks[other] != chunks[spot]:
                    row[terms[other]] += rate * masses[other]
            if held != IN_TERM_CHUNK:
                _inside(first + r, held, index, wanted, row)
            joint = index.parents[place]
            while joint >= 0:
                if below[joint] == 0.0:
                    touched[many] = joint
                    many += 1
                below[joint] += masses[spot]
                joint = index.parents[joint]
        for t in range(many):
            rate = below[touched[t]] / index.sizes[touched[t]]
            below[touched[t]] = 0.0
            for other in range(starts[touched[t]], starts[touched[t] + 1]):
                row[terms[other]] += rate * masses[other]


@inner
def _inside(term, held, index, wanted, row):
    """Add the larger terms that subrecords with a term have, exactly."""
    for p in range(index.holdings.first_rows[held], index.holdings.first_rows[held + 1]):
        s = index.holdings.rows[p]
        for i in range(index.item_offsets[s], index.item_offsets[s + 1]):
            if index.items[i] > term and wanted[index.items[i]]:
                row[index.items[i]] += index.holdings.counts[s]


@kernel
def squeeze(block, wanted, ends, columns, values):
    """Write the entries of a block that are not 0 one after the other, row by row; note where each row ends. Rows that
    are not wanted have none, and are not looked at. With empty `columns` entries are only counted."""
    n = 0
    for r in range(block.shape[0]):
        for c in range(block.shape[1] if wanted[r] else 0):
            if block[r, c] != 0.0:
                if columns.size > 0:
                    columns[n] = c
                    values[n] = block[r, c]
                n += 1
        ends[r] = n


@kernel
def meet_mixed(first, block, index, wanted, lists, forest, mass, part, found):
    """Add to a block of rows the pairs of trees in which a term may be both in a node and below it, leaf by leaf.
    `forest` is (chunk starts by place, subrecord offsets); `mass` is 0 for every term, `part` and `found` are room."""
    starts, terms, chunks, masses = lists
    for leaf in range(index.last.size):
        if index.last[leaf] > leaf or not index.is_mixed[leaf]:
            continue
        many = 0
        for spot in range(starts[leaf], starts[leaf + 1]):
            mass[terms[spot]] = masses[spot]
            part[terms[spot]] = chunks[spot] if chunks[spot] >= 0 else -1 - terms[spot]
            found[many] = terms[spot]
            many += 1
        joint = index.parents[leaf]
        while joint >= 0:
            many = _share_out(leaf, joint, first, block, index, wanted, forest, mass, part, found, many)
            joint = index.parents[joint]
        for a in range(many):
            row = found[a] - first
            if 0 <= row < block.shape[0]:
                rate = mass[found[a]] / index.sizes[leaf]
                for b in range(many):
                    if found[b] > found[a] and part[found[b]] != part[found[a]]:
                        block[row, found[b]] += rate * mass[found[b]]
        for spot in range(starts[leaf], starts[leaf + 1]):
            term = terms[spot]
            if chunks[spot] >= 0 and first <= term < first + block.shape[0]:
                e = seek(index.places, index.starts[term], index.starts[term + 1], leaf)
                _inside(term, index.held[e], index, wanted, block[term - first])
        for a in range(many):
            mass[found[a]] = 0.0


@inner
def _share_out(leaf, joint, first, block, index, wanted, forest, mass, part, found, many):
    """Give a leaf its expected share of the subrecords of a joint above it, and add the pairs inside these."""
    chunk_starts, subrecord_offsets = forest
    for c in range(chunk_starts[joint, 0], chunk_starts[joint, 1]):
        for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
            if not may_take(leaf, joint, s, index):
                continue
            share = index.holdings.counts[s] / index.slots[s] * index.sizes[leaf]
            for i in range(index.item_offsets[s], index.item_offsets[s + 1]):
                a = index.items[i]
                if not wanted[a]:
                    continue
                if mass[a] == 0.0:
                    found[many] = a
                    part[a] = c
                    many += 1
                mass[a] += share
                if first <= a < first + block.shape[0]:
                    for j in range(index.item_offsets[s], index.item_offsets[s + 1]):
                        if index.items[j] > a and wanted[index.items[j]]:
                            block[a - first, index.items[j]] += share
    return many


@kernel
def occupancy(index, forest):
    """Return the largest product, over a leaf's ways up in mixed trees, of the shared subrecords a record expects.
    Chunks that expect less than one count as one. Estimates of larger itemsets are at most that many times larger."""
    chunk_starts, subrecord_offsets = forest
    largest = 1.0
    for leaf in range(index.last.size):
        if index.last[leaf] > leaf or not index.is_mixed[leaf]:
            continue
        product, joint = 1.0, index.parents[leaf]
        while joint >= 0:
            for c in range(chunk_starts[joint, 0], chunk_starts[joint, 1]):
                expected = 0.0
                for s in range(subrecord_offsets[c], subrecord_offsets[c + 1]):
                    if may_take(leaf, joint, s, index):
                        expected += index.holdings.counts[s] / index.slots[s]
                product *= max(1.0, expected)
            joint = index.parents[joint]
        largest = max(largest, product)
    return largest
