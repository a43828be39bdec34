"""The pages that go into a release folder."""

from __future__ import annotations

from disjoin.model.published import require_clusters
from disjoin.model.release import Release
from disjoin.report.charts import Draw
from disjoin.report.charts import draw as draw_here
from disjoin.report.facts import facts_of
from disjoin.report.html import render_html
from disjoin.report.picture import picture_of
from disjoin.report.readme import render_readme
from disjoin.report.typical import typical_clusters


def documents_of(release: Release, draw: Draw = draw_here) -> dict[str, str]:
    """Return README.md, report.html and report.json as texts; equal releases give equal texts, whoever draws."""
    published = require_clusters(release.published, "this report")
    pictures = [picture_of(published, node) for node in typical_clusters(published)]
    return texts_of(release) | {"report.html": render_html(facts_of(release), pictures, draw)}


def texts_of(release: Release) -> dict[str, str]:
    """Return the documents that need no drawing."""
    report = facts_of(release)
    return {"README.md": render_readme(report), "report.json": report.to_json()}
