"""The measures of groups, against slow twins and by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import disjoin
from disjoin.errors import InvalidParameter
from disjoin.measure import EVALUATIONS, GroupEvidence, kl
from disjoin.measure.definition import Settings
from disjoin.measure.kl import kl_divergence, mean_kl
from disjoin.model import Groups, Transactions
from helpers.hypothesis_profile import examples
from oracle import groups_utility as twin
from unit.measure.crowds import ORDINARY, crowd, crowds, sealed_groups

OF_GROUPS = [name for name, comparison in EVALUATIONS.items() if "groups" in comparison.forms]


def found(name, drawn, **settings):
    return EVALUATIONS[name].compute(GroupEvidence(drawn.original, drawn.published, settings=Settings(**settings)))


@examples(100)
@given(crowds(most_groups=4, most_records=8), st.sets(st.sampled_from(ORDINARY)))
def test_the_divergence_of_a_query_is_the_twins(drawn, wanted):
    assume(drawn.sensitive)
    ordinary = sorted(wanted & set(drawn.original.vocabulary.to_pylist()))
    for item in sorted(drawn.sensitive):
        expected = twin.divergence(drawn.groups, drawn.sensitive, item, ordinary)
        value = kl_divergence(drawn.published, drawn.original, item, ordinary)
        assert value == pytest.approx(expected, abs=1e-12)
        assert value >= 0


@examples(60)
@given(crowds(most_groups=4, most_records=8))
def test_the_association_error_is_the_twins(drawn):
    expected = twin.association_error(drawn.groups, drawn.sensitive)
    assert found("association_error", drawn).value == pytest.approx(float(expected), abs=1e-12)


def test_the_association_error_does_not_depend_on_how_many_pairs_are_looked_at_at_once(monkeypatch):
    drawn = crowd([{"tea", "pills"}, {"jam", "rum"}, {"tea"}], [{"wig", "jam"}, {"tea", "bread"}])
    whole = found("association_error", drawn)
    monkeypatch.setattr(kl, "CELLS_AT_ONCE", 1)
    assert found("association_error", drawn) == whole


@examples(30)
@given(crowds(most_groups=4, most_records=8))
def test_groups_are_counted(drawn):
    bare = sum(not record - drawn.sensitive for group in drawn.groups for record in group)
    assert found("groups", drawn).value == len(drawn.groups)
    assert found("largest_group", drawn).value == max(map(len, drawn.groups))
    assert found("bare_records", drawn).value == bare


def test_the_largest_group_that_hides_something_is_told_apart():
    finding = found("largest_group", crowd([{"tea"}, {"tea"}, {"jam"}], [{"tea", "pills"}, {"jam"}]))
    assert finding.value == 3
    assert finding.notes == ("The largest one with sensitive items has 2 records.",)
    assert found("largest_group", crowd([{"tea"}, {"tea"}])).notes == ()


def test_homogeneous_groups_lose_nothing():
    drawn = crowd([{"tea", "pills"}, {"tea"}, {"tea"}], [{"jam", "rum"}, {"jam"}, {"jam"}])
    assert found("kl", drawn).value == found("association_error", drawn).value == 0.0


@examples(20)
@given(crowds(most_groups=3, most_records=6), st.integers(0, 10**6), st.integers(1, 3))
def test_the_measure_is_the_mean_over_the_queries_of_numpys_generator(drawn, seed, r):
    ordinary = sorted(set(drawn.original.vocabulary.to_pylist()) - drawn.sensitive)
    assume(drawn.sensitive and len(ordinary) >= r)
    random, sensitive, values = np.random.default_rng(seed), sorted(drawn.sensitive), []
    for _ in range(7):
        item = sensitive[random.integers(len(sensitive))]
        chosen = random.choice(len(ordinary), r, replace=False)
        values.append(twin.divergence(drawn.groups, drawn.sensitive, item, [ordinary[at] for at in chosen]))
    finding = found("kl", drawn, r=r, queries=7, seed=seed)
    assert finding.value == pytest.approx(sum(values) / 7, abs=1e-12)
    assert finding.details["largest"] == pytest.approx(max(values), abs=1e-12)
    assert finding.details["median"] == pytest.approx(sorted(values)[3], abs=1e-12)
    assert mean_kl(drawn.published, drawn.original, r, 7, seed) == finding.value


def test_a_hundred_ordinary_items_are_no_more_trouble_than_four():
    random = np.random.default_rng(1)
    records = [{f"q{i}" for i in random.choice(150, 12, replace=False)} | {"pills"} for _ in range(6)]
    records += [{f"q{i}" for i in random.choice(150, 12, replace=False)} for _ in range(30)]
    groups = [records[at::6] for at in range(6)]
    published = Groups.from_nested(twin.publish(groups, {"pills"}))
    original = Transactions.from_sets(records)
    items = sorted(set().union(*records) - {"pills"})[:100]
    expected = twin.divergence(groups, {"pills"}, "pills", items)
    assert kl_divergence(published, original, "pills", items) == pytest.approx(expected, abs=1e-12)
    assert kl_divergence(published, original, "pills", items) == pytest.approx(math.log(6), abs=1e-12)


def test_fewer_ordinary_items_than_asked_for_are_all_taken_and_that_is_said():
    finding = found("kl", crowd([{"tea", "pills"}, {"jam"}]), r=100)
    assert finding.value == pytest.approx(math.log(2))
    assert finding.notes == ("There are 2 ordinary items only: queries have all of them.",)
    assert finding.details["r"] == 2


def test_without_sensitive_items_there_is_nothing_to_ask():
    drawn = crowd([{"tea"}, {"jam"}])
    assert found("kl", drawn).value is None
    assert found("association_error", drawn).value == 0
    with pytest.raises(InvalidParameter, match="at least one sensitive item"):
        mean_kl(drawn.published, drawn.original, 4, 10, 0)


def test_only_some_sensitive_items_are_asked_about():
    drawn = crowd([{"tea", "pills"}, {"jam"}], [{"bread", "rum"}, {"bread"}])
    assert mean_kl(drawn.published, drawn.original, 3, 9, 0, ["rum"]) == 0
    assert mean_kl(drawn.published, drawn.original, 3, 9, 0, ["pills"]) == pytest.approx(math.log(2))
    with pytest.raises(InvalidParameter, match="expected sensitive items of the release, 'tea' is none"):
        kl_divergence(drawn.published, drawn.original, "tea", [])
    with pytest.raises(InvalidParameter, match="expected ordinary items of the release, 'rum' is none"):
        kl_divergence(drawn.published, drawn.original, "pills", ["rum"])


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"tea", "pills"}, {"jam"}], "the release has 3 records, the original has 2"),
        ([{"tea", "wine"}, {"jam"}, {"tea"}], "has the term 'pills', which the original does not have"),
        ([{"tea", "pills"}, {"jam"}, {"tea", "pills"}], "has 'pills' in 1 records, the original in 2"),
        ([{"tea", "pills"}, {"jam"}, {"jam"}], "has 'jam' in 1 records, the original in 2"),
        ([{"tea", "pills"}, {"jam", "tea"}, {"ham"}], "has 'ham' in 0 records, the original in 1"),
    ],
)
def test_what_does_not_belong_together_is_refused(records, message):
    published = crowd([{"tea", "pills"}, {"jam"}, {"tea"}]).published
    with pytest.raises(InvalidParameter, match=message):
        GroupEvidence(Transactions.from_sets(records), published)


def test_other_baskets_of_the_same_items_are_refused():
    published = crowd([{"tea", "jam"}, {"bread", "pills"}, {"tea"}]).published
    with pytest.raises(InvalidParameter, match="are not those of the original's records"):
        GroupEvidence(Transactions.from_sets([{"tea", "bread"}, {"jam", "pills"}, {"tea"}]), published)


def test_a_sensitive_item_in_another_group_is_refused_when_it_is_asked_about():
    published = crowd([{"tea", "pills"}, {"tea"}], [{"jam"}, {"jam"}]).published
    other = Transactions.from_sets([{"tea"}, {"tea"}, {"jam", "pills"}, {"jam"}])
    with pytest.raises(InvalidParameter, match="that its group does not have"):
        kl_divergence(published, other, "pills", ["jam"])


def test_a_release_of_groups_is_evaluated_by_its_own_measures():
    drawn = crowd([{"tea", "pills"}, {"jam"}], [{"rum"}, {"bread"}])
    release = sealed_groups(drawn.published, p=2)
    evaluation = disjoin.evaluate(release, drawn.original, r=2, queries=9, seed=3)
    assert (
        [row.name for row in evaluation.rows]
        == OF_GROUPS
        == [
            "kl",
            "association_error",
            "groups",
            "largest_group",
            "bare_records",
        ]
    )
    assert dict(evaluation.settings) == {"seed": 3, "r": 2, "queries": 9, "p": 2}
    assert json.loads(json.dumps(evaluation.to_json())) == evaluation.to_json()
    assert evaluation["bare_records"] == 1
    for row in evaluation.rows:
        assert row.value is not None
        assert row.value >= row.range[0]


def test_measures_of_another_form_are_refused_in_a_sentence():
    drawn = crowd([{"tea", "pills"}, {"jam"}])
    release = sealed_groups(drawn.published)
    with pytest.raises(
        InvalidParameter, match="of clusters, generalised items or noisy records, and this one has groups"
    ):
        disjoin.evaluate(release, drawn.original, measures=["tkd"])
    clusters = disjoin.disassociate([["a", "b"]] * 9, k=3)
    with pytest.raises(InvalidParameter, match="'kl' is for releases of groups, and this one has clusters, for which"):
        disjoin.evaluate(clusters, [["a", "b"]] * 9, measures=["kl"])
    with pytest.raises(InvalidParameter, match="there is no measure 'kll'"):
        disjoin.evaluate(release, drawn.original, measures=["kll"])
    assert [row.name for row in disjoin.evaluate(release, drawn.original, measures=["*group*"]).rows] == [
        "groups",
        "largest_group",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"r": 0}, "r must be a whole number of at least 1"),
        ({"queries": 0}, "queries must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be"),
        ({"hierarchy": disjoin.model.Hierarchy.from_rows([["tea", "*"], ["jam", "*"]])}, "no measure of groups"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options, message):
    drawn = crowd([{"tea", "pills"}, {"jam"}])
    with pytest.raises(InvalidParameter, match=message):
        disjoin.evaluate(sealed_groups(drawn.published), drawn.original, **options)
