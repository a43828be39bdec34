"""Mixed data: a table with a list column, or two files joined by an id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from disjoin.errors import DisjoinError, InvalidParameter, Placeholder, Remedy, UnreadableInput
from disjoin.model.column_roles import ColumnKind, RoleChoice, TableRoles, roles_in
from disjoin.model.input_checks import lists_in
from disjoin.model.mixed import MixedRecords, PeopleIntake
from disjoin.model.ragged import Ints64, Ragged, offsets_of
from disjoin.model.table import Table
from disjoin.model.transactions import Intake, Transactions
from disjoin.readers.build_transactions import split_remedies
from disjoin.readers.columnar import columnar_table
from disjoin.readers.long_tables import PersonIds, require_ids
from disjoin.readers.options import DEFAULT_MAX_BYTES, SIMILAR_WAYS
from disjoin.readers.read import stream_of, without_index
from disjoin.readers.sources import columnar_format, open_source
from disjoin.readers.tables import as_table, read_table
from disjoin.text import counted, quoted

MISSING = "?"


@dataclass(frozen=True, slots=True)
class PeopleOptions:
    """How to read people: the columns that are wanted of them, whose a row is, where their terms are."""

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
                raise InvalidParameter(
                    f"a column has one role, {quoted(name)} is named as {role} and as quasi-identifier or sensitive."
                )
        if self.id is not None and self.id == self.terms:
            raise InvalidParameter(f"a column has one role, {quoted(self.id)} is named as id and as terms.")

    def unread_of(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the columns that no option names."""
        return tuple(name for name in names if name not in (*self.columns, self.id, self.terms))

    def table(self, source: object) -> Table:
        """Read a table, from a file or from memory."""
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
    """Return people with their columns and terms; ids are used to join and group, and go no further.

    Without `items`, `people` is a table whose column `terms` has lists, or cells with `split` between terms. With it,
    `people` has a row per person and `items` a row per person and term (column `terms`), joined by the column `id` of
    both. Several rows of one `id` are one person, whose `columns` must agree. Both may be files (CSV, TSV, Parquet) or
    objects (pyarrow, pandas, polars, duckdb, dicts). Somebody without terms is kept; terms of an id that has no row
    are left out and counted.

    >>> people = {"patient": [1, 2], "sex": ["f", "m"]}
    >>> visits = {"patient": [1, 1, 2], "code": ["I10", "E11", "I10"]}
    >>> read_people(people, visits, columns=["sex"], id="patient")
    MixedRecords(2 people, 2 terms)
    """
    about_files: tuple[Any, ...] = (separator, max_bytes, blank_words, similar_ids, sheet, encoding)
    options = PeopleOptions(tuple(columns), id, terms, split, *about_files)
    if not options.columns:
        raise InvalidParameter(
            "no quasi-identifier is named.",
            remedies=[Remedy("quasi", Placeholder("COLUMNS"), "name the columns that an attacker may know")],
        )
    return _from_one(people, options) if items is None else _from_two(people, items, options)


def plain_columns(source: object, **options: Any) -> Table:
    """Return the columns of people that have single values, row by row; those of lists are left out."""
    chosen = PeopleOptions((), **options)
    columns, _ = _columns_of(source, chosen)
    if columns is None:
        return chosen.table(source)
    names = [name for name in columns.column_names if not _is_list(columns[name].type)]
    return as_table(columns.select(names), blank_words=chosen.blank_words)


def as_people(data: object, *, columns: Sequence[str], **reading: Any) -> MixedRecords:
    """Return people who are read already as they are; read others."""
    if not isinstance(data, MixedRecords):
        return read_people(data, **reading, columns=columns)
    given = next((name for name, value in reading.items() if value is not None), None)
    if given is not None:
        raise InvalidParameter(f"{given} says how people are read, and these are read already. Leave it out.")
    return data


def _from_two(people: object, items: object, options: PeopleOptions) -> MixedRecords:
    if options.id is None:
        raise InvalidParameter(
            "two files are joined by a column that both have, and none is named.",
            remedies=[Remedy("id", Placeholder("COLUMN"), "name it")],
        )
    if options.split is not None:
        raise InvalidParameter("split is for cells with lists, and items has one term in a row. Leave it out.")
    rows, long = options.table(people), options.table(items)
    for table, what in ((rows, "people"), (long, "items")):
        if options.id not in table.schema.names:
            names = ", ".join(map(quoted, table.schema.names))
            raise InvalidParameter(f"the file of {what} has no column {quoted(options.id)}; its columns are {names}.")
    wanted = options.terms or _other_column(long, options.id)
    texts = long.column(wanted).to_pylist()
    require_ids(rows, options.id, "people")
    require_ids(long, options.id, "items")
    numbers = PersonIds.of(
        [rows.column(options.id).to_pylist(), long.column(options.id).to_pylist()], options.similar_ids
    )
    mine, theirs = numbers.codes
    table, first = _one_row_each(rows, mine, options.columns)
    place = np.full(numbers.size, -1, dtype=np.int64)
    place[mine[first]] = np.arange(first.size)
    holders = place[theirs]
    has_term = np.array([text != MISSING for text in texts], dtype=np.bool_)
    chosen = (holders >= 0) & has_term
    records = _records(
        holders[chosen], [text for text, is_one in zip(texts, chosen, strict=True) if is_one], first.size
    )
    lost = np.unique(theirs[(holders < 0) & has_term]).size
    unread = options.unread_of(rows.schema.names)
    names = pa.array(numbers.names, pa.string())
    intake = PeopleIntake(len(long), len(rows), 0, int(lost), options.id, unread, names, wanted, (rows, long))
    return _people(table, records, intake)


def _from_one(source: object, options: PeopleOptions) -> MixedRecords:
    if options.terms is None:
        one = Remedy("terms", Placeholder("COLUMN"), "name the column that has the terms")
        two = Remedy("people", Placeholder("FILE"), "give two files", (("items", Placeholder("FILE")),))
        raise InvalidParameter("no column of terms is named.", remedies=[one, two])
    table, lists = _with_lists(source, options)
    rows = np.arange(len(table), dtype=np.int64)
    first, names = rows, None
    if options.id is not None:
        table.schema.position(options.id)  # complains
        require_ids(table, options.id, "people")
        numbers = PersonIds.of([table.column(options.id).to_pylist()], options.similar_ids)
        names = pa.array(numbers.names, pa.string())
        [mine] = numbers.codes
        narrow, first = _one_row_each(table, mine, options.columns)
        place = np.empty(numbers.size, dtype=np.int64)
        place[mine[first]] = np.arange(first.size)
        rows = place[mine]
    else:
        narrow = _narrow(table, options.columns, rows)
    holders = np.repeat(rows, [len(each) for each in lists])
    records = _records(holders, [term for each in lists for term in each], first.size)
    unread = options.unread_of(table.schema.names)
    intake = PeopleIntake(0, len(table), 0, 0, options.id or "", unread, names, options.terms, (table,))
    return _people(narrow, records, intake)


def _with_lists(source: object, options: PeopleOptions) -> tuple[Table, list[list[str]]]:
    """Return the table without its lists, and these row by row."""
    columns, fail = _columns_of(source, options)
    name = options.terms
    assert name is not None, "asked for before"
    if columns is None or name not in columns.column_names or not _is_list(columns[name].type):
        table = options.table(source if columns is None else columns)
        table.schema.position(name)  # complains
        return table, _split_cells(table, name, options)
    if options.split is not None:
        raise InvalidParameter(f"split is for cells of text, and {quoted(name)} has lists already. Leave it out.")
    lists = [_terms(each, name, row, fail) for row, each in enumerate(columns[name].to_pylist())]
    return as_table(columns.drop_columns([name]), blank_words=options.blank_words), lists


def _columns_of(source: object, options: PeopleOptions) -> tuple[pa.Table | None, Any]:
    """Return what is stored in columns as an Arrow table, and what to raise; None for text files and plain objects."""
    if isinstance(source, (str, Path)) or hasattr(source, "read"):
        where: Any = source
        opened = open_source(where, options.max_bytes, sheet=options.sheet, encoding=options.encoding)
        return (columnar_table(opened, options.max_bytes) if columnar_format(opened) else None), opened.error
    if isinstance(source, dict):
        return pa.table({str(name): pa.array(values) for name, values in source.items()}), InvalidParameter
    stream = stream_of(source)
    is_stream = isinstance(stream, pa.RecordBatchReader)
    return (without_index(stream).read_all() if is_stream else None), InvalidParameter


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _terms(cell: Any, name: str, row: int, fail: Any) -> list[str]:
    found = []
    for term in cell or ():
        if isinstance(term, bool) or not isinstance(term, (str, int)) or str(term).strip() == "":
            raise fail(f"row {row + 1:,}: the lists of {quoted(name)} must have texts that are not empty.")
        found.append(str(term).strip())
    return found


def _split_cells(table: Table, name: str, options: PeopleOptions) -> list[list[str]]:
    if options.split is None:
        values = table.values_of(name)
        counts = np.bincount(table.codes_of(name), minlength=len(values)).astype(np.int64)
        listed = lists_in(values, counts)
        if listed is not None:
            raise InvalidParameter(
                f"the cells of {quoted(name)} look like lists, of the form {listed.form!r}.",
                remedies=split_remedies(listed),
            )
    mark = {"tab": "\t", "space": " "}.get(options.split or "", options.split)
    cells = ["" if cell == MISSING else cell for cell in table.column(name).to_pylist()]
    if options.split in (None, "none"):
        return [[cell] if cell else [] for cell in cells]
    return [[part.strip() for part in cell.split(mark) if part.strip()] for cell in cells]


def _other_column(table: Table, id: str) -> str:
    others = [name for name in table.schema.names if name != id]
    if len(others) != 1:
        remedies = [Remedy("terms", name, f"take the terms from {quoted(name)}") for name in others]
        raise InvalidParameter(f"items has {counted(len(others), 'column')} beside {quoted(id)}.", remedies=remedies)
    return others[0]


def _one_row_each(table: Table, ids: Ints64, columns: tuple[str, ...]) -> tuple[Table, Ints64]:
    """Return the first row of everybody, whose rows must all say the same, with these columns."""
    order = np.argsort(ids, kind="stable")
    starts = np.concatenate([[True], np.diff(ids[order]) != 0])
    first = order[starts]
    mine = first[np.cumsum(starts) - 1]  # beside `order`: the first row of the same person
    for name in columns:
        codes = table.codes_of(name)
        wrong = np.flatnonzero(codes[order] != codes[mine])
        if wrong.size:
            one, other = sorted((int(mine[wrong[0]]) + 1, int(order[wrong[0]]) + 1))
            people = np.unique(ids[order[wrong]]).size
            has = "1 id has rows that differ" if people == 1 else f"{people:,} ids have rows that differ"
            raise UnreadableInput(
                f"{has} in {quoted(name)}, such as rows {one:,} and {other:,}: which value is right? A person has one "
                "row, or rows that agree. Correct them, or leave the column out."
            )
    first = np.sort(first)
    return _narrow(table, columns, first), first


def _narrow(table: Table, columns: tuple[str, ...], rows: Ints64) -> Table:
    places = [table.schema.position(name) for name in dict.fromkeys(columns)]
    schema = replace(table.schema, columns=tuple(table.schema.columns[place] for place in places))
    values = tuple(table.values[place] for place in places)
    return Table(schema, tuple(table.codes[place][rows] for place in places), values)


def _records(holders: Ints64, texts: list[str], people: int) -> Transactions:
    """Return the terms of everybody, each once."""
    vocabulary = sorted(set(texts))
    rank = {text: number for number, text in enumerate(vocabulary)}
    keys = np.unique(holders * max(1, len(vocabulary)) + np.array([rank[text] for text in texts], dtype=np.int64))
    owners, items = np.divmod(keys, max(1, len(vocabulary)))
    rows = Ragged(offsets_of(np.bincount(owners, minlength=people)), items.astype(np.int32))
    return Transactions(rows.offsets, rows.items, pa.array(vocabulary, pa.string()))


def _people(table: Table, records: Transactions, intake: PeopleIntake) -> MixedRecords:
    if not len(table):
        raise UnreadableInput("expected people, found none.")
    if not records.items.size:
        raise UnreadableInput(
            "expected people with terms, found none that have any. Check the columns of ids and terms."
        )
    empty = int((np.diff(records.offsets) == 0).sum())
    return MixedRecords(table, records, replace(intake, without_terms=empty))


# People who have several rows in a table: what describes them and their terms, so that a risk counts both.

MISSING_PEOPLE_IN_ROWS = "?"


@dataclass(frozen=True, slots=True)
class PeopleInRows:
    """A long table read as mixed data: one row per person, with the columns that describe them, and their terms."""

    roles: TableRoles
    people: MixedRecords
    quasi: tuple[str, ...]  # the columns that are the same in all rows of a person
    terms: str
    left_out: tuple[str, ...]  # columns that the risk does not count


def people_in(source: object, id: str | None = None, terms: str | None = None, **reading: Any) -> PeopleInRows | None:
    """Read people from a long table with columns that are constant per person; None if the source is something else."""
    table = table_in(source, **reading)
    return None if table is None else people_in_rows(table, id, terms)


def table_in(source: object, **reading: Any) -> Table | None:
    """Read all columns of a source; None if it is no table, which the reader of records reports."""
    if source == "-" or isinstance(source, (Transactions, MixedRecords, list, tuple, set)) or hasattr(source, "read"):
        return None
    try:
        return read_table(source, **reading)
    except DisjoinError:
        return None


def people_in_rows(table: Table, id: str | None = None, terms: str | None = None) -> PeopleInRows | None:
    """Return the people of a long table with their columns and terms; None if it is not one.

    `id` and `terms` are the columns that the data owner named, if any.

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
    quasi, chosen = roles.named(ColumnKind.DESCRIBES_PERSON), terms or _terms_of(roles)
    if not quasi:
        return None
    left_out = tuple(name for name in table.schema.names if name not in (*quasi, roles.person, chosen))
    return PeopleInRows(roles, _mixed(table, roles.person, chosen, quasi), quasi, chosen, left_out)


def _terms_of(roles: TableRoles) -> str:
    """Return the column of terms: a sensitive one before others, else the first."""
    found = roles.named(ColumnKind.TERMS)
    return next((name for name in found if roles[name].is_sensitive), found[0])


def _mixed(table: Table, person: str, terms: str, quasi: tuple[str, ...]) -> MixedRecords:
    """Return a row per person: the first value of each column that is not missing, and all terms."""
    ids = np.flatnonzero(~_missing(table, person))
    _, owners = np.unique(table.codes_of(person)[ids], return_inverse=True)
    many = int(owners.max(initial=-1)) + 1
    columns = {name: table.values_of(name).take(pa.array(_first(table, name, ids, owners, many))) for name in quasi}
    records = _records_people_in_rows(table, terms, ids, owners, many)
    intake = PeopleIntake(rows_of_people=len(table), id_column=person)
    return MixedRecords(Table.from_columns(columns), records, intake)


def _missing(table: Table, name: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
    values = table.values_of(name)
    return np.array([value == MISSING_PEOPLE_IN_ROWS for value in values.to_pylist()], np.bool_)[table.codes_of(name)]


def _first(table: Table, name: str, rows: Ints64, owners: Ints64, many: int) -> Ints64:
    """Return for everybody the code of the first cell that is not missing; of the first cell if all are."""
    codes = table.codes_of(name)[rows].astype(np.int64)
    order = np.lexsort((np.arange(rows.size), _missing(table, name)[rows], owners))
    starts = np.searchsorted(owners[order], np.arange(many))
    return np.asarray(codes[order[starts]], np.int64)


def _records_people_in_rows(table: Table, terms: str, rows: Ints64, owners: Ints64, many: int) -> Transactions:
    """Return the different terms of everybody, perhaps none."""
    kept = ~_missing(table, terms)[rows]
    codes, whose = table.codes_of(terms)[rows][kept].astype(np.int64), owners[kept]
    used, items = np.unique(codes, return_inverse=True)
    words = table.values_of(terms).take(pa.array(used)).to_pylist()
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), np.int64)
    rank[order] = np.arange(len(words))
    pairs = np.unique(whose * max(1, len(words)) + rank[items])
    owner, item = np.divmod(pairs, max(1, len(words)))
    offsets = offsets_of(np.bincount(owner, minlength=many).astype(np.int64))
    vocabulary = pa.array([words[place] for place in order], pa.string())
    return Transactions(offsets, item.astype(np.int32), vocabulary, intake=Intake("long"))
