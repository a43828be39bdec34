"""Numbered tokens become `Transactions`: ranked vocabulary, sorted rows, what was noticed."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.files.cells import Cells, Fail, objection_to_length, settled
from disjoin.files.options import Options
from disjoin.jit.ragged import group_rows, rank_first_occurrences, sort_rows
from disjoin.model import Intake, Transactions
from disjoin.model.arrays import Ints32, Ints64
from disjoin.model.ragged import ranks_of, used_by


def assemble(cells: Cells, options: Options, intake: Intake, fail: Fail) -> Transactions:
    """Return the records of cells that are settled as the options say; their arrays are rewritten in place.

    No row may be empty, and `items` must own its memory: what repeated terms leave free is given back.
    `ids` are the different record ids of a long table, for the steward's ledger.
    """
    cells, intake = settled(cells, options, intake, fail)
    terms, items, offsets = cells.terms, cells.items, cells.offsets
    if objection := objection_to_length(terms):
        raise fail(f"{objection} Check the separator, or shorten it.")
    if intake.rows_without_id:
        terms, items = _only_used(terms, items)
    order = pc.sort_indices(terms).to_numpy()
    ranks = np.empty(len(terms), np.int32)
    ranks[order] = np.arange(len(terms), dtype=np.int32)
    written_length = int(offsets[-1])
    kept = int(rank_first_occurrences(items, offsets, ranks))
    items.resize(kept, refcheck=False)
    written = items.copy() if options.keep_order else None
    sort_rows(items, offsets)
    return Transactions(
        offsets=offsets,
        items=items,
        vocabulary=terms.take(pa.array(order)),
        written=written,
        intake=replace(intake, repeated_terms=written_length - kept),
    )


def _only_used(terms: pa.StringArray, items: Ints32) -> tuple[pa.StringArray, Ints32]:
    """Forget the terms of rows that were left out: nothing of them may be published."""
    used = used_by(len(terms), items)
    return terms.filter(pa.array(used)), ranks_of(used)[items]


def grouped(records: Ints32, codes: Ints32, n_records: int) -> tuple[Ints32, Ints64]:
    """Return (items, offsets) of a long table: the codes of each record together, in source order."""
    offsets = np.empty(n_records + 1, np.int64)
    items = np.empty(codes.size, np.int32)
    group_rows(records, codes, offsets, items)
    return items, offsets


class _Numbering(dict[str, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


class RowBuilder:
    """Collects records one by one, for formats that Python itself reads."""

    def __init__(self) -> None:
        self.codes = _Numbering()
        self.blank = 0
        self._items = array("i")
        self._ends = array("q", [0])

    def add(self, terms: Iterable[str]) -> None:
        """Append a record; one without terms is only counted."""
        self._items.extend(map(self.codes.__getitem__, terms))
        if len(self._items) > self._ends[-1]:
            self._ends.append(len(self._items))
        else:
            self.blank += 1

    def finish(self, options: Options, fail: Fail, *, format: str, names: list[str] | None = None) -> Transactions:
        """Return the records; `names` replaces the terms, in order of appearance."""
        terms = pa.array(list(self.codes) if names is None else names, pa.string())
        cells = Cells(terms, np.array(self._items, np.int32), np.array(self._ends, np.int64))
        return assemble(cells, options, Intake(format, self.blank), fail)
