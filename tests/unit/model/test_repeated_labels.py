"""Labels that stand at several levels: each node gets a name of its own, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import UnreadableInput
from disjoin.model.hierarchy import Hierarchy, told_apart
from disjoin.model.hierarchy_builders import grouped_hierarchy
from disjoin.readers.hierarchies import read_hierarchy

GROCERIES = [
    ["detergent", "detergent", "non-food", "*"],
    ["softener", "detergent", "non-food", "*"],
    ["milk", "dairy", "food", "*"],
]


@st.composite
def even_rows(draw) -> list[list[str]]:
    """Draw a tree, all leaves as deep, whose labels differ inside a level and are shared between levels."""
    widths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    labels = [draw(st.permutations("abcdefgh")) for _ in ("leaves", *widths, "root")]
    nodes = [draw(st.integers(1, 6)), *widths]
    above = [
        draw(st.lists(st.integers(0, upper - 1), min_size=lower, max_size=lower))
        for lower, upper in zip(nodes, [*nodes[1:], 1], strict=True)
    ]
    rows = []
    for leaf in range(nodes[0]):
        path = [leaf]
        for parents in above:
            path.append(parents[path[-1]])
        rows.append([labels[level][node] for level, node in enumerate(path)])
    return rows


@given(even_rows())
def test_every_node_keeps_its_leaves_and_gets_a_name_of_its_own(rows):
    tree = Hierarchy.by_levels(rows)
    written = tree.rows()
    assert sorted(row[0] for row in rows) == [row[0] for row in written], "data is encoded by its leaves"
    by_leaf = {row[0]: row for row in written}
    leaves_of: dict[str, set[frozenset[str]]] = {}
    for level in range(len(rows[0])):
        for label in {row[level] for row in rows}:
            below = {row[0] for row in rows if row[level] == label}
            names = {by_leaf[leaf][level] for leaf in below}
            assert len(names) == 1, "a node stays one node"
            name = names.pop()
            assert below == {leaf for leaf, row in by_leaf.items() if row[level] == name}
            leaves_of.setdefault(name, set()).add(frozenset(below))
            assert name == label or name in tree.told_apart
    assert all(len(below) == 1 for below in leaves_of.values()), "a published name means one set of leaves"
    assert Hierarchy.from_rows(written) == tree, "what a release holds needs no telling apart"


def test_the_item_keeps_its_name_and_the_category_gets_its_level():
    tree = Hierarchy.by_levels(GROCERIES)
    assert tree.told_apart == ("detergent (level 1)",)
    assert tree.rows()[0] == ("detergent", "detergent (level 1)", "non-food", "*")
    assert tree.with_missing().told_apart == tree.told_apart


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["a", "p", "a", "*"]], [["a", "p", "a (level 2)", "*"]]),
        ([["a", "*", "*"], ["b", "p", "*"]], [["a", "* (level 1)", "*"], ["b", "p", "*"]]),
        ([["*", "p", "*"], ["b", "p", "*"]], [["*", "p", "* (level 2)"], ["b", "p", "* (level 2)"]]),
        ([["a", "a", "*"], ["b", "a", "*"], ["a (level 1)", "q", "*"]], None),
        ([["u", "u", "*"], ["b", "p", "*"]], [["u", "u", "*"], ["b", "p", "*"]]),
    ],
)
def test_leaves_come_first_then_the_root_and_no_name_is_given_twice(rows, told):
    found, made_up = told_apart(rows)
    assert found == (told or [["a", "a (level 1)'", "*"], ["b", "a (level 1)'", "*"], ["a (level 1)", "q", "*"]])
    assert {*made_up} == {name for row in found for name in row} - {name for row in rows for name in row}


def test_rows_of_different_lengths_say_nothing_of_levels_and_are_refused():
    with pytest.raises(UnreadableInput, match=r"rename one\. In a file whose rows all have the same number of names"):
        Hierarchy.by_levels([["a", "*"], ["b", "a", "*"]])


def test_files_and_groups_take_repeated_labels_and_methods_say_so(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("".join(f"{';'.join(row)}\n" for row in GROCERIES), encoding="utf-8")
    assert read_hierarchy(path) == Hierarchy.by_levels(GROCERIES)
    assert grouped_hierarchy({"tea": "tea", "mint": "tea"}).told_apart == ("tea (level 1)",)
    assert disjoin.hierarchy.check(path).to_json()["told_apart"] == ["detergent (level 1)"]
    with pytest.warns(UserWarning, match=r"the upper one is called 'detergent \(level 1\)'"):
        release = disjoin.generalize_items(
            [{"detergent", "milk"}, {"softener", "milk"}] * 3, k=4, m=1, hierarchy=str(path)
        )
    assert {*release.published.images.to_pylist()} == {"detergent (level 1)", "milk"}


def test_the_column_of_a_table_may_have_repeated_labels():
    tree = Hierarchy.by_levels(GROCERIES)
    rows = {"bought": ["detergent", "softener"] * 2, "age": ["30"] * 4}
    with pytest.warns(UserWarning, match="in the hierarchy of bought, a name has different meanings at two levels"):
        release = disjoin.generalize(rows, 4, ["bought", "age"], hierarchies={"bought": tree})
    assert {*release.published.table.column("bought").to_pylist()} == {"detergent (level 1)"}
