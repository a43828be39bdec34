"""Groups as the verifier reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import SupportsIndex

import numpy as np
import pyarrow as pa

from disjoin.model import Groups
from disjoin.model.ragged import Flags, Ints32, Ints64
from disjoin.verify.forest import ranked
from disjoin.verify.inspection import Finding

SHOWN = 5  # terms in an example


@dataclass(frozen=True, slots=True)
class Crowds:
    """The arrays of `Groups`, with items renumbered so that comparing items compares terms, and sorted.

    Made from any addressable `Groups`: equal terms have equal numbers even where the vocabulary repeats them. What
    was sorted is remembered: `untidy` are the records, `untidy_lists` the groups whose sensitive items had another
    order. Repeats stay.
    """

    names: pa.StringArray  # strictly ascending
    sizes: Ints64  # (groups,)
    record_offsets: Ints64  # (groups + 1,)
    record_groups: Ints64  # (records,) the group of each record
    item_offsets: Ints64  # (records + 1,)
    items: Ints32
    counts: Ints64  # (records,)
    sensitive_offsets: Ints64  # (groups + 1,)
    sensitive_groups: Ints64  # (sensitive entries,) the group of each
    sensitive_items: Ints32
    sensitive_counts: Ints64
    untidy: Flags  # (records,)
    untidy_lists: Flags  # (groups,)

    @classmethod
    def of(cls, published: Groups) -> Crowds:
        """Read groups whose offsets and items are known to be addressable."""
        names, numbers = ranked(published.vocabulary)
        items, secrets = published.items, published.sensitive_items
        if numbers is not None:
            items, secrets = numbers[items], numbers[secrets]
        by_record, untidy = sorting(published.item_offsets, items)
        by_group, untidy_lists = sorting(published.sensitive_offsets, secrets)
        groups = np.arange(len(published))
        return cls(
            names=names,
            sizes=published.sizes,
            record_offsets=published.record_offsets,
            record_groups=np.repeat(groups, np.diff(published.record_offsets)),
            item_offsets=published.item_offsets,
            items=items if by_record is None else items[by_record],
            counts=published.counts,
            sensitive_offsets=published.sensitive_offsets,
            sensitive_groups=np.repeat(groups, np.diff(published.sensitive_offsets)),
            sensitive_items=secrets if by_group is None else secrets[by_group],
            sensitive_counts=published.sensitive_counts if by_group is None else published.sensitive_counts[by_group],
            untidy=untidy,
            untidy_lists=untidy_lists,
        )

    def __len__(self) -> int:
        return self.sizes.size

    @property
    def is_bare(self) -> Flags:
        """Tell for every record whether it has no ordinary items."""
        bare: Flags = np.diff(self.item_offsets) == 0
        return bare

    @property
    def rows(self) -> tuple[Ints64, Ints64, Ints32, Ints64]:
        """The records, as the counting loops take bags of rows: two offsets, items, counts."""
        return self.record_offsets, self.item_offsets, self.items, self.counts

    @property
    def secrets(self) -> tuple[Ints64, Ints64, Ints32, Ints64]:
        """The sensitive items, as bags of rows that have one item each."""
        singly = np.arange(self.sensitive_items.size + 1)
        return self.sensitive_offsets, singly, self.sensitive_items, self.sensitive_counts

    def terms(self, items: Iterable[int]) -> tuple[str, ...]:
        """Return the terms of some items, as many as an example shows."""
        return tuple(self.names[int(item)].as_py() for item in list(items)[:SHOWN])

    def record(self, record: int) -> Ints32:
        """Return the ordinary items of a record."""
        return self.items[self.item_offsets[record] : self.item_offsets[record + 1]]


def in_group(invariant: str, message: str, group: SupportsIndex, example: tuple[str, ...] = ()) -> Finding:
    """Return what is broken in one group."""
    return Finding(invariant, message, index(group), example=example, part="group")


def sorting(offsets: Ints64, items: Ints32) -> tuple[Ints64 | None, Flags]:
    """Return what sorts the items of every row (None: they are sorted), and which rows it changes."""
    changes = np.zeros(offsets.size - 1, dtype=np.bool_)
    falls = np.zeros(items.size, dtype=np.bool_)
    falls[1:] = items[1:] < items[:-1]
    falls[offsets[:-1][offsets[:-1] < items.size]] = False  # the first item of a row has no left neighbour
    if not falls.any():
        return None, changes
    rows = np.repeat(np.arange(changes.size), np.diff(offsets))
    changes[rows[falls]] = True
    return np.lexsort((items, rows)), changes
