"""What every form says of a release whose guarantee calls itself not proven."""

from __future__ import annotations

from disjoin.model.release import Report

TITLE = "Not proven"


def is_proven(report: Report) -> bool:
    """Tell whether the guarantee of a release claims a proof."""
    return report.guarantee.get("proven", True) is not False
