"""The chart in plain letters, for the terminal."""

from __future__ import annotations

import math
from string import ascii_letters

from disjoin.advise.chart import room_above
from disjoin.advise.columns import COLUMNS, ERROR, EXPOSED, percent
from disjoin.advise.survey import Survey
from disjoin.advise.trial import Tried

WIDE, TALL = 56, 13
_MARGIN = 8  # for the numbers on the left


def letters_of(survey: Survey) -> list[str]:
    """Return a letter for every setting that was tried, in their order; + for those beyond the alphabet."""
    return [(ascii_letters + "+" * len(survey.entries))[number] for number in range(len(survey.entries))]


def sketch_of(survey: Survey) -> list[str]:
    """Return lines of text: every setting's letter, the further left the less error, the lower the less exposed.

    Heights are square roots of shares, as in the chart. Where two would be in one place, one moves aside.
    """
    top = room_above(survey)
    field = [[" "] * WIDE for _ in range(TALL)]
    errors = [entry[ERROR] for entry in survey.measured]
    for letter, entry in zip(letters_of(survey), survey.entries, strict=True):
        if not entry.failure:
            _put(letter, field[_line(entry, top)], _column(entry, min(errors), max(errors)))
    scale = {line: percent(share) for share in (top, top / 4, 0.0) for line in [_height(share, top)]}
    lines = [f"{scale.get(line, ''):>{_MARGIN - 2}} |{''.join(row).rstrip()}" for line, row in enumerate(field)]
    written = COLUMNS[ERROR].written
    ends = f"{written(min(errors))}{written(max(errors)):>{WIDE - len(written(min(errors)))}}"
    return ["exposed", *lines, f"{'':>{_MARGIN - 2}} +{'-' * WIDE}", f"{'':>{_MARGIN}}{ends}  pair error"]


def _line(entry: Tried, top: float) -> int:
    return _height(entry[EXPOSED], top)


def _height(share: float, top: float) -> int:
    return TALL - 1 - round(math.sqrt(share / top) * (TALL - 1))


def _column(entry: Tried, least: float, most: float) -> int:
    return round((entry[ERROR] - least) / (most - least) * (WIDE - 1)) if most > least else 0


def _put(letter: str, row: list[str], column: int) -> None:
    """Put a letter in the nearest free place of a row; there are fewer letters than places."""
    free = [place for place, taken in enumerate(row) if taken == " "]
    if free:
        row[min(free, key=lambda place: abs(place - column))] = letter
