"""Top-K deviation (tKd): frequent itemsets lost by a release."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from disjoin.measure.definition import Finding, Measure, Wording
from disjoin.measure.evidence import Evidence, SetEvidence

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import TopItemsets

NO_HIERARCHY = "Needs a hierarchy of the terms; none was given."


def itemsets_lost(original: TopItemsets, published: TopItemsets, top: int) -> Finding:
    """Return the share of the original's top itemsets that are not among the published ones; says what ties there are.

    If the original has fewer than `top` itemsets, these are all that count.
    """
    wanted, found = original.as_sets(), published.as_sets()
    kept = len(wanted & found)
    details = {
        "itemsets": len(wanted),
        "kept": kept,
        "last_support": {"original": _last(original), "published": _last(published)},
        "tied_at_the_cut": {"original": original.tied, "published": published.tied},
        "cut_off": {"original": original.cut, "published": published.cut},
        "ties_are_exact": original.ties_are_exact and published.ties_are_exact,
    }
    value = Fraction(len(wanted) - kept, len(wanted)) if wanted else Fraction(0)
    return Finding(value, tuple(_notes(original, published, top)), details)


def _last(itemsets: TopItemsets) -> int | None:
    return int(itemsets.supports[-1]) if len(itemsets) else None


def _notes(original: TopItemsets, published: TopItemsets, top: int) -> list[str]:
    notes = []
    if len(original) < top:
        notes.append(f"The original has {len(original):,} itemsets only.")
    for name, itemsets in (("original", original), ("release", published)):
        if itemsets.cut:
            about = "" if itemsets.ties_are_exact else "at least "
            notes.append(
                f"{name.capitalize()}: {about}{itemsets.tied:,} itemsets tie at support {_last(itemsets):,}, "
                f"{about}{itemsets.cut:,} of them are cut off by size and name."
            )
    return notes


def tkd(evidence: SetEvidence) -> Finding:
    """Compare with the top itemsets of the published records; of clusters, of one reconstruction."""
    return itemsets_lost(evidence.original_top, evidence.published_top, evidence.settings.top)


def tkd_a(evidence: Evidence) -> Finding:
    """Compare with the top itemsets of the subrecords alone."""
    return itemsets_lost(evidence.original_top, evidence.chunk_top, evidence.settings.top)


def tkd_ml2(evidence: SetEvidence) -> Finding:
    """Compare the top itemsets of both sides after every record got the ancestors of its terms."""
    if evidence.tree is None:
        return Finding(None, (NO_HIERARCHY,))
    return itemsets_lost(evidence.extended_original_top, evidence.extended_published_top, evidence.settings.top)


def _direct(meaning: str, title: str | None = None) -> tuple[Wording, ...]:
    """Return the words for forms whose published records are compared as they are."""
    return tuple(
        Wording(form, title or f"Top itemsets lost, {records}", f"{meaning} is not among those of the {records}.")
        for form, records in (("items", "generalised records"), ("noisy", "noisy records"))
    )


TKD = Measure(
    name="tkd",
    title="Top itemsets lost, one reconstruction",
    meaning="This share of the original's most frequent itemsets is not among those of a reconstruction.",
    compute=tkd,
    forms=("clusters", "items", "noisy"),
    wordings=_direct("This share of the original's most frequent itemsets"),
)

TKD_A = Measure(
    name="tkd_a",
    title="Top itemsets lost, chunks alone",
    meaning="This share of the original's most frequent itemsets is not among those of the subrecords alone.",
    page="tkd",
    compute=tkd_a,
)

TKD_ML2 = Measure(
    name="tkd_ml2",
    title="Top itemsets lost, with ancestors",
    meaning="This share of the original's most frequent itemsets of terms and their ancestors is not among those of a "
    "reconstruction.",
    page="tkd",
    compute=tkd_ml2,
    forms=("clusters", "items", "noisy"),
    wordings=_direct(
        "This share of the original's most frequent itemsets of terms and their ancestors",
        "Top itemsets lost, with ancestors",
    ),
)
