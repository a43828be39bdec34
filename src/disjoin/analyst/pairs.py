"""Expected co-occurrence of all pairs of terms, as a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.analyst.as_clusters import Sets
from disjoin.analyst.expected_pairs import meet_apart, meet_mixed, squeeze, turn_back
from disjoin.analyst.index import Desk, desk_of_clusters
from disjoin.analyst.postings import FORCED, HOLDING, IN_TERM_CHUNK, MIXED, SIZE, SUPPORT, WHERE
from disjoin.errors import InvalidParameter, described
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


def pair_matrix(source: Release | Sets | Desk, *, at_least: float = 0.0, rare: str = "once") -> Pairs:
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
    least = _threshold(at_least)
    everything = np.ones(desk.n_terms, dtype=np.bool_)
    matrix = expected_pairs(desk, everything, once)
    if least > 0:
        matrix.data[matrix.data < least] = 0.0
        matrix.eliminate_zeros()
    return Pairs(matrix, desk.published.vocabulary)


def _threshold(at_least: float) -> float:
    if isinstance(at_least, bool) or not isinstance(at_least, (int, float)) or not 0 <= at_least < np.inf:
        raise InvalidParameter(f"at_least must be a number of records, 0 or more, got {described(at_least)}.")
    return float(at_least)


def single_estimates(desk: Desk, once: float) -> Floats:
    """Return the estimated support of every term; exact but for term chunks."""
    index = desk.index
    held, size = index.entries[HOLDING], index.nodes[SIZE, index.entries[WHERE]]
    rare = np.maximum(np.minimum(once, size), index.nodes[FORCED, index.entries[WHERE]])
    masses = np.where(held == IN_TERM_CHUNK, rare, index.holdings[SUPPORT, held])
    return Spans(index.starts).sums(masses)  # whole and half numbers: exact


def expected_pairs(desk: Desk, wanted: Flags, once: float) -> csr_array:
    """Return the estimates of all pairs of wanted terms, and on the diagonal those of the terms."""
    from scipy import sparse

    half = _half(desk, wanted, once)
    half.setdiag(np.where(wanted, single_estimates(desk, once), 0.0) / 2)
    return sparse.csr_array(half + half.T.tocsr())


def expected_square(desk: Desk, terms: Ints64, once: float) -> Floats:
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


def _half(desk: Desk, wanted: Flags, once: float) -> csr_array:
    """Return a matrix whose sum with its mirror image has the estimates of all pairs of different wanted terms."""
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
    if pointers[-1] < 2**31:
        pointers = pointers.astype(np.int32)
    shape = (desk.n_terms, desk.n_terms)
    return sparse.csr_array((np.concatenate(values), np.concatenate(columns), pointers), shape=shape)


def _blocks(desk: Desk, wanted: Flags, once: float) -> Iterator[tuple[int, Floats]]:
    """Yield the first row and the rows of the matrix, some at a time."""
    index, n_nodes, n_terms = desk.index, len(desk.published), desk.n_terms
    lists = _lists(desk, wanted, once)
    cursor, below, touched = lists[0][:-1].copy(), np.zeros(n_nodes), np.empty(n_nodes, dtype=np.int64)
    is_mixed = bool(index.nodes[MIXED].any())
    rows = max(1, CELLS_AT_ONCE // max(1, n_terms))
    for first in range(0, n_terms, rows):
        block = np.zeros((min(rows, n_terms - first), n_terms))
        meet_apart(first, block, index, wanted, lists, cursor, below, touched)
        if is_mixed:
            room = np.empty((2, n_terms), dtype=np.int64)
            meet_mixed(first, block, index, wanted, lists, chunks_by_place(desk), np.zeros(n_terms), room[0], room[1])
        yield first, block


def _lists(desk: Desk, wanted: Flags, once: float) -> tuple[Any, ...]:
    """Return for every place its wanted terms: where they start, the terms, their chunks and expected records."""
    index = desk.index
    kept = index.entries[WHERE][Spans(index.starts).spread(wanted)]
    starts = offsets_of(np.bincount(kept, minlength=len(desk.published)))
    terms, chunks = np.empty((2, kept.size), dtype=np.int32)
    masses = np.empty(kept.size, dtype=np.float64)
    turn_back(index, wanted, once, starts[:-1].copy(), terms, chunks, masses)
    return starts, terms, chunks, masses


def chunks_by_place(desk: Desk) -> tuple[Ints64, Ints64]:
    """Return the first chunk and the end of the chunks of every place, and the subrecords of every chunk."""
    published = desk.published
    ends = np.empty((len(published), 2), dtype=np.int64)
    ends[desk.places, 0] = published.chunk_offsets[:-1]
    ends[desk.places, 1] = published.chunk_offsets[1:]
    return ends, published.subrecord_offsets
