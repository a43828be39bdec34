"""The inspector reads words: another spelling of a sensitive term or value is that term or value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from disjoin.model import Clusters, Groups, KAnonymity, KmAnonymity, PrivacyDegree, Table, Transactions
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify import check
from disjoin.verify.source import as_read
from disjoin.verify.table.inspection import judge
from unit.verify.forests import leaf

LEAF = leaf(6, [{"ab": 3, "b": 3}], "hv")


@pytest.mark.parametrize("character", ["\x07", "\u0600", "\u00ad", "\ufe0f"])
def test_characters_that_nobody_sees_are_no_part_of_a_word(character: str) -> None:
    assert as_read(f"B{character}20") == "b20"


@pytest.mark.parametrize("named", ["B", "b ", "\uff22"])
def test_v11_is_about_every_spelling_in_a_chunk(named: str) -> None:
    (violation,) = check(Clusters.from_nested([LEAF]), KmAnonymity(2, 2, 1, (named,))).violations
    assert violation.invariant == "V11"
    assert "in any spelling" in violation.message
    assert violation.example == ("b",)


def test_v11_allows_every_spelling_in_a_term_chunk() -> None:
    assert check(Clusters.from_nested([LEAF]), KmAnonymity(2, 2, 1, ("H", "v"))).holds


def test_two_spellings_alone_in_a_term_chunk_force_what_one_would() -> None:
    trees = [leaf(6, [{"b": 3}], "Hh")]
    found = check(Clusters.from_nested(trees), KmAnonymity(2, 2, 3, ("h",)))
    assert [violation.invariant for violation in found.violations] == ["V11"]
    assert found.facts["forced_association"] == [3, 6]


def test_the_share_of_a_term_in_a_cluster_is_that_of_all_its_spellings() -> None:
    clusters = Clusters.from_nested([leaf(6, [{"b": 6}], "Hh")])
    records = [["b", "h"], ["b", "H"], ["b", "h", "H"], ["b"], ["b"], ["b"]]
    guarantee = KmAnonymity(2, 2, 3, ("H", "h"))
    for map_of_records in (np.zeros(6, dtype=np.int64), None):
        verdict = check(clusters, guarantee, original=Transactions.from_sets(records), part_of_record=map_of_records)
        assert [violation.invariant for violation in verdict.violations] == ["V11"]
    followed = check(clusters, KmAnonymity(2, 2, 2, ("H", "h")), original=Transactions.from_sets(records),
                     part_of_record=np.zeros(6, dtype=np.int64))  # fmt: skip
    assert followed.holds
    assert followed.facts["true_association"] == [3, 6]


def test_x1_counts_spellings_of_a_value_once() -> None:
    table = Table.from_columns({"job": ["nurse"] * 3, "ill": ["flu", "Flu", "flu "]})
    (violation,) = judge(table, XYAnonymity(2, ("job",), ("ill",))).violations
    assert violation.invariant == "X1"
    assert "1 different value" in violation.message
    assert judge(table, XYAnonymity(1, ("job",), ("ill",))).holds


def test_p2_and_p3_are_about_every_spelling() -> None:
    shown = [{"records": [[["X"], 1], [["a"], 1]], "sensitive": {"x": 1}}]
    assert [v.invariant for v in check(Groups.from_nested(shown), PrivacyDegree(2)).violations] == ["P2"]
    counted = [{"records": [[["a"], 4]], "sensitive": {"X": 1, "x": 2}}]
    (violation,) = check(Groups.from_nested(counted), PrivacyDegree(2)).violations
    assert violation.invariant == "P3"
    assert "3 of its 4 records have the sensitive item" in violation.message


@pytest.mark.parametrize(
    ("asked", "invariant"), [({"alpha": Fraction(1, 2)}, "T4"), ({"l": 2}, "T5"), ({"entropy_l": Fraction(2)}, "T6")]
)
def test_values_that_differ_in_spelling_alone_are_one_value(asked: dict[str, object], invariant: str) -> None:
    table = Table.from_columns({"age": ["30"] * 4, "disease": ["Flu", "flu ", "FLU", "flu"]})
    verdict = judge(table, KAnonymity(2, ("age",), ("disease",), **asked))  # type: ignore[arg-type]
    assert [violation.invariant for violation in verdict.violations] == [invariant]
    assert verdict.facts["largest_l"] == 1
    other = Table.from_columns({"age": ["30"] * 4, "disease": ["1", "1.1", "1", "1.1"]})
    assert judge(other, KAnonymity(2, ("age",), ("disease",), **asked)).holds  # type: ignore[arg-type]
