"""What notebooks show: the promise and the seal, no values of raw data, and a warning where facts are private."""

from __future__ import annotations

import numpy as np
import pytest

import disjoin
from disjoin.model.card import card

VISITS = [{"flu", "<b>"}, {"flu", "cough"}, {"flu", "<b>", "cough"}, {"<b>", "cough"}, {"flu"}] * 4


@pytest.fixture(scope="module")
def release():
    return disjoin.disassociate(VISITS, k=3, m=2)


def test_a_release_shows_its_promise_its_seal_and_a_cluster(release):
    shown = release._repr_html_()
    assert release.guarantee.sentence().split(",")[0] in shown
    assert ">verified<" in shown
    assert "cluster 0: 20 records" in shown
    assert "&lt;b&gt;" in shown and "<b>," not in shown, "terms are foreign text"
    assert "http" not in shown and "<script" not in shown


def test_a_verdict_tells_what_is_violated_without_values(release):
    assert ">verified<" in release.verdict._repr_html_()
    refused = disjoin.verify(release, guarantee=disjoin.KmAnonymity(12, 2))
    shown = refused._repr_html_()
    assert "not accepted" in shown and "does not hold" in shown
    assert "cough" not in shown


def test_raw_data_show_numbers_alone():
    shown = disjoin.read(VISITS)._repr_html_()
    assert "20" in shown and "flu" not in shown
    table = disjoin.read_table({"city": ["Bonn", "Köln"]})._repr_html_()
    assert "city: other" in table and "Bonn" not in table


def test_what_is_private_says_so(release):
    assert "not to be published" in disjoin.evaluate(release, VISITS, measures=["tkd"])._repr_html_()
    survey = disjoin.advise(VISITS, k=[3], m=[2], clusterings=["horpart"])
    assert "not to be published" in survey._repr_html_()


def test_everything_on_a_card_is_escaped():
    shown = card("<i>", "<i>", [("<i>", "<i>")], warning="<i>", drawing="<i>\n<i>", notes=["<i>"])
    assert "<i>" not in shown and shown.count("&lt;i&gt;") == 8


def test_records_become_frames_and_a_matrix():
    data = disjoin.read(VISITS)
    assert [set(terms) for terms in data.to_pandas()["terms"]] == [set(record) for record in VISITS]
    assert data.to_polars().shape == (20, 1)
    matrix = data.to_matrix()
    assert matrix.shape == (20, 3)
    assert np.array_equal(matrix.sum(axis=0), data.supports())
    assert disjoin.read_one_hot(matrix, data.vocabulary.to_pylist()).to_sets() == data.to_sets()


def test_a_release_lists_its_terms_and_rules(release):
    terms = {row["itemset"][0]: row for row in release.terms().to_pylist()}
    for term in ("flu", "<b>", "cough"):
        true = sum(term in record for record in VISITS)
        assert terms[term]["seen"] <= true <= terms[term]["at_most"]
    for rule in release.rules(min_support=0.1).to_pylist():
        both = sum({*rule["antecedents"], *rule["consequents"]} <= record for record in VISITS)
        true = both / sum({*rule["antecedents"]} <= record for record in VISITS)
        assert rule["confidence_at_least"] - 1e-9 <= true <= rule["confidence_at_most"]


def test_an_inspection_is_private_and_shows_no_values():
    shown = disjoin.inspect(VISITS)._repr_html_()
    assert "not to be published" in shown and ">20<" in shown and "flu" not in shown
    table = disjoin.inspect({"city": ["Bonn", "Ulm"]}, quasi="city")._repr_html_()
    assert "not to be published" in table and "Bonn" not in table
