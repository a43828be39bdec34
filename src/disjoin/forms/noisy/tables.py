"""The table of a release of noisy records, and the way of such records into it and back."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from disjoin.files.release_columns import TableColumns, TableSchema
from disjoin.files.release_strings import RECORDS, records_layout, records_of, records_table
from disjoin.model.noisy_records import NoisyRecords

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
