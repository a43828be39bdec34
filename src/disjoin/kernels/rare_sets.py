"""Sets of nodes that are together in some records but in few: the count-tree in preorder, walked but never stored.

Of the tree of all sets that hold one given node, only the path to the current set is in memory: at every depth the
rows that have the set so far (a list linked through `following`), and how many records have which next node.
"""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import inner, kernel
from disjoin.kernels.record_rows import sort_rows
from disjoin.kernels.under_nodes import different_rows, images_of_rows


@inner
def count_next(head, rows, places, following, starts, images, weights, least, most, counts, candidates):
    """Count which nodes, from `least` to `most`, follow in the linked rows; return how many do, and the steps."""
    number = steps = 0
    entry = head
    while entry >= 0:
        row = rows[entry]
        steps += 1 + starts[row + 1] - places[entry]
        for place in range(places[entry], starts[row + 1]):
            node = images[place]
            if node > most:
                break
            if node >= least:
                if counts[node] == 0:
                    candidates[number] = node
                    number += 1
                counts[node] += weights[row]
        entry = following[entry]
    return number, steps


@inner
def link_next(head, rows, places, following, starts, images, least, most, heads, depth):
    """Link, for every node that was counted, the rows that have it, each with the place behind it, one depth below."""
    filled = 0
    entry = head
    while entry >= 0:
        row = rows[depth, entry]
        for place in range(places[depth, entry], starts[row + 1]):
            node = images[place]
            if node > most:
                break
            if node >= least:
                rows[depth + 1, filled] = row
                places[depth + 1, filled] = place + 1
                following[depth + 1, filled] = heads[depth, node]
                heads[depth, node] = filled
                filled += 1
        entry = following[depth, entry]


@inner
def keep_rare(k, number, counts, candidates):
    """Forget the counts, and keep the candidates in fewer than k records; return how many these are."""
    kept = 0
    for place in range(number):
        node = candidates[place]
        if counts[node] < k:
            candidates[kept] = node
            kept += 1
        counts[node] = 0
    return kept


@inner
def forget(depth, numbers, candidates, counts, heads):
    """Leave counts and links as if nothing had been met at this depth; at the last one it has been forgotten before."""
    if depth < numbers.size - 1:
        for place in range(numbers[depth]):
            counts[depth, candidates[depth, place]] = 0
            heads[depth, candidates[depth, place]] = -1


@inner
def link_all(starts, rows, places, following):
    """Link all rows from their beginnings."""
    for row in range(starts.size - 1):
        rows[0, row] = row
        places[0, row] = starts[row]
        following[0, row] = row - 1


@inner
def open_depth(depth, head, k, least, most, lists, starts, images, hefts, counts, heads, candidates, numbers):
    """Count, sort and link what follows the set so far; at the last depth keep only what is rare. Returns the steps."""
    rows, places, following = lists
    number, steps = count_next(
        head, rows[depth], places[depth], following[depth], starts, images, hefts, least, most, counts[depth],
        candidates[depth],
    )  # fmt: skip
    if depth == numbers.size - 1:
        number = keep_rare(k, number, counts[depth], candidates[depth])
    else:
        link_next(head, rows, places, following, starts, images, least, most, heads, depth)
    numbers[depth] = number
    bounds = np.zeros(2, np.int64)
    bounds[1] = number
    sort_rows(candidates[depth], bounds)
    return steps


@inner
def walk(node, k, starts, images, hefts, first, resume, known, budget, counts, heads, found):
    """List the sets of `rare_sets_with`; the images of row i are `images[starts[i]:starts[i + 1]]`, ascending."""
    width, n_nodes = found.shape[1], counts.shape[1]
    room = hefts.size if width == 1 else max(hefts.size, images.size)
    rows, places = np.empty((width, room), np.int64), np.empty((width, room), np.int64)
    following = np.empty((width, room), np.int64)
    link_all(starts, rows, places, following)
    candidates, chosen = np.empty((width, n_nodes), np.int32), np.empty(width, np.int32)
    numbers, turns = np.zeros(width, np.int64), np.zeros(width, np.int64)
    depth = np.int64(0)  # a bare 0 is a type of its own: everything would be compiled twice
    head, filled, steps = hefts.size - 1, 0, 0
    is_new, is_on_key = True, known > 0  # on key: the set so far is a proper beginning of `resume`
    while depth >= 0:
        if is_new:
            least, most = (first[0], first[1]) if depth == 0 else (0, n_nodes)
            if is_on_key:
                least = max(least, resume[depth])
            steps += open_depth(
                depth, head, k, least, most, (rows, places, following), starts, images, hefts, counts, heads,
                candidates, numbers,
            )  # fmt: skip
            turns[depth] = 0
            is_new = False
        if turns[depth] == numbers[depth]:
            forget(depth, numbers, candidates, counts, heads)
            depth -= 1
            is_on_key = False
            continue
        chosen[depth] = candidates[depth, turns[depth]]
        is_on_key = is_on_key and chosen[depth] == resume[depth]
        if not is_on_key and (filled == found.shape[0] or steps > budget):
            for place in range(depth + 1):
                resume[place] = chosen[place]
                forget(place, numbers, candidates, counts, heads)
            return filled, depth + 1
        is_on_key = is_on_key and depth + 1 < known
        turns[depth] += 1
        if depth == width - 1:
            for place in range(width):
                found[filled, place] = chosen[place]
            filled += 1
        elif counts[depth, chosen[depth]] >= k or chosen[depth] < node:
            head = heads[depth, chosen[depth]]
            depth += 1
            is_new = True
    return filled, 0


@kernel
def rare_sets_with(node, k, span, rows_of, image_of, marks, tables, first, resume, known, budget, found):
    """List, in order, sets of nodes that are together with `node` in fewer than k records, but in one at least.

    `rows_of` are rows in CSR with their weights, and the rows as they are posted (offsets, items, weights, posted);
    those with the node are in `posted[span[0]:span[1]]`. A set is of images (`image_of[item]`), ascending, as many as
    `found` has columns, with the first from `first[0]` to `first[1]`. Sets that come before `resume[:known]` are left
    out; so are those that begin, after the node, with a set that is rare itself. Stops when `found` is full, or after
    `budget` steps. Returns how many were found, and how much of `resume` says where to go on: 0 if there are no more.
    `marks` (rows,) and (nodes,) are false, `tables` (columns, nodes) are 0 and -1; afterwards they are so again.
    """
    offsets, items, weights, posted = rows_of
    is_row_taken, is_node_taken = marks
    counts, heads = tables
    listed, number = different_rows(span[0], span[1], posted, is_row_taken)
    starts, hefts = np.empty(number + 1, np.int64), np.empty(number, np.int64)
    for row in range(number):
        hefts[row] = weights[listed[row]]
    images = images_of_rows(listed, number, node, first[0], offsets, items, image_of, is_node_taken, starts)
    sort_rows(images, starts)
    return walk(node, k, starts, images, hefts, first, resume, known, budget, counts, heads, found)
