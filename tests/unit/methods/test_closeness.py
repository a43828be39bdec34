"""Classes beside the whole table: the loops against the slow twin, and every algorithm under every limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import disjoin
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.generalization import ALGORITHMS, Generalization
from disjoin.methods.generalization.encoding import Encoded, sensitive_tree
from disjoin.methods.generalization.requirements import asked_of, groups_that_hold
from disjoin.model import Hierarchy, Table
from disjoin.model.k_anonymity import Closeness
from helpers.hypothesis_profile import examples
from oracle import closeness as oracle

LIMITS = [
    Closeness(t="0.2"),
    Closeness(t="0.15", t_distance="ordered"),
    Closeness(beta="1"),
    Closeness(beta="2", enhanced_beta=True),
    Closeness(delta="1.2"),
    Closeness(c="2"),
    Closeness(t="0.15", t_distance="hierarchical"),
]
values = st.integers(0, 4)


def _encoded(whole: list[int]) -> Encoded:
    nothing = np.zeros((len(whole), 0), np.int32)
    return Encoded(
        leaves=nothing,
        rows=np.arange(len(whole)),
        hierarchies=(),
        names=(),
        is_hull=np.zeros(0, bool),
        sensitive=np.array(whole, np.int32)[:, None],
        n_sensitive=np.array([6]),
        sensitive_order=(np.array(sorted({*whole})),),
    )


TREE = Hierarchy.from_rows([[str(n), "low" if n < 3 else "high", "any"] for n in (0, 1, 2, 3, 4, 5, 8)])
PATHS = {row[0]: row for row in TREE.rows()}


@examples(300)
@given(
    st.lists(values, min_size=1, max_size=12),
    st.lists(values, max_size=12),
    st.sampled_from(LIMITS),
    st.integers(2, 4),
)
def test_a_class_is_close_exactly_if_the_slow_twin_says_so(one, rest, asked, least):
    whole = [*one, *rest]
    settings = Generalization(k=2, l=1 if asked.c is None else least, **asked.to_json())
    encoded = _encoded(whole)
    if asked.t_distance == "hierarchical":
        # Codes are places among all values of the column, of which only some occur.
        table = Table.from_columns({"pay": [str(value) for value in range(5)]}).with_hierarchies({"pay": TREE})
        occurring = replace(table, codes=(np.array(whole, np.int32),))
        encoded = replace(encoded, sensitive_trees=(sensitive_tree(occurring, "pay"),))
    groups = np.array([0] * len(one) + [-1] * len(rest))
    texts = [str(value) for value in one], [str(value) for value in whole]
    found = groups_that_hold(asked_of(settings, encoded, k=1), groups, 1)
    assert found.tolist() == [oracle.is_close(*texts, asked, least, PATHS)]


@pytest.mark.parametrize("asked", LIMITS, ids=lambda asked: "-".join(asked.to_json()))
@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_every_algorithm_keeps_every_limit(algorithm, asked):
    chosen = np.random.default_rng(7)
    table = {
        "age": [str(n) for n in chosen.integers(20, 50, 48)],
        "pay": [str(n) for n in chosen.choice([1, 1, 2, 3, 5, 8], 48)],
    }
    given = asked.to_json() | ({"l": 2} if asked.c is not None else {})
    trees = {"pay": TREE} if asked.t_distance == "hierarchical" else None
    release = disjoin.generalize(table, 3, "age", sensitive="pay", algorithm=algorithm, hierarchies=trees, **given)
    assert release.guarantee.closeness == asked
    published = release.published.table
    classes: dict[str, list[str]] = {}
    for age, pay in zip(published.column("age").to_pylist(), published.column("pay").to_pylist(), strict=True):
        classes.setdefault(age, []).append(pay)
    assert len(classes) > 1, "it must be possible to fail"
    assert all(oracle.is_close(one, table["pay"], asked, release.guarantee.l, PATHS) for one in classes.values())


def test_a_release_says_its_limits_and_is_read_back(tmp_path):
    table = {"age": ["30", "31", "40", "41"] * 3, "ill": ["flu", "cold"] * 6}
    release = disjoin.generalize(table, 3, "age", sensitive="ill", t="0.1", beta="0.5")
    path = release.write(tmp_path / "release")
    assert disjoin.load(path).guarantee == release.guarantee
    assert {"T9", "T10"} <= {*disjoin.verify(path, original=table).checked}
    assert "within 0.1 of those of the whole table" in (path / "README.md").read_text()


def test_distances_in_a_hierarchy_are_published_with_it_and_checked(tmp_path):
    table = {"age": [str(30 + n) for n in range(12)], "pay": ["1", "3", "5"] * 4}
    asked = {"sensitive": "pay", "t": "0.2", "t_distance": "hierarchical"}
    release = disjoin.generalize(table, 3, "age", hierarchies={"pay": TREE}, **asked)
    path = release.write(tmp_path / "release")
    assert (path / "hierarchies" / "pay.csv").exists()
    assert "in their hierarchy" in (path / "README.md").read_text()
    assert "T9" in disjoin.verify(path, original=table).checked
    assert disjoin.load(path).guarantee == release.guarantee
    with pytest.raises(InvalidParameter, match="needs a hierarchy of 'pay'"):
        disjoin.generalize(table, 3, "age", **asked)


@examples(40)
@given(st.lists(values, min_size=1, max_size=6), st.lists(values, max_size=6))
def test_the_closed_form_is_the_least_way_to_move_shares(one, rest):
    """Solved as the transport that it is: from the class to the table, by the level where two values meet."""
    whole = [*one, *rest]
    every = sorted({*whole})
    p = np.array([one.count(value) / len(one) for value in every])
    q = np.array([whole.count(value) / len(whole) for value in every])
    meets_low = any((a < 3) == (b < 3) and a != b for a in every for b in every)
    is_split = len({a < 3 for a in every}) == 2
    middle = 1 / 2 if meets_low and is_split else 1  # of the way to the root of the tree of values that occur
    levels = [[0 if a == b else middle if (a < 3) == (b < 3) else 1 for b in every] for a in every]
    n = len(every)
    leaving = np.kron(np.eye(n), np.ones(n))
    coming = np.kron(np.ones(n), np.eye(n))
    found = linprog(np.ravel(levels), A_eq=np.vstack([leaving, coming]), b_eq=np.concatenate([p, q]))
    texts = [str(value) for value in one], [str(value) for value in whole]
    assert found.fun == pytest.approx(float(oracle.hierarchical_distance(*texts, PATHS)), abs=1e-7)


def test_recursive_diversity_that_nothing_reaches_is_refused_with_what_could():
    table = {"age": ["30"] * 6, "ill": ["flu"] * 4 + ["cold"] * 2}
    with pytest.raises(GuaranteeUnreachable, match="c above 2"):
        disjoin.generalize(table, 2, "age", sensitive="ill", l=2, c=2)


def test_the_ordered_distance_of_words_is_refused():
    with pytest.raises(InvalidParameter, match="for numbers, but some values of 'ill' are not numbers"):
        disjoin.generalize(
            {"age": ["30"] * 4, "ill": ["flu", "cold"] * 2}, 2, "age", sensitive="ill", t="0.1", t_distance="ordered"
        )
