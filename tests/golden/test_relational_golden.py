"""Local recoding on the table of its source (section D, tables 1.1 and 1.2), in the twins and in the kernels."""

import json
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

from disjoin.engine import Local
from disjoin.methods.generalization import Generalization
from disjoin.methods.generalization.requirements import _entropy, entropy_reaches
from helpers import recodings
from oracle import generalization as twin

GOLDEN = json.loads((Path(__file__).parent / "relational.json").read_text(encoding="utf-8"))
ROWS = [tuple(row) for row in GOLDEN["table"]]  # in this order, which the example's numbers are about


def problem(**asked):
    trees = tuple(recodings.padded(rows) for rows in GOLDEN["trees"].values())
    return twin.Problem(trees, tuple(row[:3] for row in ROWS), tuple(row[3:] for row in ROWS), k=2, **asked)


def written(classes):
    """Classes as the golden file has them: names, and rows from 1."""
    return sorted(([name for _, name in vector], [row + 1 for row in rows]) for vector, rows in classes)


def wanted(key):
    return sorted((each["vector"], each["rows"]) for each in GOLDEN[key])


CASES = [
    ("kaca", "kaca_k2", twin.kaca, {}),
    ("top-down", "topdown_k2", twin.top_down, {}),
    ("top-down-kaca", "kaca_k2", lambda asked: twin.top_down_kaca(asked, 20), {}),
    ("two-level", "twolevel_k2", twin.two_level, {}),
    ("top-down", "topdown_alpha_half_k2", twin.top_down, {"alpha": Fraction(1, 2)}),
]


@pytest.mark.parametrize(("algorithm", "key", "slow", "asked"), CASES)
def test_the_classes_are_those_of_the_example(algorithm, key, slow, asked):
    assert written(slow(problem(**asked))) == wanted(key)
    assert written(recodings.classes_of(problem(**asked), algorithm)) == wanted(key)


@pytest.mark.parametrize("algorithm", ["kaca", "top-down", "top-down-kaca", "two-level"])
def test_what_the_example_costs(algorithm):
    asked = problem()
    classes = recodings.classes_of(asked, algorithm)
    cost = sum(twin.distortion(asked, asked.leaf_vector(row), vector) for vector, rows in classes for row in rows)
    assert cost == Fraction(str(GOLDEN["distortion"]))
    assert sum(len(rows) ** 2 for _, rows in classes) == GOLDEN["DM"]
    assert Fraction(len(ROWS), len(classes)) / 2 == GOLDEN["CAVG"]


def test_the_distance_of_two_people():
    facts = GOLDEN["distance"]
    postcodes = [("4351", "435*", "43**", "4***", "****"), ("4352", "435*", "43**", "4***", "****")]
    trees = ([("male", "*"), ("female", "*")], [("young", "*"), ("old", "*")], postcodes)
    people = twin.Problem(tuple(map(recodings.padded, trees)), (tuple(facts["t1"]), tuple(facts["t2"])), ((), ()), k=2)
    one, other = people.leaf_vector(0), people.leaf_vector(1)
    met = twin.common(people, one, other)
    assert [name for _, name in met] == facts["ccg"]
    assert twin.distortion(people, one, met) == Fraction(str(facts["distortion"]))
    assert twin.distance(people, one, other) == Fraction(str(facts["dist"]))


def test_sequence_numbers_and_similar_clusters():
    facts = GOLDEN["seqno"]
    assert twin.sequence_number(facts["ranks"], facts["choices"]) == facts["value"] == 14
    assert twin.similar_sets(facts["choices"], 1)[:2] == GOLDEN["similar_attr_M"]
    for attribute in range(4):
        sets = twin.similar_sets(facts["choices"], attribute)
        assert sorted(sets) == twin.similar_by_vector(facts["choices"], attribute)
    assert twin.similar_sets(facts["choices"], 3)[:2] == [[1, 2, 3], [4, 5, 6]]
    assert twin.similar_sets(facts["choices"], 2)[:4] == [[1, 4], [2, 5], [3, 6], [7, 10]]
    assert twin.similar_sets(facts["choices"], 0)[-1] == [18, 36]


@pytest.mark.parametrize(("counts", "effective"), GOLDEN["entropy_l"].items())
def test_effective_numbers_of_sensitive_values(counts, effective):
    numbers = [int(count) for count in counts.split(":")]
    assert exp(_entropy(numbers)) == pytest.approx(effective, rel=1e-12)
    assert entropy_reaches(numbers, Fraction(f"{effective:.9f}") - Fraction(1, 10**9))
    assert not entropy_reaches(numbers, Fraction(f"{effective:.9f}") + Fraction(1, 10**9))


def test_the_method_publishes_table_1_2():
    table = recodings.table_of(problem())
    draft = Generalization(k=2).publish(table, Local(1))
    shown = zip(*(draft.published.table.column(f"q{a}").to_pylist() for a in range(3)), strict=True)
    assert sorted(shown) == sorted(tuple(each["vector"]) for each in GOLDEN["twolevel_k2"] for _ in each["rows"])
