"""Long tables: one row per pair of record id and term."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disjoin.arrays.ragged import group_rows
from disjoin.errors import InvalidParameter, Remedy, UnreadableInput
from disjoin.model import Intake, SharedRecords, Transactions
from disjoin.model.column_roles import FEW_ROWS, Certainty, ColumnKind, RoleChoice, choices_from, roles_of
from disjoin.model.ragged import Ints32, ranks_of, used_by
from disjoin.model.spelling import alike_in, are_blank, folded_column, possible_blanks
from disjoin.model.value_shapes import header_hints
from disjoin.readers.baskets import MARK_EMPTY, Bytes, Field, TextLayout, delimited, line_of, number
from disjoin.readers.build_transactions import Cells, assemble
from disjoin.readers.options import IF_BLANK, IF_ID_BLANK, IF_SIMILAR, NAME_COLUMNS, Options, choose_columns, looks_long
from disjoin.readers.sources import Source, columnar_format
from disjoin.readers.table_text import Fail, read_separated
from disjoin.text import USUAL_BLANKS, counted, quoted

HEAD_ROWS, HEAD_BYTES = 100_000, 1 << 24
_TRIED = 1_000  # positions to try for a cut of a text with quotes


@dataclass(frozen=True, slots=True)
class LongRoles:
    """Roles of the columns of a long table, from its first rows; empty if these were not read."""

    people: tuple[str, ...] = ()  # columns that identify people, if the record's own does not
    describing: tuple[str, ...] = ()  # columns that are constant in a record
    terms_identify: str = ""  # why the terms identify people or events
    terms_role: str = ""  # the choice that overrides this

    @classmethod
    def of(cls, head: pa.Table | None, ids: tuple[str, ...], term: str, options: Options) -> LongRoles:
        if head is None or term not in head.column_names:
            return cls()
        choices = choices_from(options.role or ())
        for name in choices:
            if name not in head.column_names:
                raise InvalidParameter(f"role names {name!r}, but there is no such column.")
        found = roles_of(head, choices)
        owners = found.named(ColumnKind.PERSON)
        if found.rows < FEW_ROWS:  # too few to decide by values
            owners = tuple(column.name for column in found.columns if "person" in header_hints(column.name))
        people = () if len(ids) == 1 and ids[0] in owners else tuple(name for name in owners if name != term)
        if found.rows < FEW_ROWS:
            return cls(people)
        about = found if len(ids) > 1 else found.decided({ids[0]: RoleChoice(ColumnKind.PERSON)})
        kept = {one.column for one in options.keep or ()}
        same = about.named(ColumnKind.DESCRIBES_PERSON, ColumnKind.SENSITIVE)
        describing = tuple(name for name in same if name not in (*ids, term, *people, *kept))
        # The terms, not the record ids, may identify people.
        is_likely = found[term].certainty in (Certainty.LIKELY, Certainty.CERTAIN)
        is_exchanged = found[term].role is ColumnKind.PERSON and is_likely and not {*ids} & {*owners}
        column = found[term] if is_exchanged else about[term]
        if not column.asks or column.role not in (ColumnKind.PERSON, ColumnKind.EVENT):
            return cls(people, describing)
        distinct = column.distinct if column.certainty is Certainty.CERTAIN else None
        return cls(people, describing, column.why, f"{term}={RoleChoice(ColumnKind.TERMS, distinct)}")


def head_of_text(source: Source, separator: str | None) -> pa.Table | None:
    """Return the first rows of a text file with all their columns; None if they are not a table."""
    text = source.head(HEAD_BYTES)
    if len(text) == HEAD_BYTES:  # cut it after a line without an open quote
        end = len(text)
        for _ in range(_TRIED):
            end = text.rfind(b"\n", 0, end)
            if end < 0 or text.count(b'"', 0, end) % 2 == 0:
                break
        text = text[: max(0, end)]
    try:
        names, columns = read_separated(Source(source.name, source.suffix, bytearray(text)), separator)
    except UnreadableInput:
        return None  # the reader reports the missing columns
    return columns.rename_columns(names).slice(0, HEAD_ROWS)


def head_of(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return the first rows of batches, without lists and repeated names; None if there are no batches."""
    taken, rows = [], 0
    for batch in batches:
        taken.append(batch)
        rows += batch.num_rows
        if rows >= HEAD_ROWS:
            break
    if not taken:
        return None
    names = taken[0].schema.names
    plain = [column.name for column in taken[0].schema if not pa.types.is_nested(column.type)]
    return pa.Table.from_batches(taken).select([n for n in plain if names.count(n) == 1]).slice(0, HEAD_ROWS)


BETWEEN_IDS = "\x1f"  # the unit separator, which ids do not have


@dataclass(slots=True, eq=False)
class Coded:
    """A column of a long table as codes of its values; -1 where one is missing."""

    name: str
    codes: Ints32  # (rows,)
    values: pa.Array  # (distinct values,), of any type; text may be empty
    is_combined: bool = False  # several columns that identify a record together


def combined_ids(parts: Sequence[Coded], options: Options) -> Coded:
    """Return several columns as one that identifies a record; a row without one of them has no id.

    >>> stays = Coded("ward", np.array([0, 0, 1], np.int32), pa.array(["A", "B"]))
    >>> both = combined_ids([stays, Coded("bed", np.array([0, 1, 0], np.int32), pa.array([1, 2]))], Options())
    >>> both.name, both.codes.tolist(), [text.split(BETWEEN_IDS) for text in both.values.to_pylist()]
    ('ward + bed', [0, 1, 2], [['A', '1'], ['A', '2'], ['B', '1']])
    """
    if len(parts) == 1:
        return parts[0]
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
    """Return the record (numbered without gaps) and the cell of every row with an id, and a summary."""
    is_per_person = not ids.is_combined and "person" in header_hints(ids.name)
    intake = Intake(
        rows=ids.codes.size,
        id_column=ids.name,
        is_per_person=is_per_person,
        is_guessed=options.id is None or options.terms is None,
        describing=found.describing,
        terms_identify=found.terms_identify,
        terms_role=found.terms_role,
    )
    words = options.blank_words or ()
    kept = ids.codes >= 0
    blank = _are_blank(ids.values, (*words, *USUAL_BLANKS))
    if blank[:-1].any():  # rare, so most ids are read once
        blank = _are_blank(ids.values, words)
        kept &= ~blank[ids.codes]
        counts = np.bincount(ids.codes[ids.codes >= 0], minlength=len(ids.values)).astype(np.int64)
        counts[blank[:-1]] = 0
        intake = replace(intake, blank_like_ids=tuple(possible_blanks(ids.values, counts)))
    lost = int(np.count_nonzero(~kept))
    if lost and options.blank != "skip":
        raise fail(
            f"expected a record id in column {quoted(ids.name)}, found {counted(lost, 'row')} without one, which must "
            "not become one record. Complete the ids."
        ).offering(*IF_ID_BLANK)
    codes, merged = _by_spelling(ids, ~blank, options, fail)
    shared = _shared(codes, kept, people, accepted=bool(options.per_record))
    known = ids.values
    if lost:
        known = known.filter(pa.array(np.bincount(ids.codes[kept], minlength=len(known)) > 0))
        codes, items = codes[kept], items[kept]
    intake = replace(intake, rows_without_id=lost, merged_ids=merged, shared=shared, ids=known)
    if lost or merged:  # renumber the remaining records, in the same order
        codes = ranks_of(used_by(int(codes.max(initial=-1)) + 1, codes))[codes]
    return codes, items, intake


def _are_blank(values: pa.Array, words: Iterable[str]) -> NDArray[np.bool_]:
    """Return which values are blanks; the last one is for rows without a value."""
    if not pa.types.is_string(values.type):
        return np.zeros(len(values) + 1, np.bool_)
    return np.append(np.asarray(are_blank(values, words), np.bool_), True)


def _by_spelling(ids: Coded, real: NDArray[np.bool_], options: Options, fail: Fail) -> tuple[Ints32, int]:
    """Return the codes, with those of ids that differ only in spelling merged if the options require it."""
    if options.similar_ids == "keep" or not pa.types.is_string(ids.values.type):
        return ids.codes, 0
    named = ids.values.filter(pa.array(real[:-1]))
    groups = alike_in(named)
    if not groups:
        return ids.codes, 0
    more = sum(len(group) - 1 for group in groups)
    if options.similar_ids != "merge":  # messages must not show ids
        one, other = sorted(
            int(np.flatnonzero(ids.codes == ids.values.index(text).as_py())[0]) + 1 for text in groups[0][:2]
        )
        raise fail(
            f"{counted(len(named), 'record')} would come from {counted(len(named) - more, 'id')} in column "
            f"{quoted(ids.name)}, because some ids differ only in spelling, such as those of rows "
            f"{one:,} and {other:,}."
        ).offering(*IF_SIMILAR)
    forms = np.asarray(folded_column(ids.values).dictionary_encode().indices, np.int32)
    return np.where(ids.codes < 0, np.int32(-1), forms[ids.codes]), more


def _shared(
    records: Ints32, kept: NDArray[np.bool_], people: Iterable[Coded], *, accepted: bool
) -> SharedRecords | None:
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


_STRIPPED = b" \t\r" + bytes([MARK_EMPTY])


def read_long(source: Source, options: Options) -> Transactions:
    """Read a CSV or TSV with a header, or a Parquet or Arrow file, whose rows are (record id, term) pairs."""
    if columnar_format(source):
        from disjoin.readers.columnar import read_long_columns

        return read_long_columns(source, options)
    head = head_of_text(source, options.separator)  # before the text is rewritten in place
    text, layout = delimited(source, options.separator_byte())
    header, rows, skipped = _header(source, text, layout)

    def column(place: int, takes_empty: bool, if_blank: tuple[Remedy, ...] = IF_BLANK) -> tuple[Coded, int]:
        field = Field(place, header[place], len(header), options.separator_byte(), if_blank)
        cells, blank = number(source, rows, layout, field, skipped=skipped, takes_empty=takes_empty)
        return Coded(header[place], cells.items, cells.terms), blank

    ids, term = choose_columns(header, options.id, options.terms, source.name)
    records = [column(place, options.blank == "skip", IF_ID_BLANK)[0] for place in ids]
    terms, blank = column(term, options.takes_blanks)
    if not options.is_long and not looks_long(header):
        for place, values in ((ids[0], records[0].values), (term, terms.values)):
            if pc.index(values, header[place]).as_py() >= 0:  # the first line is data, too
                found = f"expected column names, found a row of data: its field {place + 1:,} occurs again below it."
                message = f"{found} Add a first line such as record,term."
                raise source.error(message, skipped).offering(NAME_COLUMNS)
    roles = LongRoles.of(head, tuple(header[place] for place in ids), header[term], options)
    people = (column(place, True)[0] for place in map(header.index, roles.people))
    return long_records(records, terms, people, options, source.error, roles, Intake("long", blank))


def long_records(
    ids: Sequence[Coded],
    terms: Coded,
    people: Iterable[Coded],
    options: Options,
    fail: Fail,
    roles: LongRoles,
    intake: Intake,
) -> Transactions:
    """Return the records of a long table; the rows of a record need not be adjacent."""
    records, codes, about = settled_ids(combined_ids(ids, options), terms.codes, people, options, fail, roles)
    n_records = int(records.max(initial=-1)) + 1
    offsets = np.empty(n_records + 1, np.int64)
    items = np.empty(codes.size, np.int32)
    group_rows(records, codes, offsets, items)
    about = replace(about, format=intake.format, term_column=terms.name, blank_records=intake.blank_records)
    return assemble(Cells(terms.values, items, offsets), options, about, fail)


def _header(source: Source, text: Bytes, layout: TextLayout) -> tuple[list[str], Bytes, int]:
    """Return the column names, the rows below, and the number of lines before the rows."""
    first = 0
    while True:
        found = np.flatnonzero(text[first : first + (1 << 20)] == layout.record_end)
        end = first + int(found[0]) if found.size else min(first + (1 << 20), text.size)
        line = text[first:end].tobytes()
        if line.strip(_STRIPPED) or end >= text.size:
            break
        first = end + 1
    number_of_line = line_of(text, layout, first)
    names = [source.decoded(name.strip(_STRIPPED), number_of_line) for name in line.split(layout.separators[:1])]
    return names, text[end + 1 :], line_of(text, layout, min(end + 1, text.size)) - 1
