"""Labels of the chart of advice: none covers another or a mark, whatever the figures are."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from advice import surveyed
from disjoin.advise.chart import HEIGHT, WIDTH, chart_of, label_box, marks_of, overlap, places_of
from disjoin.advise.trial import SettingPoint
from effort import examples

shares = st.integers(0, 100).map(lambda part: part / 100)


@given(st.lists(st.tuples(shares, shares, st.sampled_from(["5", "20", "100/3"])), min_size=1, max_size=24))
@examples(60)
def test_labels_cover_neither_marks_nor_one_another(found):
    marks = marks_of([(error, exposed) for error, exposed, _ in found], top=1.0)
    labels = [label for _, _, label in found]
    places = places_of(marks, labels, list(range(len(found))), marks[:1])
    boxes = [
        label_box(mark, label, place) for mark, label, place in zip(marks, labels, places, strict=True) if place >= 0
    ]
    assert boxes, "the first label always finds a place"
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert not any(box[0] < x < box[2] and box[1] < y < box[3] for box in boxes for x, y in marks)
    assert all(left >= 0 and right <= WIDTH and bottom <= HEIGHT for left, _, right, bottom in boxes)


def test_marks_in_one_place_have_their_numbers_side_by_side():
    points = [SettingPoint(name, k, 2) for name in ("horpart", "core") for k in (5, 10)]
    chart = chart_of(surveyed(dict.fromkeys(points, (0.3, 0.02))))
    rows = chart["data"]["values"]
    assert sorted(row["place"] for row in rows) == [1, 3, 8, 10]
    drawn = [layer["transform"][0]["filter"] for layer in chart["layer"] if layer["mark"]["type"] == "text"]
    assert drawn == [f"datum.place == {place}" for place in (1, 3, 8, 10)]


def test_a_mark_without_room_for_numbers_is_said():
    points = [SettingPoint("horpart", k, 2) for k in range(5, 45)]
    chart = chart_of(surveyed(dict.fromkeys(points, (0.3, 0.02))))
    first, second = chart["title"]["subtitle"]  # in one line it was cut off at the edge of the chart
    assert "no room" in second and "no room" not in first
    assert any(row["place"] < 0 for row in chart["data"]["values"])
