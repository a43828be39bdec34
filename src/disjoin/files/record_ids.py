"""Who is a record, or a person: ids of long tables and of people, blank or spelt in several ways or shared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.errors import DisjoinError, UnreadableInput
from disjoin.files.long_roles import LongRoles
from disjoin.files.options import Options
from disjoin.files.table_values import MISSING
from disjoin.files.wording import counted, quoted
from disjoin.model import Intake, SharedRecords
from disjoin.model.ragged import Ints32, Ints64, ranks_of, used_by
from disjoin.model.spelling import alike, alike_in, are_blank, folded, folded_column, possible_blanks
from disjoin.model.table import Table
from disjoin.model.value_shapes import header_hints
from disjoin.words import USUAL_BLANKS

BETWEEN_IDS = "\x1f"  # the unit separator, which ids do not have
Fail = Callable[[str], DisjoinError]


@dataclass(slots=True, eq=False)
class Coded:
    """A column of a long table as codes of its values; -1 where there is none."""

    name: str
    codes: Ints32  # (rows,)
    values: pa.Array  # (distinct values,), of any type; text may be empty
    is_combined: bool = False  # several columns that name a record together


def combined_ids(parts: Sequence[Coded], options: Options) -> Coded:
    """Return several columns as one that names a record by all of them; a row that lacks one of them has none.

    >>> stays = Coded("ward", np.array([0, 0, 1], np.int32), pa.array(["A", "B"]))
    >>> both = combined_ids([stays, Coded("bed", np.array([0, 1, 0], np.int32), pa.array([1, 2]))], Options())
    >>> both.name, both.codes.tolist(), [text.split(BETWEEN_IDS) for text in both.values.to_pylist()]
    ('ward + bed', [0, 1, 2], [['A', '1'], ['A', '2'], ['B', '1']])
    """
    if len(parts) == 1:
        return parts[0]
    import pyarrow.compute as pc

    lacking = np.zeros(parts[0].codes.size, np.bool_)
    pairs = np.zeros(parts[0].codes.size, np.int64)
    joined = pa.array([""], pa.string())
    for part in parts:
        lacking |= (part.codes < 0) | _are_blank(part.values, options.blank_words or ())[part.codes]
        kept, pairs = np.unique(pairs * len(part.values) + np.maximum(part.codes, 0), return_inverse=True)
        before, here = np.divmod(kept, max(1, len(part.values)))
        values = part.values.cast(pa.string()).take(pa.array(here))
        joined = pc.binary_join_element_wise(joined.take(pa.array(before)), values, BETWEEN_IDS)
    codes = np.where(lacking, -1, pairs).astype(np.int32)
    return Coded(" + ".join(part.name for part in parts), codes, pc.utf8_slice_codeunits(joined, 1), True)


def settled_ids(
    ids: Coded, items: Ints32, people: Iterable[Coded], options: Options, fail: Fail, found: LongRoles
) -> tuple[Ints32, Ints32, Intake]:
    """Return the record and the cell of every row that has an id, records numbered without gaps, and what was done."""
    is_per_person = not ids.is_combined and "person" in header_hints(ids.name)
    intake = Intake(
        rows=ids.codes.size,
        id_column=ids.name,
        is_per_person=is_per_person,
        is_guessed=options.id_column is None or options.term_column is None,
        describing=found.describing,
        terms_identify=found.terms_identify,
        terms_role=found.terms_role,
    )
    words = options.blank_words or ()
    kept = ids.codes >= 0
    blank = _are_blank(ids.values, (*words, *USUAL_BLANKS))
    if blank[:-1].any():  # seldom, so that most ids are looked at once
        blank = _are_blank(ids.values, words)
        kept &= ~blank[ids.codes]
        intake = replace(intake, blank_like_ids=_blank_like(ids, blank))
    lost = int(np.count_nonzero(~kept))
    if lost and options.blank != "skip":
        raise fail(
            f"expected a record id in column {quoted(ids.name)}, found {counted(lost, 'row')} without one: they must "
            "not become one record. Say --blank skip to leave such rows out, or fill the ids in."
        )
    codes, merged = _by_spelling(ids, ~blank, options, fail)
    shared = _shared(codes, kept, people, accepted=bool(options.per_record))
    known = ids.values
    if lost:
        known = known.filter(pa.array(np.bincount(ids.codes[kept], minlength=len(known)) > 0))
        codes, items = codes[kept], items[kept]
    intake = replace(intake, rows_without_id=lost, merged_ids=merged, shared=shared, ids=known)
    return (_without_gaps(codes) if lost or merged else codes), items, intake


def _are_blank(values: pa.Array, words: Iterable[str]) -> NDArray[np.bool_]:
    """Tell which values stand for nothing; the last one is for rows that have none."""
    if not pa.types.is_string(values.type):
        return np.zeros(len(values) + 1, np.bool_)
    return np.append(np.asarray(are_blank(values, words), np.bool_), True)


def _blank_like(ids: Coded, blank: NDArray[np.bool_]) -> tuple[tuple[str, int], ...]:
    """Return the ids that are taken for ids, and may stand for nothing."""
    counts = np.bincount(ids.codes[ids.codes >= 0], minlength=len(ids.values)).astype(np.int64)
    counts[blank[:-1]] = 0
    return tuple(possible_blanks(ids.values, counts))


def _by_spelling(ids: Coded, real: NDArray[np.bool_], options: Options, fail: Fail) -> tuple[Ints32, int]:
    """Return the codes, with those of ids that differ only in spelling made one if the options say so."""
    if options.similar_ids == "keep" or not pa.types.is_string(ids.values.type):
        return ids.codes, 0
    named = ids.values.filter(pa.array(real[:-1]))
    groups = alike_in(named)
    if not groups:
        return ids.codes, 0
    more = sum(len(group) - 1 for group in groups)
    if options.similar_ids != "merge":
        raise fail(
            f"{counted(len(named), 'record')} would be made of {counted(len(named) - more, 'id')} in column "
            f"{quoted(ids.name)}, because some ids differ only in spelling, such as those of {_rows(ids, groups[0])}. "
            "Say --similar-ids merge if they are the same, or --similar-ids keep if they are not."
        )
    forms = np.asarray(folded_column(ids.values).dictionary_encode().indices, np.int32)
    return np.where(ids.codes < 0, np.int32(-1), forms[ids.codes]), more


def _rows(ids: Coded, group: tuple[str, ...]) -> str:
    """Say where two spellings of an id are first; messages show no ids."""
    first = (int(np.flatnonzero(ids.codes == ids.values.index(text).as_py())[0]) + 1 for text in group[:2])
    return "rows {:,} and {:,}".format(*sorted(first))


def _shared(
    records: Ints32, kept: NDArray[np.bool_], people: Iterable[Coded], *, accepted: bool
) -> SharedRecords | None:
    """Return the first column of people by which somebody has several records."""
    for column in people:
        is_known = kept & (column.codes >= 0) & ~_are_blank(column.values, USUAL_BLANKS)[column.codes]
        who, what = column.codes[is_known].astype(np.int64), records[is_known].astype(np.int64)
        size = int(what.max(initial=0)) + 1
        pairs = np.unique(who * size + what)
        several = np.bincount(pairs // size) > 1
        if several.any():
            theirs = np.unique((pairs % size)[several[pairs // size]])
            return SharedRecords(column.name, int(several.sum()), int(theirs.size), accepted)
    return None


def _without_gaps(codes: Ints32) -> Ints32:
    """Number the records that are left, in the same order."""
    return ranks_of(used_by(number_of(codes), codes))[codes]


def number_of(codes: Ints32) -> int:
    """Return how many records there are, if they are numbered without gaps."""
    return int(codes.max(initial=-1)) + 1


@dataclass(frozen=True, slots=True)
class PersonIds:
    """Ids of several columns, numbered over all of them."""

    codes: list[Ints64]
    size: int
    names: list[str]  # of all that occur, in no order that matters

    @classmethod
    def of(cls, columns: list[list[str]], similar: str) -> PersonIds:
        """Number ids; those that differ in spelling alone are refused, made one, or kept apart."""
        different = {text for column in columns for text in column}
        if similar == "error":
            _refuse_alike(columns, different)
        numbers: dict[str, int] = {}
        key = folded if similar == "merge" else str
        codes = [
            np.array([numbers.setdefault(key(text), len(numbers)) for text in column], dtype=np.int64)
            for column in columns
        ]
        return cls(codes, len(numbers), sorted(different))


def _refuse_alike(columns: list[list[str]], different: set[str]) -> None:
    groups = alike(different)
    if not groups:
        return
    more = sum(len(group) - 1 for group in groups)
    places = []
    for text in groups[0][:2]:
        file, column = next((n, column) for n, column in enumerate(columns) if text in column)
        where = f" of {('people', 'items')[file]}" if len(columns) > 1 else ""
        places.append(f"row {column.index(text) + 1:,}{where}")
    raise UnreadableInput(
        f"{counted(len(different), 'id')} are only {len(different) - more:,} if case, blanks and Unicode forms do not "
        f"count, such as those of {' and '.join(places)}. Say --similar-ids merge if these are the same people, or "
        "--similar-ids keep if they are not."
    )


def require_ids(table: Table, name: str, what: str) -> None:
    """Raise if a row has no id: nobody knows whose it is."""
    values = table.values_of(name).to_pylist()
    absent = int((table.codes_of(name) == values.index(MISSING)).sum()) if MISSING in values else 0
    if absent:
        raise UnreadableInput(
            f"{counted(absent, 'row')} of {what} without {quoted(name)}: nobody knows whose they are. Complete or "
            "remove them."
        )
