"""The deFinetti attack (finding P5): the scorer is its twin's, and what it names is counted by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy.sparse import csr_array

import disjoin
from disjoin.analyst.as_clusters import holders_listed
from disjoin.attack.definetti import RIDGE, definetti, guesses_in, scores_of
from disjoin.engine import Local
from disjoin.errors import InvalidParameter
from disjoin.methods.cahd import Cahd
from disjoin.model import Groups, Transactions
from oracle import definetti as twin

# In ten groups the pills go with herbs; in the last one somebody else has herbs, and the original says who.
HERBS = [{"records": [[["herbs", "salt"], 1], [["salt", "soap"], 4]], "sensitive": {"pills": 1}}] * 10
NO_HERBS = [{"records": [[["salt", "soap"], 5]], "sensitive": {}}] * 10


def original(groups, holders):
    """Return records in which the first rows of a group that have one of the contents hold the pills."""
    records = []
    for group, holder in zip(groups, holders, strict=True):
        rows = [set(row) for row in twin.rows_of(group)]
        if holder is not None:
            next(row for row in rows if row == set(holder)).add("pills")
        records += rows
    return Transactions.from_sets(records)


def random_groups(seed):
    chance = random.Random(seed)
    groups = []
    for _ in range(chance.randint(3, 8)):
        contents = sorted({tuple(sorted(chance.sample("abcdef", chance.randint(1, 3)))) for _ in range(4)})
        records = [[list(content), chance.randint(1, 6)] for content in contents]
        groups.append({"records": records, "sensitive": {"s": chance.randint(1, 2)} if chance.random() < 0.7 else {}})
    return [{"records": [[["a"], 5]], "sensitive": {"s": 1}}, *groups]


@pytest.mark.parametrize("seed", range(8))
def test_scores_and_confidence_are_those_of_the_twin(seed):
    nested = random_groups(seed)
    groups = Groups.from_nested(nested)
    names = groups.vocabulary.to_pylist()
    weights = twin.weights_of(nested, "s", RIDGE)
    shape = (groups.counts.size, len(names))
    has = csr_array((np.ones(groups.items.size), groups.items, groups.item_offsets), shape=shape)
    scores = scores_of(has, groups.groups.owners(), groups.counts, holders_listed(groups, names.index("s")))
    rows = [tuple(terms) for group in nested for terms, _ in group["records"]]
    assert scores == pytest.approx([np.log(twin.rate(weights, row)) for row in rows], abs=2e-4)
    sure = [twin.guess(group, "s", weights)[1] for group in nested if group["sensitive"]]
    assert guesses_in(groups).confidence == pytest.approx(sure, abs=2e-4)


def test_correlation_with_an_ordinary_item_gives_the_holder_away():
    nested = HERBS + NO_HERBS
    groups = Groups.from_nested(nested)
    alone = definetti(groups)
    assert (alone.cases, alone.random, alone.right, alone.right_surest) == (10, pytest.approx(0.2), None, None)
    assert alone.expected > 0.2
    right = definetti(groups, original(nested, [("herbs", "salt")] * 10 + [None] * 10))
    assert right.right == pytest.approx(1.0)
    wrong = definetti(groups, original(nested, [("salt", "soap")] * 10 + [None] * 10))
    assert wrong.right == pytest.approx(0.0, abs=1e-6)
    assert wrong.expected == alone.expected, "the original is only used to count"


def test_where_equal_records_are_in_several_groups_holders_are_spread_over_them():
    nested = [{"records": [[["a"], 1], [["b"], 1]], "sensitive": {"s": 1}}] * 2
    data = Transactions.from_sets([{"a", "s"}, {"b"}, {"a"}, {"b", "s"}])
    assert guesses_in(Groups.from_nested(nested), data).right == pytest.approx([0.5, 0.5])


def test_groups_with_a_record_without_ordinary_items_are_left_out():
    bare = {"records": [[[], 1], [["salt", "soap"], 4]], "sensitive": {"pills": 1}}
    assert definetti(Groups.from_nested([*HERBS, bare])).cases == 10
    with pytest.raises(InvalidParameter, match="no group lists"):
        definetti(Groups.from_nested([bare]))


def test_terms_that_the_release_leaves_out_do_not_matter_but_other_records_are_refused():
    nested = HERBS + NO_HERBS
    groups, data = Groups.from_nested(nested), original(nested, [("herbs", "salt")] * 10 + [None] * 10)
    sets = data.to_sets()
    more = Transactions.from_sets([sets[0] | {"rare"}, *sets[1:], {"rare"}])
    assert definetti(groups, more) == definetti(groups, data)
    with pytest.raises(InvalidParameter, match="other ordinary items"):
        definetti(groups, Transactions.from_sets(sets[1:]))
    with pytest.raises(InvalidParameter, match="another number of records"):
        definetti(groups, Transactions.from_sets([*(s - {"pills"} for s in sets[:5]), *sets[5:]]))


def test_the_sentence_has_the_figures_and_json_is_plain():
    nested = HERBS + NO_HERBS
    groups, data = Groups.from_nested(nested), original(nested, [("herbs", "salt")] * 10 + [None] * 10)
    assert (
        "names an owner correctly in 100.0% of the groups (100.0% in the most confident fifth)"
        in definetti(groups, data).sentence()
    )
    assert "names a likely owner in every group, with a confidence of " in definetti(groups).sentence()
    assert definetti(groups).to_json() | {"expected": 0, "expected_surest": 0} == {
        "cases": 10,
        "random": 0.2,
        "expected": 0,
        "expected_surest": 0,
        "right": None,
        "right_surest": None,
    }


@pytest.mark.realdata
def test_in_real_clicks_a_third_of_the_groups_name_a_holder_and_a_random_secret_stays_at_chance(datasets):
    """Finding P5: correlation with ordinary items is not hidden; without any, the attacker has chance alone."""
    data = disjoin.read(datasets / "wv1.dat.gz")
    found = definetti(Cahd(p=10, random_sensitive=10, seed=1).publish(data, Local(1)).published, data)
    assert found.random < 0.1
    assert 0.25 < found.right < 0.4
    assert found.right_surest > 0.6
    chance = random.Random(1)
    secret = Transactions.from_sets([s | ({"secret"} if chance.random() < 0.02 else set()) for s in data.to_sets()])
    control = definetti(Cahd(p=10, sensitive=("secret",)).publish(secret, Local(1)).published, secret)
    assert control.right < 0.13
