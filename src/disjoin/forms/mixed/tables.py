"""Tables of a release of mixed data: layout, writing, reading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from disjoin.errors import UnreadableInput
from disjoin.forms.clusters import tables as of_clusters
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_rows import MOST_NAMES
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.ragged import Bag
from disjoin.model.table import Role, Table
from disjoin.parquet.columns import ColumnSchema, Oddities, TableColumns, TableReader, TableSchema
from disjoin.parquet.hierarchies import hierarchy_part, hierarchy_path, read_hierarchy_part
from disjoin.parquet.tables import (
    LARGEST_DICTIONARY,
    ROWS_IN_A_GROUP,
    Part,
    TablesRead,
    files_in,
    lists,
    parquet_facts,
    parts_of,
    read_strings,
    vocabulary_of,
    words,
)

ROWS = "rows.parquet"
BROKEN = "R1"  # what the inspector calls a table out of shape
_CLUSTER = ColumnSchema("cluster", "int64", "the cluster of these people", names_part=True)
_TERMS = ColumnSchema("terms", "terms", "what these people have of the terms that stand with rows in their cluster")
_COUNT = ColumnSchema("count", "int64", "how many people of the cluster have exactly this")
OWN = (_CLUSTER.name, _TERMS.name, _COUNT.name)
TABLES: dict[str, TableSchema] = {
    **of_clusters.TABLES,
    ROWS: TableSchema(
        "The rows of people: one row a distinct combination of values and terms in a cluster.",
        (_CLUSTER, _TERMS, _COUNT),
        broken=BROKEN,
        foreign_keys={"cluster": ("clusters", "cluster")},
    ),
}
_MEANINGS = {
    Role.QUASI_IDENTIFIER: "generalised: what somebody may know of a person",
    Role.SENSITIVE: "as it was: what nobody shall learn of a person",
}


def lay_out(published: Mixed) -> dict[str, Part]:
    table = published.rows
    assert set(table.hierarchies) <= set(published.quasi), "only what is generalised has a hierarchy in a release"
    parts = parts_of(of_clusters.tables_of(published.clusters), of_clusters.TABLES)
    parts[ROWS] = Part(partial(write_rows, published), parquet_facts(ROWS, _layout(table), len(table)))
    for name in published.quasi:
        if name in table.hierarchies:
            tree, number = table.hierarchies[name], table.schema.position(name)
            parts[hierarchy_path(name)] = hierarchy_part(tree, f"hierarchy-{number}", f"the values of {name}")
    return parts


def hierarchy_paths(guarantee: MixedAnonymity) -> list[str]:
    return [hierarchy_path(name) for name in guarantee.quasi]


def _layout(table: Table) -> TableSchema:
    values = (ColumnSchema(column.name, "term", _MEANINGS[column.role]) for column in table.schema.columns)
    return replace(TABLES[ROWS], columns=(_CLUSTER, *values, _TERMS, _COUNT))


def write_rows(published: Mixed, path: Path) -> None:
    """Write the rows with fixed settings: the bytes are a function of the rows alone."""
    import pyarrow.parquet as pq

    table, people = published.rows, published.people
    columns = {_CLUSTER.name: pa.array(published.leaves)}
    columns |= {n: words(v, c) for n, v, c in zip(table.schema.names, table.values, table.codes, strict=True)}
    columns |= {_TERMS.name: lists(people.vocabulary, people.sets), _COUNT.name: pa.array(people.counts)}
    fields = [pa.field(name, column.type, nullable=False) for name, column in columns.items()]
    pq.write_table(
        pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields)),
        path,
        store_schema=False,  # a reader sees plain strings and lists of them, and no dictionary of ours
        compression="zstd",
        use_dictionary=[*table.schema.names, "terms.list.element"],
        dictionary_pagesize_limit=LARGEST_DICTIONARY,
        column_encoding=dict.fromkeys((_CLUSTER.name, _COUNT.name), "DELTA_BINARY_PACKED"),
        write_statistics=[_CLUSTER.name],
        row_group_size=ROWS_IN_A_GROUP,
    )


_MOST_NAMES = 2 * MOST_NAMES  # of all hierarchies of a release together


def read_mixed(folder: Path, guarantee: AnyGuarantee, memory_limit: int) -> TablesRead:
    """Read clusters, rows, and the hierarchies of the quasi-identifiers, which the promise names.

    Raises `UnreadableInput` if a table is missing, a column has another type, or a hierarchy is no tree. What is out of
    order or does not belong together is read as it is: the inspector looks for it.
    """
    assert isinstance(guarantee, MixedAnonymity), "the form fits the guarantee"
    read = {
        name: TableReader(folder, [name], layout, memory_limit).whole() for name, layout in of_clusters.TABLES.items()
    }
    own = TableReader(folder, [ROWS], TABLES[ROWS], memory_limit, is_elsewhere=lambda name: name not in OWN).whole()
    odd = Oddities(BROKEN, ROWS)
    values = _with_roles(read_strings(folder / ROWS, memory_limit, odd, without=OWN), guarantee)
    trees = _hierarchies(folder, guarantee, values, memory_limit, odd)
    clusters = of_clusters.forest_of(read)
    published = Mixed(
        replace(clusters, anomalies=()),
        own.numbers[_CLUSTER.name],
        values.with_hierarchies(trees),
        _people(own),
        (*clusters.anomalies, *own.anomalies, *odd.found),
    )
    rows = {name: table.rows for name, table in read.items()} | {ROWS: own.rows}
    paths = {hierarchy_path(name): tree.n_leaves for name, tree in trees.items()}
    return TablesRead(published, rows | paths, frozenset((*TABLES, *hierarchy_paths(guarantee))))


def _people(own: TableColumns) -> Bag:
    vocabulary, [ranks] = vocabulary_of(own)
    return Bag(vocabulary, own.offsets, ranks[own.codes].astype(np.int32), own.numbers[_COUNT.name])


def _with_roles(table: Table, guarantee: MixedAnonymity) -> Table:
    """Give the columns the roles that the promise knows; one that is not there is for the inspector to miss."""
    columns = guarantee.of_columns
    roles = dict.fromkeys(columns.quasi, Role.QUASI_IDENTIFIER) | dict.fromkeys(columns.sensitive, Role.SENSITIVE)
    return table.with_roles({name: role for name, role in roles.items() if name in table.schema.names})


def _hierarchies(
    folder: Path, guarantee: MixedAnonymity, table: Table, memory_limit: int, odd: Oddities
) -> dict[str, Hierarchy]:
    present, found = files_in(folder), {}
    for name in guarantee.quasi:
        path = hierarchy_path(name)
        file = present.get(path)
        if file is None or file.is_symlink() or name not in table.schema.names:
            continue  # a link is not followed; that it is one is found elsewhere
        found[name] = read_hierarchy_part(file, path, memory_limit, odd)
        cells = sum(tree.n_leaves * (tree.height + 1) for tree in found.values())
        if cells > _MOST_NAMES:
            message = f"the hierarchies of a release have at most {_MOST_NAMES:,} names, with this one {cells:,}."
            raise UnreadableInput(message, source=str(file))
    return found
