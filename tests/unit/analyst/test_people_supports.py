"""Values and terms together: bounds enclose the truth, and what is exact is exact."""

from __future__ import annotations

from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.analyst import unknown_terms
from disjoin.analyst.supports import conditions_in
from disjoin.errors import InvalidParameter
from disjoin.measure import link_error
from disjoin.methods.mixed import LINKS, MixedDisassociation
from disjoin.model import Hierarchy, MixedRecords
from disjoin.pipeline import evaluate, publish
from helpers.people import people_of, tiny_people

QUASI = ("age", "sex")
SEXES = Hierarchy.from_rows([["f", "*"], ["m", "*"]])


def released(data, **settings):
    return publish(data, MixedDisassociation(**{"k": 2, "m": 2, "quasi": QUASI, **settings}), threads=1).release


@given(tiny_people(6, 12), st.sampled_from(LINKS), st.sampled_from(["core", "horpart"]))
def test_the_truth_is_between_the_bounds(data, link, clustering):
    release = released(data.with_hierarchies({"sex": SEXES}), link=link, clustering=clustering)
    people = people_of(data, QUASI)
    questions = [["age=2", "a"], ["sex=f", "a"], ["age=1..2", "sex=m"], ["sex=f", "a", "b"], ["a", "b"], ["age=3"]]
    for row, asked in zip(release.support(questions).to_pylist(), questions, strict=True):
        truth = sum(has(person, asked) for person in people)
        assert row["at_least"] <= truth <= row["at_most"]
        assert row["seen"] <= row["at_least"] <= row["estimate"] + 1e-9 <= row["at_most"] + 2e-9


def has(person, asked):
    (age, sex), terms = person
    tests = {"age=1..2": age in "12", f"age={age}": True, f"sex={sex}": True}
    return all(tests.get(text, text in terms) for text in asked)


def fine(n=60):
    """People of two ages and sexes, all frequent enough to stay as they are."""
    kinds = list(product(("30", "40"), "fm")) * (n // 4)
    return MixedRecords.from_people(
        {"age": [age for age, _ in kinds], "sex": [sex for _, sex in kinds]},
        [{"a", "old"} if age == "40" else {"a"} for age, _ in kinds],
    )


def test_values_that_were_not_generalised_are_exact_and_terms_that_stand_with_rows_too():
    release = released(fine(), k=5, link="terms")
    rows = release.support([["sex=f"], ["age=40", "old"], ["age=30", "old"], ["a", "old"]]).to_pylist()
    assert [(row["at_least"], row["estimate"], row["at_most"]) for row in rows] == [
        (30, 30, 30),
        (30, 30, 30),
        (0, 0, 0),
        (30, 30, 30),
    ]


def test_what_stands_with_rows_is_linked_and_what_does_not_is_spread():
    near, far = (released(fine(), k=5, link=link) for link in ("terms", "none"))
    assert link_error(near.published, fine())[0] == 0
    assert link_error(far.published, fine())[0] == pytest.approx(30 / (60 + 60 + 30 + 30))  # 15 + 15 of age, 0 of sex
    assert evaluate(near, fine())["granularity"] == 1


def test_a_name_of_a_hierarchy_stands_for_all_below_it():
    tree = Hierarchy.from_rows([["1", "low", "*"], ["2", "low", "*"], ["3", "high", "*"]])
    data = MixedRecords.from_people({"age": ["1"] * 5 + ["2"] * 5 + ["3"] * 2}, [{"a"}] * 12)
    release = released(data.with_hierarchies({"age": tree}), quasi=("age",), k=3)
    [low, one] = release.support([["age=low"], ["age=1"]]).to_pylist()
    assert low["at_most"] >= 10 and low["at_least"] <= 10
    assert one["at_least"] <= 5 <= one["at_most"]
    with pytest.raises(InvalidParameter, match=r"'lo' is no value .*mean 'low'.*'none' is no value of"):
        release.support([["age=none"], ["a", "age=lo"]])


def test_what_cannot_be_asked_is_said():
    release = released(fine())
    with pytest.raises(InvalidParameter, match=r"such as age=20\.\.29"):
        release.support([["age=young"]])
    with pytest.raises(InvalidParameter, match="one value per column"):
        release.support([["age=30", "age=40"]])
    assert unknown_terms(release, release.support([["a", "sex=f"], ["a"]])["itemset"]) == []


def world_table(published, world):
    """Return a possible original, whose rows are lists of values and terms, as a table with a column for each."""
    people = [conditions_in(published.rows, row) for row in world["terms"].to_pylist()]
    columns = {name: [values[name] for values, _ in people] for name in published.quasi}
    return pa.table({**columns, "terms": [terms for _, terms in people]})


def test_a_possible_original_has_the_values_and_terms_of_everybody():
    release = released(fine())
    [world] = release.reconstruct(1)
    table = world_table(release.published, world.to_arrow())
    assert table.column_names == ["age", "sex", "terms"]
    assert table["sex"].to_pylist().count("f") == 30
    assert sum("old" in terms for terms in table["terms"].to_pylist()) == 30
    assert {"sex=f"} in [set(row["itemset"]) for row in release.mine(20).to_pylist()]
