"""Noisy records, as DiffPart publishes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.files.release_parts import parts_of, read_tables
from disjoin.forms.form import Form, require_records
from disjoin.forms.noisy import tables
from disjoin.forms.noisy.facts import eyes_only, rows_of, statistics_of
from disjoin.forms.noisy.page import PAGE
from disjoin.forms.noisy.pictures import SHOW, RowsPicture, picture_of
from disjoin.forms.noisy.prose import FROM_EPSILON, READING, README, UNPROVEN, learned, not_guaranteed
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.noisy_records import NoisyRecords
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


def _pictures(published: NoisyRecords) -> list[RowsPicture]:
    return [picture_of(published)] if len(published) else []


def _compared() -> type[Any]:
    from disjoin.forms.noisy.evidence import NoisyEvidence

    return NoisyEvidence


def _evidence(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress
) -> Any:
    published = release.published
    assert isinstance(published, NoisyRecords), "the form is that of what is published"
    more: dict[str, Any] = {"hierarchy": hierarchy, "settings": settings, "progress": progress}
    return _compared()(require_records(original), published, **more)


FORM = Form(
    noun=NoisyRecords,
    part=("row", "rows"),
    original=Transactions,
    guarantees=(DifferentialPrivacy,),
    tables=tables.TABLES,
    lay_out=lambda noisy: parts_of(tables.tables_of(noisy), tables.TABLES),
    read=lambda folder, _, limit: read_tables(folder, tables.TABLES, tables.noisy_of, limit),
    counted=("records", "terms"),
    texts=lambda noisy: (noisy.records.vocabulary,),
    compared=_compared,
    by_construction=True,
    statistics=statistics_of,
    pictures=_pictures,
    learned=learned,
    learned_from=FROM_EPSILON,
    limits=not_guaranteed,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
    show=SHOW,
    evidence=_evidence,
    eyes_only=eyes_only,
    unproven=UNPROVEN,
)
