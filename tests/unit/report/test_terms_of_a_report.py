"""Terms in a report: bounds that a receiver's own tools find, and a table that is searched without a script."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import disjoin
from disjoin.forms.clusters.facts import frequent_terms
from helpers.hypothesis_profile import examples

records = st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=4), min_size=6, max_size=30)


@given(records, st.booleans())
@examples(25)
def test_bounds_are_those_that_anybody_finds_in_the_tables(drawn, refine):
    release = disjoin.disassociate(drawn, k=2, m=2, refine=refine)
    found = {one["term"]: (one["least"], one["most"]) for one in frequent_terms(release.published)}
    rows = release.terms().to_pylist()
    assert found == {row["itemset"][0]: (row["at_least"], row["at_most"]) for row in rows}
    for term, (least, most) in found.items():
        assert least <= sum(term in record for record in drawn) <= most


def test_the_page_finds_terms_without_a_script(tmp_path):
    release = disjoin.disassociate([{"tea", "<b>milk"}, {"tea"}, {"<b>milk"}] * 4, k=3)
    path = release.write(tmp_path / "release")
    page = (path / "report.html").read_text()
    assert '<option value="tea" label="8 records"></option>' in page
    assert "&lt;b&gt;milk" in page and "<b>milk" not in page and "<script" not in page
    assert {"term": "tea", "least": 8, "most": 8} in json.loads((path / "report.json").read_text())["statistics"][
        "frequent_terms"
    ]


def test_a_report_lists_the_most_frequent_terms_of_many(monkeypatch):
    monkeypatch.setattr("disjoin.forms.clusters.facts.LISTED", 2)
    release = disjoin.disassociate([{"a", "b", "c"}, {"a", "b"}, {"a"}] * 4, k=3)
    assert [one["term"] for one in frequent_terms(release.published)] == ["a", "b"]


BASKETS = [["a", "b", "x"], ["a", "b"], ["a", "c"], ["b", "c"], ["a", "b", "c"], ["a", "x"], ["b", "c"], ["a", "b"]]
TREE = disjoin.Hierarchy.from_rows([["a", "ax", "*"], ["x", "ax", "*"], ["b", "b", "*"], ["c", "c", "*"]])
OTHERS = {
    "groups": lambda: disjoin.cahd(BASKETS, ["x"], 2),
    "items": lambda: disjoin.generalize_items(BASKETS, 3, 1, hierarchy=TREE),
    "noisy": lambda: disjoin.diffpart(BASKETS * 20, 5, domain=["a", "b", "c", "x"]),
    "mixed": lambda: disjoin.mixed(
        {"age": ["30", "31"] * 4, "buys": [";".join(terms) for terms in BASKETS]},
        2,
        quasi="age",
        terms="buys",
        split=";",
    ),
}


@pytest.mark.parametrize("form", OTHERS)
def test_other_forms_tell_the_bounds_that_anybody_finds(form, tmp_path):
    release = OTHERS[form]()
    path = release.write(tmp_path / "release")
    assert disjoin.verify(path).holds
    found = {
        one["term"]: (one["least"], one["most"])
        for one in json.loads((path / "report.json").read_text())["statistics"]["frequent_terms"]
    }
    rows = release.support([[term] for term in found]).to_pylist()
    if form == "noisy":  # nothing is certain: the numbers are those of the records that were made up
        assert found == {row["itemset"][0]: (row["estimate"],) * 2 for row in rows}
    else:
        assert found == {row["itemset"][0]: (row["at_least"], row["at_most"]) for row in rows}
        assert all(found[term][0] <= sum(term in basket for basket in BASKETS) <= found[term][1] for term in found)
    disjoin.export(path, csv=tmp_path / "csv")
    listed = (tmp_path / "csv" / "terms.csv").read_text().splitlines()
    assert len(listed) == 1 + (3 if form == "items" else 4)  # there a and x are published as one category
    page = (path / "report.html").read_text()
    assert '<option value="a" label="' in page and "<script" not in page


SENSITIVE = {
    "clusters": lambda: disjoin.disassociate([*BASKETS, ["a", "x"]] * 3, k=2, m=1, sensitive=["x"]),
    "groups": OTHERS["groups"],
}


@pytest.mark.parametrize("form", SENSITIVE)
def test_sensitive_terms_come_last_and_in_a_list_of_their_own(form, tmp_path):
    """Finding U10: they were the first of the most frequent terms, because their upper bounds are the largest."""
    path = SENSITIVE[form]().write(tmp_path / "release")
    listed = json.loads((path / "report.json").read_text())["statistics"]["frequent_terms"]
    assert [one["term"] for one in listed][-1] == "x"
    page = (path / "report.html").read_text()
    others, sensitive = page.split('<details class="terms">')[1:]
    assert "<summary>All 3 terms that are not sensitive</summary>" in others and "<bdi>x</bdi>" not in others
    assert "<summary>1 sensitive term</summary>" in sensitive and "<bdi>x</bdi>" in sensitive


def test_a_table_has_no_such_part():
    from disjoin.forms.registry import FORMS

    assert FORMS["table"].page.terms(None) == ""
