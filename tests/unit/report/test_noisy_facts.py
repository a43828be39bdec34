"""Facts about noisy records against slow twins, and what epsilon means in numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.forms.noisy.facts import LISTED, certainty, factor, statistics_of
from disjoin.forms.noisy.pictures import picture_of, ranked
from disjoin.model import Bag, DifferentialPrivacy, NoisyRecords, Report
from disjoin.model.differential_privacy import readable
from disjoin.report.facts import facts_of
from helpers.hypothesis_profile import examples
from unit.report.noisy_releases import figure, noisy, sealed


def statistics(published: NoisyRecords) -> dict:
    return statistics_of(published, DifferentialPrivacy(1), {})


@examples(25)
@given(noisy())
def test_statistics_are_what_counting_by_hand_gives(published):
    facts, rows = statistics(published), published.records.rows()
    total = sum(count for _, count in rows)
    alone = [count for row, count in rows if len(row) == 1]
    share = round(sum(alone) / total, 4) if total else 0.0
    assert facts["rows"] == len(rows)
    assert facts["single_terms"] == {"rows": len(alone), "records": sum(alone), "share": share}
    assert facts["occurrences"] == sum(len(row) * count for row, count in rows)
    by_count = sorted(rows, key=lambda entry: -entry[1])
    assert facts["largest_rows"] == [{"terms": list(row), "count": count} for row, count in by_count]
    terms = {term for row, _ in rows for term in row}
    for name, values in {
        "counts_of_rows": [count for _, count in rows],
        "record_lengths": [len(row) for row, count in rows for _ in range(count)],
        "supports": [sum(count for row, count in rows if term in row) for term in terms],
    }.items():
        bins = facts[name]["histogram"]
        assert facts[name]["number"] == len(values)
        assert [b["count"] for b in bins] == [sum(b["from"] <= v <= b["to"] for v in values) for b in bins]


def test_only_the_largest_rows_are_listed():
    many = NoisyRecords(Bag.from_rows([([f"t{i:03d}"], 1 + (i == 7)) for i in range(2 * LISTED)]))
    listed = statistics(many)["largest_rows"]
    assert len(listed) == LISTED
    assert [row["terms"] for row in listed[:2]] == [["t007"], ["t000"]]


@examples(15)
@given(noisy())
def test_rows_are_ranked_by_their_counts_and_equal_ones_keep_their_order(published):
    rows = ranked(published.records)
    assert rows.rows() == sorted(published.records.rows(), key=lambda entry: -entry[1])
    assert rows.sets.lengths.tolist() == [len(terms) for terms, _ in rows.rows()]
    several = [place for place, (terms, _) in enumerate(rows.rows()) if len(terms) > 1]
    assert np.flatnonzero(rows.sets.lengths > 1).tolist() == several


def test_the_picture_shows_single_terms_beside_what_goes_together():
    largest, several = picture_of(figure(), rows=3).columns
    assert largest.rows == ((("tea",), 40), (("milk",), 25), (("milk", "tea"), 12))
    assert several.rows == ((("milk", "tea"), 12), (("jam", "milk", "rye"), 7))
    assert (largest.more, several.more) == (1, 0)
    assert len(picture_of(NoisyRecords(Bag.from_rows([(["a"], 1)]))).columns) == 1


@examples(15)
@given(noisy())
def test_a_report_survives_json_and_says_what_its_verdict_is_worth(published):
    report = facts_of(sealed(published))
    assert report.form == "noisy"
    assert Report.from_json(report.to_json()) == report
    assert report.verdict == {"holds": True, "checked": ["N1", "N2", "N3", "N4"], "by_construction": True}


@examples(25)
@given(st.fractions(Fraction(1, 1000), 6))
def test_even_odds_move_by_the_factor_and_no_further(epsilon):
    chance = float(certainty(epsilon).removesuffix("%")) / 100
    assert chance == pytest.approx(math.exp(epsilon) / (1 + math.exp(epsilon)), abs=0.0006)
    assert float(factor(epsilon).replace(",", "")) == pytest.approx(math.exp(epsilon), rel=0.006)
    assert factor(epsilon, 2) == factor(2 * epsilon)


def test_huge_numbers_can_be_read():
    assert factor(Fraction(100)) == "2.69e+43"
    assert factor(Fraction(100), 10) == "more than 10^300"
    assert certainty(Fraction(100)) == "all but 100%"
    assert readable(999999.0) == "1,000,000"
    assert "at most 2,980 (epsilon 8)" in DifferentialPrivacy(8).sentence()
