"""Tables of a release of mixed data: layout, writing, reading."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from disjoin.forms.clusters import tables as of_clusters
from disjoin.forms.table.tables import MEANINGS, hierarchy_parts, read_hierarchies, with_roles
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.mixed import Mixed
from disjoin.model.mixed_anonymity import MixedAnonymity
from disjoin.model.ragged import Bag
from disjoin.parquet.columns import ColumnSchema, Oddities, TableReader, TableSchema, read_strings
from disjoin.parquet.hierarchies import hierarchy_path
from disjoin.parquet.tables import (
    LARGEST_DICTIONARY,
    ROWS_IN_A_GROUP,
    Part,
    TablesRead,
    lists,
    parquet_facts,
    parts_of,
    vocabulary_of,
    words,
)

ROWS = "rows.parquet"
BROKEN = "R1"  # what the verifier calls a table out of shape
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


def lay_out(published: Mixed) -> dict[str, Part]:
    table = published.rows
    assert set(table.hierarchies) <= set(published.quasi), "only what is generalised has a hierarchy in a release"
    parts = parts_of(of_clusters.tables_of(published.clusters), of_clusters.TABLES)
    values = (ColumnSchema(column.name, "term", MEANINGS[column.role]) for column in table.schema.columns)
    layout = replace(TABLES[ROWS], columns=(_CLUSTER, *values, _TERMS, _COUNT))
    parts[ROWS] = Part(partial(write_rows, published), parquet_facts(ROWS, layout, len(table)))
    return parts | hierarchy_parts(table, published.quasi)


def hierarchy_paths(guarantee: MixedAnonymity) -> list[str]:
    return [hierarchy_path(name) for name in guarantee.quasi]


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


def read_mixed(folder: Path, guarantee: AnyGuarantee, memory_limit: int) -> TablesRead:
    """Read clusters, rows and hierarchies of the quasi-identifiers; disorder is left for the verifier to find.
    Raises `UnreadableInput` if a table is missing, a column has another type, or a hierarchy is no tree."""
    assert isinstance(guarantee, MixedAnonymity), "the form fits the guarantee"
    read = {
        name: TableReader(folder, [name], layout, memory_limit).whole() for name, layout in of_clusters.TABLES.items()
    }
    own = TableReader(folder, [ROWS], TABLES[ROWS], memory_limit, is_elsewhere=lambda name: name not in OWN).whole()
    odd = Oddities(BROKEN, ROWS)
    columns = guarantee.of_columns
    values = with_roles(read_strings(folder / ROWS, memory_limit, odd, without=OWN), columns.quasi, columns.sensitive)
    trees = read_hierarchies(folder, guarantee.quasi, values, memory_limit, odd)
    clusters = of_clusters.forest_of(read)
    vocabulary, [ranks] = vocabulary_of(own)
    published = Mixed(
        replace(clusters, anomalies=()),
        own.numbers[_CLUSTER.name],
        values.with_hierarchies(trees),
        Bag(vocabulary, own.offsets, ranks[own.codes].astype(np.int32), own.numbers[_COUNT.name]),
        (*clusters.anomalies, *own.anomalies, *odd.found),
    )
    rows = {name: table.rows for name, table in read.items()} | {ROWS: own.rows}
    paths = {hierarchy_path(name): tree.n_leaves for name, tree in trees.items()}
    return TablesRead(published, rows | paths, frozenset((*TABLES, *hierarchy_paths(guarantee))))
