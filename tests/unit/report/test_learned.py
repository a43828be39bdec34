"""What an attacker could still learn, in figures that can be counted by hand in the tables of every form."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given

from disjoin.forms.groups.facts import statistics_of as group_facts
from disjoin.forms.items.facts import statistics_of as item_facts
from disjoin.forms.registry import FORMS
from disjoin.forms.table.facts import statistics_of as table_facts
from disjoin.model import Groups, KmAnonymity, PrivacyDegree
from disjoin.model.spelling import folded
from disjoin.report.documents import documents_of
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from unit.report import group_releases, item_releases, noisy_releases, table_releases

RELEASES = {
    "groups": group_releases.sealed(group_releases.figure()),
    "table": table_releases.sealed(table_releases.figure()),
    "items": item_releases.sealed(item_releases.figure()),
    "noisy": noisy_releases.sealed(noisy_releases.figure()),
}


def said(form: str) -> dict[str, str]:
    return dict(FORMS[form].learned(facts_of(RELEASES[form])))


@pytest.mark.parametrize("form", RELEASES)
def test_readme_and_report_have_it_with_where_it_comes_from(form):
    documents = documents_of(RELEASES[form])
    readme = documents["README.md"].split("## What an attacker could still learn\n\n", 1)[1].split("\n\n## ")[0]
    assert readme.endswith(FORMS[form].learned_from)
    assert all(f"**{title}.**" in readme for title in said(form))
    page = documents["report.html"].split("<h2>What an attacker could still learn</h2>", 1)[1].split("</section>")[0]
    assert FORMS[form].learned_from in page
    assert page.count("<li>") == len(said(form))


def test_groups_tell_who_is_found_and_what_they_are_linked_to():
    alone, linked = said("groups").values()
    assert alone == "3 records (50%) are found: no other has the same ordinary items."
    assert linked.startswith("In the worst group, 1 of 3 records has the same sensitive item.")


def test_groups_without_sensitive_items_tell_that_there_is_none():
    nested = [{"records": [[["tea"], 3]], "sensitive": {}}, {"records": [[["rye"], 2]], "sensitive": {"x": 1, "y": 1}}]
    found = FORMS["groups"].learned(facts_of(group_releases.sealed(Groups.from_nested(nested))))
    assert [text for _, text in found] == [
        "No record is found: each has the same ordinary items as another.",
        "In the worst group, 1 of 2 records has the same sensitive item. In the group that lists most, up to 2 of 2 "
        "have one or another. 3 records are in groups that list none (60%): for these it is certain that there is no "
        "sensitive item.",
    ]
    nothing = Groups.from_nested([{"records": [[["tea"], 3]], "sensitive": {}}])
    *_, (_, words) = FORMS["groups"].learned(facts_of(group_releases.sealed(nothing)))
    assert words == "No sensitive item is revealed: no group lists any."


def test_a_table_tells_what_is_sure_and_how_often_a_guess_is_right():
    found, guessed = said("table").values()
    assert found.startswith("A class of 2 rows is found, but not which row it is")
    assert guessed == (
        "Certain for 4 rows. In the worst class, 2 of 2 rows have the same value. Guessing the most frequent value is "
        "right for 83.33% of the rows; without the class, for 50%."
    )


def test_generalised_terms_tell_who_is_alone():
    first, whole, behind = said("items").values()
    assert first == "At least 3 candidates, or none."
    assert whole.startswith("2 records are found alone (50%), and 2 among fewer than 2 (50%")
    assert behind == "It must be guessed: 40% of the record entries are categories of 2 terms."


def test_noisy_records_tell_the_limits_of_epsilon_and_nothing_where_it_is_not_private():
    there, which = said("noisy").values()
    assert "from 50% to at most 73.1%, or from 1% to at most 2.7%." in there
    assert "from 50% to at most 88.1%" in which
    assert not FORMS["noisy"].learned(facts_of(noisy_releases.sealed(noisy_releases.figure(), terms="seen")))


@examples(40)
@given(group_releases.groups())
def test_records_alone_in_groups_are_those_counted_by_hand(published):
    facts, nested = group_facts(published, PrivacyDegree(2), {}), published.to_nested()
    rows = Counter(tuple(terms) for group in nested for terms, count in group["records"] for _ in range(count))
    assert facts["alone"] == sum(count == 1 for terms, count in rows.items() if terms)
    assert facts["records_without_sensitive_items"] == sum(g["size"] for g in nested if not g["sensitive"])
    shares = [Fraction(min(g["size"], sum(g["sensitive"].values())), g["size"]) for g in nested if g["sensitive"]]
    most = facts["most_sensitive_group"]
    assert (most and Fraction(most["count"], most["size"])) == max(shares, default=None)


@examples(40)
@given(table_releases.generalized())
def test_guesses_in_tables_are_right_as_often_as_counted_by_hand(published):
    facts = table_facts(published, table_releases.promise_of(published), {})
    classes = table_releases.classes_by_hand(published).values()
    for entry in facts["sensitive_columns"]:
        counts = [Counter(folded(row[entry["column"]]) for row in rows) for rows in classes]
        whole = sum(counts, Counter())
        assert entry["guessed"] == {
            "by_class": sum(max(each.values()) for each in counts),
            "by_table": max(whole.values()),
        }


@examples(40)
@given(item_releases.items())
def test_equal_records_of_generalised_terms_are_those_counted_by_hand(published):
    facts = item_facts(published, KmAnonymity(3, 2), {})
    counts = [count for _, count in published.records.rows()]
    assert facts["alike"] == {"alone": counts.count(1), "below_k": sum(count for count in counts if count < 3)}
