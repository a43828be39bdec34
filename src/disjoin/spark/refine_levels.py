"""REFINE level by level, for more clusters than one memory holds.

A run of clusters is joined from these clusters alone. So the planner needs only the size and a key of 8 bytes of each
cluster, which determines its place. Everything else is in `Tops`, values that can be sent to other processes. Groups of
whole runs are joined by `join_tops`, each as a separate ledger, in any order and on any machine. The joined clusters,
the moved terms and the numbers of joint clusters are the same as in `plan_refine` with the builder `levels`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from disjoin.methods.disassociation import refine, refine_join
from disjoin.methods.disassociation.leaves import Leaves
from disjoin.model.ragged import Flags, Ints32, Ints64, Ragged, Spans, Value, offsets_of, runs


class Tops(NamedTuple):
    """Top-level clusters with all facts needed for joining; lines, leaves and entries as in `RefineLedger`."""

    line_offsets: Ints64  # cluster -> its lines
    line_term: Ints32
    line_marks: refine_join.Bytes
    line_support: Ints32
    leaf_offsets: Ints64  # cluster -> its leaves, in the order of joining
    leaves: Ints32  # the numbers of leaves in the partition
    leaf_sizes: Ints64
    leans: Flags
    term_offsets: Ints64  # leaf -> its entries
    term_items: Ints32
    moved_in: refine_join.Ints16
    strict: Flags

    def __len__(self) -> int:
        return int(self.line_offsets.size - 1)


def tops_of_leaves(leaves: Leaves, numbers: Ints64, supports: Ints32, n_terms: int, limits: refine_join.Limits) -> Tops:
    """Return leaves, which have these numbers in the partition, as clusters; `supports` as in `supports_of_entries`."""
    ledger = refine_join.open_ledger(leaves, supports, n_terms, refine.lean_on_term_chunks(leaves, limits))
    n = leaves.sizes.size
    lines = offsets_of(ledger.end[:n] - ledger.begin[:n])
    return Tops(
        line_offsets=lines,
        line_term=ledger.line_term[: lines[-1]],
        line_marks=ledger.line_marks[: lines[-1]],
        line_support=ledger.line_support[: lines[-1]],
        leaf_offsets=np.arange(n + 1),
        leaves=numbers.astype(np.int32),
        leaf_sizes=leaves.sizes,
        leans=ledger.leans,
        term_offsets=ledger.term_offsets,
        term_items=ledger.term_items,
        moved_in=ledger.moved_in,
        strict=ledger.strict,
    )


def tops_of_lines(offsets: Ints64, terms: Ints32, marks: refine_join.Bytes) -> Tops:
    """Return clusters with only their lines, which suffice to place them."""
    nothing, number = np.zeros(offsets.size, np.int64), np.empty(0, np.int64)
    narrow, flags = number.astype(np.int32), number.astype(np.bool_)
    lines = offsets, terms, marks, np.zeros(terms.size, np.int32)
    return Tops(*lines, nothing, narrow, number, flags, nothing[:1], narrow, number.astype(np.uint16), flags)


def ledger_of(tops: Tops, n_terms: int) -> refine_join.RefineLedger:
    """Open a ledger of clusters: its nodes are their leaves, then the clusters, then the new joint clusters."""
    n, clusters, lines = tops.leaves.size, len(tops), tops.line_term.size
    of_top, more = Spans(tops.leaf_offsets), np.zeros(len(tops), np.int64)
    room = lines // 8 + n_terms  # as in `open_ledger`
    return refine_join.RefineLedger(
        term_offsets=tops.term_offsets,
        term_items=tops.term_items,
        moved_in=tops.moved_in.copy(),
        strict=tops.strict.copy(),
        left=Spans(tops.term_offsets).sums(tops.moved_in == 0),
        leans=tops.leans,
        following=np.arange(1, n + 1, dtype=np.int32),
        first=np.concatenate([np.arange(n), tops.leaf_offsets[:-1], more]).astype(np.int32),
        last=np.concatenate([np.arange(n), tops.leaf_offsets[1:] - 1, more]).astype(np.int32),
        sizes=np.concatenate([tops.leaf_sizes, of_top.sums(tops.leaf_sizes), more]),
        parents=np.concatenate([n + of_top.owners(), more - 1, more - 1]),
        begin=np.concatenate([np.zeros(n, np.int64), tops.line_offsets[:-1], more]),
        end=np.concatenate([np.zeros(n, np.int64), tops.line_offsets[1:], more]),
        line_term=_with_room(tops.line_term, room),
        line_marks=_with_room(tops.line_marks, room),
        line_support=_with_room(tops.line_support, room),
        used=np.array([n + clusters, lines, 0]),
    )


def _with_room(values: NDArray[Value], room: int) -> NDArray[Value]:
    return np.concatenate([values, np.empty(room, values.dtype)])


def count_shareable(tops: Tops, n_terms: int, counts: Ints64) -> None:
    """Add to `counts`, for every term, the clusters that could share it."""
    ledger = ledger_of(tops, n_terms)
    refine_join.count_clusters(ledger, _nodes(tops), True, 1, counts)


def keys_of(tops: Tops, rank: Ints32, secret: Flags) -> Ints64:
    keys = np.empty(len(tops), np.int64)
    refine.short_keys(ledger_of(tops, secret.size), _nodes(tops), rank, secret, keys)
    return keys


def _nodes(tops: Tops) -> Ints64:
    return tops.leaves.size + np.arange(len(tops))


def join_tops(tops: Tops, number: int, run: int, secret: Flags, limits: refine_join.Limits) -> tuple[Tops, Ragged]:
    """Join clusters, which are sorted and begin with a run of up to `run`, in the level of that number.

    Returns the remaining clusters, in their order, and for each the places of the clusters that it contains: one, if
    it did not change.
    """
    ledger = ledger_of(tops, secret.size)
    ledger.used[refine_join.PASS] = number
    left = refine.Joiner(ledger, secret, limits, map).join(_nodes(tops), run, np.zeros(secret.size, np.int64))
    place = np.empty(ledger.used[refine_join.NODES], np.int64)
    place[left] = np.arange(left.size)
    nodes = _nodes(tops)
    into = place[np.where(ledger.parents[nodes] < 0, nodes, ledger.parents[nodes])]
    members = Ragged(offsets_of(np.bincount(into)), np.argsort(into, kind="stable").astype(np.int32))
    return _left_in(ledger, tops, left, members), members


def _left_in(ledger: refine_join.RefineLedger, tops: Tops, left: Ints64, members: Ragged) -> Tops:
    begin, end = ledger.begin[left], ledger.end[left]
    lines, of_top, of_leaf = runs(begin, end), Spans(tops.leaf_offsets), Spans(tops.term_offsets)
    leaves = of_top.places(members.items)
    entries = of_leaf.places(leaves)
    return Tops(
        line_offsets=offsets_of(end - begin),
        line_term=ledger.line_term[lines],
        line_marks=ledger.line_marks[lines],
        line_support=ledger.line_support[lines],
        leaf_offsets=offsets_of(members.sums(of_top.lengths[members.items])),
        leaves=tops.leaves[leaves],
        leaf_sizes=tops.leaf_sizes[leaves],
        leans=tops.leans[leaves],
        term_offsets=offsets_of(of_leaf.lengths[leaves]),
        term_items=ledger.term_items[entries],
        moved_in=ledger.moved_in[entries],
        strict=ledger.strict[entries],
    )


class LevelPlan(NamedTuple):
    """Which clusters are joined; their `Tops` have the moved terms."""

    parents: Ints64  # leaves, then joints -> the joint cluster that contains them, -1
    sizes: Ints64  # joint -> records
    starts: Ints64  # level, from 1 -> the first node that it makes

    @property
    def leaves(self) -> int:
        return int(self.parents.size - self.sizes.size)

    def joints_of(self, tops: Tops) -> Ints32:
        """Return for every entry the joint that it moved to, -1 if it did not."""
        n, shift = self.leaves, tops.leaves.size - self.leaves  # numbers of current leaves, then joint clusters
        parents = np.concatenate([self.parents[tops.leaves], self.parents[n:]]) + shift
        joint_of = np.full(tops.term_items.size, -1, np.int32)
        refine.write_joints(tops.term_offsets, parents, self.starts + shift, tops.moved_in, joint_of)
        return joint_of


class RefineLevel(NamedTuple):
    """The level to be made next."""

    number: int  # from 1
    run: int  # limit on the clusters joined at once
    order: Ints64  # the clusters, sorted; each is given by its place after the last level
    starts: Ints64  # starts of the runs among them, and the end
    records: Ints64  # records before each run, and in all


class LevelWork(Protocol):
    """An object that has the clusters, in their order after the last level."""

    def counts(self) -> Ints64:
        """Count for every term the clusters that could share it."""

    def keys(self, rank: Ints32) -> Ints64:
        """Return the keys of all clusters."""

    def join(self, level: RefineLevel) -> Ragged:
        """Make a level; return the result of `join_tops` for all remaining clusters, as places in `level.order`."""


def plan_levels(
    sizes: Ints64,
    n_terms: int,
    limits: refine_join.Limits,
    passes: int | None,
    tell: Callable[[int, int], None],
    work: LevelWork,
) -> LevelPlan:
    """Decide which of the leaves with these sizes are joined; only sizes and keys are needed here."""
    n = sizes.size
    parents, records = np.full(2 * n, -1, np.int64), np.concatenate([sizes, np.zeros(n, np.int64)])
    nodes = np.arange(n)  # the remaining clusters
    how = refine.Passes(np.array([n, 0, 0]), n, passes, tell)

    def join(run: int) -> int:
        nonlocal nodes
        order = np.argsort(work.keys(refine.ranks_by_count(work.counts())), kind="stable")
        nodes = nodes[order]
        starts = starts_of_runs(records[nodes], run, n_terms, limits)
        before = offsets_of(records[nodes])[starts]
        members = work.join(RefineLevel(int(how.used[refine_join.PASS]), run, order, starts, before))
        if not np.array_equal(np.sort(members.items), np.arange(nodes.size)):
            raise RuntimeError("a cluster is missing or repeated; nothing is published.")
        is_joint = members.lengths > 1
        left = nodes[members.items[members.offsets[:-1]]]
        left[is_joint] = how.used[refine_join.NODES] + np.arange(np.count_nonzero(is_joint))
        how.used[refine_join.NODES] += np.count_nonzero(is_joint)
        records[left] = members.sums(records[nodes[members.items]])
        joined = members.spread(is_joint)
        parents[nodes[members.items[joined]]] = members.spread(left)[joined]
        nodes = left
        return int(nodes.size)

    refine.climb(how, join)
    used = int(how.used[refine_join.NODES])
    return LevelPlan(parents[:used], records[n:used], np.array(how.starts))


def starts_of_runs(sizes: Ints64, run: int, n_terms: int, limits: refine_join.Limits) -> Ints64:
    """Cut clusters with these sizes into runs; return where each starts, and the end."""
    unknown = np.zeros(sizes.size, np.int64)  # their lines
    none = tops_of_lines(unknown[:1], np.empty(0, np.int32), np.empty(0, np.uint8))
    ledger = ledger_of(none, 0)._replace(sizes=sizes, begin=unknown, end=unknown)
    starts, lines = np.empty(sizes.size + 1, np.int64), np.empty(sizes.size + 1, np.int64)
    return starts[: refine_join.cut_runs(ledger, np.arange(sizes.size), run, limits, n_terms, starts, lines) + 1]
