"""Published leaves in flat arrays, and putting them in canonical order."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from disjoin.jit.compiled import inner, kernel
from disjoin.jit.ordering import compare_chunks
from disjoin.model.arrays import Ints32, Ints64, offsets_of


class Leaves(NamedTuple):
    """Leaves as in model.Clusters; `sizes` tells how many there are."""

    sizes: Ints64
    term_offsets: Ints64
    term_items: Ints32
    chunk_offsets: Ints64
    subrecord_offsets: Ints64
    item_offsets: Ints64
    items: Ints32
    counts: Ints64


@kernel
def chunks_in_order(leaves):
    """Return the chunks' numbers so that every leaf has its own in canonical order."""
    index = np.arange(leaves.subrecord_offsets.size - 1)
    for leaf in range(leaves.sizes.size):
        first = leaves.chunk_offsets[leaf]
        for i in range(first + 1, leaves.chunk_offsets[leaf + 1]):
            moving = index[i]
            j = i - 1
            while j >= first and _goes_before(leaves, moving, index[j]):
                index[j + 1] = index[j]
                j -= 1
            index[j + 1] = moving
    return index


@inner
def _goes_before(leaves, a, b):
    at = leaves.subrecord_offsets
    return compare_chunks(leaves.items, leaves.item_offsets, leaves.counts, at[a], at[a + 1], at[b], at[b + 1]) < 0


@kernel
def _copy(leaves, leaf_index, chunk_index, out):
    """Copy the leaves in the order of `leaf_index`, the chunks of each in the order of `chunk_index`."""
    term = chunk = subrecord = item = 0
    for i in range(leaf_index.size):
        leaf = leaf_index[i]
        out.sizes[i] = leaves.sizes[leaf]
        for p in range(leaves.term_offsets[leaf], leaves.term_offsets[leaf + 1]):
            out.term_items[term] = leaves.term_items[p]
            term += 1
        out.term_offsets[i + 1] = term
        for c in range(leaves.chunk_offsets[leaf], leaves.chunk_offsets[leaf + 1]):
            source = chunk_index[c]
            for s in range(leaves.subrecord_offsets[source], leaves.subrecord_offsets[source + 1]):
                for p in range(leaves.item_offsets[s], leaves.item_offsets[s + 1]):
                    out.items[item] = leaves.items[p]
                    item += 1
                out.counts[subrecord] = leaves.counts[s]
                subrecord += 1
                out.item_offsets[subrecord] = item
            chunk += 1
            out.subrecord_offsets[chunk] = subrecord
        out.chunk_offsets[i + 1] = chunk


def rearranged(leaves: Leaves, leaf_index: Ints64, chunk_index: Ints64) -> Leaves:
    """Return the leaves in the order of `leaf_index`, their chunks in the order of `chunk_index`."""
    out = Leaves(*(np.zeros(array.size, array.dtype) for array in leaves))
    _copy(leaves, leaf_index, chunk_index, out)
    return out


def concatenated(parts: list[Leaves]) -> Leaves:
    """Join leaves that were published apart."""
    if len(parts) == 1:
        return parts[0]

    def values(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def offsets(name: str) -> Any:
        return offsets_of(np.concatenate([np.diff(getattr(part, name)) for part in parts]))

    return Leaves(*(offsets(name) if name.endswith("offsets") else values(name) for name in Leaves._fields))


def trimmed(out: Leaves) -> Leaves:
    """Cut the unused ends of the arrays off."""
    chunks = int(out.chunk_offsets[-1])
    subrecords = int(out.subrecord_offsets[chunks])
    items = int(out.item_offsets[subrecords])
    return out._replace(
        term_items=out.term_items[: out.term_offsets[-1]],
        subrecord_offsets=out.subrecord_offsets[: chunks + 1],
        item_offsets=out.item_offsets[: subrecords + 1],
        items=out.items[:items],
        counts=out.counts[:subrecords],
    )
