"""Hierarchies over terms by name alone."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.model.hierarchy_builders import fan_out_hierarchy
from helpers.hypothesis_profile import examples

TERMS = st.lists(st.text("ab.*", min_size=1, max_size=5), min_size=1, max_size=40, unique=True)


def children(tree):
    """The names below each name; a name that is repeated upwards is one node."""
    below = {}
    for row in tree.rows():
        for name, parent in pairwise(row):
            if name != parent:
                below.setdefault(parent, set()).add(name)
    return below


@examples(60)
@given(TERMS, st.integers(2, 5))
def test_every_group_has_from_two_to_fan_out_members_and_neighbours_only(terms, fan_out):
    tree = fan_out_hierarchy(terms, fan_out)
    assert [row[0] for row in tree.rows()] == sorted(terms)
    root = tree.names[tree.root].as_py()
    for parent, members in children(tree).items():
        assert len(members) <= fan_out
        assert len(members) >= 2 or parent == root
        places = [place for place, row in enumerate(tree.rows()) if parent in row]
        assert places == list(range(places[0], places[-1] + 1))


@examples(60)
@given(TERMS, st.integers(2, 5))
def test_no_group_has_the_name_of_a_term_and_the_order_of_terms_does_not_matter(terms, fan_out):
    tree = fan_out_hierarchy(terms, fan_out)
    assert not {*terms} & set(children(tree))
    assert fan_out_hierarchy([*terms[::-1], terms[0]], fan_out) == tree


def test_a_name_that_is_taken_gets_more_dots_or_stars():
    assert fan_out_hierarchy(["a", "a..c", "b", "c", "d"], 4).rows()[0] == ("a", "a...c", "*")
    assert fan_out_hierarchy(["*", "a"], 2).rows()[0] == ("*", "**")


def test_nothing_to_group_and_groups_of_one_are_refused():
    with pytest.raises(InvalidParameter, match="found none"):
        fan_out_hierarchy([])
    with pytest.raises(InvalidParameter, match="fan_out must be a whole number of at least 2, got 1"):
        fan_out_hierarchy(["a"], 1)
