"""The table of a release whose records are there as they are published: a row a distinct record, with its count."""

from __future__ import annotations

import pyarrow as pa

from disjoin.files.release_columns import Columns
from disjoin.files.release_rows import vocabulary_of
from disjoin.files.release_tables import Column, Layout, filled, lists, used_of
from disjoin.model.bag import Bag

RECORDS = "records.parquet"


def records_layout(meaning: str, terms: str, count: str, *, broken: str) -> Layout:
    """Return the layout of the table: what it is, what its two columns mean, what a breach of its form is called."""
    return Layout(meaning, (Column("terms", "terms", terms), Column("count", "int64", count)), broken=broken)


def records_table(records: Bag, layout: Layout) -> pa.Table:
    """Lay the records out as the table of a release."""
    assert used_of(records.vocabulary, records.items).all(), "the vocabulary of a release holds published terms only"
    terms = lists(records.vocabulary, records.offsets, records.items)
    return filled(layout, terms, pa.array(records.counts))


def records_of(table: Columns) -> Bag:
    """Return the rows as they are: a bag can be out of order, or have a row twice, and the inspector looks for it."""
    vocabulary, [ranks] = vocabulary_of(table)
    return Bag(vocabulary, table.offsets, ranks[table.codes], table.numbers["count"])
