"""What stands for charts in tests that are not about them is as good as a drawing for these tests."""

import copy

import pytest

from disjoin.charts.chart_process import Artist, draw_elsewhere
from disjoin.charts.specifications import framed
from disjoin.report.drawings import is_drawing
from sketches import sketch, sketching

CHART = framed("tea & <milk>", data={"values": [{"term": "tea", "n": 3}]}, mark="bar", encoding={})


def test_a_sketch_passes_for_a_drawing_of_its_chart_and_of_no_other():
    assert is_drawing(sketch(CHART), CHART)
    other = copy.deepcopy(CHART)
    other["data"]["values"][0]["term"] = "jam"
    assert not is_drawing(sketch(other), CHART)


@pytest.mark.parametrize("change", [{"n": 4}, {"term": "tee"}, {"more": None}])
def test_charts_that_differ_in_anything_have_different_sketches(change):
    other = copy.deepcopy(CHART)
    other["data"]["values"][0].update(change)
    assert sketch(copy.deepcopy(CHART)) == sketch(CHART) != sketch(other)


def test_while_charts_are_sketched_no_process_draws_and_afterwards_one_does():
    with sketching():
        with Artist() as artist:
            assert artist.draw(CHART) == sketch(CHART)
        assert draw_elsewhere(CHART) == sketch(CHART)
    assert draw_elsewhere(CHART) != sketch(CHART)
