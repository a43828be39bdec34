"""Form of generalised tables, as published by local recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.forms.form import Form, require_unasked
from disjoin.forms.table import tables
from disjoin.forms.table.facts import rows_of, statistics_of
from disjoin.forms.table.page import PAGE
from disjoin.forms.table.pictures import SHOW, ClassPicture, classes_of, picture_of, typical_class
from disjoin.forms.table.prose import READING, README, learned, not_guaranteed
from disjoin.forms.table.tables import read_generalized
from disjoin.model.generalized import Generalized
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.table import Role, Table

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release
    from disjoin.progress import Progress


def _pictures(published: Generalized) -> list[ClassPicture]:
    classes = classes_of(published)
    return [picture_of(classes, typical_class(classes))] if len(classes) else []


def _evidence(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress
) -> Any:
    from disjoin.measure import TableEvidence

    require_unasked("tables", hierarchy, settings)
    if not isinstance(original, Table):
        raise InvalidParameter("the original of this release must be a table, got records that are sets.")
    guarantee, published = release.guarantee, release.published
    assert isinstance(published, Generalized), "the form is that of what is published"
    schema = published.table.schema
    return TableEvidence(
        original=original,
        published=published.table,
        quasi=published.quasi,
        unchanged=tuple(name for name in schema.names if name not in published.quasi),
        k=guarantee.k if isinstance(guarantee, KAnonymity) else None,
        label=settings.label or next(iter(schema.with_role(Role.SENSITIVE)), None),
        progress=progress,
    )


FORM = Form(
    noun=Generalized,
    part=("class", "classes"),
    original=Table,
    guarantees=(KAnonymity,),
    tables=tables.TABLES,
    lay_out=tables.lay_out,
    read=read_generalized,
    counted=("records", "columns"),
    texts=lambda generalized: generalized.table.values,
    more=tables.hierarchy_paths,
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
