"""What takes long is told before it begins: the search and KACA compare rows that are different with one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disjoin.methods.generalization.encoding import packed_keys
from disjoin.model import Table

# Rows that differ, above which a minute is not enough on one core (measured with 8 columns of random numbers).
_SLOW = {"local-search": 10_000, "kaca": 15_000}
_WIDE = 6  # columns that are nearly as different as the rows; with fewer the search finds its way


def slow_note(algorithm: str, table: Table, quasi: Sequence[str]) -> str:
    """Say that an algorithm will take minutes on this table, and which one does not; nothing if it will not."""
    if len(table) < _SLOW.get(algorithm, len(table) + 1):
        return ""
    if algorithm == "local-search" and sum(_is_fine(table, name) for name in quasi) < _WIDE:
        return ""
    different = _different_rows(table, quasi)
    if different < _SLOW[algorithm]:
        return ""
    return (
        f"{different:,} rows differ from one another in the quasi-identifiers, which takes {algorithm} minutes, or "
        "longer. --method two-level takes seconds, and loses more."
    )


def _is_fine(table: Table, name: str) -> bool:
    """Tell whether a column without a hierarchy has more different values than a tenth of the rows."""
    return name not in table.hierarchies and 10 * len(table.values_of(name)) > len(table)


def _different_rows(table: Table, quasi: Sequence[str]) -> int:
    keys = packed_keys([table.codes_of(name) for name in quasi])
    order = np.lexsort(keys[::-1])
    differs = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    return 1 + int(np.count_nonzero(differs))
