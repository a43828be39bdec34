"""Top-K deviation (tKd): frequent itemsets lost by a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from disjoin.measure.definition import Finding, measure, share_of
from disjoin.measure.evidence import Evidence, SetEvidence

if TYPE_CHECKING:
    from disjoin.analyst.top_itemsets import TopItemsets


def itemsets_lost(original: TopItemsets, published: TopItemsets, top: int) -> Finding:
    """Return the share of the original's top itemsets (all, if fewer) that are not published, and the ties."""
    wanted = original.as_sets()
    kept = len(wanted & published.as_sets())
    notes = [f"The original has {len(original):,} itemsets only."] if len(original) < top else []
    for name, itemsets in (("Original", original), ("Release", published)):
        if itemsets.cut:
            about = "" if itemsets.ties_are_exact else "at least "
            notes.append(
                f"{name}: {about}{itemsets.tied:,} itemsets tie at support {_last(itemsets):,}, "
                f"{about}{itemsets.cut:,} of them are cut off by size and name."
            )
    details = {
        "itemsets": len(wanted),
        "kept": kept,
        "last_support": {"original": _last(original), "published": _last(published)},
        "tied_at_the_cut": {"original": original.tied, "published": published.tied},
        "cut_off": {"original": original.cut, "published": published.cut},
        "ties_are_exact": original.ties_are_exact and published.ties_are_exact,
    }
    return Finding(share_of(len(wanted) - kept, len(wanted), 0), tuple(notes), details)


def _last(itemsets: TopItemsets) -> int | None:
    return int(itemsets.supports[-1]) if len(itemsets) else None


def _direct(meaning: str, title: str | None = None) -> dict[str, tuple[str, str]]:
    return {
        form: (title or f"Frequent itemsets lost, {records}", f"{meaning} is not among those of the {records}.")
        for form, records in (("items", "generalised records"), ("noisy", "noisy records"))
    }


@measure(
    "Frequent itemsets lost, one reconstruction",
    forms=("clusters", "items", "noisy"),
    wordings=_direct("This share of the original's most frequent itemsets"),
)
def tkd(evidence: SetEvidence) -> Finding:
    """This share of the original's most frequent itemsets is not among those of a reconstruction."""
    return itemsets_lost(evidence.original_top, evidence.top_of(evidence.published_rows), evidence.settings.top)


@measure("Frequent itemsets lost, chunks alone")
def tkd_a(evidence: Evidence) -> Finding:
    """This share of the original's most frequent itemsets is not among those of the subrecords alone."""
    from disjoin.analyst.top_itemsets import chunk_rows

    return itemsets_lost(evidence.original_top, evidence.top_of(chunk_rows(evidence.published)), evidence.settings.top)


@measure(
    "Frequent itemsets lost, with categories",
    forms=("clusters", "items", "noisy"),
    wordings=_direct(
        "This share of the original's most frequent itemsets of terms and their ancestors",
        "Frequent itemsets lost, with categories",
    ),
)
def tkd_ml2(evidence: SetEvidence) -> Finding:
    """This share of the original's most frequent itemsets of terms and their ancestors is not among those of a
    reconstruction.

    Every record of both sides gets the ancestors of its terms.
    """
    if evidence.tree is None:
        return Finding(None, ("Needs a hierarchy of the terms; none was given.",))
    original, published = (evidence.extended_top_of(rows) for rows in (evidence.original_rows, evidence.published_rows))
    return itemsets_lost(original, published, evidence.settings.top)
