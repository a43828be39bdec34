"""Releases of generalised and of noisy records beside their original: what is dispatched, and what is printed."""

from __future__ import annotations

from typing import Any

import pytest

import disjoin
from disjoin.cli.evaluate import tell
from disjoin.errors import InvalidParameter
from disjoin.model import (
    Bag,
    DifferentialPrivacy,
    GeneralizedItems,
    Hierarchy,
    KmAnonymity,
    NoisyRecords,
    Release,
    Verdict,
)
from disjoin.model.release import SEAL
from helpers.group_releases import sealed_groups, shop

RECORDS = [["tea", "milk"], ["tea", "jam"], ["milk", "jam"], ["tea", "milk"], ["tea"], ["milk"]]
KINDS = {"tea": "drink", "milk": "drink", "jam": "food", "rye": "food"}
TREE = Hierarchy.from_rows([(term, kind, "*") for term, kind in KINDS.items()])


def sealed(published: Any, guarantee: Any, method: str) -> Release:
    """Make a release without asking the inspector: these tests are about measures, not about privacy."""
    return Release(published, guarantee, Verdict(guarantee, (), ()), method, {}, seal=SEAL)


@pytest.fixture(scope="module")
def items() -> Release:
    rows = [(["drink"], 4), (["drink", "jam"], 2)]
    mapping = {"tea": "drink", "milk": "drink", "jam": "jam", "rye": "rye"}
    return sealed(GeneralizedItems.from_mapping(rows, mapping, TREE), KmAnonymity(2, 2), "apriori")


@pytest.fixture(scope="module")
def noisy() -> Release:
    return sealed(NoisyRecords(Bag.from_rows([(["tea"], 7), (["rye"], 1)])), DifferentialPrivacy(1), "diffpart")


def test_generalised_records_are_measured_with_their_own_k_and_hierarchy(items: Release) -> None:
    evaluation = disjoin.evaluate(items, RECORDS)
    assert evaluation.settings == {"top": 1000, "k": 2, "hierarchy": True, "hierarchy_is": "the release's own"}
    assert evaluation["tlost"] == 2 / 3
    assert evaluation["ncp_items"] == pytest.approx(8 * (2 / 4) / 10)
    assert evaluation["tkd_ml2"] is not None


def test_noisy_records_are_measured_with_the_usual_k(noisy: Release) -> None:
    evaluation = disjoin.evaluate(noisy, RECORDS)
    assert (evaluation.settings["k"], evaluation["tlost"], evaluation["tlost_more_than_k"]) == (5, 0, 0)
    assert evaluation["tkd_ml2"] is None
    assert disjoin.evaluate(noisy, RECORDS, hierarchy=TREE, measures=["tkd_ml2"])["tkd_ml2"] is not None


@pytest.mark.parametrize(("form", "whence"), [("items", "generalised records, spread"), ("noisy", "the noisy records")])
def test_people_are_told_where_supports_come_from(
    form: str, whence: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluation = disjoin.evaluate(request.getfixturevalue(form), RECORDS)
    tell(evaluation)
    out = " ".join(capsys.readouterr().out.split())
    assert f"Supports come from {whence}" in out
    assert f"terms ranked {'generalised' if form == 'items' else 'noisy'} records" in out
    assert "reconstruction" not in out
    for row in evaluation.rows:
        assert row.unit == "error" or row.name in out
    assert ("that was not checked" in out) == (form == "noisy")


def test_a_table_of_values_is_no_original_of_records(noisy: Release) -> None:
    from disjoin.forms.registry import evidence_of
    from disjoin.measure.definition import Settings
    from disjoin.model import Table

    with pytest.raises(InvalidParameter, match="must be records that are sets, got a table"):
        evidence_of(noisy, Table.from_columns({"age": ["1"]}), None, Settings())


def test_a_k_that_makes_no_difference_is_refused() -> None:
    from disjoin.forms.registry import evidence_of
    from disjoin.measure.definition import Settings
    from disjoin.model import Transactions

    with pytest.raises(InvalidParameter, match="no measure of groups asks which terms are in k records"):
        evidence_of(sealed_groups(shop()), Transactions.from_sets(RECORDS), None, Settings(k=3))
