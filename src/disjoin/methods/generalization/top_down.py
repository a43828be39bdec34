"""TopDown: specialisation from the roots while the requirements hold (section D.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from disjoin.jit.kernel import inner, kernel
from disjoin.methods.generalization import requirements
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import HierarchyForest, forest_of, in_trees, joined
from disjoin.methods.generalization.requirements import Asked, asked_of, clear, count, holds
from disjoin.model.ragged import Flags, Ints32, Ints64, new_state, offsets_of
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

BUDGET = 200_000  # rows visited between two checks for an interrupt


@inner
def unspecialise(kids, work, demands, tally, stayers, found, staying):
    """Move rows of valid kids to the rows that stay until these are valid; return how many stay then. Rows come from
    the valid kid with most rows, the last node among equals; a kid that cannot spare a row is given up entirely."""
    _list_runs(kids, work, found)
    attempt = 0
    while not holds(demands, stayers, staying):
        kid = -1
        for each in range(found):
            if kids.is_fine[each] and (
                kid < 0
                or kids.sizes[each] > kids.sizes[kid]
                or (kids.sizes[each] == kids.sizes[kid] and kids.nodes[each] > kids.nodes[kid])
            ):
                kid = each
        if kid < 0:
            break
        attempt += 1
        run = _rarest(kids, work, stayers, kid, attempt)
        while run >= 0 and not _bears(kids, work, demands, tally, kid, run):
            work.run_tried[run] = attempt
            run = _rarest(kids, work, stayers, kid, attempt)
        if run >= 0:
            _stay(work, stayers, run)
            kids.sizes[kid] -= 1
            staying += 1
            continue
        staying += kids.sizes[kid]
        kids.is_fine[kid] = False
        for each in range(kids.runs[kid], kids.runs[kid + 1]):
            while work.run_next[each] < work.run_end[each]:
                _stay(work, stayers, each)
    return staying


@inner
def _list_runs(kids, work, found):
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
def _rarest(kids, work, stayers, kid, attempt):
    """Return the run whose values are rarest among the rows that stay; the one with the smallest row among equals."""
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
    if demands.only_k:
        return kids.sizes[kid] - 1 >= demands.k
    for run in range(kids.runs[kid], kids.runs[kid + 1]):
        times = work.run_end[run] - work.run_next[run] - (run == without)
        count(tally, work.codes, work.run_combo[run], times)
    good = holds(demands, tally, kids.sizes[kid] - 1)
    clear(tally)
    return good


@inner
def _stay(work, stayers, run):
    work.labels[work.lined[work.run_next[run]]] = -1
    work.run_next[run] += 1
    count(stayers, work.codes, work.run_combo[run], 1)


class Lifting(NamedTuple):
    """The generalisations of the leaves of every row."""

    leaves: Ints32  # (rows, attributes), each in its own tree
    lifted: Ints32  # for every attribute, level and leaf: a node of the forest
    starts: Ints64  # (attributes,) in `lifted`
    n_leaves: Ints64  # (attributes,)
    levels: Ints32  # (nodes of the forest,)


class Kids(NamedTuple):
    """The children that the rows of a part move to; as many as the largest family has."""

    of_node: Ints64  # (nodes of the forest,) -1 between uses
    nodes: Ints32
    sizes: Ints64
    is_fine: Flags  # whether a kid is valid
    begins: Ints64  # in `Work.lined`, one more than kids
    runs: Ints64  # one more as well; a run is the rows of a kid with the same sensitive values


class Work(NamedTuple):
    """The rows, and scratch for the current part; positions are those in `order`."""

    order: Ints64  # (rows,)
    labels: Ints64  # (rows,) the kid of a position, -1 for a row that stays
    best: Ints64  # (rows,) the labels of the best attribute so far
    best_nodes: Ints32  # the kids of the best attribute
    lined: Ints64  # (rows,) positions kid by kid
    spare: Ints64  # (rows,)
    combos: Ints64  # (rows,) the combination of sensitive values of a row
    codes: Ints64  # (combinations, sensitive columns)
    run_of_combo: Ints64  # (combinations,) -1 between uses
    run_combo: Ints64  # (rows,) the combination of a run
    run_next: Ints64  # (rows,) where in `lined` its unmoved rows begin
    run_end: Ints64  # (rows,)
    run_tried: Ints64  # (rows,) the last attempt in which it was of no use


class SplitParts(NamedTuple):
    """Parts to split, the last first, and the classes that are final."""

    begins: Ints64  # (most classes,)
    ends: Ints64
    vectors: Ints32  # (most classes, attributes): nodes of the forest
    blocked: Flags  # (most classes, attributes)
    waiting: Ints64  # (1,)
    class_of_row: Ints64  # (rows,) -1 until known
    classes: Ints32  # (most classes, attributes)
    done: Ints64  # (1,)


@inner
def _line_up(lifting, kids, work, begin, end, a, level):
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
    kids.begins[0] = begin
    for kid in range(found):
        kids.of_node[kids.nodes[kid]] = -1
        kids.begins[kid + 1] = kids.begins[kid] + kids.sizes[kid]
        kids.runs[kid] = kids.begins[kid]  # where to write next
    for i in range(begin, end):
        kid = work.labels[i]
        work.lined[kids.runs[kid]] = i
        kids.runs[kid] += 1
    return found


@inner
def _sort_out(kids, work, demands, tally, stayers, found):
    """Mark the valid kids; the rows of others stay, counted among `stayers`. Return how many stay."""
    staying = 0
    for kid in range(found):
        if demands.only_k:
            kids.is_fine[kid] = kids.sizes[kid] >= demands.k
        else:
            for i in range(kids.begins[kid], kids.begins[kid + 1]):
                count(tally, work.codes, work.combos[work.order[work.lined[i]]], 1)
            kids.is_fine[kid] = holds(demands, tally, kids.sizes[kid])
            clear(tally)
        if kids.is_fine[kid]:
            continue
        staying += kids.sizes[kid]
        for i in range(kids.begins[kid], kids.begins[kid + 1]):
            work.labels[work.lined[i]] = -1
            count(stayers, work.codes, work.combos[work.order[work.lined[i]]], 1)
    return staying


@inner
def _best_split(lifting, kids, work, parts, part, demands, tally, stayers):
    """Find the attribute that specialises most rows, with fewest kids; return it (or -1) and its number of kids."""
    begin, end = parts.begins[part], parts.ends[part]
    best, best_found, best_left, best_rows = -1, 0, 0, 0
    for a in range(parts.vectors.shape[1]):
        level = lifting.levels[parts.vectors[part, a]]
        if level == 0 or parts.blocked[part, a]:
            continue
        found = _line_up(lifting, kids, work, begin, end, a, level - 1)
        staying = _sort_out(kids, work, demands, tally, stayers, found)
        if 0 < staying < end - begin and not holds(demands, stayers, staying):
            staying = unspecialise(kids, work, demands, tally, stayers, found, staying)
        clear(stayers)
        left, rows = 0, end - begin - staying
        for kid in range(found):
            left += kids.is_fine[kid]
        if left > 0 and (best < 0 or rows > best_rows or (rows == best_rows and left < best_left)):
            best, best_found, best_left, best_rows = a, found, left, rows
            for i in range(begin, end):
                work.best[i] = work.labels[i]
            for kid in range(found):
                work.best_nodes[kid] = kids.nodes[kid]
    return best, best_found


@inner
def _divide(kids, work, parts, part, a, found):
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
    if staying < end:  # keeps its vector and its blocked attributes
        parts.begins[part] = staying
        parts.blocked[part, a] = True
        parts.waiting[0] = part + 1
    for kid in range(found):  # `begins` now has the ends
        if kids.sizes[kid] > 0:
            top = parts.waiting[0]
            for b in range(parts.vectors.shape[1]):
                parts.vectors[top, b] = parts.vectors[part, b]
                parts.blocked[top, b] = False
            parts.vectors[top, a] = work.best_nodes[kid]
            parts.begins[top], parts.ends[top] = kids.begins[kid] - kids.sizes[kid], kids.begins[kid]
            parts.waiting[0] += 1


@kernel
def specialise(lifting, kids, work, parts, demands, tally, stayers, budget):
    while parts.waiting[0] > 0 and budget > 0:
        part = parts.waiting[0] - 1
        begin, end = parts.begins[part], parts.ends[part]
        budget -= end - begin
        parts.waiting[0] = part
        a, found = _best_split(lifting, kids, work, parts, part, demands, tally, stayers)
        if a >= 0:
            _divide(kids, work, parts, part, a, found)
            continue
        parts.classes[parts.done[0]] = parts.vectors[part]
        for i in range(begin, end):
            parts.class_of_row[work.order[i]] = parts.done[0]
        parts.done[0] += 1


def top_down(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    asked, forest = asked_of(settings, encoded), forest_of(encoded, settings.weights)
    return in_trees(joined(specialised(encoded, forest, asked, progress)), forest)


def specialised(encoded: Encoded, forest: HierarchyForest, asked: Asked, progress: Progress) -> Classes:
    """Split all rows, which are at the roots; vectors are nodes of the forest, and may be equal."""
    n, d = encoded.leaves.shape
    trees = encoded.hierarchies
    lifted = [tree.paths().T.ravel() + start for tree, start in zip(trees, forest.starts[:-1], strict=True)]
    starts = offsets_of([len(nodes) for nodes in lifted[:-1]])
    n_leaves = np.array([tree.n_leaves for tree in trees], dtype=np.int64)
    levels = np.concatenate([tree.levels for tree in trees])
    lifting = Lifting(encoded.leaves, np.concatenate(lifted).astype(np.int32), starts, n_leaves, levels)
    room = n // asked.demands.k + 1  # parts are disjoint and have k rows
    by_column = dict.fromkeys(("vectors", "blocked", "classes"), (room, d))
    parts = new_state(SplitParts, room, waiting=1, done=1, class_of_row=n, **by_column)
    parts.ends[0], parts.vectors[0], parts.waiting[0] = n, forest.starts[1:] - 1, 1
    parts.class_of_row.fill(-1)
    kids, work = _scratch(n, forest, asked.secrets)
    stayers = requirements.new_tally(asked.demands)
    while parts.waiting[0]:
        specialise(lifting, kids, work, parts, asked.demands, asked.tally, stayers, BUDGET)
        progress("splitting", int((parts.class_of_row >= 0).sum()), n)
    return Classes(parts.class_of_row, parts.classes[: parts.done[0]].copy())


def _scratch(n: int, forest: HierarchyForest, secrets: Ints64) -> tuple[Kids, Work]:
    widest = int(np.bincount(forest.parents[forest.parents >= 0]).max())
    kids = new_state(Kids, widest, of_node=forest.parents.size, begins=widest + 1, runs=widest + 1)
    kids.of_node.fill(-1)
    combos, codes = requirements.combinations_of(secrets)
    work = new_state(Work, n, best_nodes=widest, run_of_combo=len(codes))
    work.order[:] = np.arange(n)
    work.run_of_combo.fill(-1)
    return kids, work._replace(combos=combos, codes=codes)
