"""The forms of published data, as a release folder knows them: their tables, and the way into these and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disjoin.files import release_clusters, release_forest, release_groups, release_table, release_table_reader
from disjoin.files.release_parts import Part, Reading, parts_of, read_tables
from disjoin.files.release_tables import Layout
from disjoin.model.clusters import Clusters
from disjoin.model.generalized import Generalized
from disjoin.model.groups import Groups
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.guarantees import Promise
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.privacy_degree import PrivacyDegree


@dataclass(frozen=True, slots=True)
class Form:
    """What a release of this form has in its folder."""

    name: str
    tables: Mapping[str, Layout]  # by file name, those that every such release has
    lay_out: Callable[[Any], dict[str, Part]]  # the files of the form's own noun, by path
    read: Callable[[Path, Promise, int], Reading]  # a folder under a promise, within so many bytes of memory
    guarantees: tuple[type[Promise], ...]  # what can be promised of it
    counted: tuple[str, ...]  # the names of the noun's extent

    def fits(self, guarantee: Promise) -> bool:
        """Tell whether the guarantee can be promised of this form."""
        return isinstance(guarantee, self.guarantees)


FORMS: dict[str, Form] = {
    Clusters.form: Form(
        Clusters.form,
        release_clusters.TABLES,
        lambda clusters: parts_of(release_clusters.tables_of(clusters), release_clusters.TABLES),
        lambda folder, _, limit: read_tables(folder, release_clusters.TABLES, release_forest.forest_of, limit),
        (KmAnonymity,),
        ("records", "terms"),
    ),
    Groups.form: Form(
        Groups.form,
        release_groups.TABLES,
        lambda groups: parts_of(release_groups.tables_of(groups), release_groups.TABLES),
        lambda folder, _, limit: read_tables(folder, release_groups.TABLES, release_groups.groups_of, limit),
        (PrivacyDegree,),
        ("records", "terms"),
    ),
    Generalized.form: Form(
        Generalized.form,
        release_table.TABLES,
        release_table.lay_out,
        release_table_reader.read_generalized,
        (KAnonymity,),
        ("records", "columns"),
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
