"""TopDown: specialisation from the roots while the requirements hold (section D.4)."""

# mypy: allow-untyped-defs, allow-untyped-calls, allow-incomplete-defs, allow-untyped-decorators, no-warn-return-any

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import HierarchyForest, forest_of, in_trees, joined
from disjoin.methods.generalization.requirements import (
    Demands,
    clear,
    combinations_of,
    count,
    demands_of,
    holds,
    new_tally,
    secrets_of,
)
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

BUDGET = 200_000  # rows looked at between two checks for an interrupt


@inner
def unspecialise(kids, work, demands, tally, stayers, found, staying):
    """Move rows of fine kids to those that stay until these are as demanded; return how many stay then.

    A kid that cannot spare a row is given up as a whole.
    """
    _list_runs(kids, work, found)
    attempt = 0
    while not holds(demands, stayers, staying):
        kid = _largest(kids, found)
        if kid < 0:
            break
        attempt += 1
        run = _rarest(kids, work, stayers, kid, attempt)
        while run >= 0 and not _bears(kids, work, demands, tally, kid, run):
            work.run_tried[run] = attempt
            run = _rarest(kids, work, stayers, kid, attempt)
        if run < 0:
            staying += kids.sizes[kid]
            kids.is_fine[kid] = False
            for each in range(kids.runs[kid], kids.runs[kid + 1]):
                while work.run_next[each] < work.run_end[each]:
                    _stay(work, stayers, each)
        else:
            _stay(work, stayers, run)
            kids.sizes[kid] -= 1
            staying += 1
    return staying


@inner
def _list_runs(kids, work, found):
    """List the rows of every fine kid by their sensitive values: one run per combination, rows in order."""
    runs = 0
    for kid in range(found):
        kids.runs[kid] = runs
        if not kids.is_fine[kid]:
            continue
        first = runs
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            combo = work.combos[work.order[work.lined[i]]]
            if work.run_of_combo[combo] < 0:
                work.run_of_combo[combo] = runs
                work.run_combo[runs] = combo
                work.run_end[runs] = 0
                work.run_tried[runs] = 0
                runs += 1
            work.run_end[work.run_of_combo[combo]] += 1
        place = kids.begins[kid]
        for run in range(first, runs):
            work.run_next[run] = place
            place += work.run_end[run]
            work.run_end[run] = work.run_next[run]
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            run = work.run_of_combo[work.combos[work.order[work.lined[i]]]]
            work.spare[work.run_end[run]] = work.lined[i]
            work.run_end[run] += 1
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            work.lined[i] = work.spare[i]
        for run in range(first, runs):
            work.run_of_combo[work.run_combo[run]] = -1
    kids.runs[found] = runs


@inner
def _largest(kids, found):
    """Return the fine kid with most rows, the one with the last node among equals; -1 if none is fine."""
    best = -1
    for kid in range(found):
        if kids.is_fine[kid] and (
            best < 0
            or kids.sizes[kid] > kids.sizes[best]
            or (kids.sizes[kid] == kids.sizes[best] and kids.nodes[kid] > kids.nodes[best])
        ):
            best = kid
    return best


@inner
def _rarest(kids, work, stayers, kid, attempt):
    """Return the run whose values are rarest among those that stay; the one with the smallest row among equals."""
    best, least = -1, 0
    for run in range(kids.runs[kid], kids.runs[kid + 1]):
        if work.run_next[run] == work.run_end[run] or work.run_tried[run] == attempt:
            continue
        rarity = 0
        for column in range(work.codes.shape[1]):
            rarity += stayers.counts[work.codes[work.run_combo[run], column]]
        if (
            best < 0
            or rarity < least
            or (rarity == least and work.lined[work.run_next[run]] < work.lined[work.run_next[best]])
        ):
            best, least = run, rarity
    return best


@inner
def _bears(kids, work, demands, tally, kid, without):
    """Return whether a kid is still as demanded without one row of a run."""
    if demands.only_k:
        return kids.sizes[kid] - 1 >= demands.k
    for run in range(kids.runs[kid], kids.runs[kid + 1]):
        times = work.run_end[run] - work.run_next[run] - (run == without)
        for column in range(work.codes.shape[1]):
            count(tally, work.codes[work.run_combo[run], column], times)
    good = holds(demands, tally, kids.sizes[kid] - 1)
    clear(tally)
    return good


@inner
def _stay(work, stayers, run):
    work.labels[work.lined[work.run_next[run]]] = -1
    work.run_next[run] += 1
    for column in range(work.codes.shape[1]):
        count(stayers, work.codes[work.run_combo[run], column], 1)


class Lifting(NamedTuple):
    """What the leaves of every row generalise to."""

    leaves: Ints32  # (rows, attributes), each in its own tree
    lifted: Ints32  # for every attribute, level and leaf: a node of the forest
    starts: Ints64  # (attributes,) in `lifted`
    n_leaves: Ints64  # (attributes,)
    levels: Ints32  # (nodes of the forest,)


class Kids(NamedTuple):
    """The children that the rows of a part go to; as many as the largest family has."""

    of_node: Ints64  # (nodes of the forest,) -1 between uses
    nodes: Ints32
    sizes: Ints64
    is_fine: Flags  # as demanded
    begins: Ints64  # in `Work.lined`, one more than there are kids
    runs: Ints64  # one more as well: rows of a kid with the same sensitive values are a run


class Work(NamedTuple):
    """The rows, and scratch for the part at hand; positions are those in `order`."""

    order: Ints64  # (rows,)
    labels: Ints64  # (rows,) the kid of a position, -1 for those that stay
    best: Ints64  # (rows,) the labels of the best attribute so far
    best_nodes: Ints32  # its kids
    lined: Ints64  # (rows,) positions kid by kid
    spare: Ints64  # (rows,)
    combos: Ints64  # (rows,) the combination of sensitive values of a row
    codes: Ints64  # (combinations, sensitive columns)
    run_of_combo: Ints64  # (combinations,) -1 between uses
    run_combo: Ints64  # (rows,) of a run
    run_next: Ints64  # (rows,) where in `lined` its rows begin that were not moved
    run_end: Ints64  # (rows,)
    run_tried: Ints64  # (rows,) the last attempt in which it was no use


class SplitParts(NamedTuple):
    """Parts to split, the last first, and the classes that are final."""

    begins: Ints64  # (most classes,)
    ends: Ints64
    vectors: Ints32  # (most classes, attributes): nodes of the forest
    blocked: Flags  # (most classes, attributes)
    waiting: Ints64  # (1,)
    class_of_row: Ints64  # (rows,) -1 until it is known
    classes: Ints32  # (most classes, attributes)
    done: Ints64  # (1,)


@inner
def _number_kids(lifting, kids, work, begin, end, a, level):
    """Label every position with its kid and return how many kids there are."""
    base = lifting.starts[a] + level * lifting.n_leaves[a]
    found = 0
    for i in range(begin, end):
        node = lifting.lifted[base + lifting.leaves[work.order[i], a]]
        kid = kids.of_node[node]
        if kid < 0:
            kid = found
            kids.of_node[node] = kid
            kids.nodes[kid] = node
            kids.sizes[kid] = 0
            found += 1
        kids.sizes[kid] += 1
        work.labels[i] = kid
    for kid in range(found):
        kids.of_node[kids.nodes[kid]] = -1
    return found


@inner
def _line_up(kids, work, begin, end, found):
    kids.begins[0] = begin
    for kid in range(found):
        kids.begins[kid + 1] = kids.begins[kid] + kids.sizes[kid]
        kids.runs[kid] = kids.begins[kid]  # where to write next
    for i in range(begin, end):
        kid = work.labels[i]
        work.lined[kids.runs[kid]] = i
        kids.runs[kid] += 1


@inner
def _sort_out(kids, work, demands, tally, stayers, found):
    """Mark the kids that are as demanded; the rows of others stay, counted among `stayers`. Return how many stay."""
    staying = 0
    for kid in range(found):
        if demands.only_k:
            kids.is_fine[kid] = kids.sizes[kid] >= demands.k
        else:
            for i in range(kids.begins[kid], kids.begins[kid + 1]):
                combo = work.combos[work.order[work.lined[i]]]
                for column in range(work.codes.shape[1]):
                    count(tally, work.codes[combo, column], 1)
            kids.is_fine[kid] = holds(demands, tally, kids.sizes[kid])
            clear(tally)
        if kids.is_fine[kid]:
            continue
        staying += kids.sizes[kid]
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            work.labels[work.lined[i]] = -1
            combo = work.combos[work.order[work.lined[i]]]
            for column in range(work.codes.shape[1]):
                count(stayers, work.codes[combo, column], 1)
    return staying


@inner
def _split(lifting, kids, work, demands, tally, stayers, begin, end, a, level):
    """Split a part by the nodes of a level; return how many kids were there, how many are left and their rows."""
    found = _number_kids(lifting, kids, work, begin, end, a, level)
    _line_up(kids, work, begin, end, found)
    staying = _sort_out(kids, work, demands, tally, stayers, found)
    if 0 < staying < end - begin and not holds(demands, stayers, staying):
        staying = unspecialise(kids, work, demands, tally, stayers, found, staying)
    clear(stayers)
    left = 0
    for kid in range(found):
        left += kids.is_fine[kid]
    return found, left, end - begin - staying


@inner
def _best_split(lifting, kids, work, parts, part, demands, tally, stayers):
    """Find the attribute that specialises most rows, with fewest kids; return it (or -1) and its number of kids."""
    begin, end = parts.begins[part], parts.ends[part]
    best, best_found, best_left, best_rows = -1, 0, 0, 0
    for a in range(parts.vectors.shape[1]):
        level = lifting.levels[parts.vectors[part, a]]
        if level == 0 or parts.blocked[part, a]:
            continue
        found, left, rows = _split(lifting, kids, work, demands, tally, stayers, begin, end, a, level - 1)
        if left > 0 and (best < 0 or rows > best_rows or (rows == best_rows and left < best_left)):
            best, best_found, best_left, best_rows = a, found, left, rows
            for i in range(begin, end):
                work.best[i] = work.labels[i]
            for kid in range(found):
                work.best_nodes[kid] = kids.nodes[kid]
    return best, best_found


@inner
def _push(parts, begin, end, source, a, node):
    """Put a part on the stack, with the vector of another (in the place after the stack) but for one node."""
    top = parts.waiting[0]
    for b in range(parts.vectors.shape[1]):
        parts.vectors[top, b] = parts.vectors[source, b]
        parts.blocked[top, b] = False
    parts.vectors[top, a] = node
    parts.begins[top], parts.ends[top] = begin, end
    parts.waiting[0] += 1


@inner
def _divide(kids, work, parts, part, a, found):
    """Replace the part at the top of the stack by its kids and, if there are any, the rows that stay."""
    begin, end = parts.begins[part], parts.ends[part]
    for kid in range(found):
        kids.sizes[kid] = 0
    for i in range(begin, end):
        if work.best[i] >= 0:
            kids.sizes[work.best[i]] += 1
    place = begin
    for kid in range(found):
        kids.begins[kid] = place
        place += kids.sizes[kid]
    staying = place
    for i in range(begin, end):
        if work.best[i] >= 0:
            work.spare[kids.begins[work.best[i]]] = work.order[i]
            kids.begins[work.best[i]] += 1
        else:
            work.spare[place] = work.order[i]
            place += 1
    for i in range(begin, end):
        work.order[i] = work.spare[i]
    if staying < end:  # keeps its vector and what is blocked already
        parts.begins[part] = staying
        parts.blocked[part, a] = True
        parts.waiting[0] = part + 1
    for kid in range(found):  # `begins` is now where each ends
        if kids.sizes[kid] > 0:
            _push(parts, kids.begins[kid] - kids.sizes[kid], kids.begins[kid], part, a, work.best_nodes[kid])


@kernel
def specialise(lifting, kids, work, parts, demands, tally, stayers, budget):
    """Split parts until the stack is empty or as many rows as the budget were looked at."""
    while parts.waiting[0] > 0 and budget > 0:
        part = parts.waiting[0] - 1
        begin, end = parts.begins[part], parts.ends[part]
        budget -= end - begin
        parts.waiting[0] = part
        a, found = _best_split(lifting, kids, work, parts, part, demands, tally, stayers)
        if a >= 0:
            _divide(kids, work, parts, part, a, found)
            continue
        for b in range(parts.vectors.shape[1]):
            parts.classes[parts.done[0], b] = parts.vectors[part, b]
        for i in range(begin, end):
            parts.class_of_row[work.order[i]] = parts.done[0]
        parts.done[0] += 1


def top_down(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    return in_trees(joined(specialised(encoded, forest, demands, progress)), forest)


def specialised(encoded: Encoded, forest: HierarchyForest, demands: Demands, progress: Progress = silent) -> Classes:
    """Split all rows; vectors are nodes of the forest, and may be equal."""
    tally, stayers = new_tally(demands), new_tally(demands)
    lifting = lifting_of(encoded, forest)
    kids, work = _scratch(encoded, forest, demands)
    parts = _all_rows(encoded, forest, demands.k)
    while parts.waiting[0]:
        specialise(lifting, kids, work, parts, demands, tally, stayers, BUDGET)
        progress("splitting", int((parts.class_of_row >= 0).sum()), len(encoded))
    return Classes(parts.class_of_row, parts.classes[: parts.done[0]].copy())


def lifting_of(encoded: Encoded, forest: HierarchyForest) -> Lifting:
    """Return for every attribute, level and leaf the node above."""
    lifted, starts = [], [0]
    for tree, start in zip(encoded.hierarchies, forest.starts, strict=False):
        lifted.append(tree.paths().T.ravel() + start)
        starts.append(starts[-1] + lifted[-1].size)
    return Lifting(
        leaves=encoded.leaves,
        lifted=np.concatenate(lifted).astype(np.int32),
        starts=np.array(starts[:-1], dtype=np.int64),
        n_leaves=np.array([tree.n_leaves for tree in encoded.hierarchies], dtype=np.int64),
        levels=np.concatenate([tree.levels for tree in encoded.hierarchies]),
    )


def _scratch(encoded: Encoded, forest: HierarchyForest, demands: Demands) -> tuple[Kids, Work]:
    n = len(encoded)
    combos, codes = combinations_of(secrets_of(encoded, demands))
    labels, best, lined, spare, run_combo, run_next, run_end, run_tried = np.empty((8, n), dtype=np.int64)
    widest = int(np.bincount(forest.parents[forest.parents >= 0]).max())
    kids = Kids(
        of_node=np.full(forest.parents.size, -1, dtype=np.int64),
        nodes=np.empty(widest, dtype=np.int32),
        sizes=np.empty(widest, dtype=np.int64),
        is_fine=np.empty(widest, dtype=np.bool_),
        begins=np.empty(widest + 1, dtype=np.int64),
        runs=np.empty(widest + 1, dtype=np.int64),
    )
    work = Work(
        order=np.arange(n, dtype=np.int64),
        labels=labels,
        best=best,
        best_nodes=np.empty(widest, dtype=np.int32),
        lined=lined,
        spare=spare,
        combos=combos,
        codes=codes,
        run_of_combo=np.full(len(codes), -1, dtype=np.int64),
        run_combo=run_combo,
        run_next=run_next,
        run_end=run_end,
        run_tried=run_tried,
    )
    return kids, work


def _all_rows(encoded: Encoded, forest: HierarchyForest, k: int) -> SplitParts:
    """Return one part, all rows at the roots."""
    n, d = encoded.leaves.shape
    room = n // k + 1  # parts are disjoint and have k rows
    begins, ends, waiting, done = (np.zeros(size, dtype=np.int64) for size in (room, room, 1, 1))
    vectors, classes = np.zeros((2, room, d), dtype=np.int32)
    ends[0], waiting[0], vectors[0] = n, 1, forest.starts[1:] - 1
    return SplitParts(
        begins=begins,
        ends=ends,
        vectors=vectors,
        blocked=np.zeros((room, d), dtype=np.bool_),
        waiting=waiting,
        class_of_row=np.full(n, -1, dtype=np.int64),
        classes=classes,
        done=done,
    )
