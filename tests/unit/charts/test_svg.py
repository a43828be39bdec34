"""Charts: what is drawn where, what a table repeats, and that no text can break or leave a drawing."""

from __future__ import annotations

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from disjoin.charts.svg import (
    SERIES,
    Bar,
    Dot,
    bars,
    drawing,
    fitted,
    histogram,
    matrix,
    overlap,
    scatter,
    stacks,
    table_of,
    ticks,
    width_of,
)
from disjoin.lab.charts import grouped_bars, lines
from disjoin.text import printable

EVIL = "</svg><script>alert(1)</script>\x00\u202e\ufffe\ud800\"'&"
ELEMENTS = {"svg", "g", "title", "desc", "text", "rect", "path", "circle"}
BINS = [{"from": 5 * i, "to": 5 * i + 4, "count": count} for i, count in enumerate([120, 1300, 14000, 3000, 200, 0, 1])]
DISTRIBUTION = {"number": 18621, "least": 0, "median": 11, "largest": 34, "histogram": BINS}
METHODS = ("disassociation", "apriori", "diffpart", "cahd", "kaca", "top-down", "mixed", "noise")


def with_names(first="tea & milk <b>", second="age"):
    """Every kind of chart, with two names that come from the data."""
    points = [
        Dot(0.1 * i, 0.02 * i * (i % 3), (first, second)[i % 2], f"{i}/2", i in (1, 3, 5), i == 3) for i in range(1, 9)
    ]
    front = {"keys": ("front", "advised", second), "limit": (0.1, "too much")}
    halves = [(first, (0.2, 0.3, 0.5), "20%"), (second, (1.0, 0.0), second)]
    groups = [(first, (0.1, None)), (second, (0.3, 1200.0))]
    near = [(first, [(2, 0.1), (5, 0.4)]), (second, [(2, 0.2), (10, 0.0)])]
    far = [(first, [(1, 0.001), (1000, 250.0)]), (second, [(10, 0.0)])]
    shares = [Bar(first, 0.84, "84%", 0.71), Bar(second, 0.5, "50%")]
    return {
        "bars": bars(first, [Bar(first, 0.31, "31%"), Bar(second, 0.72, "72%")], (second, "share"), first, limit=0.5),
        "parts": bars("kept", shares, (second, "share"), first, until=1, parts=("without", "with")),
        "stacks": stacks("levels", halves, ("column", "rows"), ("as it was", "any value"), first),
        "histogram": histogram("sizes", DISTRIBUTION, "records", "clusters"),
        "grouped bars": grouped_bars(first, groups, (first, second), ("data", "tKd"), first),
        "lines": lines(first, near, ("k", "tKd"), first),
        "powers": lines(first, far, ("n", "s"), first, log=(True, True)),
        "scatter": scatter(first, points, ("error", "exposed"), first, series=(first, second), **front),
        "matrix": matrix(first, [[0, 1, 1, 5], [2, 0, 0, 3]], ("4 items", "2 records"), first),
    }


CHARTS = with_names()
every_chart = pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)


def elements(svg, name):
    return [element for element in ElementTree.fromstring(svg).iter() if element.tag.split("}")[-1] == name]


def boxes(svg, colour, opacity=None):
    """Left, top, right and bottom of the rectangles of a colour."""
    found = [e.attrib for e in elements(svg, "rect") if e.get("fill") == colour and e.get("fill-opacity") == opacity]
    return [
        (float(e["x"]), float(e["y"]), float(e["x"]) + float(e["width"]), float(e["y"]) + float(e["height"]))
        for e in found
    ]


def shown(text):
    """The words of a text element, without those of its tooltip."""
    return "".join([text.text or "", *(inner.tail or "" for inner in text)])


def text_boxes(svg):
    """What the words of a drawing cover, by an estimate of their widths."""
    found = []
    for text in elements(svg, "text"):
        size = int(text.get("font-size", 12))
        wide = width_of(shown(text), size)
        left = float(text.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor", "start")]
        found.append((left, float(text.get("y")) - 0.75 * size, left + wide, float(text.get("y")) + 0.1 * size))
    return found


def assert_legible(chart):
    """No words overlap, and none leave the drawing."""
    found = text_boxes(drawing(chart))
    slack = 0.1  # coordinates are rounded
    smaller = [(left + slack, top, right, bottom) for left, top, right, bottom in found]
    assert not [pair for pair in combinations(smaller, 2) if overlap(*pair)]
    assert all(
        left >= -slack and top >= -slack and right <= chart.width + slack and bottom <= chart.height + slack
        for left, top, right, bottom in found
    )


@every_chart
def test_a_chart_has_a_name_and_a_description(chart):
    for svg in (drawing(chart), drawing(chart, alone=True)):
        root = ElementTree.fromstring(svg)
        assert root.get("role") == "img"
        assert [element.tag.split("}")[-1] for element in root][:2] == ["title", "desc"]
        assert (root[0].text, root[1].text) == (chart.title, chart.description)


@every_chart
def test_equal_charts_give_equal_bytes_without_ids_styles_or_links(chart):
    again = next(each for each in with_names().values() if each == chart)
    assert drawing(again, alone=True) == drawing(chart, alone=True)
    root = ElementTree.fromstring(drawing(chart))
    assert {element.tag for element in root.iter()} <= ELEMENTS
    assert not {name for e in root.iter() for name in e.attrib} & {"id", "style", "class", "href", "onload"}


@every_chart
def test_words_neither_overlap_nor_leave_the_drawing(chart):
    assert_legible(chart)


@every_chart
def test_letters_are_large_enough_on_a_phone(chart):
    sizes = {
        int(e.get("font-size", 12)) for e in ElementTree.fromstring(drawing(chart)).iter() if "font-size" in e.attrib
    }
    room = 310  # pixels of a figure of a report on a phone of 390
    assert min(sizes) * room / chart.width > 9


@every_chart
def test_a_chart_alone_is_dark_on_white(chart):
    alone = drawing(chart, alone=True)
    assert "var(" not in alone
    assert 'fill="#ffffff"' in alone
    assert alone.startswith('<svg xmlns="http://www.w3.org/2000/svg" ')
    assert "var(--" in drawing(chart)


@every_chart
def test_a_table_has_the_numbers_of_the_chart(chart):
    assert chart.rows
    assert all(len(row) == len(chart.header) for row in chart.rows)
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", table_of(chart))
    assert len(cells) == len(chart.header) * (len(chart.rows) + 1)


@pytest.mark.parametrize("name", [EVIL, "long " * 60, "緑茶" * 30, "العربية " * 20, "é\u0301" * 80, ""])
def test_no_name_breaks_a_chart(name):
    for chart in with_names(name, f"{name}2").values():
        assert_legible(chart)
        for svg in (drawing(chart), drawing(chart, alone=True), table_of(chart)):
            root = ElementTree.fromstring(f"<div>{svg}</div>")
            assert "script" not in {element.tag.split("}")[-1] for element in root.iter()}
            assert not re.search("[\x00\u202e\ud800\ufffe]", svg)


@given(st.text(), st.text(min_size=1))
def test_any_text_is_text_in_every_chart(one, other):
    for chart in with_names(one, f"{other} 2").values():
        root = ElementTree.fromstring(drawing(chart))
        assert {element.tag for element in root.iter()} <= ELEMENTS


def test_a_long_name_is_cut_and_a_tooltip_has_all_of_it():
    name = "a diagnosis with a name that is longer than any drawing " * 2
    chart = bars("t", [Bar(name, 0.5, "1 of 2")], ("x", "y"), "d")
    (text,) = (text for text in elements(drawing(chart), "text") if shown(text).startswith("a diag"))
    assert shown(text).endswith("…")
    assert text[0].text == printable(name)
    assert chart.rows[0][0] == name


def test_bars_are_as_long_as_their_values():
    first, second = boxes(drawing(CHARTS["bars"]), "var(--accent)")
    assert (first[0], second[0], second[2]) == (0, 0, 340)
    assert first[2] == pytest.approx(340 * 0.31 / 0.72, abs=0.1)
    assert first[3] < second[1]


def test_the_darker_part_is_on_the_whole():
    (whole,) = [box for box in boxes(drawing(CHARTS["parts"]), "var(--accent)", "0.45") if box[3] - box[1] == 8]
    dark = [box for box in boxes(drawing(CHARTS["parts"]), "var(--accent)") if box[3] - box[1] == 8]
    assert whole[2] == pytest.approx(0.84 * 340, abs=0.1)
    assert [box[2] for box in dark] == pytest.approx([0.71 * 340, 0.5 * 340], abs=0.1)


def test_parts_of_a_stack_follow_one_another():
    rects = elements(drawing(CHARTS["stacks"]), "rect")[5:]  # after the key
    ends = [(float(e.get("x")), float(e.get("x")) + float(e.get("width"))) for e in rects]
    wanted = [(0, 0.2), (0.2, 0.5), (0.5, 1), (0, 1)]
    assert ends == [pytest.approx((left * 340, right * 340), abs=0.2) for left, right in wanted]
    assert [e.get("fill-opacity") for e in rects] == [None, "0.565", "0.13", None]


def test_columns_are_as_high_as_their_counts_and_side_by_side():
    found = boxes(drawing(CHARTS["histogram"]), "var(--accent)")
    counts = [entry["count"] for entry in BINS if entry["count"]]
    assert [bottom - top for _, top, _, bottom in found] == pytest.approx([134 * c / 15_000 for c in counts], abs=0.1)
    assert all(right < left for (_, _, right, _), (left, _, _, _) in pairwise(found))


def test_the_last_bin_that_takes_in_all_others_has_a_plus():
    bins = [*BINS[:-1], BINS[-1] | {"to": 900}]
    chart = histogram("t", DISTRIBUTION | {"histogram": bins}, "records", "clusters")
    assert "30+" in {shown(text) for text in elements(drawing(chart), "text")}
    assert chart.rows[-1] == ("30 to 900", "1")


def test_nothing_has_no_histogram():
    assert histogram("t", {"number": 0, "histogram": []}, "records", "clusters") is None


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=22).filter(any), st.integers(1, 10**6))
def test_labels_of_a_histogram_do_not_overlap(counts, width):
    bins = [{"from": i * width, "to": (i + 1) * width - 1, "count": count} for i, count in enumerate(counts)]
    facts = {"number": sum(counts), "least": 0, "median": 1, "largest": len(counts) * width, "histogram": bins}
    assert_legible(histogram("t", facts, "records", "clusters"))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40))
def test_labels_of_a_scatter_plot_do_not_overlap(found):
    points = [Dot(x, y, "one", f"{place}/2", place % 5 == 0, place == 3) for place, (x, y) in enumerate(found)]
    chart = scatter("t", points, ("x", "y"), "d", series=("one",), keys=("k", "b", ""), limit=(0.5, "too much"))
    assert_legible(chart)
    assert len(elements(drawing(chart), "circle")) == len(found) + 1 + 2 * (len(found) > 3)  # marks, key, rings


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=30), st.booleans())
@example([(0.0, 5e-324)], True)
@example([(0.0, 5e-324), (1.0, 1e-310)], False)
@example([(0.0, 1e-15), (1e-15, 2e-15)], False)
def test_numbers_on_the_axes_of_lines_do_not_overlap(points, log):
    assert_legible(lines("t", [("one", sorted(points)), ("two", [(1.0, 1.0)])], ("x", "y"), "d", log=(False, log)))


def test_marks_are_where_their_values_are():
    chart = lines("t", [("one", [(0, 0.0), (1, 2.0), (4, 4.0)])], ("x", "y"), "d")
    first, second, third = [(float(e.get("cx")), float(e.get("cy"))) for e in elements(drawing(chart), "circle")]
    assert second[0] - first[0] == pytest.approx((third[0] - first[0]) / 4, abs=0.1)
    assert first[1] - second[1] == pytest.approx((first[1] - third[1]) / 2, abs=0.1)


def test_the_best_mark_has_a_ring_and_small_shares_are_apart():
    points = [Dot(0.1, 0.01, "one", "a", is_best=True), Dot(0.1, 0.04, "one", "b"), Dot(0.2, 0.16, "one", "c")]
    marks = elements(
        drawing(scatter("t", points, ("x", "y"), "d", series=("one",), keys=("", "advised", ""))), "circle"
    )
    assert [e.get("r") for e in marks] == ["4.5", "6", "9", "4.5", "4.5", "4.5"]  # key and key, ring and mark, marks
    heights = [float(e.get("cy")) for e in marks[3:]]
    assert heights[0] - heights[1] == pytest.approx((heights[1] - heights[2]) / 2, abs=0.2)  # 0.1, 0.2 and 0.4


def test_series_differ_by_more_than_colour():
    names = METHODS[:6]
    svg = drawing(lines("t", [(name, [(1, 1.0)]) for name in names], ("x", "y"), "d"))
    found = [e for kind in ("path", "circle") for e in elements(svg, kind) if e.get("fill") in SERIES]
    corners = {e.get("fill"): len(re.findall("[ML]", e.get("d", ""))) for e in found}
    shapes = [(corners[colour], colour) for colour in SERIES[:6]]
    assert [number for number, _ in shapes] == [0, 4, 3, 4, 3, 12]
    bars_of = grouped_bars("t", [("one", [1.0] * 6)], names, ("x", "y"), "d")
    hatching = [e.get("d") for e in elements(drawing(bars_of), "path")]
    assert len(set(hatching)) == len(hatching) == 2 * 5  # of all but the first series, in the key and in the bars


@given(st.text(), st.integers(20, 300))
def test_cut_text_fits(text, room):
    assert width_of(fitted(printable(text), room)) <= room


def test_ticks_are_round():
    assert ticks(0, 3, 3) == (0, 1, 2, 3)
    assert ticks(0.31, 0.72, 5) == (0.4, 0.5, 0.6, 0.7)
