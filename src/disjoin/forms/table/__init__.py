"""Form of generalised tables, as published by local recoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disjoin.errors import InvalidParameter
from disjoin.forms.form import Form, require_unasked, slots_of
from disjoin.forms.table import facts, page, pictures, prose, tables
from disjoin.model.generalized import Generalized
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.release import Release
from disjoin.model.table import Role, Table

if TYPE_CHECKING:
    from disjoin.forms.dossier import DossierParts


def _evidence(release: Release, original: Any, **asked: Any) -> Any:
    from disjoin.measure import TableEvidence

    require_unasked("tables", asked)
    if not isinstance(original, Table):
        raise InvalidParameter("the original of this release must be a table, got records that are sets.")
    published: Any = release.published
    schema = published.table.schema
    return TableEvidence(
        original=original,
        published=published.table,
        quasi=published.quasi,
        unchanged=tuple(name for name in schema.names if name not in published.quasi),
        k=release.guarantee.k if isinstance(release.guarantee, KAnonymity) else None,
        label=asked["settings"].label or next(iter(schema.with_role(Role.SENSITIVE)), None),
        progress=asked["progress"],
    )


def _dossier() -> DossierParts:
    from disjoin.forms.table.dossier import DOSSIER

    return DOSSIER


FORM = Form(
    noun=Generalized,
    part=("class", "classes"),
    original=Table,
    guarantees=(KAnonymity,),
    lay_out=tables.lay_out,
    read=tables.read_generalized,
    counted=("records", "columns"),
    texts=lambda generalized: generalized.table.values,
    more=tables.hierarchy_paths,
    **slots_of(tables.TABLES, facts, page, pictures, prose),
    dossier=_dossier,
    evidence=_evidence,
)
