"""A published table read back from a folder that nobody vouches for."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.release_columns import Oddities, is_text, require_memory
from disjoin.files.release_parts import Reading, files_in
from disjoin.files.release_table import BROKEN, PLAIN, TABLE, TABLES, csv_blocks, hierarchy_path, hierarchy_text
from disjoin.files.wording import NO_PERMISSION, counted, listed, quoted
from disjoin.model.arrays import Ints32
from disjoin.model.generalized import Generalized
from disjoin.model.guarantees import Promise
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.table import Column, Role, Schema, Table
from disjoin.model.verdict import Violation

MISSING = "?"


def read_generalized(folder: Path, guarantee: Promise, memory_limit: int) -> Reading:
    """Read the table of a release and the hierarchies of its quasi-identifiers, which the promise names.

    Raises `UnreadableInput` if there is no table, a column is not of strings, or a hierarchy is no tree. Rows that are
    out of order and values that no hierarchy has are read as they are: the inspector looks for them.
    """
    assert isinstance(guarantee, KAnonymity), "the form fits the guarantee"
    odd = Oddities(BROKEN, TABLE)
    table = _roles(_read_table(folder / TABLE, memory_limit, odd), guarantee)
    paths = {name: hierarchy_path(name) for name in guarantee.quasi}
    present = files_in(folder)
    hierarchies, rows = {}, {TABLE: len(table)}
    for name in table.schema.with_role(Role.QUASI_IDENTIFIER):
        path, file = paths[name], present.get(paths[name])
        if file is not None and file.is_symlink():  # whoever gets the folder would not get what it leads to
            odd.found.append(Violation("F1", path, "is a link to another place"))
        elif file is not None:
            hierarchies[name] = _read_hierarchy(file, path, memory_limit, odd)
            rows[path] = hierarchies[name].n_leaves
    if _says_the_same(folder / PLAIN, table):
        rows[PLAIN] = len(table)
    else:
        odd.found.append(Violation("F1", PLAIN, f"does not say what {TABLE} says"))
    published = Generalized(table.with_hierarchies(hierarchies), tuple(odd.found))
    return Reading(published, rows, frozenset((*TABLES, *paths.values())))


def _roles(table: Table, guarantee: KAnonymity) -> Table:
    """Give the columns the roles that the promise knows; one that is not there is for the inspector to miss."""
    roles = dict.fromkeys(guarantee.quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(guarantee.sensitive, Role.SENSITIVE)
    return table.with_roles({name: role for name, role in roles.items() if name in table.schema.names})


def _read_table(file: Path, memory_limit: int, odd: Oddities) -> Table:
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    try:
        columns = _columns(file, memory_limit, odd)
        names = columns.column_names
        coded = [_coded(name, columns[name], odd) for name in names]
        schema = Schema(tuple(Column(name) for name in names))
        return Table(schema, tuple(codes for codes, _ in coded), tuple(values for _, values in coded))
    except UnreadableInput:
        raise
    except InvalidParameter as failure:
        raise UnreadableInput(str(failure), source=str(file)) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(file)) from None
    except (pa.ArrowException, OSError, ValueError, LookupError) as failure:  # Arrow raises all of these on damage
        is_about_text = "utf8" in str(failure).lower().replace("-", "")
        found = "holds values that are not UTF-8 text" if is_about_text else "is damaged or cut short"
        raise UnreadableInput(f"the Parquet file {found}. Copy it again.", source=str(file)) from failure


def _columns(file: Path, memory_limit: int, odd: Oddities) -> pa.Table:
    """Return the columns, dictionary-coded, so that a value that no row has is seen; note what else is in the file."""
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(file)
    schema = metadata.schema.to_arrow_schema()
    names = list(schema.names)
    if not names or len(set(names)) < len(names):
        raise UnreadableInput(f"expected columns of different names, found {listed(names)}.", source=str(file))
    for field in schema:
        if not is_text(field.type):
            message = f"expected column {quoted(field.name)} to be a string, found {field.type}."
            raise UnreadableInput(message, source=str(file))
    require_memory(file, metadata, memory_limit)
    for key in sorted(metadata.metadata or {}):
        odd.note(f"unexpected metadata {quoted(key.decode('utf-8', 'replace'))}")
    try:
        return _whole(file, names)
    except pa.ArrowNotImplementedError:  # the file mixes two codings
        odd.note("unexpected way of storing the values")
        return _whole(file, [])


def _whole(file: Path, coded: list[str]) -> pa.Table:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file, read_dictionary=coded) as parquet:
        table = parquet.read()
    table.validate(full=True)
    return table


def _coded(name: str, column: pa.ChunkedArray, odd: Oddities) -> tuple[Ints32, pa.StringArray]:
    """Return the codes of a column and its values in order, those that rows have."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    if column.null_count:
        odd.note(f"{counted(column.null_count, 'row has', 'rows have')} no {quoted(name)}")
    column = column.unify_dictionaries()
    words = column.chunk(0).dictionary.cast(pa.string()) if column.num_chunks else pa.array([], pa.string())
    words = pa.concat_arrays([words, pa.array([MISSING], pa.string())])  # stands for what is absent
    absent = len(words) - 1
    parts = [np.asarray(pc.fill_null(chunk.indices, absent), np.int32) for chunk in column.chunks]
    codes = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    used = np.zeros(len(words), dtype=np.bool_)
    used[codes] = True
    shown = words.filter(pa.array(used)).unique()
    hidden = pc.invert(pc.is_in(words.slice(0, absent), value_set=shown))
    if pc.any(hidden).as_py():
        example = words.slice(0, absent).filter(hidden)[0].as_py()
        odd.note(f"the file holds values of {quoted(name)} that no row has", example)
    values = shown.take(pc.sort_indices(shown))  # Arrow compares bytes: in UTF-8 that is code-point order
    ranks = np.asarray(pc.fill_null(pc.index_in(words, value_set=values), 0), np.int32)
    return ranks[codes], values


def _says_the_same(file: Path, table: Table) -> bool:
    if not file.is_file():
        raise UnreadableInput("the release lacks this table.", source=str(file))
    with file.open("rb") as stream:
        return all(stream.read(len(block)) == block for block in csv_blocks(table)) and not stream.read(1)


def _read_hierarchy(file: Path, path: str, memory_limit: int, odd: Oddities) -> Hierarchy:
    """Read a hierarchy as a release has it; nothing is stripped, as names may begin or end with blanks."""
    if not file.is_file():
        raise UnreadableInput("expected the file of a hierarchy, found another thing.", source=str(file))
    if file.stat().st_size > memory_limit:
        raise UnreadableInput(f"the hierarchy has more than {memory_limit:,} bytes, the limit.", source=str(file))
    try:
        data = file.read_bytes()
        rows = list(csv.reader(_lines(data.decode()), delimiter=";", strict=True))
        tree = Hierarchy.from_rows(rows)
    except UnicodeDecodeError:
        raise UnreadableInput("expected UTF-8 text, found other bytes.", source=str(file)) from None
    except csv.Error as failure:
        raise UnreadableInput(
            f"expected names between semicolons, found otherwise ({failure}).", source=str(file)
        ) from None
    except (UnreadableInput, InvalidParameter) as failure:
        raise UnreadableInput(str(failure), source=str(file)) from None
    if hierarchy_text(tree) != data:
        odd.found.append(Violation("F1", path, "is not written as hierarchies of a release are"))
    return tree


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their newlines: a name may have one in it."""
    first = 0
    while first < len(text):
        end = text.find("\n", first) + 1 or len(text)
        yield text[first:end]
        first = end
