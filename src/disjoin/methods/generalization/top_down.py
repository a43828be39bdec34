"""TopDown (section D.4): everything starts at the roots and is split as long as the parts are as demanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization.ancestor_cost import HierarchyForest, forest_of
from disjoin.methods.generalization.diversity import Demands, new_tally
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import in_trees
from disjoin.methods.generalization.kaca_merge import joined
from disjoin.methods.generalization.requirements import combinations_of, demands_of, secrets_of
from disjoin.methods.generalization.top_down_split import Kids, Lifting, SplitParts, Work, specialise
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization

BUDGET = 200_000  # rows looked at between two looks at the keyboard


def top_down(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes that came from splitting one class of all rows."""
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    return in_trees(joined(specialised(encoded, forest, demands, progress)), forest)


def specialised(encoded: Encoded, forest: HierarchyForest, demands: Demands, progress: Progress = silent) -> Classes:
    """Split all rows; vectors are nodes of the forest, and may be equal."""
    n_codes = int(demands.starts[-1])
    tally, stayers = new_tally(n_codes), new_tally(n_codes)
    lifting, kids = lifting_of(encoded, forest), _room_for_kids(forest)
    work, parts = _room_for_work(encoded, forest, demands), _all_rows(encoded, forest, demands.k)
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


def _room_for_kids(forest: HierarchyForest) -> Kids:
    widest = int(np.bincount(forest.parents[forest.parents >= 0]).max())
    return Kids(
        of_node=np.full(forest.parents.size, -1, dtype=np.int64),
        nodes=np.empty(widest, dtype=np.int32),
        sizes=np.empty(widest, dtype=np.int64),
        is_fine=np.empty(widest, dtype=np.bool_),
        begins=np.empty(widest + 1, dtype=np.int64),
        runs=np.empty(widest + 1, dtype=np.int64),
    )


def _room_for_work(encoded: Encoded, forest: HierarchyForest, demands: Demands) -> Work:
    n = len(encoded)
    combos, codes = combinations_of(secrets_of(encoded, demands))
    labels, best, lined, spare, run_combo, run_next, run_end, run_tried = np.empty((8, n), dtype=np.int64)
    return Work(
        order=np.arange(n, dtype=np.int64),
        labels=labels,
        best=best,
        best_nodes=np.empty(int(np.bincount(forest.parents[forest.parents >= 0]).max()), dtype=np.int32),
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
