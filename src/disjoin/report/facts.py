"""From a release to the facts about it that may be published."""

from __future__ import annotations

from typing import Any

from disjoin.measure import MEASURES
from disjoin.model.published import require_clusters
from disjoin.model.release import Release
from disjoin.model.report import Report
from disjoin.report.statistics import statistics_of
from disjoin.report.words import in_order


def facts_of(release: Release) -> Report:
    """Return the facts of a release.

    Every one of them is a function of the published content and the parameters: an exact share of kept occurrences,
    say, would betray how often a term of a term chunk occurs. So what the inspector learnt from the original stays
    out, and a release that was loaded and written again has the same report.
    """
    published = require_clusters(release.published, "this report")
    return Report(
        method=release.method,
        parameters=dict(release.parameters),
        guarantee=release.guarantee.to_json(),
        sentence=release.guarantee.sentence(),
        verdict=_verdict(release),
        counts=release.counts,
        statistics=statistics_of(published, release.guarantee),
        measures={name: measure.to_json(published) for name, measure in MEASURES.items()},
    )


def _verdict(release: Release) -> dict[str, Any]:
    """Return what the tables show; where no proof is claimed, nothing holds that a program could mistake for one."""
    on_the_tables = [name for name in release.verdict.checked if name.startswith("V")]
    missing = release.verdict.facts.get("unproven")
    if missing is None:
        return {"holds": release.verdict.holds, "checked": in_order(on_the_tables)}
    checked = in_order([name for name in on_the_tables if not missing.get(name)])
    return {"holds": False, "checked": checked, "unproven": dict(missing)}
