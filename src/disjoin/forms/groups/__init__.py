"""Form of groups, as published by CAHD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.forms.form import Form, require_records, require_unasked, slots_of
from disjoin.forms.groups import facts, page, pictures, prose, tables
from disjoin.model.groups import Groups
from disjoin.model.privacy_degree import PrivacyDegree
from disjoin.model.release import Release
from disjoin.model.transactions import Transactions
from disjoin.parquet.tables import parts_of, read_tables

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    from disjoin.measure import GroupEvidence

    published: Any = release.published
    require_unasked("groups", asked)
    p = release.guarantee.p if isinstance(release.guarantee, PrivacyDegree) else None
    return GroupEvidence(require_records(original), published, p, asked["settings"], asked["progress"])


def _dossier() -> DossierParts:
    from disjoin.forms.groups.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=Groups,
    part=("group", "groups"),
    original=Transactions,
    guarantees=(PrivacyDegree,),
    lay_out=lambda groups: parts_of(tables.tables_of(groups), tables.TABLES),
    read=lambda folder, _, limit: read_tables(folder, tables.TABLES, tables.groups_of, limit),
    counted=("records", "terms"),
    texts=lambda groups: (groups.vocabulary,),
    **slots_of(tables.TABLES, facts, page, pictures, prose),
    dossier=_dossier,
    evidence=_evidence,
)
