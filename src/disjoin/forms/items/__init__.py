"""Form of generalised items, as published by Apriori."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.forms.form import Form, require_records
from disjoin.forms.items import tables
from disjoin.forms.items.facts import Tree, cut_of, eyes_only, rows_of, statistics_of
from disjoin.forms.items.page import PAGE
from disjoin.forms.items.pictures import SHOW, NodePicture, picture_of, typical_node
from disjoin.forms.items.prose import READING, README, learned, not_guaranteed
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.transactions import Transactions

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


def _pictures(published: GeneralizedItems) -> list[NodePicture]:
    cut, tree = cut_of(published), Tree(published.hierarchy)
    return [picture_of(cut, tree, typical_node(cut, tree))] if len(cut) else []


def _compared() -> type[Any]:
    from disjoin.measure import ItemEvidence

    return ItemEvidence


def _evidence(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress
) -> Any:
    published = release.published
    assert isinstance(published, GeneralizedItems), "the form is that of what is published"
    guarantee, records = release.guarantee, require_records(original)
    assert isinstance(guarantee, KmAnonymity), "generalised items are published under k^m-anonymity"
    more: dict[str, Any] = {"hierarchy": hierarchy, "settings": settings, "progress": progress}
    return _compared()(records, published, guarantee.k, m=guarantee.m, **more)


FORM = Form(
    noun=GeneralizedItems,
    part=("node", "nodes"),
    original=Transactions,
    guarantees=(KmAnonymity,),
    tables=tables.TABLES,
    lay_out=tables.lay_out,
    read=tables.read_items,
    counted=("records", "terms"),
    texts=lambda items: (items.terms, items.images, items.records.vocabulary),
    compared=_compared,
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
    eyes_only=eyes_only,
)
