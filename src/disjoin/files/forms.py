"""The forms of published data, as a release folder knows them: their tables, and the way into these and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from disjoin.files import release_clusters, release_forest, release_groups
from disjoin.files.release_columns import Columns
from disjoin.files.release_tables import Layout
from disjoin.model.clusters import Clusters
from disjoin.model.groups import Groups
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.guarantees import Promise
from disjoin.model.privacy_degree import PrivacyDegree
from disjoin.model.published import Published


@dataclass(frozen=True, slots=True)
class Form:
    """What a release of this form has in its folder."""

    name: str
    tables: Mapping[str, Layout]  # by file name
    tables_of: Callable[[Any], dict[str, pa.Table]]  # of the form's own noun, by file name
    gather: Callable[[Mapping[str, Columns]], Published]  # from the columns of all its tables
    guarantees: tuple[type[Promise], ...]  # what can be promised of it

    def fits(self, guarantee: Promise) -> bool:
        """Tell whether the guarantee can be promised of this form."""
        return isinstance(guarantee, self.guarantees)


FORMS: dict[str, Form] = {
    Clusters.form: Form(
        Clusters.form,
        release_clusters.TABLES,
        release_clusters.tables_of,
        release_forest.forest_of,
        (KmAnonymity,),
    ),
    Groups.form: Form(
        Groups.form,
        release_groups.TABLES,
        release_groups.tables_of,
        release_groups.groups_of,
        (PrivacyDegree,),
    ),
}


def form_of(present: Iterable[str], declared: Iterable[str], guarantee: Promise) -> Form:
    """Return the form of a folder with these files; clusters, if nothing speaks for another.

    The form whose tables are all there; then one of whose tables something is left; then one that fits the guarantee.

    >>> form_of(["groups.parquet", "README.md"], [], PrivacyDegree(2)).name
    'groups'
    """
    files, mentioned = set(present), {*present, *declared}

    def evidence(form: Form) -> tuple[bool, bool, bool]:
        return form.tables.keys() <= files, not mentioned.isdisjoint(form.tables), form.fits(guarantee)

    return max(FORMS.values(), key=evidence)
