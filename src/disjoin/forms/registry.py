"""Registry of forms by name, and the form of a release folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from disjoin.forms import clusters, groups, items, mixed, noisy, table
from disjoin.forms.form import Form
from disjoin.model.guarantees import AnyGuarantee
from disjoin.model.plugins import Registry
from disjoin.progress import Progress, silent

if TYPE_CHECKING:
    from disjoin.measure import Settings
    from disjoin.model.hierarchy import Hierarchy
    from disjoin.model.release import Release

_ALL = (clusters.FORM, groups.FORM, table.FORM, items.FORM, noisy.FORM, mixed.FORM)
FORMS: Registry[Form] = Registry("disjoin.forms", (Form,), {form.name: form for form in _ALL})


def form_of(present: Iterable[str], declared: Iterable[str], guarantee: AnyGuarantee) -> Form:
    """Return the form of a folder with these files; clusters, if nothing speaks for another.
    A form with all its tables comes first, then one with some, then one that fits the guarantee. A form whose tables
    all belong to a larger one needs that nothing speaks for the larger: removing a table must not weaken the guarantee.

    >>> from disjoin.model import KmAnonymity, PrivacyDegree
    >>> form_of(["groups.parquet", "README.md"], [], PrivacyDegree(2)).name
    'groups'
    >>> [form_of(["records.parquet"], [], promise).name for promise in (PrivacyDegree(2), KmAnonymity(2, 2))]
    ['groups', 'items']
    """
    files = set(present)
    mentioned = {*files, *declared}

    def is_whole(form: Form) -> bool:
        return form.tables.keys() <= files

    def evidence(form: Form) -> tuple[bool, bool, bool]:
        larger = [other for other in FORMS.values() if form.tables.keys() < other.tables.keys()]
        is_outdone = any(is_whole(other) or other.fits(guarantee) for other in larger)
        return is_whole(form) and not is_outdone, not mentioned.isdisjoint(form.tables), form.fits(guarantee)

    return max(FORMS.values(), key=evidence)


def evidence_of(
    release: Release, original: Any, hierarchy: Hierarchy | None, settings: Settings, progress: Progress = silent
) -> Any:
    form = FORMS[release.published.form]
    assert form.evidence is not None, "measures of a form look at its evidence"
    assert isinstance(release.published, form.noun), "the form is that of what is published"
    return form.evidence(release, original, hierarchy=hierarchy, settings=settings, progress=progress)
