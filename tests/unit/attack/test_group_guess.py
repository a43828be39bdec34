"""Guessing who of a group has its sensitive item: by hand on one group, and on real data."""

from __future__ import annotations

import numpy as np
import pytest

import disjoin
from disjoin.attack.group_guess import group_guesses
from disjoin.engines.local import Local
from disjoin.errors import InvalidParameter
from disjoin.methods.cahd import Cahd
from disjoin.model import Draft, Groups, Transactions


def one_group(records):
    data = Transactions.from_sets(records)
    published = Groups.from_nested([{"records": [[["a"], len(records)]], "sensitive": {"pills": 1}}])
    return Draft(published, np.zeros(len(data), dtype=np.int64), sensitive=("pills",)), data


def rights(draft, data):
    return {guess.name: guess.right for guess in group_guesses(draft, data)}


def test_each_way_to_guess_points_to_the_record_it_says():
    records = [{"a", "b", "c", "d"}, {"b", "c"}, {"c", "x", "y", "z", "zz"}, {"d", "e"}]
    pointed = {"first": 0, "most alike": 0, "middle": 2, "longest": 2, "least alike": 3, "last": 3}
    for holder in range(4):
        dressed = [record | ({"pills"} if number == holder else set()) for number, record in enumerate(records)]
        wanted = {name: float(place == holder) for name, place in pointed.items()}
        assert rights(*one_group(dressed)) == wanted | {"least alike": rights(*one_group(dressed))["least alike"]}


def test_equally_good_guesses_share_the_case_and_a_random_record_has_one_in_n():
    draft, data = one_group([{"a", "pills"}, {"a"}, {"a"}, {"a"}])
    for guess in group_guesses(draft, data):
        assert (guess.cases, guess.right, guess.random) == (1, 0.25, 0.25)


def test_groups_with_a_record_without_ordinary_items_do_not_count():
    assert group_guesses(*one_group([{"pills"}, {"a"}, {"a"}])) == ()


def test_other_records_than_those_of_the_draft_are_refused():
    draft, _ = one_group([{"a", "pills"}, {"a"}])
    with pytest.raises(InvalidParameter, match="another number"):
        group_guesses(draft, Transactions.from_sets([{"a"}]))


@pytest.mark.realdata
def test_in_real_groceries_likeness_points_to_the_middle_of_the_paper_and_to_nobody_in_blind_groups(datasets):
    data = disjoin.read(datasets / "groceries.dat.gz")
    found = {}
    for grouping in ("paper", "blind"):
        draft = Cahd(p=10, sensitive=("29",), grouping=grouping).publish(data, Local(1))
        found[grouping] = {guess.name: guess for guess in group_guesses(draft, data)}
    assert found["paper"]["most alike"].right > 0.5  # promised is 0.1
    assert found["paper"]["most alike"].random == pytest.approx(0.1)
    assert all(guess.right < 0.16 for guess in found["blind"].values())
