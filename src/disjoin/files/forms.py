"""The forms of published data, as a release folder knows them: their tables, and the way into these and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from disjoin.files import (
    release_clusters,
    release_forest,
    release_groups,
    release_items,
    release_noisy,
    release_table,
    release_table_reader,
)
from disjoin.files.release_parts import Part, Reading, parts_of, read_tables
from disjoin.files.release_tables import Layout
from disjoin.model.clusters import Clusters
from disjoin.model.differential_privacy import DifferentialPrivacy
from disjoin.model.generalized import Generalized
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.model.groups import Groups
from disjoin.model.guarantee import KmAnonymity
from disjoin.model.guarantees import Promise
from disjoin.model.k_anonymity import KAnonymity
from disjoin.model.noisy_records import NoisyRecords
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
    texts: Callable[[Any], Iterable[pa.StringArray]]  # the terms or values of the form's own noun
    more: Callable[[Any], Iterable[str]] = lambda guarantee: ()  # the paths that it may have besides its tables

    def fits(self, guarantee: Promise) -> bool:
        """Tell whether the guarantee can be promised of this form."""
        return isinstance(guarantee, self.guarantees)

    def paths(self, guarantee: Promise) -> frozenset[str]:
        """Return every path that such a release may have in its folder, documents and descriptor aside."""
        return frozenset((*self.tables, *self.more(guarantee)))


FORMS: dict[str, Form] = {
    Clusters.form: Form(
        Clusters.form,
        release_clusters.TABLES,
        lambda clusters: parts_of(release_clusters.tables_of(clusters), release_clusters.TABLES),
        lambda folder, _, limit: read_tables(folder, release_clusters.TABLES, release_forest.forest_of, limit),
        (KmAnonymity,),
        ("records", "terms"),
        lambda clusters: (clusters.vocabulary,),
    ),
    Groups.form: Form(
        Groups.form,
        release_groups.TABLES,
        lambda groups: parts_of(release_groups.tables_of(groups), release_groups.TABLES),
        lambda folder, _, limit: read_tables(folder, release_groups.TABLES, release_groups.groups_of, limit),
        (PrivacyDegree,),
        ("records", "terms"),
        lambda groups: (groups.vocabulary,),
    ),
    Generalized.form: Form(
        Generalized.form,
        release_table.TABLES,
        release_table.lay_out,
        release_table_reader.read_generalized,
        (KAnonymity,),
        ("records", "columns"),
        lambda generalized: generalized.table.values,
        release_table.hierarchy_paths,
    ),
    GeneralizedItems.form: Form(
        GeneralizedItems.form,
        release_items.TABLES,
        release_items.lay_out,
        release_items.read_items,
        (KmAnonymity,),
        ("records", "terms"),
        lambda items: (items.terms, items.images, items.records.vocabulary),
    ),
    NoisyRecords.form: Form(
        NoisyRecords.form,
        release_noisy.TABLES,
        lambda noisy: parts_of(release_noisy.tables_of(noisy), release_noisy.TABLES),
        lambda folder, _, limit: read_tables(folder, release_noisy.TABLES, release_noisy.noisy_of, limit),
        (DifferentialPrivacy,),
        ("records", "terms"),
        lambda noisy: (noisy.records.vocabulary,),
    ),
}


def form_of(present: Iterable[str], declared: Iterable[str], guarantee: Promise) -> Form:
    """Return the form of a folder with these files; clusters, if nothing speaks for another.

    The form whose tables are all there; then one of whose tables something is left; then one that fits the guarantee.
    A form whose tables are some of those of a larger form is taken only if nothing speaks for the larger one, so that
    nobody makes a release that promises less by taking a table away.

    >>> form_of(["groups.parquet", "README.md"], [], PrivacyDegree(2)).name
    'groups'
    >>> [form_of(["records.parquet"], [], promise).name for promise in (PrivacyDegree(2), KmAnonymity(2, 2))]
    ['groups', 'items']
    """
    files, mentioned = set(present), {*present, *declared}

    def is_whole(form: Form) -> bool:
        return form.tables.keys() <= files

    def evidence(form: Form) -> tuple[bool, bool, bool]:
        larger = [other for other in FORMS.values() if form.tables.keys() < other.tables.keys()]
        is_outdone = any(is_whole(other) or other.fits(guarantee) for other in larger)
        return is_whole(form) and not is_outdone, not mentioned.isdisjoint(form.tables), form.fits(guarantee)

    return max(FORMS.values(), key=evidence)
