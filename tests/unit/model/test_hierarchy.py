from __future__ import annotations

import gzip
import os
import tracemalloc
from itertools import count, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import hierarchy as hierarchy_module
from disjoin.model.hierarchy import Hierarchy
from helpers.hypothesis_profile import examples
from oracle import hierarchy as oracle

PETS = [("cat", "pet", "*"), ("dog", "pet", "*"), ("cow", "farm", "*"), ("unicorn", "*")]

Rows = list[tuple[str, ...]]


def written(tree: list[object], above: tuple[str, ...]) -> Rows:
    """List the rows of a nested list, in which an empty list is a leaf; a name says where the node is."""
    rows: Rows = []
    for number, below in enumerate(tree):
        path = (f"{above[0]}{number}" if above[0] != "*" else str(number), *above)
        rows += written(below, path) if below else [path]  # type: ignore[arg-type]
    return rows


# trees of any shape, with leaves at different depths
trees = st.recursive(st.just([]), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=10)
row_lists = trees.filter(bool).map(lambda tree: written(tree, ("*",))).flatmap(st.permutations).map(list)


@settings(deadline=None)
@given(row_lists)
def test_lifting_and_counting_leaves_agree_with_the_padded_rows(rows: Rows) -> None:
    tree, twin = Hierarchy.from_rows(rows), oracle.padded(rows)
    names = tree.names.to_pylist()
    assert names[: tree.n_leaves] == sorted(twin)
    for level in range(tree.height + 1):
        raised = tree.lift(np.arange(tree.n_leaves), level)
        assert [names[node] for node in raised] == [oracle.lifted(twin, leaf, level) for leaf in sorted(twin)]
        assert {int(tree.levels[node]) for node in raised} == {level}
    for node, name in enumerate(names):
        assert tree.leaf_counts[node] == len(oracle.leaves_under(twin, (int(tree.levels[node]), name)))


@examples(50)
@given(row_lists)
def test_the_common_ancestor_is_the_lowest_node_with_both_below(rows: Rows) -> None:
    tree, twin = Hierarchy.from_rows(rows), oracle.padded(rows)
    nodes = [(int(level), name) for level, name in zip(tree.levels, tree.names.to_pylist(), strict=True)]
    pairs = np.array(list(product(range(len(nodes)), repeat=2)))
    found = tree.common_ancestor(pairs[:, 0], pairs[:, 1])
    for (left, right), ancestor in zip(pairs, found, strict=True):
        assert nodes[ancestor] == oracle.common_ancestor(twin, nodes[left], nodes[right])


@settings(deadline=None)
@given(row_lists)
def test_rows_and_tree_are_two_forms_of_the_same(rows: Rows) -> None:
    tree = Hierarchy.from_rows(rows)
    assert sorted(tree.rows()) == sorted(oracle.padded(rows).values())
    assert Hierarchy.from_rows(tree.rows()) == tree
    assert Hierarchy.from_rows(reversed(rows)) == tree
    assert hash(Hierarchy.from_rows(reversed(rows))) == hash(tree)


def test_a_leaf_nearer_to_the_root_is_repeated_upwards() -> None:
    tree = Hierarchy.from_rows(PETS)
    unicorn = tree.encode(["unicorn"])
    assert [tree.names[int(tree.lift(unicorn, level)[0])].as_py() for level in (0, 1, 2)] == ["unicorn", "unicorn", "*"]


def test_every_leaf_may_be_lifted_to_a_level_of_its_own() -> None:
    tree = Hierarchy.from_rows(PETS)
    raised = tree.lift(tree.encode(["cat", "dog", "cow"]), [0, 1, 2])
    assert [tree.names[int(node)].as_py() for node in raised] == ["cat", "pet", "*"]


def test_two_nodes_alone_have_a_common_ancestor_too() -> None:
    tree = Hierarchy.from_rows(PETS)
    cat, dog, cow = tree.encode(["cat", "dog", "cow"])
    assert tree.names[int(tree.common_ancestor(cat, dog))].as_py() == "pet"
    assert tree.common_ancestor(cat, cow) == tree.root
    assert tree.common_ancestor(cat, cat) == cat


def test_the_smallest_tree_is_one_node_without_a_step() -> None:
    tree = Hierarchy.from_rows([["*"]])
    assert (len(tree), tree.n_leaves, tree.height, tree.root) == (1, 1, 0, 0)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([], "at least one row"),
        ([("a", "*"), ()], "row 2 .* empty name"),
        ([("a", "", "*")], "row 1 .* empty name"),
        ([("a", "p", "*"), ("b", "p", "*"), ("a", "q", "*")], "rows 1 and 3 have the same leaf"),
        ([("a", "p", "*"), ("b", "q", "all")], "same root"),
        ([("a", "p", "x", "*"), ("b", "p", "y", "*")], "name 2 of row 2 has a different parent"),
        ([("a", "*"), ("b", "a", "*")], "leaf of row 1 is above the leaf of row 2"),
        ([("a", "p", "a", "*")], "row 1 .* cycle"),
        ([("a", "p", "x", "*"), ("b", "y", "p", "*")], "has different leaves"),
    ],
)
def test_rows_that_are_no_tree_are_refused(rows: Rows, complaint: str) -> None:
    with pytest.raises(UnreadableInput, match=complaint):
        Hierarchy.from_rows(rows)


@pytest.mark.parametrize(
    ("names", "parents"),
    [
        ([], []),
        (["a", "*"], [1]),  # a node without a parent
        (["a", "b", "*"], [-1, 2, -1]),  # two roots
        (["a", "b", "*"], [1, 0, -1]),  # a circle
        (["a", "b", "*"], [2, 5, -1]),  # a parent that is not there
        (["a", "b", "p", "*"], [2, 3, 3, -1]),  # leaves at different levels
    ],
)
def test_arrays_that_are_no_tree_are_refused(names: list[str], parents: list[int]) -> None:
    with pytest.raises(InvalidParameter):
        Hierarchy(names, np.array(parents, dtype=np.int32))


def test_a_value_without_a_leaf_is_told_by_its_place() -> None:
    with pytest.raises(InvalidParameter, match=r"value 1 .* has none"):
        Hierarchy.from_rows(PETS).encode(["cat", "yeti"])
    with pytest.raises(InvalidParameter, match=r"value 0 .* has none"):
        Hierarchy.from_rows(PETS).encode(["pet"])


@pytest.mark.parametrize(("leaves", "levels"), [([0], 3), ([0], -1), ([4], 0), ([-1], 0)])
def test_only_leaves_can_be_lifted_and_only_to_levels_that_exist(leaves: list[int], levels: int) -> None:
    with pytest.raises(InvalidParameter, match="must be in"):
        Hierarchy.from_rows(PETS).lift(leaves, levels)


@pytest.mark.parametrize("name", ["parents", "levels", "leaf_counts"])
def test_the_arrays_are_read_only(name: str) -> None:
    with pytest.raises(ValueError, match="read-only"):
        getattr(Hierarchy.from_rows(PETS), name)[0] = 1


def test_it_is_another_tree_when_a_name_or_a_parent_differs() -> None:
    tree = Hierarchy.from_rows(PETS)
    assert tree != Hierarchy.from_rows(
        [("cat", "pet", "*"), ("dog", "pet", "*"), ("hen", "farm", "*"), ("unicorn", "*")]
    )
    assert tree != Hierarchy.from_rows(
        [("cat", "pet", "*"), ("dog", "farm", "*"), ("cow", "farm", "*"), ("unicorn", "*")]
    )
    assert tree != "tree"


@pytest.mark.realdata
def test_the_hierarchies_of_the_benchmarks_are_read_and_given_back() -> None:
    folder = Path(os.environ.get("DISJOIN_DATA", Path(__file__).parents[4] / "shared" / "data"))
    files = sorted(folder.glob("*_hierarchy*.csv.gz"))
    if not files:
        pytest.skip("the benchmark datasets are not here")
    for path in files:
        with gzip.open(path, "rt") as file:
            rows = [tuple(line.rstrip("\n").split(";")) for line in file]
        assert Hierarchy.from_rows(rows).rows() == sorted(rows)


def test_a_deep_tree_is_written_as_rows_in_time_that_grows_with_its_names_only(monkeypatch):
    steps = []
    raised = Hierarchy._raised
    monkeypatch.setattr(Hierarchy, "_raised", lambda self, *given: steps.append(1) or raised(self, *given))
    row = tuple(f"n{level:03d}" for level in range(900))
    assert Hierarchy.from_rows([row]).rows() == [row]
    assert not steps, "no level is lifted from the leaves again"


def test_a_row_with_very_many_names_is_refused_with_its_line():
    deep = [f"n{level}" for level in range(1001)]
    with pytest.raises(UnreadableInput, match=r"at most 1,000 names, but row 2 has 1,001; leave levels out") as caught:
        Hierarchy.from_rows([["a", deep[-1]], deep])
    assert caught.value.line == 2


def test_short_rows_beside_a_long_one_are_refused_before_they_are_filled_up():
    long = [f"n{level}" for level in range(1000)]
    short = [[f"leaf {number}", long[-1]] for number in range(20_000)]
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableInput, match=r"the first 20,001 have 20,001,000, padded to the longest"):
            Hierarchy.from_rows([*short, long])
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


def test_long_leaves_of_short_rows_are_refused_before_they_are_repeated():
    long = [f"n{level}" for level in range(1000)]
    short = [["x" * 100_000 + str(number), long[-1]] for number in range(3)]
    with pytest.raises(UnreadableInput, match=r"padding the 4 rows to that takes about 285 MB, but the limit is 128"):
        Hierarchy.from_rows([*short, long])


def test_rows_are_taken_one_by_one_and_no_more_than_a_tree_may_have(monkeypatch):
    monkeypatch.setattr(hierarchy_module, "MOST_NAMES", 9)
    endless = ([f"leaf {number}", "p", "*"] for number in count())
    with pytest.raises(UnreadableInput, match=r"at most 9 names in all its rows, but the first 4 have 12"):
        Hierarchy.from_rows(endless)


def test_rows_may_be_filled_up_only_as_far_as_they_are_long(monkeypatch):
    monkeypatch.setattr(hierarchy_module, "MOST_CELLS", 8)
    even = [[f"leaf {number}", "p", "*"] for number in range(4)]
    assert Hierarchy.from_rows(even).n_leaves == 4
    with pytest.raises(UnreadableInput, match=r"at most 28 names in all its rows, but the first 5 have 30, padded"):
        Hierarchy.from_rows([*([f"leaf {n}", "*"] for n in range(4)), ["x", "a", "b", "c", "d", "*"]])


def test_after_a_row_that_is_too_long_no_other_is_asked_for():
    taken = []
    rows = (taken.append(number) or ["n"] * 1001 for number in range(5))
    with pytest.raises(UnreadableInput, match="row 1 has 1,001"):
        Hierarchy.from_rows(rows)
    assert taken == [0]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=4), min_size=1, max_size=5))
def test_what_is_a_tree_keeps_its_rows_filled_up_from_the_leaf(rows):
    try:
        tree = Hierarchy.from_rows([(*row, "*") for row in rows])
    except UnreadableInput:
        return
    longest = max(map(len, rows))
    filled = [(row[0],) * (longest - len(row)) + (*row, "*") for row in rows]
    assert tree.rows() == sorted(filled)
    assert tree == Hierarchy.from_rows(filled)
