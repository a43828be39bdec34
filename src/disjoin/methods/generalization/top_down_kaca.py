"""TopDown-KACA: split into large parts, then merge inside each (section D.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from disjoin.methods.generalization.encoding import Classes, Encoded
from disjoin.methods.generalization.kaca import forest_leaves, forest_of, gathered, in_trees, joined
from disjoin.methods.generalization.requirements import asked_of
from disjoin.methods.generalization.top_down import specialised
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.methods.generalization import Generalization


def top_down_kaca(encoded: Encoded, settings: Generalization, progress: Progress = silent) -> Classes:
    """Return KACA's classes in each part of TopDown; parts have at least `partition_size` rows and are valid."""
    asked, forest = asked_of(settings, encoded), forest_of(encoded, settings.weights)
    size = settings.rows_in_part
    class_of_row = np.zeros(len(encoded), dtype=np.int64)
    if len(encoded) >= size:  # otherwise all rows are one part
        parts = joined(specialised(encoded, forest, asked_of(settings, encoded, k=size), progress))
        class_of_row = parts.class_of_row
    order = np.argsort(class_of_row, kind="stable")  # in a part, rows stay in order
    ends = np.cumsum(np.bincount(class_of_row)).tolist()
    leaves, asked = forest_leaves(encoded, forest)[order], asked.of(order)
    found = np.empty(len(encoded), dtype=np.int64)
    vectors = []
    n_classes = begin = 0
    for number, end in enumerate(ends):
        part = gathered(leaves[begin:end], forest, asked.of(slice(begin, end)), settings.stub)
        found[order[begin:end]] = part.class_of_row + n_classes
        vectors.append(part.vectors)
        n_classes, begin = n_classes + len(part.vectors), end
        progress("merging in parts", number + 1, len(ends))
    return in_trees(joined(Classes(found, np.concatenate(vectors))), forest)
