"""Which children of a node of a tree over sorted items each record has something under."""

from __future__ import annotations

import numpy as np

from disjoin.kernels.compiling import kernel


@kernel
def child_masks(offsets, items, members, first, last, width):
    """Return for every record in `members` the children that it reaches, as bits: child j has the bit 1 << j.

    Items of a record ascend. The node has the items from `first` to before `last`; child j those from
    `first + j * width`, `width` of them.
    """
    masks = np.zeros(members.size, dtype=np.int64)
    for i in range(members.size):
        low, end = offsets[members[i]], offsets[members[i] + 1]
        high = end
        while low < high:  # where the node's items begin
            middle = (low + high) // 2
            if items[middle] < first:
                low = middle + 1
            else:
                high = middle
        mask = 0
        while low < end and items[low] < last:
            mask |= 1 << ((items[low] - first) // width)
            low += 1
        masks[i] = mask
    return masks
