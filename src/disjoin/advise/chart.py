"""The chart: what each setting loses (pair error) against what it shows beyond the promise (exposure).

Once as a figure, once in plain letters for the terminal. The figure of a table has the granularity that is lost and
how likely a row is found by a guess within its class.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from string import ascii_letters
from typing import Any

from disjoin.advise.survey import TOO_MUCH, Survey, frontier, recommended
from disjoin.advise.trial import COLUMNS, ERROR, EXPOSED, Tried
from disjoin.charts.figures import COLOURS, figure
from disjoin.charts.specifications import Specification
from disjoin.trials.rows import percent
from disjoin.trials.tables import LIMITS, TriedTable, lost_and_found, setting_in_words
from disjoin.trials.tables import frontier as unbeaten

WIDTH, HEIGHT = 540, 340
TITLE = "What is lost against what is shown"
LEGEND = "Lower is better in both. Dashed: no other setting beats these."
RINGED = " Ring: recommended."
WIDE, TALL = 56, 13  # letters
_MARGIN = 8  # for the numbers on the left of the letters
_TICKS = (0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1)
_GREY, _INK, _RED = "#7b8794", "#1f2933", "#b3261e"
_EDGE = 52  # pixels between the marks and either end of the axis of error
_LETTER, _LINE, _MARK, _RING = 6.4, 13.0, 6.0, 10.0  # pixels: width and height of a letter, half a mark, half a ring
# Where the numbers of a mark may stand, the best place first: how far to the right and down, and where they are held.
_PLACES: tuple[tuple[int, int, str], ...] = tuple(
    (far * right, far * down, held)
    for far in (1, 2)
    for right, down, held in (
        *((0, -13, "center"), (12, 0, "left"), (0, 15, "center"), (-12, 0, "right")),
        *((9, -11, "left"), (9, 12, "left"), (-9, 12, "right"), (-9, -11, "right")),
    )
)
Box = tuple[float, float, float, float]  # left, top, right, bottom


def chart_of(survey: Survey, *, is_whole: bool = True) -> Specification:
    """Return the chart: a mark for every setting, a line along those that none beats, a ring round the one advised.

    Without the ring, as long as the survey is not whole.
    """
    rows, top = _rows(survey, is_whole), room_above(entry[EXPOSED] for entry in survey.measured)
    axes = {"x": _error([row["error"] for row in rows]), "y": _exposure(survey, top)}
    numbers = " Numbers: k/m." if len(survey.grid.ms) > 1 else ""
    return _picture(spoken(survey), rows, axes, survey.grid.clusterings, numbers, [] if top <= TOO_MUCH else _limit())


def chart_of_tables(tried: Sequence[TriedTable], best: TriedTable | None = None) -> Specification:
    """Return the chart of settings that were tried on a table: granularity lost against rows that a guess finds."""
    reached, kept = [entry for entry in tried if not entry.failure], unbeaten(tried)
    rows = _placed(
        [
            {
                "clustering": _series(entry),
                "label": f"{entry.settings.get('k', '')}",
                "error": lost_and_found(entry)[0],
                "exposed": lost_and_found(entry)[1],
                "kept": entry in kept,
                "best": entry is best,
            }
            for entry in reached
        ]
    )
    top = room_above(row["exposed"] for row in rows)
    x = _error([row["error"] for row in rows])
    shares = {"labelExpr": "format(100 * datum.value, '.3~g') + '%'"}
    axes = {"x": x | {"title": "granularity lost", "axis": x["axis"] | shares}, "y": _shares(_FOUND, top)}
    said = "; ".join(
        f"{entry.name}, {percent(lost_and_found(entry)[0])} lost, {percent(lost_and_found(entry)[1])} found"
        for entry in kept
    )
    seen = (
        "Granularity that settings lose against the share of rows that a guess within their class finds; lower is "
        f"better in both. Beaten by none are, from the least loss to the least risk: {said}."
    )
    names = list(dict.fromkeys(row["clustering"] for row in rows))
    return _picture(seen, rows, axes, names, " Numbers: k.", [])


_ALL, _STARRED, _FOUND = "all rows", "some rows starred", "rows found by a guess within their class"


def _series(entry: TriedTable) -> str:
    """Return what a setting asks of sensitive columns; if nothing, whether it suppresses rows."""
    asked = setting_in_words({name: entry.settings[name] for name in LIMITS if name in entry.settings})
    return asked or (_STARRED if entry.settings.get("suppress") else _ALL)


def _picture(
    seen: str,
    rows: list[dict[str, Any]],
    axes: dict[str, Any],
    names: Iterable[str],
    numbers: str,
    limit: list[dict[str, Any]],
) -> Specification:
    layers = [*limit, _line(), _ring(), _mark(list(names)), *_labels(rows)]
    chart = figure(TITLE, seen, rows, encoding=axes, layer=layers)
    legend = [LEGEND + (RINGED if any(row["best"] for row in rows) else "") + numbers]
    if any(row["place"] < 0 for row in rows):
        legend.append("Marks without numbers have no room for them.")  # a line of its own: one line would be cut off
    title = {"text": TITLE, "subtitle": legend, "subtitleColor": _GREY, "subtitleFontSize": 11, "subtitlePadding": 5}
    return chart | {"width": WIDTH, "height": HEIGHT, "title": title}


def room_above(shares: Iterable[float]) -> float:
    """Return where the axis of exposure ends."""
    return min(1.0, 1.1 * max(0.01, *shares))


def spoken(survey: Survey) -> str:
    """Say what can be seen to a reader who cannot see it."""
    said = [
        f"{survey.name(entry)}, pair error {COLUMNS[ERROR].written(entry[ERROR])}, exposed {percent(entry[EXPOSED])}"
        for entry in frontier(survey.measured)
    ]
    return (
        "Pair error of settings against the share of records that they expose; lower is better in both. Beaten by "
        f"none are, from the least error to the least exposure: {'; '.join(said)}."
    )


def _rows(survey: Survey, is_whole: bool) -> list[dict[str, Any]]:
    kept, best = frontier(survey.measured), recommended(survey) if is_whole else None
    rows: list[dict[str, Any]] = [
        {
            "clustering": entry.point.clustering,
            "label": survey.grid.label(entry.point),
            "error": entry[ERROR],
            "exposed": entry[EXPOSED],
            "kept": entry in kept,
            "best": entry is best,
        }
        for entry in survey.measured
    ]
    return _placed(rows)


def _placed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with the places of their labels; those of the best choose first."""
    marks = marks_of([(row["error"], row["exposed"]) for row in rows], room_above(row["exposed"] for row in rows))
    first = sorted(range(len(rows)), key=lambda place: (not rows[place]["best"], not rows[place]["kept"], place))
    ringed = [mark for mark, row in zip(marks, rows, strict=True) if row["best"]]
    places = places_of(marks, [row["label"] for row in rows], first, ringed)
    return [row | {"place": place} for row, place in zip(rows, places, strict=True)]


def _ends(errors: list[float]) -> tuple[float, float]:
    """Return where the axis of error begins and ends: there is room for numbers beyond the first and the last mark."""
    low, high = min(errors), max(errors)
    room = (high - low) * _EDGE / (WIDTH - 2 * _EDGE) or 0.5
    return low - room, high + room


def marks_of(points: list[tuple[float, float]], top: float) -> list[tuple[float, float]]:
    """Return where marks of error and exposure are drawn, in pixels from the left and from above."""
    begin, end = _ends([error for error, _ in points])
    return [
        (WIDTH * (error - begin) / (end - begin), (HEIGHT - 22) * (1 - math.sqrt(exposed / top)))
        for error, exposed in points
    ]


def places_of(
    marks: list[tuple[float, float]], labels: list[str], first: list[int], ringed: list[tuple[float, float]]
) -> list[int]:
    """Choose a place for the label of every mark where it covers no mark and no other label; -1 where there is none.

    Labels choose in the order of `first`.
    """
    taken: list[Box] = [
        (x - wide, y - wide, x + wide, y + wide) for wide, some in ((_MARK, marks), (_RING, ringed)) for x, y in some
    ]
    chosen = [-1] * len(marks)
    for number in first:
        for place in range(len(_PLACES)):
            box = label_box(marks[number], labels[number], place)
            if box[0] >= 0 and box[2] <= WIDTH and box[3] <= HEIGHT and not any(overlap(box, other) for other in taken):
                chosen[number] = place
                taken.append(box)
                break
    return chosen


def label_box(mark: tuple[float, float], label: str, place: int) -> Box:
    """Return what a label covers that stands at a place beside its mark."""
    right, down, held = _PLACES[place]
    wide = _LETTER * len(label)
    left = mark[0] + right - {"left": 0.0, "center": wide / 2, "right": wide}[held]
    return left, mark[1] + down - _LINE / 2, left + wide, mark[1] + down + _LINE / 2


def overlap(one: Box, other: Box) -> bool:
    """Tell whether two boxes have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _error(errors: list[float]) -> dict[str, Any]:
    scale = {"zero": False, "nice": False, "domain": list(_ends(errors))}
    axis = {"grid": False, "tickCount": 7}
    return {"field": "error", "type": "quantitative", "title": "pair error", "scale": scale, "axis": axis}


def _exposure(survey: Survey, top: float) -> dict[str, Any]:
    terms, below = survey.grid.yardstick
    return _shares(f"records exposed ({terms} terms, fewer than {below} records)", top)


def _shares(title: str, top: float) -> dict[str, Any]:
    """Return the axis of shares; on the scale of square roots small ones are told apart, and 0 is there, too."""
    scale = {"type": "sqrt", "domain": [0, top], "nice": False, "range": [HEIGHT - 22, 0]}  # labels fit below 0
    ticks = [tick for tick in _TICKS if tick <= top]
    axis = {"values": ticks, "labelExpr": "format(100 * datum.value, '~g') + '%'", "labelOverlap": True}
    return {"field": "exposed", "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def _limit() -> list[dict[str, Any]]:
    """Return a line where exposure becomes too much, with words."""
    data = {"values": [{"exposed": TOO_MUCH}]}
    line = {"type": "rule", "strokeDash": [2, 3], "color": _RED, "strokeWidth": 1.2}
    words = {"type": "text", "text": "not advisable above", "align": "right", "dy": -6, "fontSize": 10, "color": _RED}
    across = {"x": {"value": 0}, "x2": {"value": WIDTH}}
    return [
        {"data": data, "mark": line, "encoding": across},
        {"data": data, "mark": words, "encoding": {"x": {"value": WIDTH}}},
    ]


def _line() -> dict[str, Any]:
    mark = {"type": "line", "color": _GREY, "strokeWidth": 1.2, "strokeDash": [5, 4]}
    # With equal errors the line goes straight down; without an order it would be drawn as the rows come.
    order = {"field": "error", "type": "quantitative"}
    return {"transform": [{"filter": "datum.kept"}], "mark": mark, "encoding": {"order": order}}


def _ring() -> dict[str, Any]:
    mark = {"type": "point", "size": 320, "filled": False, "color": _INK, "strokeWidth": 1.6, "shape": "circle"}
    return {"transform": [{"filter": "datum.best"}], "mark": mark}


def _mark(names: list[str]) -> dict[str, Any]:
    series = {"field": "clustering", "type": "nominal", "legend": {"columnPadding": 24}}  # browsers' letters are wider
    kind = series | {"scale": {"domain": names, "range": list(COLOURS[: len(names)])}}
    shape = series | {"scale": {"domain": names}}
    mark = {"type": "point", "filled": True, "size": 75, "opacity": 1}
    return {"mark": mark, "encoding": {"color": kind, "shape": shape}}


def _labels(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the numbers of every setting that has room for them, a layer for each place beside a mark."""
    text = {"text": {"field": "label", "type": "nominal"}}
    plain: dict[str, Any] = {"type": "text", "fontSize": 11, "color": _INK, "baseline": "middle"}
    layers = []
    for place in sorted({row["place"] for row in rows} - {-1}):
        right, down, held = _PLACES[place]
        mark = plain | {"dx": right, "dy": down, "align": held}
        layers.append({"transform": [{"filter": f"datum.place == {place}"}], "mark": mark, "encoding": text})
    return layers


def letters_of(survey: Survey) -> list[str]:
    """Return a letter for every setting that was tried, in their order; + for those beyond the alphabet."""
    return [(ascii_letters + "+" * len(survey.entries))[number] for number in range(len(survey.entries))]


def sketch_of(survey: Survey) -> list[str]:
    """Return lines of text: every setting's letter, the further left the less error, the lower the less exposed.

    Heights are square roots of shares, as in the chart. Where two would be in one place, one moves aside.
    """
    top = room_above(entry[EXPOSED] for entry in survey.measured)
    field = [[" "] * WIDE for _ in range(TALL)]
    errors = [entry[ERROR] for entry in survey.measured]
    for letter, entry in zip(letters_of(survey), survey.entries, strict=True):
        if not entry.failure:
            _put(letter, field[_height(entry[EXPOSED], top)], _column(entry, min(errors), max(errors)))
    scale = {line: percent(share) for share in (top, top / 4, 0.0) for line in [_height(share, top)]}
    lines = [f"{scale.get(line, ''):>{_MARGIN - 2}} |{''.join(row).rstrip()}" for line, row in enumerate(field)]
    written = COLUMNS[ERROR].written
    ends = f"{written(min(errors))}{written(max(errors)):>{WIDE - len(written(min(errors)))}}"
    return ["exposed", *lines, f"{'':>{_MARGIN - 2}} +{'-' * WIDE}", f"{'':>{_MARGIN}}{ends}  pair error"]


def _height(share: float, top: float) -> int:
    return TALL - 1 - round(math.sqrt(share / top) * (TALL - 1))


def _column(entry: Tried, least: float, most: float) -> int:
    return round((entry[ERROR] - least) / (most - least) * (WIDE - 1)) if most > least else 0


def _put(letter: str, row: list[str], column: int) -> None:
    """Put a letter in the nearest free place of a row; there are fewer letters than places."""
    free = [place for place, taken in enumerate(row) if taken == " "]
    if free:
        row[min(free, key=lambda place: abs(place - column))] = letter
