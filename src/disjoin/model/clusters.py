"""Clusters, published by disassociation: a forest with record chunks and term chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.errors import InvalidParameter, kind_of, require_kind
from disjoin.model.published import FlatArrays, Violation
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, frozen, offsets_of, ranks_of, used_by

AT_ONCE = 1 << 18  # numbers of a release that are processed together, in batches
_OFFSETS = ("term_offsets", "chunk_offsets", "subrecord_offsets", "item_offsets")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clusters(FlatArrays):
    """A published forest in flat arrays; without record ids, source order or other facts about the original.

    Node `i` has the chunks `chunk_offsets[i]:chunk_offsets[i + 1]` and the term chunk
    `term_items[term_offsets[i]:term_offsets[i + 1]]`; chunk `c` has the distinct subrecords
    `subrecord_offsets[c]:subrecord_offsets[c + 1]`; subrecord `s` has the items `item_offsets[s]:item_offsets[s + 1]`
    and counts `counts[s]` records. A node with children is a joint cluster with shared chunks; any other is a leaf
    with record chunks. A parent comes before its children. Items are positions in `vocabulary`, the published terms in
    code-point order.
    """

    form: ClassVar[str] = "clusters"
    in_words: ClassVar[str] = "clusters"
    inspection: ClassVar[str] = "disjoin.verify.clusters.inspection"
    wide: ClassVar[tuple[str, ...]] = ("parents", "sizes", *_OFFSETS, "counts")
    narrow: ClassVar[tuple[str, ...]] = ("term_items", "items")

    vocabulary: pa.StringArray  # (terms,)
    parents: Ints64  # (nodes,), -1 for a root
    sizes: Ints64  # (nodes,)
    term_offsets: Ints64  # (nodes + 1,)
    term_items: Ints32
    chunk_offsets: Ints64  # (nodes + 1,)
    subrecord_offsets: Ints64  # (chunks + 1,)
    item_offsets: Ints64  # (subrecords + 1,)
    items: Ints32
    counts: Ints64  # (subrecords,)
    anomalies: tuple[Violation, ...] = field(default=(), compare=False)
    pages: Path | None = field(default=None, compare=False)  # the folder of unnamed files, if these have the arrays
    is_joint: Flags = field(init=False, repr=False, compare=False)  # (nodes,) whether it is a joint cluster

    def __post_init__(self) -> None:
        FlatArrays.__post_init__(self)
        joint = np.zeros(len(self), dtype=np.bool_)
        joint[self.parents[(self.parents >= 0) & (self.parents < len(self))]] = True
        object.__setattr__(self, "is_joint", frozen(joint, np.bool_))

    @property
    def n_records(self) -> int:
        return int(self.sizes[self.parents < 0].sum())

    @property
    def nodes(self) -> Spans:
        return Spans(self.chunk_offsets)

    @property
    def chunks(self) -> Spans:
        return Spans(self.subrecord_offsets)

    @property
    def subrecords(self) -> Ragged:
        return Ragged(self.item_offsets, self.items)

    @property
    def term_chunks(self) -> Ragged:
        return Ragged(self.term_offsets, self.term_items)

    def room(self, shape: tuple[int, ...], dtype: type) -> NDArray[Any]:
        """Return zeros allocated like the arrays of the clusters: in memory, or in a file."""
        if self.pages is None:
            return np.zeros(shape, dtype)
        from disjoin.model.unnamed_files import room  # late: few clusters have files

        return room(shape, dtype, self.pages)

    def chunks_of(self, node: int) -> list[list[tuple[tuple[str, ...], int]]]:
        cuts = self.subrecord_offsets[self.chunk_offsets[node] : self.chunk_offsets[node + 1] + 1].tolist()
        return [
            [(self.terms_of(self.subrecords[s]), int(self.counts[s])) for s in range(first, last)]
            for first, last in pairwise(cuts)
        ]

    def term_chunk_of(self, node: int) -> tuple[str, ...]:
        return self.terms_of(self.term_chunks[node])

    def ranges(self) -> list[tuple[int, int]]:
        """Return runs of whole trees, each from a node to before another, with about AT_ONCE numbers."""
        ends: Ints64 = np.append(np.flatnonzero(self.parents < 0)[1:], len(self))
        rows = self.subrecord_offsets[self.chunk_offsets[ends]]
        full = (self.term_offsets[ends] + self.item_offsets[rows] + rows) // AT_ONCE
        cuts = [0, *ends[:-1][full[1:] > full[:-1]].tolist(), len(self)]
        return list(pairwise(cuts))

    def in_ranges(self) -> Iterator[Clusters]:
        """Yield the trees of each range with the whole vocabulary, to sum in batches."""
        ranges = self.ranges()
        for each in ranges:
            yield self if len(ranges) == 1 else self.trees(*each)

    def trees(self, first: int, last: int) -> Clusters:
        """Return the trees from a node to before another as separate clusters, with the whole vocabulary."""
        chunks = slice(*(int(self.chunk_offsets[node]) for node in (first, last)))
        rows = slice(*(int(self.subrecord_offsets[chunk]) for chunk in (chunks.start, chunks.stop)))
        return Clusters(
            vocabulary=self.vocabulary,
            parents=np.where(self.parents[first:last] < 0, -1, self.parents[first:last] - first),
            sizes=self.sizes[first:last],
            term_offsets=self.term_offsets[first : last + 1] - self.term_offsets[first],
            term_items=self.term_items[self.term_offsets[first] : self.term_offsets[last]],
            chunk_offsets=self.chunk_offsets[first : last + 1] - chunks.start,
            subrecord_offsets=self.subrecord_offsets[chunks.start : chunks.stop + 1] - rows.start,
            item_offsets=self.item_offsets[rows.start : rows.stop + 1] - self.item_offsets[rows.start],
            items=self.items[self.item_offsets[rows.start] : self.item_offsets[rows.stop]],
            counts=self.counts[rows],
        )

    def between(self, first: int, last: int) -> Clusters:
        """Return the trees from a node to before another as separate clusters, with only their own terms."""
        those = self.trees(first, last)
        used = used_by(len(self.vocabulary), those.items, those.term_items)
        numbers = ranks_of(used)
        return replace(
            those,
            vocabulary=self.vocabulary.filter(pa.array(used)),
            term_items=numbers[those.term_items],
            items=numbers[those.items],
        )

    @classmethod
    def joined(cls, one: Clusters, other: Clusters) -> Clusters:
        words = pa.concat_arrays([one.vocabulary, other.vocabulary]).unique()
        vocabulary = words.take(pc.sort_indices(words))  # Arrow compares bytes: in UTF-8 that is code-point order
        numbers = [pc.index_in(each.vocabulary, value_set=vocabulary).to_numpy() for each in (one, other)]
        arrays: dict[str, Any] = {
            name: np.append(getattr(one, name), getattr(other, name)[1:] + getattr(one, name)[-1]) for name in _OFFSETS
        }
        arrays |= {name: np.append(getattr(one, name), getattr(other, name)) for name in ("sizes", "counts")}
        arrays |= {
            name: np.append(numbers[0][getattr(one, name)], numbers[1][getattr(other, name)])
            for name in ("items", "term_items")
        }
        parents = np.append(one.parents, np.where(other.parents < 0, -1, other.parents + len(one)))
        return cls(vocabulary=vocabulary, parents=parents, **arrays)

    @classmethod
    def from_nested(cls, trees: Iterable[dict[str, Any]]) -> Clusters:
        """Build from the nested JSON form of the specification, in the order given.

        Leaves are `{"size", "record_chunks", "term_chunk"}`, joints `{"size", "shared_chunks", "children"}`, and chunks
        `{"subrecords": [...]}` with equal subrecords adjacent, or `[terms, count]` pairs.
        """
        nodes: list[tuple[int, dict[str, Any]]] = []

        def visit(tree: dict[str, Any], parent: int) -> None:
            if not isinstance(tree, Mapping) or "size" not in tree:
                raise InvalidParameter(f"a cluster must be a dict with a size, found {kind_of(tree)}.")
            nodes.append((parent, tree))
            here = len(nodes) - 1
            for child in tree.get("children", ()):
                visit(child, here)

        require_kind(trees, Iterable, "a list of clusters")
        for tree in trees:
            visit(tree, -1)
        lists = [[*tree.get("record_chunks", ()), *tree.get("shared_chunks", ())] for _, tree in nodes]
        chunks = [[_runs(chunk["subrecords"]) for chunk in node] for node in lists]
        runs = [run for node in chunks for chunk in node for run in chunk]
        terms = [tree.get("term_chunk", []) for _, tree in nodes]
        vocabulary = sorted({t for terms_, _ in runs for t in terms_} | {t for chunk in terms for t in chunk})
        rank = {term: position for position, term in enumerate(vocabulary)}
        return cls(
            vocabulary=pa.array(vocabulary, pa.string()),
            parents=np.array([parent for parent, _ in nodes], dtype=np.int64),
            sizes=np.array([tree["size"] for _, tree in nodes], dtype=np.int64),
            term_offsets=offsets_of([len(chunk) for chunk in terms]),
            term_items=np.array([rank[t] for chunk in terms for t in chunk], dtype=np.int32),
            chunk_offsets=offsets_of([len(node) for node in chunks]),
            subrecord_offsets=offsets_of([len(chunk) for node in chunks for chunk in node]),
            item_offsets=offsets_of([len(terms_) for terms_, _ in runs]),
            items=np.array([rank[t] for terms_, _ in runs for t in terms_], dtype=np.int32),
            counts=np.array([count for _, count in runs], dtype=np.int64),
        )

    def to_nested(self) -> list[dict[str, Any]]:
        trees: list[dict[str, Any]] = []
        for node in range(len(self)):
            chunks = [{"subrecords": [[list(t), n] for t, n in chunk]} for chunk in self.chunks_of(node)]
            tree: dict[str, Any] = {"type": "simple", "size": int(self.sizes[node])}
            if self.is_joint[node]:
                tree |= {"type": "joint", "shared_chunks": chunks, "children": []}
            else:
                tree |= {"record_chunks": chunks, "term_chunk": list(self.term_chunk_of(node))}
            trees.append(tree)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                trees[parent]["children"].append(trees[node])
        return [tree for tree, parent in zip(trees, self.parents, strict=True) if parent < 0]


def _runs(subrecords: list[Any]) -> list[tuple[list[str], int]]:
    runs: list[tuple[list[str], int]] = []
    for entry in subrecords:
        coded = bool(entry) and isinstance(entry[0], list)
        terms, count = entry if coded else (entry, 1)
        if runs and runs[-1][0] == list(terms) and not coded:
            runs[-1] = (runs[-1][0], runs[-1][1] + count)
        else:
            runs.append((list(terms), count))
    return runs
