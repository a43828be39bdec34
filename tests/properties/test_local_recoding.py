"""Local search: its books are right, it joins as its slow twin does, and it never loses more than it started with."""

from fractions import Fraction
from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disjoin.methods.generalization.encoding import encoded
from disjoin.methods.generalization.kaca import runs_of
from disjoin.methods.generalization.local_search import (
    LEAST_SIDE,
    best_cuts,
    improve,
    join_open,
    local_search,
    parts_of,
    priced,
    scale_of,
)
from disjoin.methods.generalization.local_search_classes import classes_of, span_losses
from disjoin.methods.generalization.requirements import asked_of, groups_that_hold, roles_of
from helpers import recodings
from helpers.hypothesis_profile import examples
from oracle import generalization as demanded
from oracle import local_search as twin


def quiet(*_):
    pass


def start_of(problem):
    """The priced table, what is asked, and classes that have joined until they are as demanded."""
    table = recodings.table_of(problem)
    rows = encoded(table, roles_of(table))
    asked = asked_of(recodings.settings_of(problem, "local-search"), rows)
    work = priced(rows)
    of_row, vectors = runs_of(rows.leaves)
    is_open = ~groups_that_hold(asked, of_row, len(vectors))
    classes = classes_of(work.values, of_row.astype(np.int64), work.columns)
    join_open(classes, work.columns, asked, is_open, quiet)
    return rows, work, asked, classes


def members_of(class_of_row):
    groups = {}
    for row, number in enumerate(class_of_row.tolist()):
        groups.setdefault(number, []).append(row)
    return sorted(groups.values())


def loss_in_books(classes):
    return int((classes.sizes * classes.losses).sum())


def loss_recomputed(problem, rows, of_row):
    """The sum of losses by exact fractions, from nothing but the rows, in parts of the scale."""
    original = [problem.rows[i] for i in rows.rows.tolist()]
    return twin.whole_loss(problem.trees, original, members_of(of_row)) * scale_of(rows)


@given(recodings.problems(most_rows=24))
@examples(60)
def test_the_books_of_losses_are_what_a_recount_finds(problem):
    rows, work, asked, classes = start_of(problem)
    start = loss_in_books(classes)
    assert start == loss_recomputed(problem, rows, classes.of_row)
    fallen = improve(classes, work.columns, asked, quiet)
    assert start - fallen == loss_in_books(classes) == loss_recomputed(problem, rows, classes.of_row)
    fresh = classes_of(work.values, classes.of_row.copy(), work.columns, classes.sizes.size)
    taken = classes.sizes > 0
    for books, recount in zip(classes[5:9], fresh[5:9], strict=True):
        assert books[taken].tolist() == recount[taken].tolist()


@given(recodings.problems(most_rows=30))
@examples(40)
def test_the_search_never_loses_more_than_it_started_with(problem):
    rows, _, _, classes = start_of(problem)
    start = loss_recomputed(problem, rows, classes.of_row)
    found = local_search(rows, recodings.settings_of(problem, "local-search"))
    assert loss_recomputed(problem, rows, found.class_of_row) <= start


@given(recodings.problems(most_rows=20, asked=[{}]))
@examples(60)
def test_classes_join_as_their_twin_does(problem):
    rows, _, _, classes = start_of(problem)
    original = [problem.rows[i] for i in rows.rows.tolist()]
    assert members_of(classes.of_row) == twin.join_small(problem.trees, original, problem.k)


@given(recodings.problems(most_rows=12, asked=[{}]))
@examples(60)
def test_published_vectors_lose_what_the_search_counted(problem):
    table = recodings.table_of(problem)
    rows = encoded(table, roles_of(table))
    found = local_search(rows, recodings.settings_of(problem, "local-search"))
    lost = sum(
        Fraction(int(tree.leaf_counts[node]) - 1, max(1, tree.n_leaves - 1))
        for a, tree in enumerate(rows.hierarchies)
        for node in found.vectors[found.class_of_row, a].tolist()
    )
    # Classes with equal vectors are one class, which loses the same.
    assert lost * scale_of(rows) == loss_recomputed(problem, rows, found.class_of_row)


@given(recodings.problems(most_rows=40), st.integers(1, 12))
@examples(60)
def test_parts_hold_every_row_once_and_are_as_demanded(problem, largest):
    rows, work, asked, _ = start_of(problem)
    parts = parts_of(work, asked, largest)
    assert sorted(row for part in parts for row in part.tolist()) == list(range(len(rows)))
    of_part = np.empty(len(rows), dtype=np.int64)
    for number, part in enumerate(parts):
        of_part[part] = number
    assert groups_that_hold(asked, of_part, len(parts)).all()


@given(recodings.problems(most_rows=40), st.data())
@examples(60)
def test_every_column_is_cut_where_most_is_saved(problem, data):
    _, work, _, _ = start_of(problem)
    rows = sorted(data.draw(st.sets(st.sampled_from(range(len(work.values))), min_size=1)))
    saved, values = best_cuts(work.columns, work.values, np.array(rows, dtype=np.int64))
    for column in range(work.values.shape[1]):
        held = [int(work.values[row, column]) for row in rows]

        def lost(some, column=column):
            ends = np.array([[min(some)], [max(some)]])
            return len(some) * int(span_losses(work.columns, column, *ends)[0])

        cuts = [([x for x in held if x <= value], [x for x in held if x > value]) for value in sorted(set(held))]
        fine = [sides for sides in cuts if min(map(len, sides)) * LEAST_SIDE >= len(held) and sides[1]]
        best = max(fine, key=lambda sides: lost(held) - lost(sides[0]) - lost(sides[1]), default=None)  # the first
        assert values[column] == (-1 if best is None else max(best[0]))
        assert best is None or saved[column] == lost(held) - lost(best[0]) - lost(best[1])


@given(recodings.problems(most_rows=40))
@examples(60)
def test_a_table_searched_in_parts_has_classes_as_demanded(problem):
    with mock.patch("disjoin.methods.generalization.local_search.largest_part", lambda *_: 6):
        found = recodings.classes_of(problem, "local-search")
    assert sorted(row for _, members in found for row in members) == list(range(len(problem.rows)))
    assert all(demanded.satisfies(problem, members) for _, members in found)
