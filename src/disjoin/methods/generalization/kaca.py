"""KACA (section D.3): the smallest class that is not yet as demanded is merged with its nearest, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization.ancestor_cost import HierarchyForest, forest_of
from disjoin.methods.generalization.diversity import Demands, groups_that_hold
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca_merge import gathering_of, joined, labels_of, merge_open
from disjoin.methods.generalization.requirements import demands_of, secrets_of
from disjoin.model.ragged import Ints32, Ints64
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


def kaca(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes that began as equal rows and were merged until all are as demanded."""
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    leaves = forest_leaves(encoded, forest)
    return in_trees(gathered(leaves, secrets_of(encoded, demands), forest, demands, settings.stub, progress), forest)


def gathered(
    leaves: Ints32, secrets: Ints64, forest: HierarchyForest, demands: Demands, stub: bool, progress: Progress = silent
) -> Classes:
    """Merge rows, which are sorted by their leaves; vectors are nodes of the forest."""
    class_of_row, vectors = runs_of(leaves)
    classes = gathering_of(class_of_row, vectors, demands, secrets)
    merge_open(classes, forest, demands, secrets, stub=stub and demands.only_k, progress=progress)
    return joined(labels_of(classes))


def mended(encoded: Encoded, found: Classes, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return classes that are as demanded, by merging those that are not.

    Only people can make that necessary: two classes in which a value is not too frequent may share people, and be
    published alike, and together have it too often.
    """
    if encoded.people is None:
        return found
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    secrets = secrets_of(encoded, demands)
    while not groups_that_hold(demands, secrets, found.class_of_row, len(found.vectors)).all():
        nodes = (found.vectors + forest.starts[:-1]).astype(np.int32)
        classes = gathering_of(found.class_of_row, nodes, demands, secrets)
        merge_open(classes, forest, demands, secrets, stub=False, progress=progress)
        found = in_trees(joined(labels_of(classes)), forest)
        if len(found.vectors) == 1:
            break
    return found


def forest_leaves(encoded: Encoded, forest: HierarchyForest) -> Ints32:
    """Return the leaves as nodes of the forest."""
    return (encoded.leaves + forest.starts[:-1]).astype(np.int32)


def in_trees(found: Classes, forest: HierarchyForest) -> Classes:
    """Return the classes with vectors in nodes of their own trees."""
    return Classes(found.class_of_row, (found.vectors - forest.starts[:-1]).astype(np.int32))


def runs_of(leaves: Ints32) -> tuple[Ints64, Ints32]:
    """Return the class of every row, and the vector of every class: equal rows, which stand side by side."""
    fresh = np.ones(len(leaves), dtype=np.bool_)
    fresh[1:] = (leaves[1:] != leaves[:-1]).any(axis=1)
    return np.cumsum(fresh) - 1, leaves[fresh]
