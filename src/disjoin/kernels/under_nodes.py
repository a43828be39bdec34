"""Rows under nodes of a tree: which rows have a leaf under a node, and in how many are several nodes together.

Leaves stand in an order in which those of every node are neighbours. `posted[i]` are rows, ordered by the place of the
leaf that they have; so the rows under a node are a span of `posted`, in which a row may be several times.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel


@kernel
def support_up_to(enough, begins, ends, posted, weights, seen, stamp):
    """Add up the weights of the rows that are in every span; stop as soon as they are `enough`.

    `seen` (rows,) has numbers below `stamp` only, and afterwards below `stamp` plus the number of spans.
    """
    total = 0
    last = begins.size - 1
    for span in range(begins.size):
        for place in range(begins[span], ends[span]):
            row = posted[place]
            has_all_before = seen[row] == stamp + span - 1 if span else seen[row] < stamp
            if has_all_before:
                seen[row] = stamp + span
                if span == last:
                    total += weights[row]
                    if total >= enough:
                        return total
    return total


@inner
def different_rows(begin, end, posted, is_row_taken):
    """Return the rows of a span, each once, and how many they are; `is_row_taken` (rows,) is false, and is so again."""
    rows = np.empty(end - begin, np.int64)
    number = 0
    for place in range(begin, end):
        row = posted[place]
        if not is_row_taken[row]:
            is_row_taken[row] = True
            rows[number] = row
            number += 1
    for place in range(number):
        is_row_taken[rows[place]] = False
    return rows, number


@inner
def images_of_rows(rows, number, node, least, offsets, items, image_of, is_node_taken, starts):
    """Return what the items of the rows stand for, each image once a row, without `node` and those below `least`.

    `starts` (number + 1,) is filled with where each row begins; `is_node_taken` (nodes,) is false, and is so again.
    """
    most = 0
    for place in range(number):
        most += offsets[rows[place] + 1] - offsets[rows[place]]
    images = np.empty(most, np.int32)
    filled = 0
    for row in range(number):
        starts[row] = filled
        for place in range(offsets[rows[row]], offsets[rows[row] + 1]):
            image = image_of[items[place]]
            if image >= least and image != node and not is_node_taken[image]:
                is_node_taken[image] = True
                images[filled] = image
                filled += 1
        for place in range(starts[row], filled):
            is_node_taken[images[place]] = False
    starts[number] = filled
    return images
