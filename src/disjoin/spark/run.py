"""Disassociation on Spark: the sequence of jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from disjoin.methods.disassociation.choices import STRATEGIES
from disjoin.methods.disassociation.clustering import Held, diverse_sizes, greatest_share
from disjoin.methods.disassociation.leaves import Forest, Leaves, concatenated
from disjoin.methods.disassociation.run import clusters_of, forest_in_canonical_order
from disjoin.model import Clusters, KmAnonymity
from disjoin.model.ragged import Flags, Ints32, Ints64, offsets_of
from disjoin.model.spelling import first_alike
from disjoin.progress import Progress
from disjoin.spark import verpart
from disjoin.spark.arrays import node_columns, numbers_in_column, table_of
from disjoin.spark.horpart import CORE, LEAF_ROWS, ClusteringTask, Placed, Placing, Sizes, cluster_all, records_stored
from disjoin.spark.jobs import Frame, Jobs
from disjoin.spark.km_core import CoreWork
from disjoin.spark.reading import TOTALS, Gathered, add_up
from disjoin.spark.refine import JoiningWork

if TYPE_CHECKING:
    from disjoin.methods.disassociation import Disassociation


class SparkRun:
    """One run: the facts on the driver, and the frames in the staging folder."""

    def __init__(
        self, jobs: Jobs, method: Disassociation, found: Gathered, secret: Flags, sizes: Sizes, progress: Progress
    ) -> None:
        self.jobs, self.method, self.found, self.sizes, self.progress = jobs, method, found, sizes, progress
        self.clustering = ClusteringTask(method, secret)
        self.core_work = CoreWork(jobs, method, found, secret, progress)
        self.core = 0  # records of leaf 0, if that is the core
        self.private: dict[str, Any] = {}

    def publish(self, records: Frame) -> Clusters:
        """Cluster, cut, join: the steps of the local engine, in its order."""
        self.progress("splitting", 0, 0)
        self.placed = self._placed(records)
        self.left_out = self._left_out()
        self.numbering, sizes = self._numbers()
        self.progress("publishing", 0, 0)
        forest = self._refined(self._cut(sizes), sizes)
        nodes, parents, source = forest_in_canonical_order(*forest, self.jobs.staging.room)
        del forest
        clusters, terms = clusters_of(nodes, parents, self.found.vocabulary, self.jobs.staging.pages)
        place = np.empty_like(source)
        place[source] = np.arange(source.size)
        self.terms: Ints32 = terms.astype(np.int32)  # published term -> term of the vocabulary
        self.node_of_leaf = place[: sizes.size]
        return clusters

    def _placed(self, records: Frame) -> Placed:
        n, sizes = self.found.records, self.sizes
        placing = Placing(self.jobs, self.clustering, sizes, self.progress)
        if n >= sizes.shard_records:
            return (
                self.core_work.placed(records, placing)
                if self.method.clustering_record.has_core
                else placing.place(records, n)
            )
        rows = self.jobs.all_in_one(records, LEAF_ROWS, cluster_all, self.clustering)
        placing.all_of(rows, "leaves-1", leaves_out=STRATEGIES[self.method.strategy].leaves_out)
        return placing.placed

    def _numbers(self) -> tuple[verpart.Numbering, Ints64]:
        """Return the final number of each stored row's leaf, and the leaves' sizes; too small ones are merged for l."""
        numbering, made = self.placed.numbering()
        sizes = np.bincount(numbering.numbers, made).astype(np.int64)
        if self.clustering.secret.any():
            numbers, sizes = self._diverse(numbering.numbers, sizes, self._held(numbering))
            numbering = numbering._replace(numbers=numbers)
        is_core = bool((numbering.keys[numbering.numbers == 0, 0] == CORE).all())  # and no leaf was merged with it
        self.core = int(sizes[0]) if is_core else 0
        return numbering, sizes

    def _left_out(self) -> tuple[int, int]:
        """Count the records that are in no leaf, and return a fingerprint of them."""
        name = self.placed.left_out
        if name is None or not self.jobs.staging.has(name):
            return 0, 0
        table = self.jobs.collected(self.jobs.mapped(records_stored(self.jobs, name), TOTALS, add_up), "sums")
        content = numbers_in_column(table["content"]).view(np.uint64).sum(dtype=np.uint64)
        return int(numbers_in_column(table["records"]).sum()), int(content)

    def _held(self, numbering: verpart.Numbering) -> Held:
        secret = self.clustering.secret
        alike, hidden = np.arange(secret.size), np.flatnonzero(secret)
        names = self.found.vocabulary.take(pa.array(hidden)).to_pylist()
        alike[hidden] = hidden[first_alike(tuple(names))]
        rows = self.jobs.mapped(self._rows(), verpart.HELD, verpart.count_sensitive, numbering, secret, alike)
        table = self.jobs.collected(rows, "sensitive terms of leaves")
        held: Held = {}
        for leaf, term, count in sorted(
            zip(*(numbers_in_column(table[name]).tolist() for name in verpart.HELD.names), strict=True)
        ):
            held.setdefault(leaf, Counter())[term] += count
        return held

    def _diverse(self, numbers: Ints64, sizes: Ints64, held: Held) -> tuple[Ints64, Ints64]:
        if self.method.l is not None:
            merged = np.array(diverse_sizes(sizes.tolist(), held, self.found.vocabulary, self.method.l), np.int64)
            into = np.searchsorted(np.cumsum(merged), np.cumsum(sizes))
            together: Held = {}
            for leaf, counts in held.items():
                group = int(into[leaf])
                together[group] = together.get(group, Counter()) + counts
            numbers, sizes, held = into[numbers], merged, together
        rate = greatest_share(sizes.tolist(), held)
        self.private["true_association"] = [rate.numerator, rate.denominator]
        return numbers, sizes

    def _rows(self) -> Frame:
        return self.jobs.stored_before(LEAF_ROWS, *(name for name, *_ in self.placed.stored))

    def _core_rows(self) -> Frame:
        return self._rows().where(f"pass < {CORE + 1}")

    def numbered(self, blocks: Ints64) -> Frame:
        """Return the rows of leaves with their numbers and blocks; leaves with block -1 are left out."""
        return self.jobs.mapped(self._rows(), verpart.NUMBERED, verpart.number_leaves, self.numbering, blocks)

    def _cut(self, sizes: Ints64) -> Frame:
        """VERPART: store all leaves but the core, with the supports of the terms in their term chunks."""
        others = sizes[1:] if self.core else sizes
        blocks = np.append(np.full(sizes.size - others.size, -1), _blocks(others, self.sizes.block_records))
        method, n_terms = self.method, self.clustering.secret.size
        limits = method.min_support, min(method.m, n_terms), self.found.longest
        cutting = verpart.Cutting(
            limits, self.clustering.secret, method.clustering_record.has_core, int(others.max(initial=0))
        )
        rows = self.jobs.grouped(self.numbered(blocks), "block", cutting.schema(), verpart.cut, cutting)
        return self.jobs.stored(rows, "cut")

    def _refined(self, leaves: Frame, sizes: Ints64) -> Forest:
        """REFINE, except for the core, which is published unchanged and has nothing to share."""
        method, secret, first = self.method, self.clustering.secret, 1 if self.core else 0
        known = self.jobs, method, self.found, secret, self.sizes, self.progress
        forest = JoiningWork(*known, leaves, sizes[first:], first, self.numbered).forest()
        if not self.core:
            return forest
        head = self.core_work.published(self._core_rows(), self.core)
        parents = np.where(forest.parents < 0, -1, forest.parents + 1)
        return Forest(concatenated([head, forest.nodes], self.jobs.staging.room), np.concatenate([[-1], parents]))

    def inspected(self, clusters: Clusters, guarantee: KmAnonymity) -> tuple[list[dict[str, Any]], dict[int, int]]:
        """Let executors verify the published trees, one by one, against the records.

        Returns their verdicts, and how many records each block must have.
        """
        roots = np.flatnonzero(clusters.parents < 0)
        tree = np.cumsum(clusters.parents < 0) - 1  # node -> its tree; parents come first
        core = int(self.node_of_leaf[0]) if self.core else -1
        of_tree = _blocks_around(clusters.sizes[roots], self.sizes.block_records, int(tree[core]) if self.core else -1)
        of_node = of_tree[tree]
        given = self.jobs.given_in_pieces("nodes", verpart.NODES, _pieces(clusters, of_node))
        inspecting = verpart.Inspecting(guarantee, self.found.vocabulary, self.terms, self.node_of_leaf)
        leaves = self.numbered(of_node[self.node_of_leaf])
        said = self.jobs.beside(leaves, given, "block", verpart.VERDICTS, verpart.inspect_block, inspecting)
        expected = np.bincount(of_tree[of_tree >= 0], clusters.sizes[roots][of_tree >= 0]).astype(np.int64).tolist()
        verdicts = self.jobs.collected(said, "verdicts").to_pylist()
        if self.core:
            slices = max(1, self.core // self.sizes.block_records)
            more, records = self.core_work.inspected(
                self._core_rows(), _as_nodes(clusters), core, inspecting, slices, len(expected)
            )
            verdicts, expected = verdicts + more, expected + records
        return verdicts, dict(enumerate(expected))


def _pieces(clusters: Clusters, blocks: Ints64) -> Iterator[pa.Table]:
    """Yield nodes for executors, range by range of trees; those without a block are left out."""
    for first, last in clusters.ranges():
        nodes = _as_nodes(clusters.trees(first, last))
        columns = [blocks[first:last], np.arange(first, last), clusters.parents[first:last], *node_columns(nodes)]
        yield table_of(verpart.NODES, columns).filter(pa.array(blocks[first:last] >= 0))


def _as_nodes(clusters: Clusters) -> Leaves:
    return Leaves(*(getattr(clusters, name) for name in Leaves._fields))


def _blocks_around(sizes: Ints64, most: int, apart: int) -> Ints64:
    """Cut things into runs as `_blocks` does; the one `apart` is in no run (-1), and no run continues after it.

    >>> _blocks_around(np.array([2, 2, 9, 2, 2]), 4, 2).tolist()
    [0, 0, -1, 1, 1]
    """
    if apart < 0:
        return _blocks(sizes, most)
    before, after = _blocks(sizes[:apart], most), _blocks(sizes[apart + 1 :], most)
    return np.concatenate([before, [-1], after + before.max(initial=-1) + 1])


def _blocks(sizes: Ints64, most: int) -> Ints64:
    return np.unique(offsets_of(sizes)[:-1] // most, return_inverse=True)[1].reshape(-1).astype(np.int64)
