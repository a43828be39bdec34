"""Hierarchies made from values, held against what their names say."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import Hierarchy
from disjoin.model.hierarchy_builders import grouped_hierarchy, interval_hierarchy, mask_hierarchy
from helpers.hypothesis_profile import examples

WHOLE = st.integers(-300, 300).map(str)
DECIMALS = st.decimals(-50, 50, places=2).map(str)
WIDTHS = st.tuples(st.integers(1, 9), st.integers(2, 4), st.integers(2, 4)).map(
    lambda w: (w[0], w[0] * w[1], w[0] * w[1] * w[2])
)


def paths(tree: Hierarchy) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in tree.rows()}


def bounds(name: str, *, is_whole: bool) -> tuple[Fraction, Fraction]:
    """Read the name of an interval; the end is not included."""
    pattern = r"(-?\d+)(?:-| to )(-?\d+)" if is_whole else r"\[(.+), (.+)\)"
    low, high = map(Fraction, re.fullmatch(pattern, name).groups())
    return low, high + (1 if is_whole else 0)


@examples(60)
@given(st.lists(WHOLE, min_size=1, max_size=8) | st.lists(DECIMALS, min_size=1, max_size=8), WIDTHS)
def test_every_number_is_in_its_intervals_which_are_aligned_and_nested(values, widths):
    found = paths(interval_hierarchy(values, widths))
    is_whole = all(Fraction(value).denominator == 1 for value in values)
    assert set(values) <= set(found)
    for leaf, (*names, root) in found.items():
        assert root == "*"
        outer = None
        for width, (low, high) in reversed(
            list(zip(widths, (bounds(n, is_whole=is_whole) for n in names), strict=True))
        ):
            assert low <= Fraction(leaf) < high
            assert (high - low, low % width) == (width, 0)
            assert outer is None or outer[0] <= low < high <= outer[1]
            outer = low, high


@examples(40)
@given(st.lists(WHOLE, min_size=1, max_size=8), WIDTHS)
def test_whole_numbers_do_not_tell_which_of_them_occur(values, widths):
    found = {int(leaf) for leaf in paths(interval_hierarchy(values, widths))}
    first, last = (min(map(int, values)) // widths[0]), (max(map(int, values)) // widths[0])
    assert found == set(range(first * widths[0], (last + 1) * widths[0]))


def test_intervals_are_written_as_people_write_them():
    assert paths(interval_hierarchy(["23", "?"]))["23"] == ("20-24", "20-29", "20-39", "*")
    assert paths(interval_hierarchy(["23", "?"]))["?"] == ("?", "?", "?", "*")
    assert paths(interval_hierarchy(["-3"], (5,)))["-3"] == ("-5 to -1", "*")
    assert paths(interval_hierarchy(["0.25"], ("0.5", 1)))["0.25"] == ("[0, 0.5)", "[0, 1)", "*")
    assert paths(interval_hierarchy(["007"], (5,)))["007"] == ("5-9", "*")


def test_numbers_far_apart_do_not_make_millions_of_leaves():
    assert interval_hierarchy(["0", "1000000000"], (10,)).n_leaves == 2


@pytest.mark.parametrize(
    ("values", "widths", "words"),
    [
        (["1"], (), "at least one width"),
        (["1"], (0,), "above 0"),
        (["1"], (-5,), "above 0"),
        (["1"], ("five",), "above 0"),
        (["1"], (True,), "above 0"),
        (["1"], (5, 12), "12 is not one of 5"),
        (["1"], (5, 5), "multiple of the previous one, but"),
        (["1", "forty"], (5,), "different values are not numbers"),
        (["?"], (5,), "found none"),
        ([], (5,), "found none"),
    ],
)
def test_intervals_that_cannot_be_are_refused(values, widths, words):
    with pytest.raises(InvalidParameter, match=words):
        interval_hierarchy(values, widths)


@examples(60)
@given(st.lists(st.text("01AB.", min_size=1, max_size=4), min_size=1, max_size=8))
def test_codes_are_hidden_from_the_right_one_character_at_a_time(codes):
    tree = mask_hierarchy(codes)
    found = paths(tree)
    longest = max(map(len, codes))
    assert set(found) == set(codes)
    assert tree.height == longest
    for code, names in found.items():
        full = code + "_" * (longest - len(code))
        assert names == tuple(full[: longest - hidden] + "*" * hidden for hidden in range(1, longest + 1))


def test_masks_have_a_leaf_for_missing_values_and_refuse_stars():
    assert paths(mask_hierarchy(["4350", "?"]))["?"] == ("?", "?", "?", "****")
    with pytest.raises(InvalidParameter, match="a value has it already"):
        mask_hierarchy(["43*"])
    with pytest.raises(InvalidParameter, match="found none"):
        mask_hierarchy(["?"])


def test_categories_go_under_their_groups():
    groups = {"nurse": ["health", "services"], "baker": ["food", "services", "*"], "miner": "other"}
    found = paths(grouped_hierarchy(groups, ["nurse", "?"]))
    assert found["nurse"] == ("health", "services", "*")
    assert found["baker"] == ("food", "services", "*")
    assert found["miner"] == ("miner", "other", "*")
    assert found["?"] == ("?", "?", "*")


def test_categories_without_a_group_are_counted():
    with pytest.raises(InvalidParameter, match="2 of 3 different values have none"):
        grouped_hierarchy({"nurse": "health"}, ["nurse", "cook", "smith"])
    with pytest.raises(InvalidParameter, match="found none"):
        grouped_hierarchy({})
    with pytest.raises(UnreadableInput, match="a different parent"):
        grouped_hierarchy({"a": ["g", "x"], "b": ["g", "y"]})


def test_a_leaf_for_missing_values_is_added_once():
    tree = Hierarchy.from_rows([["a", "g", "*"]])
    assert tree.with_missing().rows() == [("?", "?", "*"), ("a", "g", "*")]
    assert tree.with_missing().with_missing() == tree.with_missing()
