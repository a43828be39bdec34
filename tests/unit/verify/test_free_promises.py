"""V13 and V15, and the largest k and m that tables keep besides (P17)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from unittest.mock import patch

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Clusters, KmAnonymity, clusters
from disjoin.verify import check
from disjoin.verify.clusters import resistance
from disjoin.verify.counting import rule_confidence
from disjoin.verify.forest import Forest
from oracle.inspection import canonical
from unit.verify.forests import Tree, joint, leaf, strong_forest

TABLES: list[list[Tree]] = [
    [leaf(6, [{"ab": 5, "a": 1}, {"c": 6}], "t")],
    [leaf(6, [{"ab": 5, "a": 1}, {"c": 6}, {"d": 6}])],  # without a term chunk, subrecords are needed
    [leaf(9, [{"a": 9}, {"b": 8}])],
    [leaf(4, [{"abc": 2, "ab": 2}], "t"), leaf(9, [{"abc": 9}], "t")],
    [joint([leaf(5, [{"a": 5}], "t"), leaf(7, [{"b": 7}], "u")], [{"s": 5}, {"r": 4}])],
    [leaf(8, [{"ab": 2, "a": 3, "b": 3}], "t")],
    [leaf(3, [], "tu")],
    [leaf(7, [{"ab": 3, "bc": 3}], "t")],
    [leaf(6, [{"a": 2}, {"b": 2}, {"c": 2}])],  # enough subrecords for m = 1 only
    [leaf(9, [{"a": 4}, {"b": 4}, {"c": 4}], "t")],  # with a term chunk, fewer are enough
    [leaf(9, [{"a": 5}, {"b": 5}, {"c": 5}])],  # m = 2 needs fewer subrecords than three chunks do
    [leaf(9, [{"a": 7}, {"b": 6}])],  # two chunks need no more for a larger m
]
TABLES += [strong_forest(Random(seed), 2) for seed in (0, 1, 2, 6, 7, 9, 10)]


def keeps(published: Clusters, k: int, m: int) -> bool:
    return check(published, KmAnonymity(k, m)).holds


@pytest.mark.parametrize("trees", TABLES)
def test_the_largest_k_and_m_are_those_that_an_inspection_accepts(trees: list[Tree]) -> None:
    published = Clusters.from_nested(canonical(trees))
    assert keeps(published, 2, 1)
    for m in (each for each in (1, 2, 5) if keeps(published, 2, each)):
        guarantee = KmAnonymity(2, m)
        most_m = max(each for each in range(m, 11) if keeps(published, 2, each))
        most_k = max(each for each in range(2, 12) if keeps(published, each, m))
        expected = replace(guarantee, also=((2, most_m), (most_k, m)))
        assert resistance.with_stronger_guarantees(published, guarantee) == expected
        with patch.object(clusters, "AT_ONCE", 1):
            assert resistance.with_stronger_guarantees(published, guarantee) == expected


def test_what_is_not_proven_or_cannot_be_read_is_promised_nothing_besides() -> None:
    published = Clusters.from_nested(TABLES[0])
    unproven = KmAnonymity(2, 1, proven=False)
    assert resistance.with_stronger_guarantees(published, unproven) == unproven
    damaged = replace(published, counts=np.array([], dtype=np.int64))
    assert resistance.with_stronger_guarantees(damaged, KmAnonymity(2, 1)) == KmAnonymity(2, 1)


def test_what_takes_too_long_is_not_promised() -> None:
    published = Clusters.from_nested([leaf(8, [{"abcde": 2, "abcd": 6}], "t")])
    tables = resistance._Tables(published)
    assert tables.steps > resistance.FEWEST_STEPS  # larger tables are searched for longer
    assert tables._none_rare(np.array([0]), KmAnonymity(2, 4))
    tables.steps = 1
    assert not tables._none_rare(np.array([0]), KmAnonymity(2, 4))


def test_another_k_and_m_that_is_promised_is_checked_in_all_respects() -> None:
    def broken(trees: list[Tree], *also: tuple[int, int]) -> list[str]:
        violations = check(Clusters.from_nested(trees), KmAnonymity(2, 1, also=also)).violations
        return [f"{violation.invariant}: {violation.message}" for violation in violations]

    assert broken([leaf(3, [], "tu")], (3, 1)) == []
    assert broken([leaf(3, [], "tu")], (4, 1)) == ["V15: for k = 4 and m = 1: its size is 3, but at least 4 is needed."]
    assert len(broken([leaf(3, [{"a": 2}, {"b": 2}])], (2, 2))) == 1  # too few subrecords


def test_another_k_and_m_is_not_said_to_be_checked_without_a_proof() -> None:
    verdict = check(Clusters.from_nested([leaf(3, [], "tu")]), KmAnonymity(2, 1, proven=False, also=((4, 1),)))
    assert "V15" not in {*verdict.checked, *(violation.invariant for violation in verdict.violations)}


# ------------------------------------------------------------------ known terms that tell another


def told(chunk: dict[str, int], size: int, limit: str = "1") -> list[str]:
    forest = Forest.of(Clusters.from_nested([leaf(size, [chunk], "t")]))
    return [finding.message for finding in resistance.check_covers(forest, 2, Fraction(limit))]


def test_terms_that_tell_another_are_described() -> None:
    last = "the last of these: {} of {} of {} have it, but the share must be below 1."
    with_them, of_cluster = "the records with them", "the records of the cluster"
    assert told({"ab": 2, "a": 2, "b": 1}, 6) == []
    assert told({"a": 3}, 3) == [f"a term, {last.format(3, 3, of_cluster)}"]
    assert told({"ab": 2, "b": 2}, 6) == [f"1 known term implies another, {last.format(2, 2, with_them)}"]
    (several,) = told({"ab": 2}, 6)
    assert several.endswith(" At least 1 other sets do, too.")
    (two,) = told({"abc": 2, "a": 2, "b": 2, "ac": 1, "bc": 1}, 20)
    assert two == f"2 known terms imply another, {last.format(2, 2, with_them)}"


def test_covers_that_could_not_all_be_looked_for_are_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = Forest.of(Clusters.from_nested([leaf(3, [{"a": 3}], "t"), leaf(9, [{"b": 5}], "t")]))
    nothing, examples = np.zeros((4, 2), dtype=np.int64), np.zeros((2, 3), dtype=np.int32)
    monkeypatch.setattr(resistance, "look_for_covers", lambda *given: (nothing, examples, False))
    with pytest.raises(InvalidParameter, match="it cannot be decided whether up to 2 known terms"):
        resistance.check_covers(forest, 2, Fraction(1))
    one = nothing.copy()
    one[[rule_confidence.FOUND, rule_confidence.TOLD, rule_confidence.OF], 0] = 1, 3, 3
    monkeypatch.setattr(resistance, "look_for_covers", lambda *given: (one, examples, False))
    assert len(resistance.check_covers(forest, 2, Fraction(1))) == 1
    monkeypatch.setattr(resistance, "look_for_covers", lambda *given: (nothing, examples, True))
    assert resistance.check_covers(forest, 2, Fraction(1)) == []
