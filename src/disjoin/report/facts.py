"""From a release to the facts about it that may be published."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from disjoin.forms.form import Form
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release, Report
from disjoin.verify.inspection import inspection_of

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
    alone = [each.name for each in inspection_of(form.noun).invariants if each.needs == "release"]
    on_the_tables = [name for name in alone if name in release.verdict.checked]
    missing = release.verdict.facts.get("unproven")
    shown = {"by_construction": True} if form.by_construction else {}
    if missing is None:
        return {"holds": release.verdict.holds, "checked": on_the_tables, **shown}
    checked = [name for name in on_the_tables if not missing.get(name)]
    return {"holds": False, "checked": checked, **shown, "unproven": dict(missing)}


def checks_of(report: Report) -> list[tuple[str, str]]:
    """Return what was checked on the tables, as (name, words)."""
    known = {each.name: each for each in inspection_of(FORMS[report.form].noun).invariants}
    return [
        (name, known[name].in_words(report.guarantee) if name in known else "Checked.")
        for name in report.verdict["checked"]
    ]


def shortfalls(report: Report) -> list[tuple[str, str]]:
    """Return what a proof would need and these tables do not show, as (invariant, words)."""
    return FORMS[report.form].unproven.shortfalls(report)
