"""KACA (section D.3): the smallest class that is not yet as demanded is merged with its nearest, again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization.ancestor_cost import HierarchyForest, forest_of
from disjoin.methods.generalization.diversity import Demands
from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca_merge import gathering_of, joined, labels_of, merge_open
from disjoin.methods.generalization.population import fitting, refuse_unreachable
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

    Two things can make that necessary. People: two classes in which a value is not too frequent may share some, and be
    published alike, and together have it too often. And a population: the algorithms do not look at it.
    """
    if encoded.people is None and encoded.crowd is None:
        return found
    demands, forest = demands_of(settings, encoded), forest_of(encoded, settings.weights)
    secrets = secrets_of(encoded, demands)
    while len(found.vectors) > 1:
        nodes = (found.vectors + forest.starts[:-1]).astype(np.int32)
        classes = gathering_of(found.class_of_row, nodes, demands, secrets)
        if encoded.crowd is not None:
            np.logical_or(classes.is_open, ~fitting(encoded, found).is_kept, out=classes.is_open)
        if not classes.is_open.any():
            return found
        merge_open(classes, forest, demands, secrets, stub=False, progress=progress)
        found = in_trees(joined(labels_of(classes)), forest)
    return found if encoded.crowd is None else _all_rows(encoded, found)


def _all_rows(encoded: Encoded, found: Classes) -> Classes:
    """Return one class of all rows that keeps what is asked beside the population: as it is, or at the roots."""
    roots = np.array([[tree.root for tree in encoded.hierarchies]], dtype=np.int32)
    for each in (found, Classes(found.class_of_row, roots)):
        beside = fitting(encoded, each)
        if beside.is_kept.all():
            return each
    refuse_unreachable(beside, encoded)
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
