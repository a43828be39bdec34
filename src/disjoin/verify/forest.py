"""Clusters as the verifier reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, SupportsInt

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.model import Clusters
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of, used_by
from disjoin.verify.counting.forests import preorder
from disjoin.verify.counting.itemsets import Listing, domains
from disjoin.verify.inspection import SHOWN, Finding, examples

AT_ONCE = 1 << 16  # numbers copied in one step
MOST_RECORDS = 2**40  # above it sums might overflow, and an overflow could hide a violation


def check_shape(published: Clusters) -> list[Finding]:
    """Return what makes the arrays unreadable: offsets, item numbers, magnitudes, parents, invalid text."""
    nodes, chunks = published.sizes.size, published.subrecord_offsets.size - 1
    subrecords = published.item_offsets.size - 1
    tables = {
        "term_offsets": (published.term_offsets, nodes, published.term_items.size),
        "chunk_offsets": (published.chunk_offsets, nodes, chunks),
        "subrecord_offsets": (published.subrecord_offsets, chunks, subrecords),
        "item_offsets": (published.item_offsets, subrecords, published.items.size),
    }
    findings = unfit_offsets("V1", tables)
    if nodes == 0:
        findings.append(Finding("V1", "there is no cluster, so nothing is published."))
    if published.parents.size != nodes:
        findings.append(Finding("V1", f"{published.parents.size} parents for {nodes} clusters."))
    if published.counts.size != subrecords:
        findings.append(Finding("V1", f"{published.counts.size} counts for {subrecords} subrecords."))
    if not is_text(published.vocabulary):
        findings.append(Finding("V1", "the vocabulary is not valid UTF-8 text."))
    if findings:
        return findings
    items = {"items": published.items, "term_items": published.term_items}
    return [
        *unfit_items("V1", items, len(published.vocabulary)),
        *uncountable("V1", {"sizes": published.sizes, "counts": published.counts}),
        *_unfit_parents(published.parents),
    ]


def unfit_offsets(invariant: str, tables: Mapping[str, tuple[Ints64, int, int]]) -> list[Finding]:
    """Return the offsets that do not cut a table into rows; by name: the offsets, the number of rows, the length."""
    return [
        Finding(invariant, f"{name} does not cut its table into consecutive rows; the release is damaged.")
        for name, (offsets, rows, length) in tables.items()
        if not cuts(offsets, rows, length)
    ]


def cuts(offsets: Ints64, rows: int, length: int) -> bool:
    """Return whether offsets cut `length` entries into that many consecutive rows."""
    whole = offsets.size == rows + 1 and rows >= 0 and offsets[0] == 0 and offsets[-1] == length
    return bool(whole) and bool((offsets[1:] >= offsets[:-1]).all())


def is_text(vocabulary: pa.StringArray) -> bool:
    try:
        vocabulary.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def unfit_items(invariant: str, columns: Mapping[str, Ints32], terms: int) -> list[Finding]:
    return [
        Finding(invariant, f"{name} names terms outside the vocabulary, which has {terms}.")
        for name, items in columns.items()
        if items.size and not (int(items.min()) >= 0 and int(items.max()) < terms)
    ]


def uncountable(invariant: str, columns: Mapping[str, Ints64]) -> list[Finding]:
    return [
        Finding(invariant, f"the {name} add up to more than {MOST_RECORDS}; they cannot be numbers of records.")
        for name, numbers in columns.items()
        if not is_countable(numbers)
    ]


def is_countable(numbers: Ints64) -> bool:
    """Return whether sums of these numbers fit into 64 bits; added in floating point, which does not overflow."""
    pieces = (numbers[at : at + AT_ONCE].astype(np.float64) for at in range(0, numbers.size, AT_ONCE))
    return float(sum(np.abs(piece).sum() for piece in pieces)) <= MOST_RECORDS


def _unfit_parents(parents: Ints64) -> list[Finding]:
    unknown = (parents < -1) | (parents >= parents.size)
    late = ~unknown & (parents >= np.arange(parents.size))  # afterwards there are no cycles
    return [
        Finding("V1", f"its parent {parents[i]} does not {verb}.", int(i))
        for broken, verb in ((unknown, "exist"), (late, "come before it"))
        for i in np.flatnonzero(broken)
    ]


def check_vocabulary(
    vocabulary: pa.StringArray, names: pa.StringArray, items: tuple[Ints32, ...], part: str, invariant: str
) -> list[Finding]:
    """Check that all terms are named, distinct and used; `names` are the ranked ones that items number."""
    has_faults = len(names) < len(vocabulary) or names[:1].to_pylist() == [""]
    findings = unnamed(vocabulary, "the vocabulary", invariant) if has_faults else []
    return findings + unused(names, items, part, invariant)


def unused(names: pa.StringArray, items: tuple[Ints32, ...], part: str, invariant: str) -> list[Finding]:
    """Return a finding if terms are unused; such terms reveal suppressed data."""
    idle = np.flatnonzero(~used_by(len(names), *items))
    if not idle.size:
        return []
    message = f"{idle.size} terms of the vocabulary are in no {part}: they reveal what was left out."
    return [Finding(invariant, message, example=examples(names, idle))]


def unnamed(terms: pa.StringArray, where: str, invariant: str) -> list[Finding]:
    times = Counter(term or "" for term in terms.to_pylist())
    blank = times.pop("", 0)
    twice = sorted(term for term, count in times.items() if count > 1)
    findings = [Finding(invariant, f"{blank} terms of {where} are empty or missing.")] if blank else []
    if twice:
        findings.append(Finding(invariant, f"terms are in {where} more than once.", example=tuple(twice[:SHOWN])))
    return findings


@dataclass(frozen=True)
class Forest:
    """The arrays of `Clusters`, renumbered so that comparing items compares terms; equal terms have one number."""

    names: pa.StringArray  # strictly ascending
    parents: Ints64
    sizes: Ints64
    is_joint: Flags
    term_offsets: Ints64
    term_items: Ints32
    chunk_offsets: Ints64
    chunk_nodes: Ints64  # (chunks,) the node that owns each chunk
    subrecord_offsets: Ints64
    item_offsets: Ints64
    items: Ints32
    counts: Ints64

    @classmethod
    def of(cls, published: Clusters) -> Forest:
        names, numbers = ranked(published.vocabulary)
        return cls(
            names=names,
            parents=published.parents,
            sizes=published.sizes,
            is_joint=published.is_joint,
            term_offsets=published.term_offsets,
            term_items=published.term_items if numbers is None else numbers[published.term_items],
            chunk_offsets=published.chunk_offsets,
            chunk_nodes=np.repeat(np.arange(len(published)), np.diff(published.chunk_offsets)),
            subrecord_offsets=published.subrecord_offsets,
            item_offsets=published.item_offsets,
            items=published.items if numbers is None else numbers[published.items],
            counts=published.counts,
        )

    def __len__(self) -> int:
        return self.sizes.size

    @cached_property
    def domains(self) -> Domains:
        return Domains.of(self)

    @cached_property
    def positions(self) -> Positions:
        return Positions.of(self)

    @property
    def is_leaf(self) -> Flags:
        return ~self.is_joint

    @property
    def bags(self) -> tuple[Ints64, Ints64, Ints32, Ints64]:
        """The arrays for counting loops: two offsets, items, counts."""
        return self.subrecord_offsets, self.item_offsets, self.items, self.counts

    def finding(self, invariant: str, message: str, chunk: SupportsInt, items: Iterable[int] = ()) -> Finding:
        node = int(self.chunk_nodes[int(chunk)])
        return Finding(invariant, message, node, int(chunk) - int(self.chunk_offsets[node]), self.terms(items))

    def chunks_with(self, subrecords: Ints64) -> Ints64:
        """Return, ascending and without repeats, the chunks that have any of these (ascending) subrecords."""
        chunks = np.searchsorted(self.subrecord_offsets, subrecords, side="right") - 1
        return chunks[np.flatnonzero(np.diff(chunks, prepend=-1))]

    def chunks_below(self, k: int) -> Ints64:
        """Return, ascending, the chunks with a subrecord of fewer than k records."""
        found = np.zeros(self.subrecord_offsets.size - 1, dtype=np.bool_)
        for at in range(0, self.counts.size, AT_ONCE):
            found[self.chunks_with(at + np.flatnonzero(self.counts[at : at + AT_ONCE] < k))] = True
        return np.flatnonzero(found)

    def terms(self, items: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[int(item)].as_py() for item in items)

    def subrecord(self, subrecord: int) -> Ints32:
        return self.items[self.item_offsets[subrecord] : self.item_offsets[subrecord + 1]]

    def term_chunk(self, node: int) -> Ints32:
        return self.term_items[self.term_offsets[node] : self.term_offsets[node + 1]]


@dataclass(frozen=True, slots=True)
class Domains:
    """The distinct terms of every chunk."""

    offsets: Ints64  # (chunks + 1,)
    terms: Ints32
    supports: Ints64  # number of records of the chunk that have the term
    repeated: Flags  # whether an earlier chunk of the node has it too
    in_chunk: Flags  # (term chunk entries,) whether a chunk of the same node has the term too
    chunks: Ints64  # the chunk of every entry
    chunk_sizes: Ints64  # (chunks,) records with a non-empty subrecord

    @classmethod
    def of(cls, forest: Forest) -> Domains:
        n = forest.items.size
        room: Any = [np.empty(n, kind) for kind in (np.int32, np.int64, np.bool_)]  # an upper bound
        in_chunk = np.empty(forest.term_items.size, dtype=np.bool_)
        listing = Listing._make([np.zeros(forest.subrecord_offsets.size, dtype=np.int64), *room, in_chunk])
        slot = np.full(len(forest.names), -1, dtype=np.int64)
        domains(forest.chunk_offsets, forest.bags, forest.term_offsets, forest.term_items, slot, listing)
        terms, supports, repeated = (part[: listing.offsets[-1]].copy() for part in room)
        chunks = np.repeat(np.arange(listing.offsets.size - 1), np.diff(listing.offsets))
        sizes = sums_by_row(forest.subrecord_offsets, forest.counts)
        return cls(listing.offsets, terms, supports, repeated, in_chunk, chunks, sizes)


@dataclass(frozen=True, slots=True)
class Positions:
    """Every node's position in pre-order; the nodes below it are at `first + 1` to `last`."""

    first: Ints64  # (nodes,)
    last: Ints64  # (nodes,)
    depth: Ints64  # (nodes,) 0 for a root
    walk: Ints64  # (nodes,) the nodes in pre-order

    @classmethod
    def of(cls, forest: Forest) -> Positions:
        first, last, depth = preorder(forest.parents)
        walk = np.empty(first.size, dtype=np.int64)
        walk[first] = np.arange(first.size)
        return cls(first, last, depth, walk)

    def roots(self) -> Ints64:
        tops: Ints64 = np.sort(self.first[self.depth == 0])
        return self.walk[tops[np.searchsorted(tops, self.first, side="right") - 1]]

    def below(self, node: int) -> Ints64:
        return self.walk[self.first[node] : self.last[node] + 1]


def sums_by_row(offsets: Ints64, values: Ints64) -> Ints64:
    """Add `values[offsets[i]:offsets[i + 1]]` for every row, including empty ones.

    >>> sums_by_row(np.array([0, 2, 2, 3]), np.array([1, 2, 3])).tolist()
    [3, 0, 3]
    """
    running = np.zeros(values.size + 1, dtype=np.int64)
    np.cumsum(values, out=running[1:])
    return running[offsets[1:]] - running[offsets[:-1]]


def ranked(vocabulary: pa.StringArray) -> tuple[pa.StringArray, Ints32 | None]:
    """Return the distinct terms in code-point order, null as "", and the new number of every old one (None: same)."""
    if vocabulary.null_count == 0 and (len(vocabulary) < 2 or pc.all(pc.less(vocabulary[:-1], vocabulary[1:])).as_py()):
        return vocabulary, None
    terms = [term or "" for term in vocabulary.to_pylist()]
    distinct = sorted(set(terms))
    number = {term: position for position, term in enumerate(distinct)}
    return pa.array(distinct, pa.string()), np.array([number[term] for term in terms], dtype=np.int32)


def rows_not_ascending(offsets: Ints64, items: Ints32) -> Ints64:
    """Return the rows `items[offsets[i]:offsets[i + 1]]` that are not strictly ascending.

    >>> rows_not_ascending(np.array([0, 2, 4, 6]), np.array([1, 2, 2, 1, 3, 3], dtype=np.int32)).tolist()
    [1, 2]
    """
    falls = np.zeros(items.size, dtype=np.bool_)
    falls[1:] = items[1:] <= items[:-1]
    starts = offsets[:-1]
    falls[starts[starts < items.size]] = False  # the first item of a row has no left neighbour
    places = np.flatnonzero(falls)
    return np.unique(np.searchsorted(offsets, places, side="right") - 1)


def sorting(offsets: Ints64, items: Ints32) -> tuple[Ints64 | None, Flags]:
    """Return the order that sorts the items of every row (None: already sorted), and which rows it changes."""
    changes = np.zeros(offsets.size - 1, dtype=np.bool_)
    falls = np.zeros(items.size, dtype=np.bool_)
    falls[1:] = items[1:] < items[:-1]
    falls[offsets[:-1][offsets[:-1] < items.size]] = False  # the first item of a row has no left neighbour
    if not falls.any():
        return None, changes
    rows = np.repeat(np.arange(changes.size), np.diff(offsets))
    changes[rows[falls]] = True
    return np.lexsort((items, rows)), changes


def summed(places: NDArray[np.integer[Any]], counts: Ints64, length: int) -> Ints64:
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, places, counts)
    return sums


def groups(keys: Ints64) -> list[tuple[int, slice]]:
    """Cut ascending keys into runs of equal ones.

    >>> groups(np.array([3, 3, 7]))
    [(3, slice(0, 2, None)), (7, slice(2, 3, None))]
    """
    distinct, starts = np.unique(keys, return_index=True)
    ends = np.append(starts, keys.size)[1:]
    return [(int(key), slice(int(a), int(b))) for key, a, b in zip(distinct, starts, ends, strict=True)]


def tidied(forest: Forest) -> Forest:
    """Return the forest with every bag in order: no repeats, no empty or uncounted subrecords, equal ones joined.

    Slow, for forests that violate V1 or V12 inside a chunk, so that the other invariants can be checked.
    """
    bags: list[Counter[tuple[int, ...]]] = []
    for first, last in pairwise(forest.subrecord_offsets.tolist()):
        bags.append(Counter())
        for subrecord in range(first, last):
            row = tuple(sorted(set(forest.subrecord(subrecord).tolist())))
            if row and forest.counts[subrecord] >= 1:
                bags[-1][row] += int(forest.counts[subrecord])
    subrecord_offsets, item_offsets, items, counts = packed(bags)
    terms = [sorted(set(forest.term_chunk(node).tolist())) for node in range(len(forest))]
    return replace(
        forest,
        term_offsets=offsets_of([len(chunk) for chunk in terms]),
        term_items=np.array([item for chunk in terms for item in chunk], dtype=np.int32),
        subrecord_offsets=subrecord_offsets,
        item_offsets=item_offsets,
        items=items,
        counts=counts,
    )


def packed(bags: Sequence[Mapping[tuple[int, ...], int]]) -> tuple[Ints64, Ints64, Ints32, Ints64]:
    """Return sorted bags of rows as counting loops need them: two offsets, items, counts."""
    rows = [(row, bag[row]) for bag in bags for row in sorted(bag)]
    return (
        offsets_of([len(bag) for bag in bags]),
        offsets_of([len(row) for row, _ in rows]),
        np.array([item for row, _ in rows for item in row], dtype=np.int32),
        np.array([count for _, count in rows], dtype=np.int64),
    )
