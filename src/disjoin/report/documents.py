"""The pages that go into a release folder."""

from __future__ import annotations

from disjoin.charts.specifications import Draw
from disjoin.charts.specifications import draw as draw_here
from disjoin.forms.registry import FORMS
from disjoin.model.release import Release, Report
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.report.readme import render_readme


def documents_of(release: Release, draw: Draw = draw_here) -> dict[str, str]:
    """Return README.md, report.html and report.json as texts; equal releases give equal texts, whoever draws."""
    report = facts_of(release)
    pictures = FORMS[report.form].pictures(release.published)
    return _texts(report) | {"report.html": render_html(report, pictures, draw)}


def texts_of(release: Release) -> dict[str, str]:
    """Return the documents that need no drawing."""
    return _texts(facts_of(release))


def _texts(report: Report) -> dict[str, str]:
    return {"README.md": render_readme(report), "report.json": report.to_json()}
