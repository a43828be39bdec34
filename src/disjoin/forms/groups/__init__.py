"""Form of groups, as published by CAHD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.forms.form import Form, require_records, require_unasked
from disjoin.forms.groups import tables
from disjoin.forms.groups.facts import rows_of, statistics_of
from disjoin.forms.groups.page import PAGE
from disjoin.forms.groups.pictures import SHOW, GroupPicture, picture_of, typical_group
from disjoin.forms.groups.prose import READING, README, learned, not_guaranteed
from disjoin.model.groups import Groups
from disjoin.model.privacy_degree import PrivacyDegree
from disjoin.model.transactions import Transactions
from disjoin.parquet.tables import parts_of, read_tables

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


def _pictures(published: Groups) -> list[GroupPicture]:
    return [picture_of(published, typical_group(published))] if len(published) else []


def _evidence(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress
) -> Any:
    from disjoin.measure import GroupEvidence

    published = release.published
    assert isinstance(published, Groups), "the form is that of what is published"
    require_unasked("groups", hierarchy, settings)
    p = release.guarantee.p if isinstance(release.guarantee, PrivacyDegree) else None
    return GroupEvidence(require_records(original), published, p, settings, progress)


FORM = Form(
    noun=Groups,
    part=("group", "groups"),
    original=Transactions,
    guarantees=(PrivacyDegree,),
    tables=tables.TABLES,
    lay_out=lambda groups: parts_of(tables.tables_of(groups), tables.TABLES),
    read=lambda folder, _, limit: read_tables(folder, tables.TABLES, tables.groups_of, limit),
    counted=("records", "terms"),
    texts=lambda groups: (groups.vocabulary,),
    statistics=statistics_of,
    pictures=_pictures,
    learned=learned,
    limits=not_guaranteed,
    summary=rows_of,
    page=PAGE,
    readme=README,
    reading=READING,
    show=SHOW,
    evidence=_evidence,
)
