"""How many of the original's term occurrences and pairs of terms a release shows, exactly."""

from __future__ import annotations

from collections.abc import Callable

from disjoin.measure.evidence import Evidence
from disjoin.measure.mass import occurrences_inside, pairs_inside
from disjoin.measure.record import Finding, Measure, share_of


def _kept(evidence: Evidence, count: Callable[..., int], whole: int) -> Finding:
    inside, published = count(evidence.published), evidence.published
    details: dict[str, object] = {"shown": inside, "original": whole}
    notes: tuple[str, ...] = ()
    if published.is_joint.any():
        without = count(published, shared=False)
        details["without_shared_chunks"] = float(share_of(without, whole))
        notes = (f"{float(share_of(without, whole)):.1%} without shared chunks.",)
    return Finding(share_of(inside, whole), notes, details)


def term_mass_kept(evidence: Evidence) -> Finding:
    """Return the share of the original's term occurrences that chunks show."""
    return _kept(evidence, occurrences_inside, int(evidence.original.items.size))


def pair_mass_kept(evidence: Evidence) -> Finding:
    """Return the share of the original's pairs of terms in a record that subrecords show."""
    lengths = evidence.original.records.lengths
    return _kept(evidence, pairs_inside, int((lengths * (lengths - 1) // 2).sum()))


TERM_MASS_KEPT = Measure(
    name="term_mass",
    title="Term mass kept",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the original's term occurrences is shown in chunks, with counts.",
    page="term_mass",
    compute=term_mass_kept,
    forms=("clusters", "mixed"),
)

PAIR_MASS_KEPT = Measure(
    name="pair_mass",
    title="Pair mass kept",
    direction="higher",
    least=0,
    largest=1,
    unit="share",
    meaning="This share of the original's pairs of terms in a record is shown as pairs.",
    page="pair_mass",
    compute=pair_mass_kept,
    forms=("clusters", "mixed"),
)
