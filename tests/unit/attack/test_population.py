"""People outside the file: counts against slow twins, and estimates against populations that are known."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.attack.population import estimated_uniqueness, population_risk
from disjoin.cli.main import run
from disjoin.errors import InvalidParameter
from disjoin.model import Hierarchy, KAnonymity, Table
from disjoin.verify.table.inspection import judge
from disjoin.verify.table.people import Asked, with_population
from helpers.hypothesis_profile import examples

rows = st.tuples(st.sampled_from("ab"), st.sampled_from("123"))


def table_of(drawn) -> Table:
    return Table.from_columns({"sex": [sex for sex, _ in drawn], "age": [age for _, age in drawn]})


@given(st.lists(rows, min_size=1, max_size=12), st.lists(rows, max_size=12))
@examples(60)
def test_a_file_beside_its_population_is_what_counting_finds(some, others):
    found = population_risk(table_of(some), ("sex", "age"), table_of([*some, *others]))
    here, there = Counter(some), Counter([*some, *others])
    assert found.k_map == min(there[row] for row in some)
    assert found.most_presence == max(Fraction(here[row], there[row]) for row in there)
    assert found.least_presence == min(Fraction(here[row], there[row]) for row in there)
    assert found.marketer == sum(Fraction(here[row], there[row]) for row in here) / len(some)
    assert found.journalist == Fraction(1, found.k_map)


def test_a_file_that_is_no_part_of_it_is_refused():
    with pytest.raises(InvalidParameter, match="1 combinations of sex are in the file more often"):
        population_risk(Table.from_columns({"sex": ["f", "f"]}), "sex", Table.from_columns({"sex": ["f", "m"]}))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
def test_estimates_are_near_the_truth_where_it_is_known(share):
    random = np.random.default_rng(4)
    weights = random.gamma(0.5, 1, 6_000)
    people = random.choice(6_000, 10_000, p=weights / weights.sum())
    truth = np.count_nonzero(np.bincount(people) == 1) / people.size
    sizes = np.bincount(random.choice(people, int(share * people.size), replace=False))
    found = estimated_uniqueness(sizes[sizes > 0], people.size)
    assert found.share is not None
    assert truth / 2 < found.share < truth * 2
    assert found.chosen == ("pitman" if share == 0.1 else min(("zayatz", "snb"), key=lambda name: getattr(found, name)))


def test_a_file_of_everybody_is_its_own_population():
    assert estimated_uniqueness(np.array([1, 1, 2]), 4).share == 0.5
    assert estimated_uniqueness(np.array([2, 3]), 50).share == 0
    with pytest.raises(InvalidParameter, match="at least as large as the file"):
        estimated_uniqueness(np.array([2, 3]), 4)


PEOPLE = Table.from_columns({"age": ["30", "31", "31", "38", "40", "47", "49"]})
PUBLISHED = Table.from_columns({"age": ["[30, 39]", "[30, 39]", "[38, 49]", "[38, 49]"]})


def test_classes_include_people_and_may_share_them():
    """38 is in both classes: 2 of 4 people and 2 of 4 people; 30 in the first alone."""
    verdict = with_population(judge(PUBLISHED, KAnonymity(2, "age")), PUBLISHED, ("age",), PEOPLE, Asked())
    assert verdict.facts["population"] == {"people": 7, "k_map": 4, "presence": [[1, 2], [1, 1]]}


@pytest.mark.parametrize(
    ("asked", "broken"),
    [
        (Asked(k_map=4), set()),
        (Asked(k_map=5), {"T13"}),
        (Asked(presence=(Fraction(1, 2), Fraction(1))), set()),
        (Asked(presence=(Fraction(0), Fraction(9, 10))), {"T14"}),
        (Asked(presence=(Fraction(2, 3), Fraction(1))), {"T14"}),
    ],
)
def test_what_is_asked_beside_a_population_is_judged(asked, broken):
    verdict = with_population(judge(PUBLISHED, KAnonymity(2, "age")), PUBLISHED, ("age",), PEOPLE, asked)
    assert {violation.invariant for violation in verdict.violations} == broken
    assert verdict.holds == (not broken)


def test_names_of_a_hierarchy_include_people():
    tree = Hierarchy.from_rows([["f", "any"], ["m", "any"]])
    table = Table.from_columns({"sex": ["any", "any"]}).with_hierarchies({"sex": tree})
    people = Table.from_columns({"sex": ["f", "m", "m"]})
    verdict = with_population(judge(table, KAnonymity(2, "sex")), table, ("sex",), people, Asked(k_map=3))
    assert verdict.holds and "T13" in verdict.checked


def test_commands_tell_and_judge_it(tmp_path, capsys):
    some, everybody = tmp_path / "some.csv", tmp_path / "everybody.csv"
    some.write_text("age\n30\n31\n40\n47\n")
    everybody.write_text("age\n30\n31\n31\n40\n47\n47\n")
    asked = ["inspect", str(some), "--quasi", "age", "--population", str(everybody), "--population-size", "6"]
    assert run(asked) == 0
    told = capsys.readouterr().out
    assert "k-map: every row is equal to at least 1 of them" in told and "a chance of 0.5 to 1" in told
    assert "Zayatz" in told and "no proof" in told
    release = disjoin.generalize(disjoin.read_table(some), 2, "age").write(tmp_path / "release")
    judged = ["verify", str(release), "--population", str(everybody), "--k-map"]
    assert run([*judged, "3"]) == 0
    assert "every class matches at least 3 people (k-map)" in capsys.readouterr().out
    assert run([*judged, "4"]) == 3
    assert run(["verify", str(release), "--presence", "0,1"]) == 2
    assert "add --population FILE" in capsys.readouterr().err
