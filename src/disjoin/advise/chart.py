"""Charts of tried settings: utility lost against records exposed, as a figure and in characters for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from string import ascii_letters

from disjoin.advise.survey import TOO_MUCH, Survey, frontier, recommended
from disjoin.advise.table_trials import LIMITS, TriedTable, lost_and_found, setting_in_words
from disjoin.advise.table_trials import frontier as unbeaten
from disjoin.advise.trial import COLUMNS, ERROR, EXPOSED
from disjoin.charts.svg import Chart, Dot, scatter, tick_percent
from disjoin.text import percent

TITLE = "What is lost against what is shown"
_KEPT, _BEST = "no other setting is better in both", "recommended"
WIDE, TALL = 56, 13  # letters
_MARGIN = 8  # for the numbers on the left of the letters


def chart_of(survey: Survey, *, is_whole: bool = True) -> Chart:
    """Return the chart: a mark per setting, a line along the frontier, a ring round the recommended (if `is_whole`)."""
    kept, best = frontier(survey.measured), recommended(survey) if is_whole else None
    points = []
    for entry in survey.measured:
        marks = {"is_kept": entry in kept, "is_best": entry is best}
        label = survey.grid.label(entry.point)
        points.append(Dot(entry[ERROR], entry[EXPOSED], entry.point.clustering, label, **marks))
    terms, below = survey.grid.yardstick
    return scatter(
        TITLE,
        points,
        ("pair error", f"records exposed ({terms} terms, fewer than {below} records)"),
        spoken(survey),
        series=survey.grid.clusterings,
        keys=(_KEPT, _BEST, "Numbers: k/m" if len(survey.grid.ms) > 1 else ""),
        top=room_above(point.y for point in points),
        limit=(TOO_MUCH, "not advisable above"),
    )


def chart_of_tables(tried: Sequence[TriedTable], best: TriedTable | None = None) -> Chart:
    """Return the chart of settings that were tried on a table: granularity lost against rows that a guess finds."""
    kept, points = unbeaten(tried), []
    for entry in tried:
        if not entry.failure:
            marks = {"is_kept": entry in kept, "is_best": entry is best}
            points.append(Dot(*lost_and_found(entry), _series(entry), f"{entry.settings.get('k', '')}", **marks))
    found = [(entry.name, *map(percent, lost_and_found(entry))) for entry in kept]
    said = "; ".join(f"{name}, {lost} lost, {shown} found" for name, lost, shown in found)
    seen = (
        "Detail that settings lose, and the share of rows that a guess within their class finds; lower is better in "
        f"both. No other setting is better than these, from the least loss to the least risk: {said}."
    )
    return scatter(
        TITLE,
        points,
        ("detail lost (granularity)", "rows found by a guess within their class"),
        seen,
        series=list(dict.fromkeys(point.series for point in points)),
        keys=(_KEPT, _BEST, "Numbers: k"),
        top=room_above(point.y for point in points),
        written=tick_percent,
    )


def _series(entry: TriedTable) -> str:
    """Return the limits that a setting sets on sensitive columns; without limits, whether it suppresses rows."""
    asked = setting_in_words({name: entry.settings[name] for name in LIMITS if name in entry.settings})
    return asked or ("some rows suppressed" if entry.settings.get("suppress") else "all rows")


def room_above(shares: Iterable[float]) -> float:
    return min(1.0, 1.1 * max(0.01, *shares))


def spoken(survey: Survey) -> str:
    """Return a description of the chart for screen readers."""
    said = [
        f"{survey.name(entry)}, pair error {COLUMNS[ERROR].written(entry[ERROR])}, exposed {percent(entry[EXPOSED])}"
        for entry in frontier(survey.measured)
    ]
    return (
        "Pair error of settings, and the share of records that they expose; lower is better in both. No other setting "
        f"is better than these, from the least error to the least exposure: {'; '.join(said)}."
    )


def letters_of(survey: Survey) -> list[str]:
    """Return a letter for every setting that was tried, in their order; + for those beyond the alphabet."""
    return [(ascii_letters + "+" * len(survey.entries))[number] for number in range(len(survey.entries))]


def sketch_of(survey: Survey) -> list[str]:
    """Return lines of text: a letter per setting, further left with less error, lower with less exposure (its root)."""
    top = room_above(entry[EXPOSED] for entry in survey.measured)
    field = [[" "] * WIDE for _ in range(TALL)]
    errors = [entry[ERROR] for entry in survey.measured]
    least, most = min(errors), max(errors)
    for letter, entry in zip(letters_of(survey), survey.entries, strict=True):
        if not entry.failure:
            place = round((entry[ERROR] - least) / (most - least) * (WIDE - 1)) if most > least else 0
            _put(letter, field[_height(entry[EXPOSED], top)], place)
    scale = {_height(share, top): percent(share) for share in (top, top / 4, 0.0)}
    lines = [f"{scale.get(line, ''):>{_MARGIN - 2}} |{''.join(row).rstrip()}" for line, row in enumerate(field)]
    written = COLUMNS[ERROR].written
    ends = f"{written(least)}{written(most):>{WIDE - len(written(least))}}"
    return ["exposed", *lines, f"{'':>{_MARGIN - 2}} +{'-' * WIDE}", f"{'':>{_MARGIN}}{ends}  pair error"]


def _height(share: float, top: float) -> int:
    return TALL - 1 - round(math.sqrt(share / top) * (TALL - 1))


def _put(letter: str, row: list[str], column: int) -> None:
    """Put a letter in the nearest free place of a row; there are fewer letters than places."""
    free = [place for place, taken in enumerate(row) if taken == " "]
    if free:
        row[min(free, key=lambda place: abs(place - column))] = letter
