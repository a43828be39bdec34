"""Tables of a release of a generalised table: layout, writing, reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.model.generalized import Generalized
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.hierarchy import MOST_NAMES, Hierarchy
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.published import Violation
from disjoin.model.table import Role, Table
from disjoin.parquet.columns import ColumnSchema, Oddities, TableSchema, read_strings
from disjoin.parquet.hierarchies import hierarchy_part, hierarchy_path, quoted_fields, read_hierarchy_part
from disjoin.parquet.tables import Part, TablesRead, files_in, parquet_facts, schema_facts, write_strings

TABLE = "table.parquet"
PLAIN = "table.csv"
BROKEN = "T1"  # what the verifier calls a table out of shape
_ROWS_AT_ONCE = 1 << 16

TABLES: dict[str, TableSchema] = {
    TABLE: TableSchema("The published rows, in the order of their values.", (), broken=BROKEN),
    PLAIN: TableSchema("The same rows as comma-separated text.", (), broken=BROKEN),
}
MEANINGS = {
    Role.QUASI_IDENTIFIER: "generalised: what somebody may know of a person",
    Role.SENSITIVE: "as it was: what nobody shall learn of a person",
    Role.OTHER: "as it was",
}


def lay_out(published: Generalized) -> dict[str, Part]:
    table = published.table
    assert not table.schema.with_role(Role.IDENTIFIER), "what names people is never published"
    secret = table.schema.with_role(Role.SENSITIVE)
    assert set(table.hierarchies) <= {*published.quasi, *secret}, "no other column has a hierarchy in a release"
    columns = tuple(ColumnSchema(column.name, "term", MEANINGS[column.role]) for column in table.schema.columns)
    layout = TableSchema(TABLES[TABLE].meaning, columns, BROKEN)
    plain = {
        "name": "table-csv",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "description": TABLES[PLAIN].meaning,
        "rows": len(table),
        "schema": schema_facts(layout),
    }
    parts = {
        TABLE: Part(partial(write_strings, table), parquet_facts(TABLE, layout, len(table))),
        PLAIN: Part(partial(write_csv, table), plain),
    }
    return parts | hierarchy_parts(table, (*published.quasi, *secret))


def hierarchy_parts(table: Table, names: Iterable[str]) -> dict[str, Part]:
    return {
        hierarchy_path(name): hierarchy_part(tree, f"hierarchy-{table.schema.position(name)}", f"the values of {name}")
        for name in names
        if (tree := table.hierarchies.get(name)) is not None
    }


def hierarchy_paths(guarantee: KAnonymity) -> list[str]:
    return [hierarchy_path(name) for name in _with_trees(guarantee)]


def _with_trees(guarantee: KAnonymity) -> tuple[str, ...]:
    measured = guarantee.closeness.t_distance == "hierarchical"
    return (*guarantee.quasi, *(guarantee.sensitive if measured else ()))


def csv_blocks(table: Table) -> Iterator[bytes]:
    """Yield the table as CSV, RFC 4180 but for its line ends, which are newlines; quotes only where needed."""
    import pyarrow.compute as pc

    yield (",".join(quoted_fields(pa.array(table.schema.names, pa.string()), ",").to_pylist()) + "\n").encode()
    words = [quoted_fields(values, ",").cast(pa.large_string()) for values in table.values]
    # The line end is part of the last column's words, so the joined strings, end to end, are the file.
    words[-1] = pc.binary_join_element_wise(words[-1], _large("\n"), _large(""))
    for first in range(0, len(table), _ROWS_AT_ONCE):
        cells = [w.take(pa.array(c[first : first + _ROWS_AT_ONCE])) for w, c in zip(words, table.codes, strict=True)]
        lines = pc.binary_join_element_wise(*cells, _large(","))
        ends = np.frombuffer(lines.buffers()[1], np.int64)
        yield lines.buffers()[2].slice(0, int(ends[len(lines)])).to_pybytes()


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())


def write_csv(table: Table, path: Path) -> None:
    with path.open("wb") as file:
        file.writelines(csv_blocks(table))


_MOST_NAMES = 2 * MOST_NAMES  # of all hierarchies of a release together: more would take minutes to inspect


def with_roles(table: Table, quasi: Iterable[str], sensitive: Iterable[str]) -> Table:
    roles = dict.fromkeys(quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(sensitive, Role.SENSITIVE)
    return table.with_roles({name: role for name, role in roles.items() if name in table.schema.names})


def read_hierarchies(
    folder: Path, names: Iterable[str], table: Table, memory_limit: int, odd: Oddities
) -> dict[str, Hierarchy]:
    present, found, cells = files_in(folder), {}, 0
    for name in names:
        path = hierarchy_path(name)
        file = present.get(path)
        if file is None or file.is_symlink() or name not in table.schema.names:
            continue  # a link is not followed; that it is one is found elsewhere
        found[name] = tree = read_hierarchy_part(file, path, memory_limit, odd)
        cells += tree.n_leaves * (tree.height + 1)
        if cells > _MOST_NAMES:
            most = f"at most {_MOST_NAMES:,} names in their rows"
            message = f"the hierarchies of a release have {most}, with this one {cells:,}."
            raise UnreadableInput(message, source=str(file))
    return found


def read_generalized(folder: Path, guarantee: AnyGuarantee, memory_limit: int) -> TablesRead:
    """Read the table and the hierarchies of its quasi-identifiers; disorder is left for the verifier to find.
    Raises `UnreadableInput` if there is no table, a column is not of strings, or a hierarchy is no tree."""
    assert isinstance(guarantee, KAnonymity), "the form fits the guarantee"
    odd = Oddities(BROKEN, TABLE)
    table = with_roles(read_strings(folder / TABLE, memory_limit, odd), guarantee.quasi, guarantee.sensitive)
    trees = read_hierarchies(folder, _with_trees(guarantee), table, memory_limit, odd)
    rows = {TABLE: len(table)} | {hierarchy_path(name): tree.n_leaves for name, tree in trees.items()}
    if not (folder / PLAIN).is_file():
        raise UnreadableInput("the release lacks this table.", source=str(folder / PLAIN))
    with (folder / PLAIN).open("rb") as stream:
        says_the_same = all(stream.read(len(block)) == block for block in csv_blocks(table)) and not stream.read(1)
    if says_the_same:
        rows[PLAIN] = len(table)
    else:
        odd.found.append(Violation("F1", PLAIN, f"does not say what {TABLE} says"))
    published = Generalized(table.with_hierarchies(trees), tuple(odd.found))
    return TablesRead(published, rows, frozenset((*TABLES, *hierarchy_paths(guarantee))))
