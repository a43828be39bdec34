"""The table of a release of records, and the way of noisy ones into it and back."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from disjoin.files.release_columns import ColumnSchema, TableColumns, TableSchema
from disjoin.files.release_parts import filled, lists, vocabulary_of
from disjoin.model.bag import Bag
from disjoin.model.noisy_records import NoisyRecords

RECORDS = "records.parquet"


def records_layout(meaning: str, terms: str, count: str, *, broken: str) -> TableSchema:
    """Return the layout of the table: what it is, what its two columns mean, what a breach of its form is called."""
    return TableSchema(
        meaning, (ColumnSchema("terms", "terms", terms), ColumnSchema("count", "int64", count)), broken=broken
    )


def records_table(records: Bag, layout: TableSchema) -> pa.Table:
    """Lay the records out as the table of a release."""
    assert records.sets.used(len(records.vocabulary)).all(), "the vocabulary of a release holds published terms only"
    terms = lists(records.vocabulary, records.sets)
    return filled(layout, terms, pa.array(records.counts))


def records_of(table: TableColumns) -> Bag:
    """Return the rows as they are: a bag can be out of order, or have a row twice, and the inspector looks for it."""
    vocabulary, [ranks] = vocabulary_of(table)
    return Bag(vocabulary, table.offsets, ranks[table.codes], table.numbers["count"])


BROKEN = "N1"  # what the inspector calls a table out of shape

TABLES: dict[str, TableSchema] = {
    RECORDS: records_layout(
        "Made-up records: one row a distinct record.",
        "the items, sorted",
        "how many records are exactly so; a noisy count, not that of the original",
        broken=BROKEN,
    )
}


def tables_of(published: NoisyRecords) -> dict[str, pa.Table]:
    """Lay the published records out as the table of a release, by file name."""
    return {RECORDS: records_table(published.records, TABLES[RECORDS])}


def noisy_of(tables: Mapping[str, TableColumns]) -> NoisyRecords:
    """Assemble the published records."""
    return NoisyRecords(records_of(tables[RECORDS]), tables[RECORDS].anomalies)
