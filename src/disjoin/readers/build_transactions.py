"""Construction of `Transactions` from cells and lists of terms."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.arrays.ragged import rank_first_occurrences, sort_rows
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
    """The cells of each record, as codes of `terms`; several of these may be empty, or equal."""

    terms: pa.StringArray
    items: Ints32
    offsets: Ints64  # (records + 1,)


def settled(cells: Cells, options: Options, intake: Intake, fail: Fail) -> tuple[Cells, Intake]:
    """Return the cells with lists split (refused unless the options define them), blanks treated, and a summary."""
    if options.split is None:
        _refuse_lists(cells, fail)
    if options.split_at is None and not options.takes_blanks and not options.blank_words:
        return cells, intake
    parts, sizes = cells.terms, np.ones(len(cells.terms), np.int64)  # the parts of all cells, and the number per cell
    if options.split_at is not None:
        lists = pc.split_pattern(parts, options.split_at)
        parts, sizes = pc.utf8_trim(lists.flatten(), _BLANKS), np.asarray(pc.list_value_length(lists), np.int64)
    is_blank = np.asarray(are_blank(parts, options.blank_words or ()))
    n_blank = 0
    if is_blank.any():
        n_blank = int(np.bincount(cells.items, minlength=sizes.size) @ Spans.of(sizes).sums(is_blank))
    if n_blank and options.blank in (None, "error"):
        words = [word for word in pc.unique(parts.filter(pa.array(is_blank))).to_pylist() if word.strip()]
        such = f" (such as {quoted(words[0])})" if words else ""
        raise fail(f"expected terms, found {counted(n_blank, 'blank')}{such}.").offering(*IF_BLANK)
    if options.blank == "term":
        if n_blank and pc.any(pc.equal(parts, BLANK_TERM)).as_py():
            message = f"the term {BLANK_TERM} is for blanks, but it occurs in the data. Rename it."
            raise fail(message).offering(IF_BLANK[0])
        parts = pc.if_else(pa.array(is_blank), BLANK_TERM, parts)
        found = _taken_apart(cells, parts, sizes, np.ones(len(parts), np.bool_))
        return found, replace(intake, named_blanks=n_blank)
    found = _taken_apart(cells, parts, sizes, ~is_blank)
    lengths = Spans(found.offsets).lengths
    has_terms = lengths > 0
    blank = intake.blank_records + int(np.count_nonzero(~has_terms))
    found = Cells(found.terms, found.items, offsets_of(lengths[has_terms]))
    return found, replace(intake, skipped_blanks=n_blank, blank_records=blank)


def _refuse_lists(cells: Cells, fail: Fail) -> None:
    may_be = pc.match_substring_regex(cells.terms, "[;|,\n\t]")
    if not pc.any(may_be).as_py():
        return
    found = lists_in(cells.terms, np.bincount(cells.items, minlength=len(cells.terms)).astype(np.int64))
    if found is not None:
        message = f"{found.share:.0%} of the terms look like lists, of the form {quoted(found.form)}."
        raise fail(message).offering(*split_remedies(found))


def split_remedies(found: ListedCells) -> tuple[Remedy, ...]:
    mark = _WRITTEN.get(found.separator, found.separator)
    return Remedy("split", mark, f"split them at {mark}"), Remedy("split", "none", "treat each cell as one term")


def _taken_apart(cells: Cells, parts: pa.StringArray, sizes: Ints64, kept: NDArray[np.bool_]) -> Cells:
    coded = parts.filter(pa.array(kept)).dictionary_encode()
    codes = np.asarray(coded.indices, np.int32)
    parts_of = Spans.of(Spans.of(sizes).sums(kept))
    here = Spans.of(parts_of.lengths[cells.items])  # (cells,), parts of each
    return Cells(coded.dictionary, codes[parts_of.places(cells.items)], here.offsets[cells.offsets])


def assemble(cells: Cells, options: Options, intake: Intake, fail: Fail) -> Transactions:
    """Return the records of cells, rewritten in place; no row may be empty, and `items` must own its memory."""
    cells, intake = settled(cells, options, intake, fail)
    terms, items, offsets = cells.terms, cells.items, cells.offsets
    if objection := objection_to_length(terms):
        raise fail(f"{objection} Check the separator, or shorten it.")
    if intake.rows_without_id:
        used = used_by(len(terms), items)  # terms of dropped rows must not be published
        terms, items = terms.filter(pa.array(used)), ranks_of(used)[items]
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


class RowBuilder:
    """Collects records one by one, for formats that Python itself reads."""

    def __init__(self) -> None:
        self.codes: defaultdict[str, int] = defaultdict()
        self.codes.default_factory = self.codes.__len__  # every new key gets the next number
        self.blank = 0
        self._items = array("i")
        self._ends = array("q", [0])

    def add(self, terms: Iterable[str]) -> None:
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
