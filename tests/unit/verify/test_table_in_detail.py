"""Tables: limits are met exactly, and everything that is found reaches the verdict (P17)."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table, Verdict
from disjoin.model.k_anonymity import Closeness, XYAnonymity
from disjoin.verify import check
from disjoin.verify.table import assignment, closeness
from disjoin.verify.table.classes import Classes, Tally, combined, distinct, largest_share
from disjoin.verify.table.closeness import Shares, uneven
from disjoin.verify.table.guarantee import (
    _names_of_everything,
    _nodes_above_all,
    _widest,
    check_guarantee,
    suppressed_classes,
    vague_classes,
)
from disjoin.verify.table.inspection import as_written, judge, unseen
from disjoin.verify.table.original import Comparison
from unit.verify.generalized import ORIGINAL, PARTS, PROMISE, SOUND, names, table_of

LONE = KAnonymity(2, "age")


def told(verdict: Verdict) -> list[str]:
    return [violation.message for violation in verdict.violations]


def of_ages(ages: list[str], **columns: list[str]) -> Table:
    return Table.from_columns({"age": ages, **columns}, {"age": Role.QUASI_IDENTIFIER})


# ------------------------------------------------------------------ levels of a hierarchy


def test_levels_that_group_the_leaves_that_occur_are_kept() -> None:
    rows = [["flu", "lung", "ill", "*"], ["cold", "lung", "ill", "*"], ["ulcer", "gut", "ill", "*"]]
    tree = Hierarchy.from_rows([*rows, ["well", "well", "well", "*"]])
    names = tree.names.to_pylist()
    leaves = np.array([names.index(name) for name in ("flu", "cold", "ulcer")])
    levels = [groups.tolist() for groups in closeness.occurring_levels(tree, leaves)]
    assert [len(set(groups)) for groups in levels] == [3, 2]  # neither `ill` nor `*` tells them apart
    assert levels[1][0] == levels[1][1] != levels[1][2]


# ------------------------------------------------------------------ classes and entropy


def test_combinations_that_overflow_stay_apart() -> None:
    zeros = np.zeros(9, dtype=np.int64)
    for first, columns in (
        (np.arange(9) << 24, [(zeros, 2**40)]),
        (np.arange(9), [(zeros, 2**40), (zeros, 2**22)]),
    ):
        assert distinct(combined([(first, 2**40), *columns], 9))[1].size == 9


def tally_of(*classes: list[int]) -> Tally:
    """How often values are in classes, ascending."""
    numbers = np.repeat(np.arange(len(classes)), [len(counts) for counts in classes])
    values = np.concatenate([np.arange(len(counts)) for counts in classes])
    return Tally(numbers, values, np.concatenate(classes))


def test_every_class_that_is_close_to_a_limit_is_compared_exactly() -> None:
    tally = tally_of([3, 3, 3], [1, 1, 1], [2, 2, 2])
    assert uneven(tally, Fraction(3)).tolist() == []
    assert uneven(tally, 3 + Fraction(1, 10**30)).tolist() == [0, 1, 2]
    assert uneven(tally_of([3, 3, 3], [1, 1, 2]), Fraction(3)).tolist() == [1]


def test_of_almost_equal_entropies_the_least_counts() -> None:
    table = of_ages(["7"] * 16_000 + ["8"] * 16_000, sign=["a", "b"] * 8000 + ["a"] * 8001 + ["b"] * 7999)
    assert judge(table, KAnonymity(2, "age", "sign")).facts["largest_entropy_l"] == 1.9999


def test_almost_equal_shares_are_compared_exactly() -> None:
    sizes = np.array([100_001, 100_000, 10])
    assert largest_share(np.array([100_000, 99_999, 5]), sizes) == Fraction(100_000, 100_001)


# ------------------------------------------------------------------ closeness


def paid(classes: dict[str, str]) -> Table:
    """Return a table with a row for every letter: the pay of somebody of that age."""
    ages = [age for age, values in classes.items() for _ in values]
    return of_ages(ages, pay=list("".join(classes.values())))


def far(table: Table, **limits: Any) -> list[str]:
    """Return the classes that are too far from the whole table."""
    least = limits.pop("l", 1)
    verdict = judge(table, KAnonymity(2, "age", "pay", l=least, closeness=Closeness(**limits)))
    return [violation.example[0] for violation in verdict.violations]


def test_ordered_distances_of_one_and_of_two_numbers() -> None:
    assert far(paid({"30": "11", "40": "11"}), t="0.1", t_distance="ordered") == []
    assert far(paid({"30": "11", "40": "19"}), t="1/4", t_distance="ordered") == []
    assert far(paid({"30": "11", "40": "19"}), t="0.24", t_distance="ordered") == ["age: 30", "age: 40"]


def test_one_word_among_numbers_is_no_order() -> None:
    with pytest.raises(InvalidParameter, match="is for numbers"):
        far(paid({"30": "1x", "40": "19"}), t="1/4", t_distance="ordered")


@pytest.mark.parametrize("at_once", [1, 1 << 22])
def test_classes_are_compared_in_blocks_with_the_same_result(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(closeness, "AT_ONCE", at_once)
    table = paid({"30": "123", "40": "123", "50": "333"})
    assert far(table, t="1/4", t_distance="ordered") == ["age: 50"]


def test_a_tree_of_two_levels_halves_the_way_below_its_root() -> None:
    tree = Hierarchy.from_rows([["1", "few", "*"], ["2", "few", "*"], ["8", "many", "*"], ["9", "many", "*"]])
    table = paid({"30": "12", "40": "89"}).with_hierarchies({"pay": tree})
    assert judge(table, KAnonymity(2, "age", "pay")).facts["closeness"]["pay"]["t_hierarchical"] == [1, 2]
    table = paid({"30": "11", "40": "22", "50": "89"}).with_hierarchies({"pay": tree})
    assert judge(table, KAnonymity(2, "age", "pay")).facts["closeness"]["pay"]["t_hierarchical"] == [2, 3]
    table = paid({"30": "11", "40": "22", "50": "12"}).with_hierarchies({"pay": tree})  # one level of it occurs
    assert judge(table, KAnonymity(2, "age", "pay")).facts["closeness"]["pay"]["t_hierarchical"] == [1, 2]


def test_recursive_diversity_is_strict() -> None:
    """The most frequent value is had by 2, the others by 1."""
    table = paid({"30": "112", "40": "334"})
    assert far(table, c="2", l=2) == ["age: 30", "age: 40"]
    assert far(table, c="2.1", l=2) == []


def test_logarithms_and_powers_are_rounded_to_the_last_digit() -> None:
    exact, unit = Context(prec=80), Fraction(1, 10**closeness.DIGITS)
    for exponent in (Fraction(1), Fraction(-5, 3), Fraction(20)):
        power = Fraction(exact.divide(Decimal(exponent.numerator), Decimal(exponent.denominator)).exp(exact))
        assert 0 <= power - closeness._power(exponent, ROUND_FLOOR) < unit
        assert 0 <= closeness._power(exponent, ROUND_CEILING) - power < unit
    for share in (Fraction(1, 3), Fraction(1, 10**9)):
        logarithm = Fraction(exact.divide(Decimal(share.numerator), Decimal(share.denominator)).ln(exact))
        assert 0 <= closeness._log(share) - logarithm < unit


def test_of_almost_equal_gains_the_largest_is_told() -> None:
    """The second value is had by 99,999 of 100,000 and by 100,000 of 100,001."""
    tally = tally_of([1, 99_999], [1, 100_000])
    shares = Shares(np.array([100_000, 100_001]), tally, np.bincount(tally.values, tally.counts).astype(np.int64))
    whole = Shares(shares.sizes, shares.tally, np.array([10**9, 1000]))  # so that only the second value is frequent
    facts = closeness.closeness_facts(whole, Table.from_columns({"pay": ["a", "b"]}), "pay")
    assert Fraction(*facts["beta"]) == Fraction(100_000, 100_001) / Fraction(1000, 200_001) - 1


def test_the_largest_gain_is_found_among_many_classes() -> None:
    classes = {str(age): "12" for age in range(600)} | {"999": "33"}
    facts = judge(paid(classes), KAnonymity(2, "age", "pay")).facts["closeness"]["pay"]
    assert facts["beta"] == [600, 1]


# ------------------------------------------------------------------ suppressed rows


STARS = [pair for pair in (("*", "*"), ("kitchen", "*"), ("*", "31"), ("ward", "7")) for _ in range(2)]


def test_rows_that_say_nothing_are_counted() -> None:
    table = table_of(STARS, "job age")
    what = "`*`, or what includes all values, in every quasi-identifier"
    for share, expected in (("1/4", []), ("1/5", [f"2 of 8 rows have {what}, but at most a share of 1/5 may."])):
        findings, facts = check_guarantee(table, KAnonymity(2, ("job", "age"), suppress=Fraction(share)))
        assert [finding.message for finding in findings] == expected
        assert facts["starred"] == 2
    assert "starred" not in check_guarantee(table, KAnonymity(2, ("job", "age")))[1]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([["cook", "all"], ["baker", "all"]], {"all", "*"}),
        ([["cook", "kitchen", "*"], ["nurse", "ward", "*"]], {"*"}),
        ([["cook", "all"], ["*", "all"]], {"all"}),  # a star that is a leaf says something
    ],
)
def test_the_root_of_a_hierarchy_says_nothing(rows: list[list[str]], expected: set[str]) -> None:
    table = Table.from_columns({"job": ["*", "all", "cook", "kitchen"]}, {"job": Role.QUASI_IDENTIFIER})
    table = table.with_hierarchies({"job": Hierarchy.from_rows(rows)})
    flags = suppressed_classes(Classes.of(table, ("job",))).tolist()
    assert {text for text, flag in zip(table.values_of("job").to_pylist(), flags, strict=True) if flag} == expected


def test_a_leaf_with_the_name_of_the_root_says_something() -> None:
    tree = Hierarchy.from_rows([["baker", "all"], ["cook", "all"]])
    assert _names_of_everything(tree) == {"all", "*"}
    assert _names_of_everything(Hierarchy.from_rows([["cook", "we", "all"], ["nurse", "we", "all"]])) == {"all", "*"}
    assert _names_of_everything(replace(tree, names=pa.array(["all", "cook", "all"]))) == {"*"}


def test_nodes_above_all_leaves_but_that_of_missing_values_are_vague() -> None:
    rows = [["cook", "we", "all"], ["nurse", "we", "all"]]
    assert _nodes_above_all(Hierarchy.from_rows(rows)) == {"we", "all"}
    assert _nodes_above_all(Hierarchy.from_rows([*rows, ["?", "nobody", "all"]])) == {"we", "all"}
    assert _nodes_above_all(Hierarchy.from_rows([*rows, ["clerk", "they", "all"]])) == {"all"}
    assert _nodes_above_all(Hierarchy.from_rows([["cook", "all"], ["?", "all"]])) == {"all"}  # a leaf is none
    assert _nodes_above_all(Hierarchy.from_rows([["cook", "all"], ["nurse", "all"]])) == {"all"}


def test_the_interval_around_all_numbers_is_vague() -> None:
    assert _widest(["[1, 9]", "[2, 9]", "[1, 3]", "5", "*", "x"]) == {"*", "[1, 9]"}
    assert _widest(["[1, 5]", "[3, 9]"]) == {"*"}
    assert _widest(["30"]) == {"*"}  # a number tells rows apart in other tables
    assert _widest(["x"]) == {"*"}


def test_vague_classes_are_vague_in_every_column() -> None:
    tree = Hierarchy.from_rows([["[1, 9]", "we", "all"], ["nurse", "we", "all"]])
    jobs = ["we", "*", "all", "[1, 9]", "we"]
    table = of_ages(["[1, 9]", "*", "[1, 9]", "[1, 9]", "[1, 4]"], job=jobs).with_hierarchies({"job": tree})
    classes = Classes.of(table, ("age", "job"))
    rows = np.array([1, 0, 2, 3, 4])  # classes are numbered by their values
    vague = dict(zip(classes.rows.tolist(), vague_classes(classes).tolist(), strict=True))
    assert [vague[row] for row in rows.tolist()] == [True, True, True, False, False]


def test_only_columns_with_spellings_are_said_to_be_folded() -> None:
    table = of_ages(["30"] * 3, ill=["flu", "Flu", "cold"], job=["a", "b", "c"])
    facts = judge(table, KAnonymity(2, "age", ("ill", "job"))).facts
    assert facts["folded"] == {"ill": [3, 2]}
    assert "folded" not in judge(table, KAnonymity(2, "age", "job")).facts


# ------------------------------------------------------------------ texts as they are published


def test_what_the_guarantee_leaves_out_is_named() -> None:
    table = of_ages(["30"] * 2, ill=["flu", "Flu"], job=["a", "b"])
    folded = "The 2 texts of ill count as 1 value: spellings of a word, and equal numbers, are one value."
    nothing = "Nothing is guaranteed about the values of ill: all rows of a class may share one."
    others = "The guarantee leaves out job. An attacker who knows a person's value there may find fewer candidates."
    assert unseen(judge(table, KAnonymity(2, "age", "ill"))) == [folded, nothing, others]
    assert unseen(judge(table, KAnonymity(2, "age", "job", l=2))) == [others.replace("job", "ill")]
    assert unseen(judge(table, KAnonymity(2, ("age", "job", "ill")))) == []


def test_a_table_is_judged_by_its_texts_as_well() -> None:
    tree = Hierarchy.from_rows([["30", "all"], ["*", "all"]])
    table = of_ages(["30"] * 4, ill=["flu", "cold", "flu", "Flu"]).with_hierarchies({"age": tree})
    written = of_ages(["30", "30", "30 ", " 30"], ill=["flu", "cold", "flu", "Flu "])
    asked = KAnonymity(2, "age", "ill", l=2)
    verdict = judge(table, asked, written=written)
    assert judge(table, asked).holds
    assert [violation.invariant for violation in verdict.violations] == ["T3", "T3", "T5", "T5"]
    facts = verdict.facts
    assert (facts["classes"], facts["largest_k"], facts["as_written"]) == (3, 1, {"age": [3, 1]})
    assert facts["folded"] == {"ill": [3, 2]}
    assert unseen(verdict)[0] == "Compared as published: age has 3 different texts, or 1 without blanks around them."
    assert judge(table, asked, written=table) == judge(table, asked)


def test_what_is_found_without_blanks_is_kept() -> None:
    table, written = of_ages(["30", "30", "31"]), of_ages(["30", "30 ", "31"])
    asked = judge(table, LONE, written=written)
    assert [violation.place for violation in asked.violations] == [f"the class of row {row}" for row in (0, 1, 2)]
    original = judge(table, LONE, of_ages(["30", "30", "40"]), written=written)
    assert "U3" in {violation.invariant for violation in original.violations}


def test_stars_are_counted_without_blanks() -> None:
    table, written = of_ages(["*", "*", "30", "30"]), of_ages(["*", "* ", "30", "30"])
    verdict = judge(table, LONE, written=written, starred=True)
    assert verdict.facts["starred"] == 2
    facts = judge(table, LONE, written=written).facts
    assert (facts["classes"], "folded" in facts) == (3, False)


def test_texts_of_sensitive_values_are_counted_as_written() -> None:
    table, written = of_ages(["30"] * 3, ill=["flu"] * 3), of_ages(["30"] * 3, ill=["flu", "flu ", " flu"])
    assert judge(table, KAnonymity(2, "age", "ill"), written=written).facts["folded"] == {"ill": [3, 1]}


def test_columns_as_written_have_no_hierarchy_and_others_keep_theirs() -> None:
    trees = {name: Hierarchy.from_rows([["30", "all"], ["31", "all"]]) for name in ("age", "years")}
    table = of_ages(["30", "30"], years=["30", "31"]).with_hierarchies(trees)
    written = of_ages(["30", "30 "], years=["30", "31 "])
    found = as_written(table, written, ["age"])
    assert found.column("age").to_pylist() == ["30", "30 "]
    assert found.column("years").to_pylist() == ["30", "31"]
    assert set(found.hierarchies) == {"years"}


def test_rows_told_to_be_suppressed_are_counted_and_not_judged() -> None:
    table = of_ages(["*", "30", "31", "31"])
    verdict = judge(table, LONE, starred=True)
    assert [violation.place for violation in verdict.violations] == ["the class of row 1"]
    counted = {"starred": 1, "starred_judged": False, "classes": 2, "largest_k": 1}
    assert verdict.facts == {**counted, "other_columns": []}
    assert [words[:12] for words in unseen(verdict)] == ["Not verified"]
    assert unseen(judge(table, LONE)) == []
    assert told(judge(of_ages(["*", "*"]), LONE, starred=True)) == ["the table has no rows, so nothing is published."]
    assert judge(of_ages([]), LONE, starred=True).checked == ("T1",)


# ------------------------------------------------------------------ what is looked at


def test_an_empty_table_is_not_compared() -> None:
    assert check(Generalized(table_of([])), PROMISE, original=table_of(ORIGINAL)).checked == ("T1",)
    assert check(Generalized(table_of([])), PROMISE).checked == ("T1",)


def test_columns_that_are_gone_are_told_and_nothing_else() -> None:
    published = Generalized(table_of(sorted(row[1:3] for row in SOUND), "age disease"))
    assert names(check(published, PROMISE).violations) == {"T1"}
    assert names(check(published, XYAnonymity(2, ("age",), ("wage",))).violations) == {"T1"}


def test_the_value_that_is_too_frequent_is_shown() -> None:
    (violation,) = judge(paid({"30": "112"}), KAnonymity(2, "age", "pay", alpha="1/2")).violations
    assert violation.example == ("age: 30", "pay: 1")
    assert violation.message.startswith("2 of 3 rows")
    (violation,) = judge(of_ages(["30"]), LONE).violations
    assert violation.message == "it has 1 row, but at least 2 are needed."


# ------------------------------------------------------------------ the original without the map


def matched(mine: list[tuple[str, ...]], theirs: list[tuple[str, ...]], suppressed: int = 0) -> assignment.Outcome:
    columns = "job age note sign"
    comparison = Comparison.of(table_of(mine, columns), table_of(theirs, columns), ("job", "age"), suppressed)
    return assignment.check_assignment(comparison)


def test_unchanged_columns_must_have_the_same_combinations_as_often() -> None:
    theirs = [("cook", "1", "x", "q"), ("cook", "2", "y", "p"), ("cook", "3", "x", "p")]
    message = "a combination of values in columns that do not change is published {}x, but the original has it {}x"
    twice = matched([("cook", "*", "x", "q"), ("cook", "*", "x", "q"), ("cook", "*", "x", "p")], theirs)
    (finding,) = twice.findings
    assert finding.message == f"{message.format(2, 1)} (1 more combinations differ)."
    assert finding.example == ("note: x", "sign: q")
    assert (twice.decided, twice.how) == (("U3",), "values do not occur as often as in the original")
    (finding,) = matched([("cook", "*", "y", "p"), ("cook", "*", "x", "q"), ("cook", "*", "z", "q")], theirs).findings
    assert finding.message == f"{message.format(0, 1)} (1 more combinations differ)."
    assert finding.example == ("note: x", "sign: p")
    (finding,) = matched([("cook", "*", "y", "p"), ("cook", "*", "x", "q"), ("cook", "*", "a", "q")], theirs).findings
    assert finding.message == f"{message.format(1, 0)} (1 more combinations differ)."
    assert finding.example == ("note: a", "sign: q")


def test_where_rows_were_suppressed_the_original_may_have_more() -> None:
    theirs = [("cook", "2", "x", "q"), ("cook", "1", "y", "p"), ("cook", "3", "x", "p")]
    assert matched([("cook", "*", "y", "p"), ("cook", "*", "x", "q")], theirs, 1).findings == []
    (finding,) = matched([("cook", "*", "x", "p"), ("cook", "*", "x", "p")], theirs, 1).findings
    assert finding.message.endswith("is published 2x, but the original has it 1x.")
    published, original = table_of(SOUND[:5]), table_of(ORIGINAL)
    assert "U3" in judge(published, KAnonymity(1 + 1, ("job", "age")), original, dropped=1).checked


@pytest.mark.parametrize(("stretches", "how"), [(2, "values do not occur as often"), (1, "a flow over ")])
def test_values_are_counted_first_where_there_are_few(
    monkeypatch: pytest.MonkeyPatch, stretches: int, how: str
) -> None:
    monkeypatch.setattr(assignment, "STRETCHES", stretches)
    mine = [("cook", "[1, 2]", "x", "q"), ("cook", "[1, 2]", "x", "q"), ("cook", "9", "x", "q")]
    theirs = [("cook", "1", "x", "q"), ("cook", "9", "x", "q"), ("cook", "9", "x", "q")]
    outcome = matched(mine, theirs)
    assert len(outcome.findings) == 1
    assert outcome.how.startswith(how)
    assert matched(theirs[::-1], theirs).decided


def test_an_undecided_match_is_not_said_to_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    from disjoin.verify.table import inspection

    monkeypatch.setattr(inspection, "check_assignment", lambda given: assignment.Outcome([], (), "too many pairs"))
    verdict = check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL))
    assert "U3" not in verdict.checked
    undecided = "Not decided: U3, whether every row can come from one of the original: too many pairs."
    decided = check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL), part_of_record=PARTS)
    assert unseen(verdict) == [*unseen(decided), undecided]
