"""Published clusters laid out as a puzzle: checked, in pre-order, every copy of a subrecord a part of its own."""

from __future__ import annotations

import numpy as np

from disjoin.errors import InvalidParameter
from disjoin.kernels.puzzle import Puzzle, find_tied, number_slots, preorder
from disjoin.model.arrays import Ints64, offsets_of
from disjoin.model.clusters import Clusters

MOST_SLOTS = 2**31 - 1  # slots are numbered in 32 bits


def puzzle_of(published: Clusters) -> Puzzle:
    """Lay clusters out for the kernels; raises `InvalidParameter` if they are not even in proper form."""
    _require(_is_well_formed(published), "they are not in proper form")
    _require_few(published)
    position, end = preorder(published.parents)
    order = np.argsort(position)  # (nodes,), the node at every position
    parents = published.parents[order]
    parents = np.where(parents >= 0, position[parents], -1)
    ends = end[order]
    first_slots, last_slots = number_slots(parents, ends, published.sizes[order])
    chunks = runs(published.chunk_offsets[order], published.chunk_offsets[order + 1])
    terms = runs(published.term_offsets[order], published.term_offsets[order + 1])
    chunk_offsets = offsets_of(np.diff(published.chunk_offsets)[order])
    first_rows, last_rows = published.subrecord_offsets[chunks], published.subrecord_offsets[chunks + 1]
    rows = runs(first_rows, last_rows)
    counted = offsets_of(published.counts[rows])  # (subrecords + 1,)
    part_offsets = counted[offsets_of(last_rows - first_rows)]
    owners = np.repeat(np.arange(len(published)), np.diff(chunk_offsets))  # (chunks,)
    fits = np.diff(part_offsets) <= (last_slots - first_slots)[owners]
    _require(bool(fits.all()), "a chunk has more subrecords than its cluster has records")
    puzzle = Puzzle(
        parents=parents,
        ends=ends,
        first_slots=first_slots,
        last_slots=last_slots,
        chunk_offsets=chunk_offsets,
        part_offsets=part_offsets,
        first_rows=first_rows,
        last_rows=last_rows,
        part_rows=np.repeat(rows, published.counts[rows]),
        term_offsets=offsets_of(np.diff(published.term_offsets)[order]),
        term_items=published.term_items[terms],
        item_offsets=published.item_offsets,
        items=published.items,
        is_tied=np.zeros(chunks.size, dtype=np.bool_),
    )
    find_tied(puzzle, len(published.vocabulary))
    return puzzle


def runs(first: Ints64, last: Ints64) -> Ints64:
    """Return the numbers of many ranges, one range after the other.

    >>> runs(np.array([5, 0]), np.array([7, 1])).tolist()
    [5, 6, 0]
    """
    lengths = last - first
    offsets = offsets_of(lengths)
    return np.repeat(first - offsets[:-1], lengths) + np.arange(offsets[-1])


def _is_well_formed(published: Clusters) -> bool:
    """Tell whether every offset and number leads somewhere: kernels do not look where they step."""
    nodes, n_terms = len(published), len(published.vocabulary)
    tables = (
        (published.term_offsets, nodes, published.term_items.size),
        (published.chunk_offsets, nodes, published.subrecord_offsets.size - 1),
        (published.subrecord_offsets, published.subrecord_offsets.size - 1, published.counts.size),
        (published.item_offsets, published.counts.size, published.items.size),
    )
    if nodes == 0 or published.parents.size != nodes or not all(_are_offsets(*table) for table in tables):
        return False
    leaves = ~published.is_joint
    before = np.arange(nodes)
    return bool(
        ((published.parents >= -1) & (published.parents < before)).all()
        and (published.sizes[leaves] >= 1).all()
        and (np.diff(published.term_offsets)[~leaves] == 0).all()
        and (published.counts >= 1).all()
        and all(((items >= 0) & (items < n_terms)).all() for items in (published.items, published.term_items))
    )


def _are_offsets(offsets: Ints64, rows: int, total: int) -> bool:
    return bool(offsets.size == rows + 1 and offsets[0] == 0 and offsets[-1] == total and (np.diff(offsets) >= 0).all())


def _require_few(published: Clusters) -> None:
    """Raise if there is more than can be numbered; nothing is wrong with such clusters."""
    leaves = ~published.is_joint
    records, parts = (values.sum(dtype=np.float64) for values in (published.sizes[leaves], published.counts))
    if max(records, parts) > MOST_SLOTS:
        raise InvalidParameter(
            f"these clusters cannot be put together again: they have {records:,.0f} records in {parts:,.0f} parts, and "
            f"at most {MOST_SLOTS:,} of each are possible. Ask for supports instead, which need no records."
        )


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise InvalidParameter(f"these clusters cannot be put together again: {what}. Verify them first.")
