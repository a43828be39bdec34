"""The picture of a cluster in a terminal."""

# ruff: noqa: RUF001 - the sign before a count is wanted

from __future__ import annotations

import unicodedata
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.charts.text_drawing import cells, coloured, shorten
from disjoin.forms.clusters.pictures import (
    USUAL,
    Detail,
    draw_picture,
    picture_of,
    typical_clusters,
    typical_joint,
    typical_leaf,
)
from disjoin.model import Clusters
from disjoin.text import printable
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, forests


def draw_cluster(published: Clusters, node: int, width: int = 80, detail: Detail = USUAL) -> str:
    return draw_picture(picture_of(published, node, detail), width)


JOINERS = {0x200C: None, 0x200D: None}  # allowed: they belong to the spelling of words


def leaf(size: int, *chunks: list, terms: tuple[str, ...] = ()) -> Clusters:
    return Clusters.from_nested(
        [{"size": size, "record_chunks": [{"subrecords": chunk} for chunk in chunks], "term_chunk": list(terms)}]
    )


def test_figure_2_is_drawn_as_in_the_paper():
    assert draw_cluster(figure_3(), 1) == (
        "cluster 1: 5 records, in joint cluster 0\n"
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


@examples(40)
@given(forests(), st.integers(40, 120), st.data())
def test_nothing_sticks_out_and_boxes_are_straight(published, width, data):
    node = data.draw(st.integers(0, len(published) - 1))
    for line in draw_cluster(published, node, width).split("\n"):
        assert cells(line) <= width
        assert not {unicodedata.category(c) for c in line.translate(JOINERS)} & {"Cc", "Cf", "Zl", "Zp"}


@examples(40)
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
    assert "  … and 2 more clusters in it: 4, 5" in draw_cluster(Clusters.from_nested([joint]), 0).splitlines()


def full_tree(depth: int, children: int, counter: list[int]) -> dict:
    if not depth:
        chunks = [{"subrecords": [[[f"t{c}{i:02d}"], 2] for i in range(30)]} for c in range(12)]
        return {"size": 60, "record_chunks": chunks, "term_chunk": [f"x{i:02d}" for i in range(40)]}
    counter[0] += 1
    below = [full_tree(depth - 1, children, counter) for _ in range(children)]
    chunks = [{"subrecords": [[[f"s{counter[0]}{i:02d}"], 2] for i in range(30)]} for _ in range(12)]
    return {"size": sum(child["size"] for child in below), "shared_chunks": chunks, "children": below}


def test_a_wide_and_deep_tree_fills_no_more_than_a_few_screens():
    published = Clusters.from_nested([full_tree(3, 6, [0])])
    lines = draw_cluster(published, 0, 80).splitlines()
    assert len(lines) < 400
    assert "… and 4 more chunks" in lines  # of the first cluster 8 are drawn, of those in it 4
    assert "  … and 8 more chunks" in lines
    assert any(line.startswith("  … and 3 more clusters in it: ") for line in lines)


def test_clusters_that_are_not_drawn_are_named_as_far_as_there_is_room():
    many = {"size": 24, "shared_chunks": [], "children": [{"size": 2, "term_chunk": ["a"]}] * 12}
    last = draw_cluster(Clusters.from_nested([many]), 0).splitlines()[-1]
    assert last == "  … and 9 more clusters in it: 4, 5, 6, 7, 8, 9, 10, 11, …"


def test_a_cluster_says_which_joint_cluster_it_is_in_unless_that_is_drawn_around_it():
    assert draw_cluster(figure_3(), 2).startswith("cluster 2: 5 records, in joint cluster 0\n")
    assert "in joint cluster" not in draw_cluster(figure_3(), 0)


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
    assert cells(shorten(printable(text), width)) <= width


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


def joint_of(*children: dict, chunks: int = 1) -> dict:
    shared = [{"subrecords": [[[f"s{c}", "u"], 3], [["u"], 2]]} for c in range(chunks)]
    return {"size": sum(child["size"] for child in children), "shared_chunks": shared, "children": list(children)}


TELLING = {
    "size": 5,
    "record_chunks": [{"subrecords": [[["a", "b"], 2], [["b"], 3]]}, {"subrecords": [[["c"], 4], [["d"], 1]]}],
    "term_chunk": ["x", "y"],
}
DULL = {"size": 5, "term_chunk": ["a", "b"]}


def test_the_typical_joint_cluster_joins_two_or_three_leaves_that_are_worth_a_look():
    crowd, tower = joint_of(*[TELLING] * 9), joint_of(joint_of(DULL, DULL), TELLING)
    rag = joint_of(TELLING, TELLING, chunks=9)
    fine = joint_of(TELLING, TELLING)
    published = Clusters.from_nested([crowd, tower, rag, DULL, fine])
    found = typical_joint(published)
    assert found == len(published) - 3
    assert [child.is_joint for child in picture_of(published, found).children] == [False, False]


def test_without_joint_clusters_none_is_typical():
    assert typical_joint(Clusters.from_nested([DULL, TELLING])) is None
    assert typical_clusters(Clusters.from_nested([DULL, TELLING])) == [1]


@examples(40)
@given(forests())
def test_whenever_clusters_were_joined_a_joint_cluster_of_leaves_is_shown(published):
    found = typical_joint(published)
    assert (found is None) == (not published.is_joint.any())
    if found is not None:
        assert published.is_joint[found]
        assert not published.is_joint[published.parents == found].any()
        assert typical_clusters(published) == [typical_leaf(published), found]
