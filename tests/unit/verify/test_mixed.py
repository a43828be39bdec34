"""Mixed data with a violation planted: each condition is found, by its name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Bag, Clusters, Mixed, MixedAnonymity, MixedRecords, Role, Table
from disjoin.verify import check

PROMISE = MixedAnonymity(2, 2, ("age",))


def leaf(size=4, chunks=((("a",), 4),), terms=(), rows=()):
    """A leaf, and its rows as (age, terms, count)."""
    tree = {
        "size": size,
        "record_chunks": [{"subrecords": [[list(t), n]]} for t, n in chunks],
        "term_chunk": list(terms),
    }
    return tree, [("[1, 2]", (), size)] if not rows else list(rows)


def mixed(*leaves, columns=None, roles=None):
    trees = [tree for tree, _ in leaves]
    entries = [(number, *row) for number, (_, rows) in enumerate(leaves) for row in rows]
    people = Bag(*_sets([terms for _, _, terms, _ in entries]), np.array([row[3] for row in entries]))
    table = Table.from_columns(
        {"age": [row[1] for row in entries]} | (columns or {}), {"age": Role.QUASI_IDENTIFIER} | (roles or {})
    )
    return Mixed(Clusters.from_nested(trees), np.array([row[0] for row in entries]), table, people)


def _sets(rows):
    names = sorted({term for row in rows for term in row})
    lengths = np.cumsum([0, *map(len, rows)])
    return (
        pa.array(names, pa.string()),
        lengths,
        np.array([names.index(term) for row in rows for term in row], np.int32),
    )


def broken(published, guarantee=PROMISE, **known):
    return {violation.invariant for violation in check(published, guarantee, **known).violations}


def test_a_sound_one_holds():
    assert broken(mixed(leaf())) == set()
    assert broken(mixed(leaf(rows=[("1", ("x",), 2), ("[1, 2]", ("x",), 2)]))) == set()


@pytest.mark.parametrize(
    ("rows", "invariant"),
    [
        ([("1", (), 3)], "R1"),
        ([("1", (), 5)], "R1"),
        ([("1", (), 3), ("2", (), 1)], "R2"),
        ([("1", (), 1), ("1", ("x",), 3), ("2", ("x",), 0)], "R1"),
        ([("1", (), 3), ("1", ("x",), 1)], "R2"),
        ([("1", ("x",), 1), ("1", ("x", "y"), 1), ("1", ("y",), 2)], "R2"),
        ([("1", ("a",), 4)], "R3"),
        ([("2", (), 2), ("1", (), 2)], "R8"),
        ([("1", (), 2), ("1", (), 2)], "R8"),
        ([("young", (), 4)], "R9"),
    ],
)
def test_rows_that_break_a_condition_are_found(rows, invariant):
    assert broken(mixed(leaf(rows=rows))) == {invariant}


def test_a_set_of_terms_with_a_row_is_counted_among_rows_that_are_alike():
    rows = [("1", ("x",), 2), ("2", (), 2)]
    assert broken(mixed(leaf(rows=rows))) == set()
    rows = [("1", ("x",), 1), ("1", (), 1), ("2", ("x",), 1), ("2", (), 1)]  # twice in the cluster, once with each row
    assert "R2" in broken(mixed(leaf(rows=rows)))


def test_a_cluster_that_cannot_be_filled_is_found_unless_somebody_may_have_nothing():
    lacking = mixed(leaf(size=4, chunks=((("a",), 3),)))
    assert broken(lacking) == {"R4"}
    assert broken(lacking, replace(PROMISE, without_terms=True)) == set()
    assert broken(mixed(leaf(size=4, chunks=((("a",), 3),), terms=("z",)))) == set()


def test_terms_that_stand_with_rows_fill_them():
    rows = [("1", (), 2), ("1", ("x",), 4)]
    filled = mixed(leaf(size=6, chunks=((("a",), 4),), rows=rows))
    assert broken(filled) == set()
    assert broken(mixed(leaf(size=6, chunks=((("a",), 3),), rows=rows))) == {"R4"}


def test_a_term_above_a_leaf_may_not_stand_with_its_rows():
    rows = [("1", ("x",), 2)]
    trees = [
        {
            "size": 4,
            "shared_chunks": [{"subrecords": [[["x"], 2]]}],
            "children": [
                {"size": 2, "record_chunks": [], "term_chunk": ["p"]},
                {"size": 2, "record_chunks": [], "term_chunk": ["q"]},
            ],
        }
    ]
    people = Bag(*_sets([(), ("x",)]), np.array([2, 2]))
    table = Table.from_columns({"age": ["1", "1"]}, {"age": Role.QUASI_IDENTIFIER})
    published = Mixed(Clusters.from_nested(trees), np.array([1, 2]), table, people)
    assert rows and broken(published) == {"R3"}
    assert broken(replace(published, leaves=np.array([0, 2]))) == {"R1"}  # a joint has no rows of its own


def test_sensitive_terms_and_columns_are_guarded():
    rows = [("1", ("x",), 4)]
    assert broken(mixed(leaf(rows=rows)), replace(PROMISE, sensitive=("X ",))) == {"V11"}
    column, roles = {"illness": ["flu", "cold"]}, {"illness": Role.SENSITIVE}
    asked = replace(PROMISE, sensitive_columns=("illness",))
    even = mixed(leaf(rows=[("1", (), 2), ("1", (), 2)]), columns={"illness": ["cold", "flu"]}, roles=roles)
    assert broken(even, replace(asked, alpha="1/2", column_l=2)) == set()
    uneven = mixed(leaf(rows=[("1", (), 1), ("1", (), 3)]), columns={"illness": ["cold", "flu"]}, roles=roles)
    assert broken(uneven, replace(asked, alpha="1/2")) == {"R5"}
    alike = mixed(leaf(rows=[("1", (), 2), ("1", (), 2)]), columns={"illness": ["FLU", "flu"]}, roles=roles)
    assert broken(alike, replace(asked, column_l=2)) == {"R6"}
    standing = mixed(leaf(rows=[("1", ("x",), 2), ("1", ("x",), 2)]), columns=column, roles=roles)
    assert "R5" in broken(standing, replace(asked, alpha="1/2"))


def test_excluded_values_are_read_in_hierarchies_and_intervals():
    guarantee = replace(PROMISE, exclusions=("a:age=[0, 17]",))
    assert broken(mixed(leaf(rows=[("[3, 9]", (), 4)])), guarantee) == {"R7"}
    assert broken(mixed(leaf(rows=[("[3, 19]", (), 4)])), guarantee) == set()
    assert broken(
        mixed(leaf(terms=("abc",), chunks=(), rows=[("5", (), 4)])), replace(guarantee, exclusions="ab*:age=5")
    )


def test_exclusions_of_a_term_are_judged_together():
    """P9: each of two exclusions allows a row that both together exclude."""
    crossing = mixed(leaf(rows=[("[5, 12]", (), 4)]))
    both = replace(PROMISE, exclusions=("a:age=0..9", "a:age=10..19"))
    assert broken(crossing, both) == {"R7"}
    assert broken(crossing, replace(both, exclusions=("a*:age=0..9", "a:age=10..19"))) == {"R7"}
    assert broken(crossing, replace(both, exclusions=("a:age=0..9", "b:age=10..19"))) == set()
    assert broken(crossing, replace(both, exclusions=("a:age=0..9",))) == set()


@pytest.mark.parametrize("spelling", ["A", "a ", "a\ufe0f", "A*"])
def test_the_term_of_an_exclusion_is_meant_in_every_spelling(spelling):
    """P9: terms were compared without folding spellings."""
    young = mixed(leaf(rows=[("5", (), 4)]))
    assert broken(young, replace(PROMISE, exclusions=(f"{spelling}:age=0..9",))) == {"R7"}


def test_people_without_terms_force_nobody_to_have_a_sensitive_term():
    """P10: four people, of whom one has the sensitive term and three have none."""
    alone = mixed(leaf(size=4, chunks=(), terms=("s",)))
    asked = replace(PROMISE, sensitive=("s",), l=2)
    assert broken(alone, asked) == {"V11"}
    assert broken(alone, replace(asked, without_terms=True)) == set()
    standing = mixed(leaf(size=4, chunks=(), terms=("s",), rows=[("1", (), 2), ("1", ("x",), 2)]))
    assert broken(standing, asked) == set()  # those who have x need no term of the cluster
    too_few = mixed(leaf(size=5, chunks=(), terms=("s",), rows=[("1", (), 3), ("1", ("x",), 2)]))
    assert broken(too_few, asked) == {"V11"}


def test_equal_clusters_are_sorted_by_their_rows():
    one, two = leaf(rows=[("1", (), 4)]), leaf(rows=[("2", (), 4)])
    assert broken(mixed(one, two)) == set()
    assert broken(mixed(two, one)) == {"R8"}


def test_columns_that_the_promise_does_not_have_are_found():
    assert broken(mixed(leaf(), columns={"name": ["Bo"]})) == {"R9"}
    assert broken(mixed(leaf()), replace(PROMISE, quasi=("age", "sex"))) == {"R9"}


ORIGINAL = MixedRecords.from_people({"age": ["1", "2", "1", "2"]}, [{"a", "x"}, {"a"}, {"a", "x"}, {"a"}])


def test_the_original_is_compared_row_by_row():
    right = mixed(leaf(rows=[("1", ("x",), 2), ("2", (), 2)]))
    assert broken(right, original=ORIGINAL, part_of_record=[0, 1, 0, 1]) == set()
    assert broken(right, original=ORIGINAL) == set()
    assert broken(right, original=ORIGINAL, part_of_record=[0, 0, 0, 1]) == {"W1"}
    assert broken(right, original=ORIGINAL, part_of_record=[1, 0, 1, 0]) == {"W2"}
    assert broken(right, original=ORIGINAL, part_of_record=[0, 1, 0, 7]) == {"W1"}
    swapped = mixed(leaf(rows=[("1", (), 2), ("2", ("x",), 2)]))
    assert broken(swapped, original=ORIGINAL, part_of_record=[0, 1, 0, 1]) == {"W2"}
    fewer = MixedRecords.from_people({"age": ["1", "1"]}, [{"a"}, {"a"}])
    assert {"W1", "O1"} <= broken(right, original=fewer)


def test_people_without_terms_are_counted_by_their_rows():
    original = MixedRecords.from_people({"age": ["1", "1", "1", "1"]}, [{"a"}, {"a"}, set(), {"a"}])
    published = mixed(leaf(chunks=((("a",), 3),), rows=[("1", (), 4)]))
    guarantee = replace(PROMISE, without_terms=True)
    assert broken(published, guarantee, original=original, part_of_record=[0, 0, 0, 0]) == set()
    wrong = mixed(leaf(chunks=((("a",), 2),), rows=[("1", (), 4)]))
    assert "O3" in broken(wrong, guarantee, original=original, part_of_record=[0, 0, 0, 0])


def test_only_its_own_promise_and_original_are_taken():
    with pytest.raises(InvalidParameter, match="MixedRecords"):
        check(mixed(leaf()), PROMISE, original=ORIGINAL.table)
    with pytest.raises(InvalidParameter, match="is for clusters"):
        check(mixed(leaf()), PROMISE, original=ORIGINAL, exact=True)


def test_damaged_rows_are_told_and_nothing_more_is_read():
    published = mixed(leaf())
    assert broken(replace(published, leaves=np.array([7]))) == {"R1"}
    assert broken(replace(published, people=replace(published.people, counts=np.array([2**41])))) == {"R1"}
    assert broken(replace(published, people=replace(published.people, counts=np.array([0])))) == {"R1"}
