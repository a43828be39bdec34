"""Which settings no other beats in pair error and exposure, and which of them is advised."""

from __future__ import annotations

from collections.abc import Iterable

from disjoin.advise.grid import CLUSTERINGS
from disjoin.advise.survey import Survey
from disjoin.advise.trial import DIGITS, ERROR, EXPOSED, Tried

LEEWAY = 0.01  # who exposes so much more than the paper's method is about as careful
TOO_MUCH = 0.10  # a larger exposure is advised against


def frontier(entries: Iterable[Tried]) -> tuple[Tried, ...]:
    """Return those that none beats, the least error first: to beat is to be better in one thing and worse in none."""
    every = tuple(entries)
    kept = [entry for entry in every if not any(_beats(other, entry) for other in every)]
    return tuple(sorted(kept, key=preference))


def _beats(one: Tried, other: Tried) -> bool:
    left, right = (one[ERROR], one[EXPOSED]), (other[ERROR], other[EXPOSED])
    return left != right and left[0] <= right[0] and left[1] <= right[1]


def preference(entry: Tried) -> tuple[float, float, int, int, int]:
    """Less error first; of equal ones less exposure, then the stronger promise, then the earlier clustering."""
    point = entry.point
    return entry[ERROR], entry[EXPOSED], -point.m, -point.k, CLUSTERINGS.index(point.clustering)


def careful_limit(paper: Tried) -> float:
    """Return the exposure up to which a setting is about as careful as the paper's method."""
    return min(round(paper[EXPOSED] + LEEWAY, DIGITS), TOO_MUCH)


def benchmark(survey: Survey) -> Tried | None:
    """Return the paper's method if it can be one: it was tried, and does not expose too much itself."""
    paper = survey.paper
    return None if paper is None or paper[EXPOSED] > TOO_MUCH else paper


def recommended(survey: Survey) -> Tried:
    """Return what is advised: of those with less pair error than the paper's method, the closest to its exposure.

    Those about as careful as that are all as close, and the least error decides. If none has less error, but for those
    that expose too much, it is the paper's method itself. Where that is no benchmark, the least error without too much
    exposure is advised; failing that, the least exposure.
    """
    paper = benchmark(survey)
    if paper is None:
        return least_error(survey) or min(survey.measured, key=lambda entry: (entry[EXPOSED], *preference(entry)))
    limit = careful_limit(paper)
    better = [entry for entry in survey.measured if entry[ERROR] < paper[ERROR] and entry[EXPOSED] <= TOO_MUCH]
    return min(better, key=lambda entry: (max(entry[EXPOSED], limit), *preference(entry)), default=paper)


def least_error(survey: Survey) -> Tried | None:
    """Return the setting with the least pair error among those that do not expose too much."""
    return min((entry for entry in survey.measured if entry[EXPOSED] <= TOO_MUCH), key=preference, default=None)
