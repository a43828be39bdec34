"""Roles of the columns of a long table, from its first rows: whose the records are, and what they leave out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.options import Options
from disjoin.files.sources import Source
from disjoin.files.table_text import read_separated
from disjoin.model.column_roles import (
    FEW_ROWS,
    Certainty,
    ColumnKind,
    ColumnRole,
    RoleChoice,
    TableRoles,
    choices_from,
    roles_of,
)
from disjoin.model.value_shapes import header_hints

HEAD_ROWS, HEAD_BYTES = 100_000, 1 << 24
_TRIED = 1_000  # places to cut a text with quotes


@dataclass(frozen=True, slots=True)
class LongRoles:
    """What the first rows say about records of a long table; nothing if they were not looked at."""

    people: tuple[str, ...] = ()  # columns that identify people, if the record's own does not
    describing: tuple[str, ...] = ()  # columns that are the same in all rows of a record
    terms_identify: str = ""  # why the terms identify people or events
    terms_role: str = ""  # the choice that overrides this

    @classmethod
    def of(cls, head: pa.Table | None, ids: tuple[str, ...], term: str, options: Options) -> LongRoles:
        """Judge the columns of the first rows; the data owner's choices count."""
        if head is None or term not in head.column_names:
            return cls()
        found = _found(head, options)
        people = _people(found, ids, term)
        if found.rows < FEW_ROWS:  # too few to judge the rest
            return cls(people)
        about = found if len(ids) > 1 else found.decided({ids[0]: RoleChoice(ColumnKind.PERSON)})
        judged = found[term] if _are_exchanged(found, ids, term) else about[term]
        return cls(people, _describing(about, (*ids, term, *people), options), *_identified(judged))


def _found(head: pa.Table, options: Options) -> TableRoles:
    choices = choices_from(options.role or ())
    for name in choices:
        if name not in head.column_names:
            raise InvalidParameter(f"--role names {name!r}, and there is no such column.")
    return roles_of(head, choices)


def _people(found: TableRoles, ids: tuple[str, ...], term: str) -> tuple[str, ...]:
    """Return the columns that identify people: none if the record's own does."""
    people = found.named(ColumnKind.PERSON)
    if found.rows < FEW_ROWS:  # too few to judge by values
        people = tuple(column.name for column in found.columns if "person" in header_hints(column.name))
    if len(ids) == 1 and ids[0] in people:
        return ()
    return tuple(name for name in people if name != term)


def _are_exchanged(found: TableRoles, ids: tuple[str, ...], term: str) -> bool:
    """Tell whether the terms rather than the record ids identify people."""
    is_likely = found[term].certainty in (Certainty.LIKELY, Certainty.CERTAIN)
    return found[term].role is ColumnKind.PERSON and is_likely and not {*ids} & {*found.named(ColumnKind.PERSON)}


def _describing(found: TableRoles, used: tuple[str, ...], options: Options) -> tuple[str, ...]:
    """Return the columns that say the same in all rows of a record, unless they are kept as terms."""
    kept = {one.column for one in options.keep or ()}
    whole = (ColumnKind.DESCRIBES_PERSON, ColumnKind.SENSITIVE)
    return tuple(name for name in found.named(*whole) if name not in used and name not in kept)


def _identified(column: ColumnRole) -> tuple[str, str]:
    """Return why terms identify people or events, and the choice that overrides it; nothing if they do not."""
    if not column.asks or column.role not in (ColumnKind.PERSON, ColumnKind.EVENT):
        return "", ""
    distinct = column.distinct if column.certainty is Certainty.CERTAIN else None
    return column.why, f"{column.name}={RoleChoice(ColumnKind.TERMS, distinct)}"


def head_of_text(source: Source, separator: str | None) -> pa.Table | None:
    """Return the first rows of a text file with all their columns; None if they are no table."""
    text = source.head(HEAD_BYTES)
    if len(text) == HEAD_BYTES:
        text = _whole_rows(text)
    try:
        names, columns = read_separated(Source(source.name, source.suffix, bytearray(text)), separator)
    except UnreadableInput:
        return None  # the reader itself complains of what it needs
    return columns.rename_columns(names).slice(0, HEAD_ROWS)


def _whole_rows(text: bytes) -> bytes:
    """Cut a text after a line with no quote open."""
    end = len(text)
    for _ in range(_TRIED):
        end = text.rfind(b"\n", 0, end)
        if end < 0 or text.count(b'"', 0, end) % 2 == 0:
            break
    return text[: max(0, end)]


def head_of(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Return the first rows of batches, without lists and repeated names."""
    taken, rows = [], 0
    for batch in batches:
        taken.append(batch)
        rows += batch.num_rows
        if rows >= HEAD_ROWS:
            break
    plain = [name for name, kind in zip(schema.names, schema.types, strict=True) if not pa.types.is_nested(kind)]
    once = [name for name in plain if schema.names.count(name) == 1]
    return pa.Table.from_batches(taken, schema).select(once).slice(0, HEAD_ROWS)
