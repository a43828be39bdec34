"""Tables of a release of generalised items: layout, writing, reading."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from disjoin.errors import UnreadableInput
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.table import Table
from disjoin.parquet.columns import ColumnSchema, Oddities, TableReader, TableSchema, read_strings
from disjoin.parquet.hierarchies import hierarchy_part, read_hierarchy_part
from disjoin.parquet.tables import (
    RECORDS,
    Part,
    TablesRead,
    parquet_facts,
    parts_of,
    records_layout,
    records_of,
    records_table,
    write_strings,
)
from disjoin.text import listed, quoted

MAPPING = "mapping.parquet"
HIERARCHY = "hierarchy.csv"
BROKEN = "A1"  # what the verifier calls a table out of shape

TABLES: dict[str, TableSchema] = {
    RECORDS: records_layout(
        "The generalised records: one row a distinct record.",
        "the published items, sorted: terms as they were, and names that stand for several terms",
        "how many records are exactly so",
        broken=BROKEN,
    ),
    MAPPING: TableSchema(
        "What stands for which term: one row per term of the hierarchy, whether a record has it or not.",
        (
            ColumnSchema("term", "term", "a term, a leaf of the hierarchy"),
            ColumnSchema("published", "term", "what it is published as: itself, or a name above it in the hierarchy"),
        ),
        broken=BROKEN,
        primary_key=("term",),
    ),
    HIERARCHY: TableSchema(
        "What the terms generalise to: one row per term, up to what stands for all.", (), broken=BROKEN
    ),
}


def lay_out(published: GeneralizedItems) -> dict[str, Part]:
    mapping = Table.from_columns({"term": published.terms, "published": published.images})
    layout = TABLES[MAPPING]
    return {
        **parts_of({RECORDS: records_table(published.records, TABLES[RECORDS])}, TABLES),
        MAPPING: Part(partial(write_strings, mapping), parquet_facts(MAPPING, layout, len(mapping))),
        HIERARCHY: hierarchy_part(published.hierarchy, "hierarchy", "the terms"),
    }


def read_items(folder: Path, guarantee: AnyGuarantee, memory_limit: int) -> TablesRead:
    """Read generalised records, mapping and hierarchy; disorder and unknown names are left for the verifier to find.
    Raises `UnreadableInput` if a file is missing, a column has another type, or the hierarchy is no tree."""
    records = TableReader(folder, [RECORDS], TABLES[RECORDS], memory_limit).whole()
    odd = Oddities(BROKEN, MAPPING)
    mapping = _read_mapping(folder / MAPPING, memory_limit, odd)
    if not (folder / HIERARCHY).is_file():
        raise UnreadableInput("the release lacks this file.", source=str(folder / HIERARCHY))
    hierarchy = read_hierarchy_part(folder / HIERARCHY, HIERARCHY, memory_limit, odd)
    published = GeneralizedItems(
        records=records_of(records),
        terms=mapping.column("term"),
        images=mapping.column("published"),
        hierarchy=hierarchy,
        anomalies=(*records.anomalies, *odd.found),
    )
    rows = {RECORDS: records.rows, MAPPING: len(mapping), HIERARCHY: hierarchy.n_leaves}
    return TablesRead(published, rows, frozenset(TABLES))


def _read_mapping(file: Path, memory_limit: int, odd: Oddities) -> Table:
    table = read_strings(file, memory_limit, odd)
    wanted, found = TABLES[MAPPING].names, table.schema.names
    if not set(wanted) <= set(found):
        raise UnreadableInput(f"expected the columns {', '.join(wanted)}, found {listed(found)}.", source=str(file))
    for name in found:
        if name not in wanted:
            odd.note(f"unexpected column {quoted(name)}")
    return table
