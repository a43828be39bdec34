"""Tables of a release of groups: layout, writing, reading. Disorder is mended and becomes an anomaly."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from disjoin.forms.clusters.tables import order_of_ids
from disjoin.model.groups import Groups
from disjoin.model.published import Violation
from disjoin.model.ragged import Ints64, offsets_of, used_by
from disjoin.parquet.columns import ColumnSchema, TableColumns, TableSchema
from disjoin.parquet.tables import filled, find, lists, take_lists, vocabulary_of, words
from disjoin.text import counted

GROUPS = "groups.parquet"
RECORDS = "records.parquet"
SENSITIVE = "sensitive.parquet"
BROKEN, DISORDER = "P1", "P4"  # what the verifier calls a table out of shape, or out of order

TABLES: dict[str, TableSchema] = {
    GROUPS: TableSchema(
        "The groups, one row each.",
        (
            ColumnSchema("group", "int64", "id of the group, 0, 1, 2 and so on", names_part=True),
            ColumnSchema("size", "int64", "number of original records"),
        ),
        broken=BROKEN,
        primary_key=("group",),
    ),
    RECORDS: TableSchema(
        "The records without their sensitive items: one row a distinct record of a group.",
        (
            ColumnSchema("group", "int64", "the group that the record is in", names_part=True),
            ColumnSchema("terms", "terms", "the ordinary items, sorted; empty for a record with sensitive items only"),
            ColumnSchema("count", "int64", "how many records of the group have exactly these ordinary items"),
        ),
        broken=BROKEN,
        foreign_keys={"group": ("groups", "group")},
    ),
    SENSITIVE: TableSchema(
        "The sensitive items of the groups: one row an item of a group.",
        (
            ColumnSchema("group", "int64", "the group whose records have the item", names_part=True),
            ColumnSchema("term", "term", "the sensitive item"),
            ColumnSchema("count", "int64", "how many records of the group have it; which ones is not said"),
        ),
        broken=BROKEN,
        primary_key=("group", "term"),
        foreign_keys={"group": ("groups", "group")},
    ),
}


def tables_of(published: Groups) -> dict[str, pa.Table]:
    ids = np.arange(len(published), dtype=np.int64)
    used = used_by(len(published.vocabulary), published.items, published.sensitive_items)
    assert used.all(), "the vocabulary of a release holds published terms only"
    return {
        GROUPS: filled(TABLES[GROUPS], pa.array(ids), pa.array(published.sizes)),
        RECORDS: filled(
            TABLES[RECORDS],
            pa.array(published.groups.owners()),
            lists(published.vocabulary, published.records),
            pa.array(published.counts),
        ),
        SENSITIVE: filled(
            TABLES[SENSITIVE],
            pa.array(published.secrets.owners()),
            words(published.vocabulary, published.sensitive_items),
            pa.array(published.sensitive_counts),
        ),
    }


def groups_of(tables: Mapping[str, TableColumns]) -> Groups:
    """Assemble the published groups; disorder is mended and becomes an anomaly."""
    groups, records, sensitive = tables[GROUPS], tables[RECORDS], tables[SENSITIVE]
    anomalies = [*groups.anomalies, *records.anomalies, *sensitive.anomalies]
    vocabulary, (record_ranks, sensitive_ranks) = vocabulary_of(records, sensitive)
    order = order_of_ids(groups.numbers["group"], "group", GROUPS, (BROKEN, DISORDER), anomalies)
    ids = groups.numbers["group"][order]
    record_rows, record_offsets = _settle_rows(RECORDS, records, ids, anomalies)
    sensitive_rows, sensitive_offsets = _settle_rows(SENSITIVE, sensitive, ids, anomalies)
    items, sensitive_items = take_lists(records, record_rows), take_lists(sensitive, sensitive_rows).items
    return Groups(
        vocabulary=vocabulary,
        sizes=groups.numbers["size"][order],
        record_offsets=record_offsets,
        item_offsets=items.offsets,
        items=record_ranks[items.items],
        counts=records.numbers["count"][record_rows],
        sensitive_offsets=sensitive_offsets,
        sensitive_items=sensitive_ranks[sensitive_items],
        sensitive_counts=sensitive.numbers["count"][sensitive_rows],
        anomalies=tuple(anomalies),
    )


def _settle_rows(name: str, table: TableColumns, ids: Ints64, anomalies: list[Violation]) -> tuple[Ints64, Ints64]:
    """Return the rows in the order of their groups, and where each group begins; what belongs nowhere is left out."""
    owners, known = find(ids, table.numbers["group"])
    if not known.all():
        strays = counted(int((~known).sum()), "row belongs", "rows belong")
        anomalies.append(Violation(BROKEN, name, f"{strays} to a group that does not exist"))
    if name == SENSITIVE:
        known &= table.lists.lengths == 1  # a row without its term, which the reader has reported
    rows = np.flatnonzero(known)
    owners = owners[rows]
    if (np.diff(owners) < 0).any():
        anomalies.append(Violation(DISORDER, name, "the rows are not in the order of the groups"))
        order = np.argsort(owners, kind="stable")
        rows, owners = rows[order], owners[order]
    return rows, offsets_of(np.bincount(owners, minlength=ids.size))
