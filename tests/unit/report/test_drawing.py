"""The picture of a cluster in a terminal."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import unicodedata
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.model import Clusters
from disjoin.report.lettering import cells, shorten, visible
from disjoin.report.picture import Detail, picture_of, typical_leaf
from disjoin.report.text import coloured, draw_cluster
from releases import figure_3, forests

JOINERS = {0x200C: None, 0x200D: None}  # allowed: they belong to the spelling of words


def leaf(size: int, *chunks: list, terms: tuple[str, ...] = ()) -> Clusters:
    return Clusters.from_nested(
        [{"size": size, "record_chunks": [{"subrecords": chunk} for chunk in chunks], "term_chunk": list(terms)}]
    )


def test_figure_2_is_drawn_as_in_the_paper():
    assert draw_cluster(figure_3(), 1) == (
        "cluster 1: 5 records\n"
        "╭─ record chunk 0 ────┬─ record chunk 1 ────────┬─ term chunk ╮\n"
        "│ audi a4, sony tv ×3 │ flu, itunes          ×1 │ viagra      │\n"
        "│ (nothing)        ×2 │ flu, itunes, madonna ×2 │             │\n"
        "│                     │ flu, madonna         ×1 │             │\n"
        "│                     │ itunes, madonna      ×1 │             │\n"
        "╰─────────────────────┴─────────────────────────┴─────────────╯"
    )


def test_a_joint_cluster_has_its_shared_chunks_on_top_and_its_children_below_indented():
    lines = draw_cluster(figure_3(), 0).splitlines()
    assert lines[0] == "joint cluster 0: 10 records"
    assert lines[1].startswith("╭─ shared chunk 0")
    assert "  cluster 1: 5 records" in lines
    assert lines.index("  cluster 1: 5 records") < lines.index("  cluster 2: 5 records")


@settings(max_examples=40, deadline=None)
@given(forests(), st.integers(40, 120), st.data())
def test_nothing_sticks_out_and_boxes_are_straight(published, width, data):
    node = data.draw(st.integers(0, len(published) - 1))
    for line in draw_cluster(published, node, width).split("\n"):
        assert cells(line) <= width
        assert not {unicodedata.category(c) for c in line.translate(JOINERS)} & {"Cc", "Cf", "Zl", "Zp"}


@settings(max_examples=40, deadline=None)
@given(forests(), st.integers(40, 120))
def test_the_lines_of_a_box_are_equally_long(published, width):
    box: set[int] = set()
    for line in draw_cluster(published, 0, width).split("\n"):
        if line.lstrip().startswith("╭"):
            box = {cells(line)}
        elif line.lstrip().startswith(("│", "╰")):
            assert {cells(line)} == box


def test_many_rows_terms_chunks_and_children_are_cut_with_their_number():
    rows = [[[f"t{i:02d}"], 1] for i in range(22)]
    wide = leaf(30, *([[[f"chunk {c}"], 30]] for c in range(11)), rows, terms=tuple(f"x{i:02d}" for i in range(15)))
    drawn = draw_cluster(wide, 0, 80, Detail(columns=12))
    assert "… and 12 more" in drawn
    assert "… and 5 more" in drawn
    assert "… and 4 more chunks" in draw_cluster(wide, 0, 80)
    child = {"size": 2, "term_chunk": ["a"]}
    joint = {"size": 10, "shared_chunks": [{"subrecords": [[["b"], 2]]}], "children": [child] * 5}
    assert "… and 2 more clusters in it" in draw_cluster(Clusters.from_nested([joint]), 0)


def test_a_very_deep_tree_is_cut_too():
    tree = {"size": 1, "term_chunk": ["a"]}
    for _ in range(400):
        tree = {"size": 2, "shared_chunks": [{"subrecords": [[["b"], 2]]}], "children": [tree, tree]}
        tree["children"] = [tree["children"][0]]
    assert "more cluster in it" in draw_cluster(Clusters.from_nested([tree]), 0)


def test_a_term_cannot_move_the_cursor_or_pass_for_markup():
    published = leaf(3, [[["\x1b[2Jboo\r\n", "[bold]x[/bold]", "\u202eevil"], 3]])
    drawn = draw_cluster(published, 0)
    assert "\x1b" not in drawn
    assert "\r" not in drawn
    assert "\u202e" not in drawn
    out = StringIO()
    rich_console = pytest.importorskip("rich.console")
    rich_console.Console(file=out, width=90, color_system=None).print(coloured(drawn))
    assert "[bold]x[/bold]" in out.getvalue()


def test_wide_letters_and_accents_keep_the_box_straight():
    lines = draw_cluster(leaf(3, [[["緑茶", "cafe\u0301"], 3]]), 0).split("\n")[1:]
    assert len({cells(line) for line in lines}) == 1


@given(st.text(), st.integers(0, 30))
def test_shortened_text_fits(text, width):
    assert cells(shorten(visible(text), width)) <= width


def test_the_typical_leaf_is_a_leaf_with_something_to_see():
    dull = {"size": 5, "term_chunk": ["a", "b"]}
    telling = {
        "size": 5,
        "record_chunks": [{"subrecords": [[["a", "b"], 2], [["b"], 3]]}, {"subrecords": [[["c"], 4], [["d"], 1]]}],
        "term_chunk": ["x", "y"],
    }
    published = Clusters.from_nested([dull, dull, telling, dull])
    assert typical_leaf(published) == 2
    assert not picture_of(figure_3(), typical_leaf(figure_3())).is_joint
