"""Classes beside the whole table: the loops against the slow twin, and every algorithm under every limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import GuaranteeUnreachable, InvalidParameter
from disjoin.methods.generalization import ALGORITHMS, Generalization
from disjoin.methods.generalization.diversity import groups_that_hold
from disjoin.methods.generalization.encoding import Encoded
from disjoin.methods.generalization.requirements import demands_of, secrets_of
from disjoin.model.closeness import Closeness
from effort import examples
from oracle import closeness as oracle

LIMITS = [
    Closeness(t="0.2"),
    Closeness(t="0.15", t_distance="ordered"),
    Closeness(beta="1"),
    Closeness(beta="2", enhanced_beta=True),
    Closeness(delta="1.2"),
    Closeness(c="2"),
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
    demands = demands_of(settings, encoded, k=1)
    groups = np.array([0] * len(one) + [-1] * len(rest))
    texts = [str(value) for value in one], [str(value) for value in whole]
    found = groups_that_hold(demands, secrets_of(encoded, demands), groups, 1)
    assert found.tolist() == [oracle.is_close(*texts, asked, least)]


@pytest.mark.parametrize("asked", LIMITS, ids=lambda asked: "-".join(asked.to_json()))
@pytest.mark.parametrize("algorithm", list(ALGORITHMS))
def test_every_algorithm_keeps_every_limit(algorithm, asked):
    chosen = np.random.default_rng(7)
    table = {
        "age": [str(n) for n in chosen.integers(20, 50, 48)],
        "pay": [str(n) for n in chosen.choice([1, 1, 2, 3, 5, 8], 48)],
    }
    given = asked.to_json() | ({"l": 2} if asked.c is not None else {})
    release = disjoin.generalize(table, 3, "age", sensitive="pay", algorithm=algorithm, **given)
    assert release.guarantee.closeness == asked
    published = release.published.table
    classes: dict[str, list[str]] = {}
    for age, pay in zip(published.column("age").to_pylist(), published.column("pay").to_pylist(), strict=True):
        classes.setdefault(age, []).append(pay)
    assert len(classes) > 1, "it must be possible to fail"
    assert all(oracle.is_close(one, table["pay"], asked, release.guarantee.l) for one in classes.values())


def test_a_release_says_its_limits_and_is_read_back(tmp_path):
    table = {"age": ["30", "31", "40", "41"] * 3, "ill": ["flu", "cold"] * 6}
    release = disjoin.generalize(table, 3, "age", sensitive="ill", t="0.1", beta="0.5")
    path = release.write(tmp_path / "release")
    assert disjoin.load(path).guarantee == release.guarantee
    assert {"T9", "T10"} <= {*disjoin.verify(path, original=table).checked}
    assert "within 0.1 of those of the whole table" in (path / "README.md").read_text()


def test_recursive_diversity_that_nothing_reaches_is_refused_with_what_could():
    table = {"age": ["30"] * 6, "ill": ["flu"] * 4 + ["cold"] * 2}
    with pytest.raises(GuaranteeUnreachable, match="c can be above 2"):
        disjoin.generalize(table, 2, "age", sensitive="ill", l=2, c=2)


def test_the_ordered_distance_of_words_is_refused():
    with pytest.raises(InvalidParameter, match="for numbers, and some values of 'ill' are none"):
        disjoin.generalize(
            {"age": ["30"] * 4, "ill": ["flu", "cold"] * 2}, 2, "age", sensitive="ill", t="0.1", t_distance="ordered"
        )
