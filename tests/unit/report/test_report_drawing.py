"""Charts of reports are drawn without the chart engine, and look as the engine would draw them."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest
import vl_convert

import disjoin
from disjoin.charts import figures
from disjoin.charts.report_drawing import can_draw, drawn, label, ticks
from disjoin.charts.specifications import Bar, Stack, bars, draw, framed, histogram, stacks
from disjoin.forms.clusters.page import shares_of
from disjoin.rewriting import is_drawing

BINS = [{"from": 5 * i, "to": 5 * i + 4, "count": count} for i, count in enumerate([120, 1300, 14000, 3000, 200, 0, 1])]
MEASURES = {
    "term": {"title": "Term mass", "value": 0.84, "sign": "at most", "without_shared_chunks": 0.71},
    "pair": {"title": "Pair mass", "value": 0.61, "sign": "about"},
}
CHARTS = {
    "histogram": histogram(
        {"number": 9, "least": 0, "median": 11, "largest": 34, "histogram": BINS}, "records", "clusters"
    ),
    "bars": bars([Bar("tea & milk <b>", 0.31, "31%"), Bar("age", 0.72, "72%")], "share", "two bars", limit=0.5),
    "small bars": bars([Bar("tea", 0.031, "3.1%"), Bar("age", 0.005, "0.5%")], "share", "small ones"),
    "stacks": stacks([Stack("age", (0.2, 0.3, 0.5), "20%"), Stack("sex", (1.0, 0.0, 0.0), "100%")], "share", "stacks"),
    "shares": shares_of("what was kept", MEASURES, "var(--accent)"),
}
every_chart = pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)


def engine_words(chart):
    """The words that the engine draws."""
    svg = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    return {element.text for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")}


def boxes(svg, colour):
    """Left, top, right and bottom of all bars of a colour, in order."""
    found = []
    for outline in re.findall(rf'<path d="([^"]+)" fill="{re.escape(colour)}"', svg):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", outline)]
        found.append((min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])))
    return found


@every_chart
def test_a_chart_of_a_report_is_a_drawing_of_nothing_but_its_words(chart):
    assert is_drawing(draw(chart), chart)


@every_chart
def test_it_has_all_words_that_the_engine_would_draw(chart):
    words = {element.text for element in ElementTree.fromstring(drawn(chart)).iter("text")}
    assert engine_words(chart) <= words
    assert all(re.fullmatch(r"[\d.,]+[%k]?", word) for word in words - engine_words(chart))  # numbers on an axis


@every_chart
def test_equal_charts_give_equal_text(chart):
    assert drawn(chart) == drawn(dict(chart))


def test_bars_are_as_long_as_their_values():
    first, second = boxes(drawn(CHARTS["bars"]), "var(--accent)")
    whole = 320 / (0.72 * 1.04)
    assert (first[0], second[0]) == (0, 0)
    assert first[2] == pytest.approx(0.31 * whole, abs=0.01)
    assert second[2] == pytest.approx(0.72 * whole, abs=0.01)
    assert first[3] < second[1]


def test_parts_of_a_stack_follow_one_another():
    whole = 320 / 1.04
    ends = [(left, right) for left, _, right, _ in boxes(drawn(CHARTS["stacks"]), "var(--accent)")]
    wanted = [(0, 0.2), (0.2, 0.5), (0.5, 1), (0, 1)]
    assert ends == [pytest.approx((left * whole, right * whole), abs=0.01) for left, right in wanted]


def test_columns_stand_side_by_side_and_are_as_high_as_their_counts():
    found = boxes(drawn(CHARTS["histogram"]), "var(--accent)")
    assert [bottom - top for _, top, _, bottom in found] == [
        pytest.approx(150 * entry["count"] / 15_000, abs=0.01) for entry in BINS
    ]
    assert all(right < left for (_, _, right, _), (left, _, _, _) in pairwise(found))
    assert all(bottom == 150 for *_, bottom in found)


@pytest.mark.parametrize(
    ("least", "most", "wanted", "found"),
    [
        (0, 1, 5, (0, 0.2, 0.4, 0.6, 0.8, 1)),
        (0, 3, 3, (0, 1, 2, 3)),
        (0, 0.075, 4, (0, 0.02, 0.04, 0.06)),
        (2, 2, 4, (2,)),
    ],
)
def test_ticks_are_round_numbers(least, most, wanted, found):
    assert ticks(least, most, wanted) == found


def test_large_numbers_are_written_short():
    assert [label(number, {}) for number in (0, 9_999, 10_000, 2_500_000)] == ["0", "9,999", "10k", "2.5M"]


def test_what_asks_for_more_is_left_to_the_engine():
    rows = [{"measure": name, "method": "one", "value": 0.5} for name in ("a", "b")]
    more = {"title": "a title"}, {"mark": {"type": "arc"}}, {"autosize": "fit"}
    assert not any(can_draw(CHARTS["histogram"] | change) for change in more)
    assert not can_draw(figures.bars("title", rows, "method", "share"))
    assert can_draw(framed("nothing", data={"values": []}, mark="bar", encoding={}))


def test_publishing_wakes_no_engine_and_starts_no_process_to_draw(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **named: pytest.fail("a process was started"))
    folder = disjoin.disassociate([["tea", "milk"], ["tea"]] * 6, k=3).write(tmp_path / "release")
    assert (folder / "report.html").read_text(encoding="utf-8").count("<svg ") >= 3


@every_chart
def test_no_engine_is_loaded_for_a_chart_of_a_report(chart, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert draw(chart).startswith("<svg ")
