"""What CAHD must do as a method: verified releases, the same bytes for any order of the input, clear refusals."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.engine import Local
from disjoin.errors import GuaranteeUnreachable, InvalidParameter, NotAnonymous
from disjoin.generate.baskets import baskets as make_baskets
from disjoin.methods.cahd import ORDERS, Cahd, RecordOrder
from disjoin.model import Transactions
from disjoin.pipeline import publish, write
from helpers.hypothesis_profile import examples
from helpers.synthetic import NAMES, baskets

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # what users are told is tested by itself

SHOPPING = [["tea", "milk"], ["tea", "pills"], ["milk", "bread"], ["pills"], ["tea", "milk", "test"], ["bread"]] * 4
CLASH = [["meat", "viagra", "wine"], ["meat", "wine"], ["cream", "test", "berries"], ["berries", "meat"]]
CLASH += [["cream", "meat", "wine"]]  # with p = 4 the check as printed leaves one record alone


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("alpha", [1, 3])
def test_a_release_holds_alone_and_beside_its_original(order, alpha, tmp_path):
    release = disjoin.cahd(SHOPPING, ("pills", "test"), p=3, order=order, alpha=alpha)
    path = release.write(tmp_path / "release")
    assert disjoin.verify(path, original=SHOPPING).holds
    assert disjoin.verify(path).checked == ("P1", "P2", "P3", "P4", "P5")
    assert disjoin.load(path).published == release.published
    assert release.counts == {"records": 24, "suppressed_records": 0, "terms": 5}


@given(baskets(least_records=4), st.sets(st.sampled_from(NAMES[:6]), min_size=1, max_size=3), st.integers(2, 5))
@examples(100)
def test_whatever_can_be_reached_is_published_and_accepted_with_its_original(records, secret, p):
    there = {term for record in records for term in record}
    wanted = sorted(secret & there)
    if not wanted or wanted == sorted(there):
        return
    data, worst = Transactions.from_sets(records), max(sum(s in record for record in records) for s in wanted)
    if worst * p > len(records):
        with pytest.raises(GuaranteeUnreachable, match=f"is in {worst} of {len(records)} records"):
            publish(data, Cahd(p=p, sensitive=wanted), Local(1))
        return
    release = publish(data, Cahd(p=p, sensitive=wanted), Local(1)).release
    assert disjoin.verify(release, original=records).holds
    assert release.published.sensitive_terms() == tuple(wanted)


@pytest.mark.parametrize("order", ORDERS)
def test_any_order_of_records_and_terms_gives_the_same_folder_byte_for_byte(order, tmp_path):
    rng, found = random.Random(1), []
    many = [list(record) for record in make_baskets(150, 3)]
    names = sorted({term for record in many for term in record})[::9][:5]
    for number in range(3):
        records = [rng.sample(record, len(record)) for record in rng.sample(many, len(many))]
        method = Cahd(p=3, sensitive=names, order=order)
        release = publish(Transactions.from_sets(records), method, Local(1 + number)).release
        found.append(contents(write(release, tmp_path / str(number))))
    assert found[0] == found[1] == found[2]


def test_random_items_are_the_same_for_the_same_seed_and_no_seed_is_stored(tmp_path):
    data = Transactions.from_sets(SHOPPING)
    first, again = (publish(data, Cahd(p=3, random_sensitive=2, seed=5), Local(1)).release for _ in range(2))
    assert first.published == again.published
    assert len(first.published.sensitive_terms()) == 2
    named = publish(data, Cahd(p=3, sensitive=first.published.sensitive_terms()), Local(1)).release
    assert contents(first.write(tmp_path / "drawn")) == contents(named.write(tmp_path / "named"))
    assert len({publish(data, Cahd(p=3, random_sensitive=2, seed=s), Local(1)).release.published for s in range(9)}) > 1


def test_what_the_printed_check_leaves_unsafe_is_refused_and_the_corrected_one_is_not():
    with pytest.raises(NotAnonymous, match="P3"):
        disjoin.cahd(CLASH, ("viagra", "test"), p=4, grouping="paper", published_check=True)
    assert disjoin.verify(disjoin.cahd(CLASH, ("viagra", "test"), p=4), original=CLASH).holds


def test_a_result_of_the_printed_check_that_happens_to_be_safe_says_how_it_was_made():
    release = disjoin.cahd(CLASH, ("viagra", "test"), p=2, grouping="paper", published_check=True)
    assert release.parameters["published_check"] is True
    assert "published_check" not in disjoin.cahd(CLASH, ("viagra", "test"), p=2).parameters


def test_records_without_ordinary_items_are_published_and_counted():
    with pytest.warns(UserWarning, match="4 records have sensitive items only"):
        release = disjoin.cahd(SHOPPING, "pills", p=3)
    assert release.verdict.facts["bare_records"] == 4
    groups = [release.published.records_of(group) for group in range(len(release.published))]
    assert sum(count for records in groups for terms, count in records if not terms) == 4


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"sensitive": ()}, InvalidParameter, "nothing to protect"),
        ({"sensitive": "pils"}, InvalidParameter, "nothing is found for the term 'pils'"),
        ({"sensitive": ("pils", "taes", "tea")}, InvalidParameter, "nothing is found for the terms 'pils', 'taes'"),
        ({"sensitive": ("tea", "milk", "bread", "pills", "test")}, InvalidParameter, "all items are sensitive"),
        ({"sensitive": "pills", "p": 1}, InvalidParameter, "p must be a whole number of at least 2"),
        ({"sensitive": "pills", "p": 2.5}, InvalidParameter, "p must be a whole number"),
        ({"sensitive": "pills", "alpha": 0}, InvalidParameter, "alpha must be a whole number of at least 1"),
        ({"sensitive": "pills", "alpha": 0.5}, InvalidParameter, "alpha must be a whole number"),
        ({"sensitive": "pills", "order": "rcm"}, InvalidParameter, "order must be one of bipartite, aat"),
        ({"sensitive": "pills", "p": 4}, GuaranteeUnreachable, "'pills' is in 8 of 24 .* at most 3"),
        ({"sensitive": ("tea", "pills"), "p": 3}, GuaranteeUnreachable, "'tea' is in 12 of 24 .* at most 2"),
        ({"random_sensitive": 9, "p": 2}, GuaranteeUnreachable, "only 5 are in no more than 1 in 2"),
        ({"random_sensitive": 0}, InvalidParameter, "random_sensitive must be a whole number of at least 1"),
        ({"random_sensitive": 1, "sensitive": "tea"}, InvalidParameter, "not both"),
        ({"sensitive": "pills", "published_check": "yes"}, InvalidParameter, "true or false"),
        ({"sensitive": 7}, InvalidParameter, "sensitive"),
    ],
)
def test_what_cannot_be_is_one_sentence(parameters, error, message):
    with pytest.raises(error, match=message):
        publish(Transactions.from_sets(SHOPPING), Cahd(**{"p": 3, **parameters}), Local(1))


def test_an_item_in_more_than_half_of_the_records_cannot_be_hidden_at_all():
    with pytest.raises(GuaranteeUnreachable, match="No p can be reached unless 'tea' is removed from the sensitive"):
        disjoin.cahd([["tea"], ["tea", "milk"], ["milk"]], "tea", p=2)


def test_terms_that_the_data_marks_as_sensitive_are_hidden_too():
    data = Transactions.from_sets(SHOPPING).with_sensitive(["test"])
    release = publish(data, Cahd(p=3, sensitive=("pills",)), Local(1)).release
    assert release.published.sensitive_terms() == ("pills", "test")


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"p": 4, "alpha": 3, "order": "aat"}, "the parameter p is 4, but 3 is guaranteed"),
        ({"p": 3, "alpha": 3, "order": "a secret"}, "the method does not accept the parameters"),
        ({"p": 3, "alpha": 3, "order": "aat", "seed": 77}, "not written as the method writes them"),
        ({"p": 3, "alpha": 3, "order": "aat", "published_check": False}, "not written as the method writes them"),
        ({"p": 3, "alpha": "3", "order": "aat"}, "the method does not accept the parameters"),
        ({"p": 3, "alpha": 3, "order": "aat", "note": "x"}, "the method has no parameters of these names"),
    ],
)
def test_stored_parameters_that_nobody_wrote_contradict_the_promise(stated, message):
    assert any(message in words for words in Cahd.contradictions(disjoin.PrivacyDegree(3), stated, 0))
    right = {"p": 3, "alpha": 3, "order": "aat"}
    assert Cahd.contradictions(disjoin.PrivacyDegree(3), right, 0) == []
    assert Cahd.contradictions(disjoin.PrivacyDegree(3), right, 2)
    assert Cahd.contradictions(disjoin.KmAnonymity(3, 2), right, 0)


def as_given(offsets, items, n_items):
    """Leave the rows as they are: the worst order that works."""
    return np.arange(offsets.size - 1), np.arange(n_items)


def test_an_order_is_a_function_and_one_record(monkeypatch):
    monkeypatch.setitem(ORDERS, "as-given", RecordOrder("as-given", "as they are", as_given))
    records = [["tea", "pills"], ["tea"], ["jam"], ["jam", "milk"], ["milk"], ["tea", "milk"]]
    release = disjoin.cahd(records, p=3, sensitive="pills", order="as-given")
    assert release.parameters["order"] == "as-given"
    assert disjoin.verify(release, original=records).holds
