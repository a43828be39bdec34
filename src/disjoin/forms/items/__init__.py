"""Form of generalised items, as published by Apriori."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.forms.form import Form, require_records, slots_of
from disjoin.forms.items import facts, page, pictures, prose, tables
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.km_anonymity import KmAnonymity
from disjoin.model.release import Release
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts


def _compared() -> type[Any]:
    from disjoin.measure import ItemEvidence

    return ItemEvidence


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    guarantee = release.guarantee
    assert isinstance(guarantee, KmAnonymity), "generalised items are published under k^m-anonymity"
    return _compared()(require_records(original), release.published, guarantee.k, m=guarantee.m, **asked)


def _dossier() -> DossierParts:
    from disjoin.forms.items.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=GeneralizedItems,
    part=("node", "nodes"),
    original=Transactions,
    guarantees=(KmAnonymity,),
    lay_out=tables.lay_out,
    read=tables.read_items,
    counted=("records", "terms"),
    texts=lambda items: (items.terms, items.images, items.records.vocabulary),
    compared=_compared,
    **slots_of(tables.TABLES, facts, page, pictures, prose),
    dossier=_dossier,
    evidence=_evidence,
    eyes_only=facts.eyes_only,
)
