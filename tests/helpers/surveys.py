"""Surveys that were never made, for tests of the advice on them."""

from __future__ import annotations

from disjoin.advise.survey import Survey
from disjoin.advise.trial import Grid, SettingPoint, Tried

Figures = tuple[float, float]  # pair error, exposure


def surveyed(figures: dict[SettingPoint, Figures | str], grid: Grid | None = None, whole: int = 1000) -> Survey:
    """Return a survey of 1,000 records with these pair errors and exposures, or reasons why there are none."""
    if grid is None:
        clusterings = tuple(dict.fromkeys(point.clustering for point in figures))
        grid = Grid(clusterings, tuple({point.k for point in figures}), tuple({point.m for point in figures}))
    entries = tuple(_entry(point, found) for point, found in figures.items())
    return Survey("baskets.csv", 1000, whole, 50, grid, entries)


def _entry(point: SettingPoint, found: Figures | str) -> Tried:
    if isinstance(found, str):
        return Tried(point, {}, found)
    error, exposed = found
    kept = {"pair_mass": round(1 - error, 4), "weighted_pair_error": error, "tkd_a": error / 2}
    shown = {"exposed": exposed, "singled_out": exposed / 2, "universal_terms": 0.25, "harmed": exposed / 2}
    return Tried(point, kept | shown | {"seconds": 1.0})
