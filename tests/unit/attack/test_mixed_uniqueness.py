"""Whom columns and terms single out together, against trying every piece of knowledge."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.attack.uniqueness import mixed_uniqueness
from disjoin.model import MixedRecords

person = st.tuples(st.sampled_from("fm"), st.sampled_from("12"), st.frozensets(st.sampled_from("abc")))


def by_hand(people, known):
    found = 0
    for sex, age, terms in people:
        pieces = [set(some) for size in range(known + 1) for some in combinations(sorted(terms), size)]
        found += any(
            sum((one, other) == (sex, age) and piece <= having for one, other, having in people) == 1
            for piece in pieces
        )
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(person, min_size=1, max_size=7))
def test_it_finds_whom_trying_everything_finds(people):
    columns = {"sex": [each[0] for each in people], "age": [each[1] for each in people]}
    data = MixedRecords.from_people(columns, [each[2] for each in people])
    assert mixed_uniqueness(data, ["sex", "age"]) == tuple(by_hand(people, known) for known in (0, 1, 2))
