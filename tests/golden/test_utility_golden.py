"""The measures of section E.1 on figures 2b and 3 of TLMS12 (k = 3), as exact fractions."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from disjoin.measure import EVALUATIONS, Evidence
from disjoin.measure.definition import Settings
from disjoin.measure.pair_counts import Ranks
from disjoin.measure.pairs import pair_error, relative_error
from disjoin.model import Clusters, Transactions
from oracle import utility

GOLDEN = json.loads((Path(__file__).parent / "papers.json").read_text(encoding="utf-8"))
RECORDS = GOLDEN["fig2"]["records"]
FORESTS = {"fig2b": GOLDEN["fig2"]["verpart"], "fig3": GOLDEN["fig3"]["refine"]}
NINE = Ranks(1, 9)


def evidence(figure, top=1000):
    published = Clusters.from_nested(FORESTS[figure])
    data = Transactions.from_sets(RECORDS)
    return Evidence(data, published, k=3, settings=Settings(top=top), ranges=(NINE,))


def value(name, figure, top=1000):
    return EVALUATIONS[name].compute(evidence(figure, top)).value


@pytest.mark.parametrize(
    ("figure", "top", "expected"),
    [
        ("fig2b", 5, Fraction(1, 5)),
        ("fig3", 5, Fraction(0)),
        ("fig2b", 10, Fraction(2, 5)),
        ("fig3", 10, Fraction(1, 5)),
    ],
)
def test_tkd_of_chunks_alone_is_that_of_the_specification(figure, top, expected):
    assert float(expected) == GOLDEN["fig3"]["tKd_a"][f"K{top}"][figure]
    assert value("tkd_a", figure, top) == expected
    assert utility.tkd(utility.weighted(RECORDS), utility.subrecords(FORESTS[figure]), top) == expected


@pytest.mark.parametrize(("figure", "expected"), [("fig2b", Fraction(7, 6)), ("fig3", Fraction(10, 9))])
def test_re_of_chunks_alone_over_the_nine_most_frequent_terms_is_that_of_the_specification(figure, expected):
    assert float(expected) == GOLDEN["fig3"]["re_a_top9_pairs36"][figure]
    found = relative_error(evidence(figure), NINE, "_a")
    assert (found.value, found.details["pairs"]) == (expected, 36)
    rows = utility.subrecords(FORESTS[figure])
    assert utility.relative_error(utility.weighted(RECORDS), [rows], *NINE) == expected


@pytest.mark.parametrize(("figure", "stage"), [("fig2b", "tlost_before"), ("fig3", "tlost_after")])
def test_tlost_is_that_of_the_specification(figure, stage):
    lost, frequent = GOLDEN["fig3"][stage]
    found = EVALUATIONS["tlost"].compute(evidence(figure))
    assert (found.details["lost_terms"], found.details["frequent_terms"]) == (lost, frequent)
    assert found.value == Fraction(lost, frequent)


@pytest.mark.parametrize(("figure", "expected"), [("fig2b", Fraction(2, 7)), ("fig3", Fraction(0))])
def test_tlost_with_more_than_k_is_that_of_the_specification(figure, expected):
    assert value("tlost_more_than_k", figure) == expected


def test_a_pair_that_is_never_seen_together_has_the_largest_error():
    pair = ["audi a4", "madonna"]
    rows = utility.subrecords(FORESTS["fig3"])
    true, found = utility.support(utility.weighted(RECORDS), pair), utility.support(rows, pair)
    assert (true, found) == (3, 0)
    assert pair_error(true, found) == 2
