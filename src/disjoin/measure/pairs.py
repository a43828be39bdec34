"""Relative error of pair supports (re), weighted and by range."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from disjoin.measure.definition import Finding, Measure
from disjoin.measure.evidence import SetEvidence, estimated_pairs, in_terms_of
from disjoin.measure.mass import Floats
from disjoin.measure.pair_counts import RANGES, Ranks, count_pairs, terms_by_support
from disjoin.model.clusters import Clusters
from disjoin.model.ragged import Ints64
from disjoin.model.transactions import Transactions

AVERAGED = (2, 5, 10)  # reconstructions
SOURCES: dict[str, tuple[str, str]] = {  # how a name ends: the title's end, where the published supports come from
    "": ("one reconstruction", "in one reconstruction"),
    "_a": ("chunks alone", "inside subrecords alone"),
    **{f"_r{n}": (f"mean of {n} reconstructions", f"on average in {n} reconstructions") for n in AVERAGED},
}
DIRECT: dict[str, tuple[str, str]] = {  # the same for forms that have one source only
    "items": ("generalised records", "in generalised records and spread over the terms below"),
    "noisy": ("noisy records", "in the noisy records"),
}


def pair_error(original: int, published: Fraction | int) -> Fraction:
    """Return the relative error of a support, 0 to 2; 0 if it is 0 in both.

    >>> pair_error(3, 0), pair_error(3, 2), pair_error(0, 0)
    (Fraction(2, 1), Fraction(2, 5), Fraction(0, 1))
    """
    whole = original + Fraction(published)
    return abs(original - Fraction(published)) * 2 / whole if whole else Fraction(0)


def relative_error(evidence: SetEvidence, ranks: Ranks, source: str = "") -> Finding:
    """Return the mean error over all pairs of terms with these ranks in the original. `source` selects published
    supports: chunks alone (`_a`), the mean of 2, 5 or 10 reconstructions (`_r2`, ...), or one."""
    terms = evidence.original.n_terms
    fitted, (whence, _) = ranks.within(terms), DIRECT.get(evidence.form, SOURCES[source])
    details: dict[str, object] = {"ranks_asked": list(ranks), "ranks": list(fitted), "source": whence}
    if fitted.last - fitted.first < 1:
        return Finding(None, ("There are fewer than two terms, so there are no pairs.",), details)
    worlds = int(source[2:]) if source.startswith("_r") else 1
    if worlds > evidence.settings.reconstructions:
        drawn = evidence.settings.reconstructions
        return Finding(None, (f"Needs {worlds} reconstructions; {drawn} were asked for.",), details)
    notes = [] if fitted == ranks else [f"There are {terms:,} terms only: ranks {fitted} in place of {ranks}."]
    chosen = np.flatnonzero(np.isin(evidence.ranked_terms, evidence.ranked[fitted.first - 1 : fitted.last]))
    square, upper = np.ix_(chosen, chosen), np.triu_indices(chosen.size, 1)
    squares = (evidence.original_pairs, *evidence.published_pairs(source))
    true, counts, divisors = (supports[square][upper].tolist() for supports in squares)
    found = [Fraction(count, divisor) for count, divisor in zip(counts, divisors, strict=True)]
    errors = [pair_error(one, other) for one, other in zip(true, found, strict=True)]
    there = [error for error, one in zip(errors, true, strict=True) if one]
    in_neither = sum(one == other == 0 for one, other in zip(true, found, strict=True))
    if in_neither:
        notes.append(f"{in_neither:,} of {len(errors):,} pairs are in no record of either and count as right.")
    details |= {
        "pairs": len(errors),
        "pairs_in_neither": in_neither,
        "pairs_in_original": len(there),  # a pair that the original does not have is either right or 2
        "error_of_pairs_in_original": float(sum(there, Fraction(0)) / len(there)) if there else None,
    }
    return Finding(sum(errors, Fraction(0)) / len(errors), tuple(notes), details)


def _relative_error(ranks: Ranks, source: str) -> Measure:
    words = {
        form: (
            f"Relative error of pair counts, terms {ranks}, {whence}",
            f"Counts of pairs of the terms ranked {ranks} differ by this share of their mean, counted {where}.",
        )
        for form, (whence, where) in {"clusters": SOURCES[source], **DIRECT}.items()
    }
    title, meaning = words.pop("clusters")
    in_name = "" if ranks == RANGES[0] else f"_{ranks.first}_{ranks.last}"
    return Measure(
        name=f"re{source}{in_name}",
        title=title,
        largest=2,
        unit="error",
        meaning=meaning,
        compute=partial(relative_error, ranks=ranks, source=source),
        forms=("clusters",) if source else ("clusters", *DIRECT),
        wordings={} if source else words,
    )


RELATIVE_ERRORS = tuple(_relative_error(ranks, source) for ranks in RANGES for source in SOURCES)


TOP_TERMS = 300  # the most frequent: pairs of others are in few records each
TITLE = "Error of estimated pair counts"
_WORDS = "Estimated counts of pairs of the 300 most frequent terms, {}, differ by this share of the sum of true counts."


PairsOfOriginal = tuple[Ints64, Ints64]  # the most frequent terms, and in how many records each pair of them is


def pairs_of(original: Transactions) -> PairsOfOriginal:
    terms = terms_by_support(original.supports())[:TOP_TERMS]
    return terms, count_pairs(original.records, original.n_terms, terms)


def weighted_pair_error(published: Clusters, original: Transactions, counted: PairsOfOriginal | None = None) -> float:
    """Return sum |estimate - support| / sum support over all pairs of the most frequent terms; 0 without pairs.
    Suppressed records count as an error. `counted` is what `pairs_of` the original returns."""
    terms, supports = counted or pairs_of(original)
    return _error(estimated_pairs(in_terms_of(original, published), terms), supports)[0]


def _error(estimates: Floats, supports: Ints64) -> tuple[float, float, int]:
    above = np.triu_indices(len(supports), 1)
    off, whole = float(np.abs(estimates[above] - supports[above]).sum()), int(supports[above].sum())
    return (off / whole if whole else 0.0), off, whole


def _found(evidence: SetEvidence) -> Finding:
    terms = evidence.ranked[:TOP_TERMS]
    supports = count_pairs(evidence.original.records, evidence.original.n_terms, terms)
    error, off, whole = _error(evidence.estimated_pairs(terms), supports)
    pairs = int(np.count_nonzero(np.triu(supports, 1)))
    details = {"terms": int(terms.size), "pairs_in_original": pairs, "occurrences_of_pairs": whole, "off_by": off}
    notes = () if whole else ("No record of the original has two of the most frequent terms.",)
    return Finding(error, notes, details)


WEIGHTED_PAIR_ERROR = Measure(
    name="weighted_pair_error",
    title=TITLE,
    largest=None,
    unit="ratio",
    meaning=_WORDS.format("put together from chunks"),
    compute=_found,
    forms=("clusters", "items", "noisy", "mixed"),
    wordings={
        "items": (TITLE, _WORDS.format("spread over the terms of a category")),
        "noisy": (TITLE, _WORDS.format("counted in noisy records")),
    },
)
