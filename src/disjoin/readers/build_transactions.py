"""Construction of `Transactions` from cells and lists of terms."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.arrays.ragged import group_rows, rank_first_occurrences, sort_rows
from disjoin.errors import DisjoinError, Remedy
from disjoin.model import Intake, Transactions
from disjoin.model.input_checks import ListedCells, lists_in
from disjoin.model.ragged import Ints32, Ints64, Spans, offsets_of, ranks_of, used_by
from disjoin.model.spelling import BLANK_TERM, are_blank, objection_to_length
from disjoin.readers.options import IF_BLANK, Options
from disjoin.text import counted, quoted

LONGEST_CELL = 16 << 20  # bytes; a cell may be a list of terms
LONGEST_LINE = 32 << 20  # bytes; a line may be a record


Fail = Callable[[str], DisjoinError]
_BLANKS = " \t\r\n"
_WRITTEN = {"\n": "newline", "\t": "tab"}


@dataclass(slots=True, eq=False)
class Cells:
    """The cells of each record, as codes of `terms`; several of these may be empty, or the same."""

    terms: pa.StringArray
    items: Ints32
    offsets: Ints64  # (records + 1,)


def settled(cells: Cells, options: Options, intake: Intake, fail: Fail) -> tuple[Cells, Intake]:
    """Return the cells with lists taken apart and blanks treated as the options say, and what was done.

    Cells that look like lists are refused unless the options say what they are.
    """
    if options.split is None:
        _refuse_lists(cells, fail)
    if not options.changes_cells:
        return cells, intake
    parts, sizes = _split(cells.terms, options.split_at)
    is_blank = np.asarray(are_blank(parts, options.blank_words or ()))
    n_blank = _occurrences(cells, sizes, is_blank)
    if n_blank and options.blank in (None, "error"):
        raise fail(_refusal(n_blank, parts.filter(pa.array(is_blank)))).offering(*IF_BLANK)
    if options.blank == "term":
        if n_blank and pc.any(pc.equal(parts, BLANK_TERM)).as_py():
            raise fail(f"the term {BLANK_TERM} is for blanks, and it occurs in the data. Rename it.").offering(
                IF_BLANK[0]
            )
        parts = pc.if_else(pa.array(is_blank), BLANK_TERM, parts)
        found = _taken_apart(cells, parts, sizes, np.ones(len(parts), np.bool_))
        return found, replace(intake, named_blanks=n_blank)
    found = _taken_apart(cells, parts, sizes, ~is_blank)
    return _without_blank_records(found, replace(intake, skipped_blanks=n_blank))


def _refuse_lists(cells: Cells, fail: Fail) -> None:
    """Raise if a good share of the cells look like lists."""
    may_be = pc.match_substring_regex(cells.terms, "[;|,\n\t]")
    if not pc.any(may_be).as_py():
        return
    found = lists_in(cells.terms, np.bincount(cells.items, minlength=len(cells.terms)).astype(np.int64))
    if found is not None:
        raise fail(f"{found.share:.0%} of the terms look like lists, of the form {quoted(found.form)}.").offering(
            *split_remedies(found)
        )


def split_remedies(found: ListedCells) -> tuple[Remedy, ...]:
    """Return the two ways to read cells that look like lists."""
    mark = _WRITTEN.get(found.separator, found.separator)
    return Remedy("split", mark, f"split them at {mark}"), Remedy("split", "none", "take each as one term")


def _split(terms: pa.StringArray, separator: str | None) -> tuple[pa.StringArray, Ints64]:
    """Return the parts of all cells one after another, and how many each cell has."""
    if separator is None:
        return terms, np.ones(len(terms), np.int64)
    lists = pc.split_pattern(terms, separator)
    sizes = np.asarray(pc.list_value_length(lists), np.int64)
    return pc.utf8_trim(lists.flatten(), _BLANKS), sizes


def _occurrences(cells: Cells, sizes: Ints64, chosen: NDArray[np.bool_]) -> int:
    """Count the occurrences of the chosen parts."""
    if not chosen.any():
        return 0
    of_cell = Spans.of(sizes).sums(chosen)
    return int(np.bincount(cells.items, minlength=sizes.size) @ of_cell)


def _refusal(n_blank: int, blanks: pa.StringArray) -> str:
    words = [word for word in pc.unique(blanks).to_pylist() if word.strip()]
    such = f" (such as {quoted(words[0])})" if words else ""
    return f"expected terms, found {counted(n_blank, 'blank')}{such}."


def _taken_apart(cells: Cells, parts: pa.StringArray, sizes: Ints64, kept: NDArray[np.bool_]) -> Cells:
    """Return the cells with each replaced by the kept ones of its parts."""
    coded = parts.filter(pa.array(kept)).dictionary_encode()
    codes = np.asarray(coded.indices, np.int32)
    parts_of = Spans.of(Spans.of(sizes).sums(kept))
    here = Spans.of(parts_of.lengths[cells.items])  # (cells,), parts of each
    return Cells(coded.dictionary, codes[parts_of.places(cells.items)], here.offsets[cells.offsets])


def _without_blank_records(cells: Cells, intake: Intake) -> tuple[Cells, Intake]:
    """Drop the records that have nothing left, and count them."""
    lengths = Spans(cells.offsets).lengths
    blank = int(np.count_nonzero(lengths == 0))
    if blank:
        cells = Cells(cells.terms, cells.items, offsets_of(lengths[lengths > 0]))
    return cells, replace(intake, blank_records=intake.blank_records + blank)


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
