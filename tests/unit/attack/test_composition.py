"""Two releases of the same people: planted records that one shows whole, and terms that only both make sure."""

from __future__ import annotations

import pytest

import disjoin
from disjoin.attack.composition import composition, together, whole_records
from disjoin.model import Clusters
from disjoin.readers.read import as_transactions


def leaf(size, *chunks, rare=()):
    bags = [{"subrecords": [[list(terms), count] for terms, count in chunk]} for chunk in chunks]
    return {"size": size, "record_chunks": bags, "term_chunk": list(rare)}


WHOLE = Clusters.from_nested([leaf(3, [("a", 1), ("ab", 2)]), leaf(3, [("c", 3)], rare="d")])
CUT = Clusters.from_nested([leaf(6, [("a", 3)], [("b", 2)], [("c", 3)], rare="d")])


def test_a_leaf_with_one_chunk_and_nothing_else_shows_whole_records():
    assert whole_records(WHOLE) == {("a",): 1, ("a", "b"): 2}
    assert not whole_records(CUT)


def test_records_that_the_other_cuts_apart_are_counted():
    found = composition(WHOLE, CUT)
    assert (found.whole, found.told, found.records) == ((3, 0), (3, 0), (6, 6))
    assert found.sentence().startswith("3 records are published whole in one of the releases")


def test_a_release_with_itself_tells_nothing_more():
    found = composition(WHOLE, WHOLE, as_transactions([{"a", "b"}] * 3))
    assert (found.told, found.fewer, found.below, found.more, found.example) == ((0, 0), 0, 0, 0, None)
    assert "No record that one release splits" in found.sentence()


def test_what_one_makes_sure_is_known_when_the_other_is_asked_again():
    first = Clusters.from_nested([leaf(4, [("ab", 4)], rare="cdxy"), leaf(4, [("b", 4)], rare="cd")])
    second = Clusters.from_nested([leaf(5, [("bc", 2), ("ac", 3)], rare="xy"), leaf(3, [("bd", 3)], rare="a")])
    found = together(first, second, "a")
    assert found.sure == ("b", "d")
    assert (found.first.possible, found.second.possible, found.possible) == (4, 6, 3)
    assert found.reveals_more
    assert found.leaves_fewer
    assert "At most 3 records could be this person (by the first release alone 4, by the second 6)." in found.sentence()


def test_others_than_clusters_are_refused():
    groups = disjoin.cahd([["a", "x"], ["a", "b"], ["b"], ["a"]], ["x"], 2)
    with pytest.raises(disjoin.InvalidParameter, match="groups"):
        composition(WHOLE, groups)
