"""From a release to the facts about it that may be published."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release
from disjoin.model.report import Report
from disjoin.words import in_order

# Pages and screen ask for the same facts; large releases take seconds to count.
_KNOWN: WeakKeyDictionary[Release, Report] = WeakKeyDictionary()


def facts_of(release: Release) -> Report:
    """Return the facts of a release.

    Every one of them is a function of the published content and the parameters: an exact share of kept occurrences,
    say, would betray how often a term of a term chunk occurs. So what the inspector learnt from the original stays
    out, and a release that was loaded and written again has the same report.
    """
    if release not in _KNOWN:
        _KNOWN[release] = _facts(release)
    return _KNOWN[release]


def _facts(release: Release) -> Report:
    published = release.published
    form = FORMS[published.form]
    return Report(
        method=release.method,
        form=published.form,
        parameters=dict(release.parameters),
        guarantee=release.guarantee.to_json(),
        sentence=release.guarantee.sentence(),
        verdict=_verdict(release, form),
        counts=release.counts,
        statistics=form.statistics(published, release.guarantee, release.parameters),
        measures={name: measure.to_json(published, release.guarantee) for name, measure in form.measures().items()},  # type: ignore[arg-type]
    )


def _verdict(release: Release, form: Form) -> dict[str, Any]:
    """Return what the tables show; where no proof is claimed, nothing holds that a program could mistake for one."""
    on_the_tables = [name for name in release.verdict.checked if name.startswith(form.letter)]
    missing = release.verdict.facts.get("unproven")
    shown = {"by_construction": True} if form.by_construction else {}
    if missing is None:
        return {"holds": release.verdict.holds, "checked": in_order(on_the_tables), **shown}
    checked = in_order([name for name in on_the_tables if not missing.get(name)])
    return {"holds": False, "checked": checked, **shown, "unproven": dict(missing)}
