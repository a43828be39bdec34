"""The summary for a terminal."""

from __future__ import annotations

from hypothesis import given

from disjoin.model import Clusters
from disjoin.report.documents import summary_of
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, forests, sealed
from unit.report.pages import summary_text


def test_the_summary_says_what_was_promised_checked_and_kept():
    rows = dict(summary_of(facts_of(sealed(figure_3(), suppressed_records=2))))
    assert rows["promise"].startswith("An attacker who knows up to 2 terms")
    assert rows["verdict"] == "the promise holds; 12 invariants checked"
    assert rows["records"] == "10, 2 suppressed"
    assert rows["terms"] == "12, 3 of them in term chunks only"
    assert rows["clusters"] == "2 of 5 records, 1 joint cluster above them"
    assert rows["term mass"] == "at most 92.7% of the term occurrences kept, 73.2% without the shared chunks"


def test_what_was_kept_stands_beside_what_is_shown_beyond_the_promise():
    """Figure 3: in each cluster two of five records have the three terms of a chunk that only they have."""
    shown = [
        row for row in summary_of(facts_of(sealed(figure_3()))) if row[0] in ("exposed records", "universal terms")
    ]
    found = "anyone who knows 3 terms of one chunk may find up to 40.0% of the records among fewer than 3"
    assert shown == [
        ("exposed records", f"{found}, 40.0% without the shared chunks"),
        ("universal terms", "0.0% of what record chunks show is in all records of its cluster (0 in 0 clusters)"),
    ]


@examples(25)
@given(forests())
def test_the_table_on_the_screen_has_every_row_at_any_width(published):
    report = facts_of(sealed(published))
    expected = " ".join(f"{label} {words}" for label, words in summary_of(report)).split()
    assert summary_text(report, 400).split() == expected
    narrow = summary_text(report, 72)
    assert sorted(narrow.split()) == sorted(expected) and all(len(line) <= 72 for line in narrow.split("\n"))


def test_the_slack_is_told_when_there_is_a_limit():
    bare = Clusters.from_nested([{"size": 3, "record_chunks": [{"subrecords": [[["a"], 3]]}]}])
    assert dict(summary_of(facts_of(sealed(bare))))["least slack"] == "0 subrecords above the limit"
