"""Labels of the chart of advice: marks in one place, and marks without room."""

from __future__ import annotations

import re

from disjoin.advise.chart import chart_of
from disjoin.advise.trial import SettingPoint
from helpers.surveys import surveyed

NO_ROOM = "Marks without numbers have no room for them."


def labels_of(chart):
    return re.findall(r'paint-order="stroke"[^>]*>([^<]+)<', chart.body)


def test_marks_in_one_place_all_have_their_numbers():
    points = [SettingPoint(name, k, 2) for name in ("horpart", "core") for k in (5, 10)]
    chart = chart_of(surveyed(dict.fromkeys(points, (0.3, 0.02))))
    assert sorted(labels_of(chart)) == ["k = 10", "k = 10", "k = 5", "k = 5"]
    assert NO_ROOM not in chart.body


def test_a_mark_without_room_for_numbers_is_said():
    points = [SettingPoint("horpart", k, 2) for k in range(5, 45)]
    chart = chart_of(surveyed(dict.fromkeys(points, (0.3, 0.02))))
    assert 0 < len(labels_of(chart)) < 40
    assert NO_ROOM in chart.body
