"""P4: groups, records and items stand in canonical order, so that the order tells nothing."""

from __future__ import annotations

import numpy as np

from disjoin.verify.crowds import Crowds, in_group
from disjoin.verify.finding import Finding

WARNING = "the order may tell which parts belong together."


def check_order_inside(crowds: Crowds) -> list[Finding]:
    """P4 inside groups: the items of a record, the records and the sensitive items ascend (repeats are P1's)."""
    from disjoin.verify.counting.crowds import signs_of_neighbours

    signs = signs_of_neighbours(crowds.record_offsets, crowds.item_offsets, crowds.items)
    breaches = {
        "the items of a record": np.unique(crowds.record_groups[crowds.untidy]),
        "its records": np.unique(crowds.record_groups[signs > 0]),
        "its sensitive items": np.flatnonzero(crowds.untidy_lists),
    }
    return [
        in_group("P4", f"{what} are not sorted: {WARNING}", group)
        for what, groups in breaches.items()
        for group in groups
    ]


def check_order_between(crowds: Crowds) -> list[Finding]:
    """P4 between groups: they ascend by size, list of records and list of sensitive items, repeats written out.

    Needs groups with P1 that are sorted inside.
    """
    from disjoin.verify.counting.crowds import groups_out_of_order

    return [
        in_group("P4", f"group {group - 1} should come after it: {WARNING}", group)
        for group in np.flatnonzero(groups_out_of_order(crowds.sizes, crowds.rows, crowds.secrets))
    ]
