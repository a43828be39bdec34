"""The summary for a terminal."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from hypothesis import given
from rich.console import Console

from disjoin.report.documents import summary_of, summary_table
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from helpers.releases import figure_3, forests, sealed
from unit.report.pages import summary_text


def test_the_summary_leads_with_the_verdict_then_what_is_kept_and_what_is_learnable():
    """Figure 3: in each cluster two of five records have the three terms of a chunk that only they have."""
    rows = summary_of(facts_of(sealed(figure_3(), suppressed_records=2)))
    assert [label for label, _ in rows] == ["Verified", "Records", "Kept", "Still learnable"]
    found = dict(rows)
    assert found["Verified"].startswith("an attacker who knows up to 2 terms")
    assert found["Records"].startswith("10 (2 left out) in 2 clusters")
    assert found["Kept"].endswith("9 of 12 terms have counts in at least one chunk; 3 are listed without counts.")
    assert found["Still learnable"].startswith(
        "With 3 known terms shown together, up to 40.0% of the records are found among fewer than 3."
    )


def test_a_summary_has_at_most_twelve_lines_with_what_the_screen_adds():
    more = [("Private", "x" * 120), ("Next", "disjoin evaluate release --original data.csv")]
    out = StringIO()
    Console(file=out, width=80).print(summary_table(facts_of(sealed(figure_3())), more))
    assert out.getvalue().count("\n") <= 12


def test_a_long_guarantee_is_cut_between_sentences():
    report = replace(facts_of(sealed(figure_3())), sentence="First one. " + "Another sentence. " * 30)
    words = dict(summary_of(report))["Verified"]
    assert words.startswith("first one. Another sentence. ")
    assert words.endswith("Another sentence. README.md has the rest of the guarantee and its limits.")
    assert len(words) < 300


@examples(25)
@given(forests())
def test_the_table_on_the_screen_has_every_row_at_any_width(published):
    report = facts_of(sealed(published))
    (verdict, guarantee), *rows = summary_of(report)
    expected = " ".join([f"{verdict}: {guarantee}", *(f"{label} {words}" for label, words in rows)]).split()
    assert summary_text(report, 400).split() == expected
    narrow = summary_text(report, 72)
    assert sorted(narrow.split()) == sorted(expected) and all(len(line) <= 72 for line in narrow.split("\n"))
