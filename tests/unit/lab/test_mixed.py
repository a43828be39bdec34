"""The experiment on mixed data asks every way the same questions, and puts people beside anybody's records."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.lab import experiment_named
from disjoin.lab.mixed import Links
from disjoin.lab.running import run_experiment
from disjoin.lab.sources import people_sources
from disjoin.methods.mixed import MixedDisassociation
from disjoin.model import Hierarchy, MixedRecords
from disjoin.model.generalized_items import GeneralizedItems
from disjoin.pipeline import publish

EXPERIMENT = experiment_named("mixed")
PEOPLE = MixedRecords.from_people(
    {"age": ["31", "38", "45", "45"], "sex": ["f", "m", "f", "f"]}, [{"a", "b"}, {"a"}, {"b"}, set()]
)


def test_values_and_terms_are_counted_together_as_a_loop_does():
    links = Links.of(PEOPLE)
    values, terms = ([links.records.vocabulary[int(item)].as_py() for item in items] for items in links.asked)
    assert (values, sorted(terms)) == (["age=30..39", "age=40..49", "sex=f", "sex=m"], ["a", "b"])
    sets = links.records.to_sets()
    by_hand = [[sum({value, term} <= each for each in sets) for term in terms] for value in values]
    assert links.true.tolist() == by_hand
    assert links.error_in(SimpleNamespace(estimated_pairs=lambda items: np.zeros((6, 6)))) == 1


def test_people_who_are_all_alike_have_no_link_to_lose():
    alike = MixedRecords.from_people({"age": ["31"] * 6, "sex": ["f"] * 6}, [{"a", "b"}] * 6)
    method = MixedDisassociation(k=5, m=2, quasi=("age", "sex"))
    assert Links.of(alike).error_of(publish(alike, method).release.published) == 0
    found = EXPERIMENT.measure(alike, {"way": "columns as terms"})
    assert (found["link error"], found["pair mass"], found["term mass"]) == (0, 1, 1)


def test_what_survives_of_generalised_terms_and_columns():
    links = Links.of(PEOPLE)
    tree = Hierarchy.from_rows([[value, "*"] for value in ("a", "b", "age=30..39", "age=40..49", "sex=f", "sex=m")])
    same = {value: value for value in ("a", "b", "age=30..39", "age=40..49", "sex=f", "sex=m")}
    kept = links.kept_in(GeneralizedItems.from_mapping([(["a"], 4)], same, tree))
    ages = 1 - 9 / 14  # ranges of ten, where 31 to 45 occur
    assert kept == {"granularity": pytest.approx((4 * ages + 4) / 8), "pair mass": 1, "term mass": 1}
    nothing = links.kept_in(GeneralizedItems.from_mapping([(["*"], 4)], dict.fromkeys(same, "*"), tree))
    assert nothing == {"granularity": 0, "pair mass": 0, "term mass": 0}


@pytest.mark.parametrize(("pairs", "verdict"), [(0.6, "met"), (0.5, "not met")])
def test_the_default_is_held_against_disassociation_without_columns(pairs, verdict):
    values = {"core": pairs, "no columns, core": 0.6}
    rows = [{"data": "d", "way": way, "measure": "pair mass", "value": value} for way, value in values.items()]
    assert EXPERIMENT.claims[0].judge(rows).verdict == verdict


def test_rows_of_a_table_stand_beside_the_first_records(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("disjoin.lab.sources.MOST_PEOPLE", 3)
    (tmp_path / "few.dat").write_text("1 2\n3\n2\n9 8 7\n")
    (tmp_path / "adult.csv").write_text("age;sex;city\n30;f;x\n40;m;y\n")
    stays, source = people_sources([tmp_path / "few.dat"], tmp_path / "adult.csv", quick=True)
    data = source.load()
    assert (stays.name, source.name, data.table.schema.names) == ("stays 300", "few x adult", ("sex", "age"))
    assert data.records.to_sets() == [{"1", "2"}, {"3"}, {"2"}]
    rows = set(zip(data.table.column("sex").to_pylist(), data.table.column("age").to_pylist(), strict=True))
    assert rows <= {("f", "30"), ("m", "40")}
    assert len(stays.load()) == 300


def test_people_and_records_are_given_together_or_not_at_all(tmp_path: Path):
    (tmp_path / "few.dat").write_text("1 2\n")
    with pytest.raises(InvalidParameter, match="people are not given"):
        people_sources([tmp_path / "few.dat"], None, quick=True)
    with pytest.raises(InvalidParameter, match="people belong to records, but no data are given"):
        people_sources([], tmp_path / "few.dat", quick=True)
    with pytest.raises(InvalidParameter, match="has no people"):
        run_experiment(experiment_named("refine"), tmp_path / "r", people=tmp_path / "few.dat")
    with pytest.raises(InvalidParameter, match="Leave hierarchies out"):
        run_experiment(EXPERIMENT, tmp_path / "r", hierarchies=tmp_path)
