"""Two-level clustering: rows that differ in one attribute first, then all (section D.6). Its outer clusters (equal
level-1 vectors) are computed together, because raising attributes to level 1 never joins rows of different ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization import kaca
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.requirements import Asked, asked_of, groups_that_hold
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


@dataclass(slots=True)
class _OpenRows:
    """Rows that are in no final class yet, with their classes, and the final classes so far."""

    rows: Ints64  # (open rows,) in order
    class_of: Ints64  # (open rows,)
    vectors: Ints32  # (open classes, attributes): nodes of the forest
    final_of_row: Ints64  # (all rows,) -1 for an open one
    finals: list[Ints32]  # vectors of final classes, one array per step

    def close(self, found: Classes, is_final: Flags, *, keep_vectors: bool = False) -> None:
        """Make classes final and continue with the others, or with the rows of the others in the classes they had."""
        going = is_final[found.class_of_row]
        numbers = np.cumsum(is_final) - 1 + sum(map(len, self.finals))
        self.final_of_row[self.rows[going]] = numbers[found.class_of_row[going]]
        self.finals.append(found.vectors[is_final])
        class_of, vectors = (self.class_of, self.vectors) if keep_vectors else (found.class_of_row, found.vectors)
        is_left = np.zeros(len(vectors), dtype=np.bool_)
        is_left[class_of[~going]] = True
        self.rows, self.vectors = self.rows[~going], vectors[is_left]
        self.class_of = (np.cumsum(is_left) - 1)[class_of[~going]]

    def members(self, found: Classes) -> Ints64:
        place = np.empty(len(self.vectors), dtype=np.int64)
        place[self.class_of] = found.class_of_row
        return np.bincount(place, minlength=len(found.vectors))


def two_level(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    asked, forest = asked_of(settings, encoded), kaca.forest_of(encoded, settings.weights)
    leaves, n = kaca.forest_leaves(encoded, forest), len(encoded)
    state = _OpenRows(np.arange(n), *kaca.runs_of(leaves), np.full(n, -1, dtype=np.int64), [])

    def regrouped(vectors: Ints32) -> tuple[Classes, Flags]:
        found = kaca.joined(Classes(state.class_of, vectors))
        return found, groups_that_hold(asked.of(state.rows), found.class_of_row, len(found.vectors))

    state.close(*regrouped(state.vectors))
    for number, (attribute, alone) in enumerate(plan := climbing_plan(encoded, settings.weights)):
        progress("climbing", number, len(plan))
        if not state.rows.size:
            break
        raised = state.vectors.copy()
        raised[:, attribute] = forest.parents[raised[:, attribute]]
        found, good = regrouped(raised)
        is_final = good & (state.members(found) >= 2) if alone else good
        state.close(found, is_final, keep_vectors=alone)
    finals = Classes(state.final_of_row, np.concatenate(state.finals))
    return kaca.in_trees(placed(finals, leaves, forest, asked, progress), forest)


def climbing_plan(encoded: Encoded, weights: str) -> list[tuple[int, bool]]:
    """List which attribute is raised by one level, and whether only for a trial (phase A) or finally: in phase 1 every
    attribute to level 1, for a trial and then one by one; in phase 2 always the cheapest next step."""
    costs = kaca.scaled_costs(encoded, weights)
    attributes = range(len(costs))
    order = sorted(attributes, key=lambda a: (costs[a][1], a))
    plan = [(a, True) for a in order] + [(a, False) for a in order]
    levels = [1] * len(costs)
    while below := [a for a in attributes if levels[a] < costs[a].size - 1]:
        cheapest = min(below, key=lambda a: (costs[a][levels[a] + 1] - costs[a][levels[a]], a))
        levels[cheapest] += 1
        plan.append((cheapest, False))
    return plan


def placed(finals: Classes, leaves: Ints32, forest: kaca.HierarchyForest, asked: Asked, progress: Progress) -> Classes:
    """Put each remaining row into the nearest class that stays valid (phase 3). If one fits nowhere, this row and all
    after it form a class that is merged with the nearest one until it is valid."""
    guests = np.flatnonzero(finals.class_of_row < 0)
    if not guests.size:
        return kaca.joined(finals)
    classes = kaca.gathering_of(finals.class_of_row, finals.vectors, asked)
    put = 0
    for put in kaca.insert_rows(classes, guests, leaves[guests], forest, asked):
        progress("placing", put, guests.size)
    found, rest = kaca.joined(kaca.labels_of(classes)), guests[put:]
    if rest.size:
        vector = leaves[rest[0]].copy()  # the lowest common ancestors of the remaining rows
        for a, column in enumerate(leaves[rest].T):
            nodes = np.unique(column)
            while nodes.size > 1:  # all leaves are on one level, so their parents are, too
                nodes = np.unique(forest.parents[nodes])
            vector[a] = nodes[0]
        found.class_of_row[rest] = len(found.vectors)
        classes = kaca.gathering_of(found.class_of_row, np.vstack([found.vectors, vector]), asked)
        kaca.merge_open(classes, forest, asked, stub=False, progress=silent)
        found = kaca.joined(kaca.labels_of(classes))
    return found
