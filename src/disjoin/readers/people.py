"""Mixed data: a table with a list column, or two files joined by an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import DisjoinError, InvalidParameter, Placeholder, Remedy, UnreadableInput
from disjoin.model.column_roles import ColumnKind, RoleChoice, TableRoles, roles_in
from disjoin.model.input_checks import lists_in
from disjoin.model.mixed import MixedRecords, PeopleIntake
from disjoin.model.ragged import Flags, Ints64, offsets_of
from disjoin.model.spelling import alike, folded
from disjoin.model.table import Table
from disjoin.model.transactions import Intake, Transactions
from disjoin.readers.build_transactions import split_remedies
from disjoin.readers.columnar import columnar_table, is_list
from disjoin.readers.options import DEFAULT_MAX_BYTES, IF_SIMILAR, SIMILAR_WAYS
from disjoin.readers.read import stream_of, without_index
from disjoin.readers.sources import columnar_format, open_source
from disjoin.readers.table_text import MISSING
from disjoin.readers.tables import as_table, read_table
from disjoin.text import counted, quoted


@dataclass(frozen=True, slots=True)
class PeopleOptions:
    """How to read people: the wanted columns, the column of ids, and the place of the terms."""

    columns: tuple[str, ...]
    id: str | None = None
    terms: str | None = None
    split: str | None = None
    separator: str | None = None
    max_bytes: int = DEFAULT_MAX_BYTES
    blank_words: str | Iterable[str] | None = None
    similar_ids: str = "error"
    sheet: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.similar_ids not in SIMILAR_WAYS:
            raise InvalidParameter(f"similar_ids must be one of {', '.join(SIMILAR_WAYS)}, got {self.similar_ids!r}.")
        if isinstance(self.id, (list, tuple)):
            raise InvalidParameter(f"one column identifies people, got {len(self.id)} columns as id. Name one of them.")
        for name, role in ((self.id, "id"), (self.terms, "terms")):
            if name is not None and name in self.columns:
                both = f"{quoted(name)} is named as {role} and as quasi-identifier or sensitive."
                raise InvalidParameter(f"a column has one role, but {both}")
        if self.id is not None and self.id == self.terms:
            raise InvalidParameter(f"a column has one role, but {quoted(self.id)} is named as id and as terms.")

    def unread_of(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in (*self.columns, self.id, self.terms))

    def table(self, source: object) -> Table:
        more: dict[str, Any] = {"separator": self.separator, "sheet": self.sheet, "encoding": self.encoding}
        return read_table(source, max_bytes=self.max_bytes, blank_words=self.blank_words, **more)


def read_people(
    people: object,
    items: object = None,
    *,
    columns: Sequence[str],
    id: str | None = None,
    terms: str | None = None,
    split: str | None = None,
    separator: str | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
    blank_words: str | Iterable[str] | None = None,
    similar_ids: str = "error",
    sheet: str | None = None,
    encoding: str | None = None,
) -> MixedRecords:
    """Return people with their columns and terms; ids are used only to join and group.

    Without `items`, `people` is a table whose column `terms` has lists, or cells with `split` between terms. With it,
    `people` has a row per person and `items` a row per person and term (column `terms`), joined by the column `id` of
    both. Several rows of one `id` are one person, whose `columns` must agree. Both may be files (CSV, TSV, Parquet) or
    objects (pyarrow, pandas, polars, duckdb, dicts). People without terms are kept; terms of an id that has no row
    are left out and counted.

    >>> people = {"patient": [1, 2], "sex": ["f", "m"]}
    >>> visits = {"patient": [1, 1, 2], "code": ["I10", "E11", "I10"]}
    >>> read_people(people, visits, columns=["sex"], id="patient")
    MixedRecords(2 people, 2 terms)
    """
    about_files: tuple[Any, ...] = (separator, max_bytes, blank_words, similar_ids, sheet, encoding)
    options = PeopleOptions(tuple(columns), id, terms, split, *about_files)
    if not options.columns:
        remedy = Remedy("quasi", Placeholder("COLUMNS"), "name the columns that an attacker may know")
        raise InvalidParameter("no quasi-identifier is named.", remedies=[remedy])
    return _from_one(people, options) if items is None else _from_two(people, items, options)


def plain_columns(source: object, **options: Any) -> Table:
    """Return the columns of people with single values, row by row, without those of lists."""
    chosen = PeopleOptions((), **options)
    columns, _ = _columns_of(source, chosen)
    if columns is None:
        return chosen.table(source)
    names = [name for name in columns.column_names if not is_list(columns[name].type)]
    return as_table(columns.select(names), blank_words=chosen.blank_words)


def as_people(data: object, *, columns: Sequence[str], **reading: Any) -> MixedRecords:
    if not isinstance(data, MixedRecords):
        return read_people(data, **reading, columns=columns)
    given = next((name for name, value in reading.items() if value is not None), None)
    if given is not None:
        raise InvalidParameter(f"{given} is for reading people, and these are read already. Leave it out.")
    return data


def _from_two(people: object, items: object, options: PeopleOptions) -> MixedRecords:
    if options.id is None:
        remedies = [Remedy("id", Placeholder("COLUMN"), "name it")]
        raise InvalidParameter("two files are joined by a column that both have, but none is named.", remedies=remedies)
    if options.split is not None:
        raise InvalidParameter("split is for cells with lists, but items has one term per row. Leave it out.")
    rows, long = options.table(people), options.table(items)
    for table, what in ((rows, "people"), (long, "items")):
        if options.id not in table.schema.names:
            names = ", ".join(map(quoted, table.schema.names))
            raise InvalidParameter(f"the file of {what} has no column {quoted(options.id)}; its columns are {names}.")
    others = [name for name in long.schema.names if name != options.id]
    if not options.terms and len(others) != 1:
        remedies = [Remedy("terms", name, f"take the terms from {quoted(name)}") for name in others]
        found = f"items has {counted(len(others), 'column')} besides {quoted(options.id)}."
        raise InvalidParameter(found, remedies=remedies)
    terms = options.terms or others[0]
    has_term = ~_missing(long, terms)
    table, (_, holders), names = _grouped([rows, long], options, options.id)
    chosen = (holders >= 0) & has_term
    records = _records(holders[chosen], long.values_of(terms), long.codes_of(terms)[chosen], len(table))
    lost = np.unique(holders[(holders < 0) & has_term]).size
    unread = options.unread_of(rows.schema.names)
    intake = PeopleIntake(len(long), len(rows), 0, int(lost), options.id, unread, names, terms, (rows, long))
    return _people(table, records, intake)


def _from_one(source: object, options: PeopleOptions) -> MixedRecords:
    if options.terms is None:
        one = Remedy("terms", Placeholder("COLUMN"), "name the column of terms")
        two = Remedy("people", Placeholder("FILE"), "give two files", (("items", Placeholder("FILE")),))
        raise InvalidParameter("no column of terms is named.", remedies=[one, two])
    table, lists = _with_lists(source, options)
    if options.id is None:
        rows, names = np.arange(len(table), dtype=np.int64), None
        narrow = _narrow(table, options.columns, rows)
    else:
        table.schema.position(options.id)  # raises
        narrow, [rows], names = _grouped([table], options, options.id)
    holders = np.repeat(rows, [len(each) for each in lists])
    coded = pa.array([term for each in lists for term in each], pa.large_string()).dictionary_encode()
    values, codes = coded.dictionary.cast(pa.string()), coded.indices.to_numpy()
    unread = options.unread_of(table.schema.names)
    intake = PeopleIntake(0, len(table), 0, 0, options.id or "", unread, names, options.terms, (table,))
    return _people(narrow, _records(holders, values, codes, len(narrow)), intake)


def _grouped(tables: Sequence[Table], options: PeopleOptions, id: str) -> tuple[Table, list[Ints64], pa.Array]:
    """Return a row per person of the first table, the person of each row (negative: not in the first), and all ids."""
    for table, what in zip(tables, ("people", "items"), strict=False):
        absent = int(_missing(table, id).sum())
        if absent:
            found = f"{counted(absent, 'row')} of {what} without {quoted(id)} have no known person."
            raise UnreadableInput(f"{found} Complete or remove them.")
    columns = [table.column(id).to_pylist() for table in tables]
    different = {text for column in columns for text in column}
    if options.similar_ids == "error":
        _refuse_alike(columns, different)
    numbers: dict[str, int] = {}
    key = folded if options.similar_ids == "merge" else str
    codes = [np.array([numbers.setdefault(key(text), len(numbers)) for text in one], np.int64) for one in columns]
    narrow, first = _one_row_each(tables[0], codes[0], options.columns)
    place = -1 - np.arange(len(numbers), dtype=np.int64)
    place[codes[0][first]] = np.arange(first.size)
    return narrow, [place[each] for each in codes], pa.array(sorted(different), pa.string())


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
        f"{counted(len(different), 'id')} are only {len(different) - more:,} if case, blanks and Unicode forms are "
        f"ignored, for example those of {' and '.join(places)}.",
        remedies=IF_SIMILAR,
    )


def _with_lists(source: object, options: PeopleOptions) -> tuple[Table, list[list[str]]]:
    columns, fail = _columns_of(source, options)
    name = options.terms
    assert name is not None, "required before"
    if columns is None or name not in columns.column_names or not is_list(columns[name].type):
        table = options.table(source if columns is None else columns)
        table.schema.position(name)  # raises
        return table, _split_cells(table, name, options)
    if options.split is not None:
        raise InvalidParameter(f"split is for cells of text, but {quoted(name)} has lists already. Leave it out.")
    lists = []
    for row, cell in enumerate(columns[name].to_pylist(), start=1):
        terms = [str(term).strip() for term in cell or ()]
        is_text = [isinstance(term, (str, int)) and not isinstance(term, bool) for term in cell or ()]
        if not all(is_text) or not all(terms):
            raise fail(f"row {row:,}: the lists of {quoted(name)} must have texts that are not empty.")
        lists.append(terms)
    return as_table(columns.drop_columns([name]), blank_words=options.blank_words), lists


def _columns_of(source: object, options: PeopleOptions) -> tuple[pa.Table | None, Any]:
    """Return stored columns as an Arrow table, and the error to raise; None for text files and plain objects."""
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        where: Any = source
        opened = open_source(where, options.max_bytes, sheet=options.sheet, encoding=options.encoding)
        return (columnar_table(opened, options.max_bytes) if columnar_format(opened) else None), opened.error
    if isinstance(source, dict):
        return pa.table({str(name): pa.array(values) for name, values in source.items()}), InvalidParameter
    stream = stream_of(source)
    is_table = isinstance(stream, pa.RecordBatchReader)
    return (without_index(stream).read_all() if is_table else None), InvalidParameter


def _split_cells(table: Table, name: str, options: PeopleOptions) -> list[list[str]]:
    if options.split is None:
        values = table.values_of(name)
        counts = np.bincount(table.codes_of(name), minlength=len(values)).astype(np.int64)
        listed = lists_in(values, counts)
        if listed is not None:
            found = f"the cells of {quoted(name)} look like lists, of the form {listed.form!r}."
            raise InvalidParameter(found, remedies=split_remedies(listed))
    mark = {"tab": "\t", "space": " "}.get(options.split or "", options.split)
    cells = ["" if cell == MISSING else cell for cell in table.column(name).to_pylist()]
    if options.split in (None, "none"):
        return [[cell] if cell else [] for cell in cells]
    return [[part.strip() for part in cell.split(mark) if part.strip()] for cell in cells]


def _one_row_each(table: Table, ids: Ints64, columns: tuple[str, ...]) -> tuple[Table, Ints64]:
    """Return the first row of each person with these columns; the rows of a person must agree in them."""
    _, first, who = np.unique(ids, return_index=True, return_inverse=True)
    for name in columns:
        codes = table.codes_of(name)
        wrong = np.flatnonzero(codes != codes[first[who]])
        if wrong.size:
            one, other = int(first[who[wrong[0]]]) + 1, int(wrong[0]) + 1
            has = counted(np.unique(who[wrong]).size, "id has", "ids have")
            raise UnreadableInput(
                f"{has} rows that differ in {quoted(name)}, such as rows {one:,} and {other:,}. "
                "A person has one row, or rows that agree. Correct them, or leave the column out."
            )
    first = np.sort(first)
    return _narrow(table, columns, first), first


def _narrow(table: Table, columns: tuple[str, ...], rows: Ints64) -> Table:
    places = [table.schema.position(name) for name in dict.fromkeys(columns)]
    schema = replace(table.schema, columns=tuple(table.schema.columns[place] for place in places))
    values = tuple(table.values[place] for place in places)
    return Table(schema, tuple(table.codes[place][rows] for place in places), values)


def _records(
    holders: Ints64, values: pa.StringArray, codes: Any, people: int, intake: Intake | None = None
) -> Transactions:
    """Return a record per person from pairs of a person and a term; `codes` are places in `values`."""
    used, numbered = np.unique(codes, return_inverse=True)
    words = values.take(pa.array(used))
    order = pc.sort_indices(words).to_numpy()
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    pairs = np.unique(holders * max(1, order.size) + rank[numbered])
    owners, items = np.divmod(pairs, max(1, order.size))
    offsets = offsets_of(np.bincount(owners, minlength=people))
    return Transactions(offsets, items.astype(np.int32), words.take(pa.array(order)), intake=intake or Intake())


def _people(table: Table, records: Transactions, intake: PeopleIntake) -> MixedRecords:
    if not len(table):
        raise UnreadableInput("expected people, found none.")
    if not records.items.size:
        found = "expected people with terms, found none that have any. Check the columns of ids and terms."
        raise UnreadableInput(found)
    empty = int((np.diff(records.offsets) == 0).sum())
    return MixedRecords(table, records, replace(intake, without_terms=empty))


@dataclass(frozen=True, slots=True)
class PeopleInRows:
    """A long table read as mixed data: one row per person, with the columns that describe them, and their terms."""

    roles: TableRoles
    people: MixedRecords
    quasi: tuple[str, ...]  # the columns that are constant per person
    terms: str
    left_out: tuple[str, ...]  # columns that the risk figures ignore


def people_in(source: object, id: str | None = None, terms: str | None = None, **reading: Any) -> PeopleInRows | None:
    """Read people from a long table with columns that are constant per person; None for other sources."""
    table = table_in(source, **reading)
    return None if table is None else people_in_rows(table, id, terms)


def table_in(source: object, **reading: Any) -> Table | None:
    if source == "-" or isinstance(source, (Transactions, MixedRecords, list, tuple, set)) or hasattr(source, "read"):
        return None
    try:
        return read_table(source, **reading)
    except DisjoinError:
        return None


def people_in_rows(table: Table, id: str | None = None, terms: str | None = None) -> PeopleInRows | None:
    """Return the people of a long table, with the columns that the data owner named; None if it is not one.

    >>> rows = {"c1": [f"P{row // 3:02d}" for row in range(90)], "c2": [str(row // 3 % 7) for row in range(90)]}
    >>> found = people_in_rows(Table.from_columns({**rows, "c3": [f"code {row % 15}" for row in range(90)]}))
    >>> found.people, found.quasi, found.terms
    (MixedRecords(30 people, 15 terms), ('c2',), 'c3')
    """
    named = {id: ColumnKind.PERSON, terms: ColumnKind.TERMS}
    choices = {name: RoleChoice(kind) for name, kind in named.items() if name in table.schema.names}
    roles = roles_in(table, choices)
    if not roles.is_mixed or not roles.is_grouped or roles.person is None:
        return None
    quasi, found = roles.named(ColumnKind.DESCRIBES_PERSON), roles.named(ColumnKind.TERMS)
    if not quasi:
        return None
    chosen = terms or next((name for name in found if roles[name].is_sensitive), found[0])
    left_out = tuple(name for name in table.schema.names if name not in (*quasi, roles.person, chosen))
    return PeopleInRows(roles, _mixed(table, roles.person, chosen, quasi), quasi, chosen, left_out)


def _mixed(table: Table, person: str, terms: str, quasi: tuple[str, ...]) -> MixedRecords:
    """Return a row per person: the first value of each column that is not missing, and all terms."""
    rows = np.flatnonzero(~_missing(table, person))
    _, owners = np.unique(table.codes_of(person)[rows], return_inverse=True)
    many = int(owners.max(initial=-1)) + 1
    columns = {}
    for name in quasi:
        order = np.lexsort((np.arange(rows.size), _missing(table, name)[rows], owners))
        first = rows[order[np.searchsorted(owners[order], np.arange(many))]]
        columns[name] = table.values_of(name).take(pa.array(table.codes_of(name)[first]))
    kept = ~_missing(table, terms)[rows]
    codes = table.codes_of(terms)[rows[kept]]
    records = _records(owners[kept].astype(np.int64), table.values_of(terms), codes, many, Intake("long"))
    intake = PeopleIntake(rows_of_people=len(table), id_column=person)
    return MixedRecords(Table.from_columns(columns), records, intake)


def _missing(table: Table, name: str) -> Flags:
    absent: Flags = pc.equal(table.values_of(name), MISSING).to_numpy(zero_copy_only=False)
    return absent[table.codes_of(name)]
