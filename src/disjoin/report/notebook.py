"""Notebook card of a release."""

from __future__ import annotations

from disjoin.model import Release
from disjoin.model.card import card
from disjoin.model.guarantees import names_of
from disjoin.report.show import show

MOST_LINES = 14  # of a drawing
WIDTH = 88
UNPROVEN = "This release says of itself that it is not proven: it is for experiments."


def release_card(release: Release) -> str:
    """Return the card of a release; all that is on it may be published."""
    is_proven = release.guarantee.to_json().get("proven", True) is not False
    lines = show(release, typical=True, width=WIDTH).splitlines()
    shown = lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "..."]
    return card(
        " · ".join(filter(None, (f"Release by {release.method}", names_of(release.guarantee.to_json())))),
        release.guarantee.sentence(),
        [(name.replace("_", " "), f"{number:,}") for name, number in release.counts.items()],
        is_verified=True if is_proven else None,
        warning="" if is_proven else UNPROVEN,
        drawing="\n".join(shown),
    )
