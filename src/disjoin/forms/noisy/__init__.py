"""Form of noisy records, as published by DiffPart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from disjoin.forms.form import Form, require_records, slots_of
from disjoin.forms.noisy import facts, page, pictures, prose
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.release import Release
from disjoin.model.transactions import Transactions
from disjoin.parquet.columns import TableColumns, TableSchema
from disjoin.parquet.tables import RECORDS, parts_of, read_tables, records_layout, records_of, records_table

BROKEN = "N1"  # what the verifier calls a table out of shape

TABLES: dict[str, TableSchema] = {
    RECORDS: records_layout(
        "Made-up records: one row a distinct record.",
        "the items, sorted",
        "how many records are exactly so; a noisy count, not that of the original",
        broken=BROKEN,
    )
}

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts


def tables_of(published: NoisyRecords) -> dict[str, pa.Table]:
    return {RECORDS: records_table(published.records, TABLES[RECORDS])}


def noisy_of(tables: Mapping[str, TableColumns]) -> NoisyRecords:
    return NoisyRecords(records_of(tables[RECORDS]), tables[RECORDS].anomalies)


def _compared() -> type[Any]:
    from disjoin.measure.evidence_items import NoisyEvidence

    return NoisyEvidence


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    return _compared()(require_records(original), release.published, **asked)


def _dossier() -> DossierParts:
    from disjoin.forms.noisy.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=NoisyRecords,
    part=("row", "rows"),
    original=Transactions,
    guarantees=(DifferentialPrivacy,),
    lay_out=lambda noisy: parts_of(tables_of(noisy), TABLES),
    read=lambda folder, _, limit: read_tables(folder, TABLES, noisy_of, limit),
    counted=("records", "terms"),
    texts=lambda noisy: (noisy.records.vocabulary,),
    compared=_compared,
    by_construction=True,
    learned_from=facts.TEXTS["from epsilon"],
    **slots_of(TABLES, facts, page, pictures, prose)
    | {"pictures": lambda noisy: [pictures.picture_of(noisy)] if len(noisy) else []},
    dossier=_dossier,
    evidence=_evidence,
    eyes_only=facts.eyes_only,
    unproven=prose.UNPROVEN,
)
