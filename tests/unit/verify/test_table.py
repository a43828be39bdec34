"""Tables, one thing wrong at a time: each invariant refuses what it is there to refuse, and nothing else does."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from disjoin.cli.main import run
from disjoin.errors import InvalidParameter, NotAnonymous
from disjoin.model import Column, Generalized, KAnonymity, KmAnonymity, Role, Schema, Table, Transactions, Violation
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify import certify, check
from disjoin.verify.table.closeness import is_even_as
from disjoin.verify.table.inspection import judge
from unit.verify.generalized import ORIGINAL, PARTS, PROMISE, SOUND, changed, names, table_of


def test_the_starting_point_is_sound() -> None:
    verdict = check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL), part_of_record=PARTS)
    assert verdict.holds
    assert verdict.checked == ("T1", "T2", "T3", "T4", "T5", "T6", "T7", "U1", "U2")
    found = verdict.facts
    assert found["closeness"]["disease"]["c"] == [1, 1]
    assert found == {
        "classes": 3,
        "largest_k": 2,
        "smallest_alpha": {"disease": [1, 2]},
        "largest_l": 2,
        "largest_entropy_l": 2.0,
        "closeness": {"disease": found["closeness"]["disease"]},
        "other_columns": ["note"],
    }
    beside = check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL))
    assert beside.holds
    assert beside.checked[-2:] == ("U1", "U3")


PAIR = [("*", "*", "flu", "x"), ("*", "*", "gout", "z")]
PLANTED = {
    "T1 no rows": (table_of([]), {"T1"}),
    "T1 an empty value": (table_of(changed(5, note="")), {"T1"}),
    "T1 an empty quasi-identifier": (
        table_of(sorted([*SOUND, ("", "31", "flu", "x"), ("", "31", "cold", "x")])),
        {"T1", "T2"},
    ),
    "T1 a column of the promise is gone": (table_of(sorted(r[:2] for r in SOUND), "job age"), {"T1"}),
    "T1 a quasi-identifier too many": (table_of(changed(0, note="1"), note=Role.QUASI_IDENTIFIER), {"T1", "T2"}),
    "T1 a quasi-identifier in another role": (table_of(SOUND, age=Role.OTHER), {"T1"}),
    "T1 a sensitive column in another role": (table_of(SOUND, disease=Role.OTHER), {"T1"}),
    "T1 a sensitive column too many": (table_of(SOUND, note=Role.SENSITIVE), {"T1"}),
    "T1 a column that names people": (table_of(SOUND, note=Role.IDENTIFIER), {"T1"}),
    "T2 a stranger to the hierarchy": (table_of(sorted([*SOUND, *[("king", *row[1:]) for row in PAIR]])), {"T2"}),
    "T2 text among numbers": (table_of(sorted([*SOUND, *[("ward", "old", *row[2:]) for row in PAIR]])), {"T2"}),
    "T2 an interval backwards": (table_of(sorted([*SOUND, *[("ward", "[9, 5]", *row[2:]) for row in PAIR]])), {"T2"}),
    "T2 an interval of one number": (
        table_of(sorted([*SOUND, *[("ward", "[9, 9]", *row[2:]) for row in PAIR]])),
        {"T2"},
    ),
    "T2 a number too long to read": (table_of(sorted([*SOUND, *[("ward", "9" * 5000, *r[2:]) for r in PAIR]])), {"T2"}),
    "T3 a row alone": (table_of(changed(5, job="doctor")), {"T3", "T4", "T5", "T6"}),
    "T4, T6 one too frequent": (table_of(sorted([*SOUND, SOUND[0]])), {"T4", "T6"}),
    "T4, T5, T6 all the same": (table_of(changed(5, disease="cold")), {"T4", "T5", "T6"}),
    "T7 by the first column": (table_of([*SOUND[2:], *SOUND[:2]]), {"T7"}),
    "T7 by the last column": (
        table_of([("*", "*", "flu", "z"), ("*", "*", "flu", "x"), ("*", "*", "gout", "x"), ("*", "*", "gout", "z")]),
        {"T7"},
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_and_named(name: str) -> None:
    table, expected = PLANTED[name]
    assert names(check(Generalized(table), PROMISE).violations) == expected


def test_values_that_no_row_has_are_refused() -> None:
    table = table_of(SOUND)
    unused = replace(table, values=(*table.values[:3], pa.array(["x", "y", "z", "zz"])))
    verdict = check(Generalized(unused), PROMISE)
    assert names(verdict.violations) == {"T1"}
    assert verdict.violations[0].example == ("zz",)


def test_a_missing_value_in_the_list_of_values_is_refused_too() -> None:
    table = Table(Schema((Column("age", Role.QUASI_IDENTIFIER),)), (np.zeros(2),), (pa.array([None], pa.string()),))
    assert names(check(Generalized(table), KAnonymity(2, "age")).violations) == {"T1", "T2"}


def test_only_what_is_promised_is_asked_for() -> None:
    table = table_of(changed(5, disease="cold"))
    verdict = check(Generalized(table), KAnonymity(2, ("job", "age"), ("disease",)))
    assert verdict.holds
    assert verdict.checked == ("T1", "T2", "T3", "T7")
    assert verdict.facts["largest_l"] == 1


def test_alpha_is_compared_exactly() -> None:
    rows = [("*", "*", disease, "x") for disease in ["a"] * 1 + ["b"] * 1 + ["c"] * 1]
    for alpha, expected in ((Fraction(1, 3), set()), (Fraction(33333333333333333, 10**17), {"T4"})):
        guarantee = KAnonymity(2, ("job", "age"), ("disease",), alpha)
        assert names(check(Generalized(table_of(rows)), guarantee).violations) == expected


def test_entropy_is_compared_exactly_where_floating_point_cannot_tell() -> None:
    rows = [("*", "*", disease, "x") for disease in "aaabbbccc"]
    for least, expected in ((Fraction(3), set()), (3 + Fraction(1, 10**30), {"T6"}), (3 - Fraction(1, 10**30), set())):
        guarantee = KAnonymity(2, ("job", "age"), ("disease",), None, 1, least)
        assert names(check(Generalized(table_of(rows)), guarantee).violations) == expected


def test_the_entropies_of_the_papers_example() -> None:
    for counts, rounded in (([2, 1], "1.8899"), ([1, 3], "1.7548")):
        assert is_even_as(counts, Fraction(rounded) - Fraction(1, 20_000))
        assert not is_even_as(counts, Fraction(rounded) + Fraction(1, 20_000))


@pytest.mark.parametrize("different", range(1, 14))
def test_equally_frequent_values_are_as_even_as_their_number(different: int) -> None:
    table = Table.from_columns({"age": ["7"] * (3 * different), "sign": [*range(different)] * 3})
    assert judge(table, KAnonymity(2, "age", "sign")).facts["largest_entropy_l"] == different


def test_almost_equally_frequent_values_are_not() -> None:
    table = Table.from_columns({"age": ["7"] * 10_000, "sign": ["a"] * 5001 + ["b"] * 4999})
    assert judge(table, KAnonymity(2, "age", "sign")).facts["largest_entropy_l"] == 1.9999


def test_more_combinations_than_there_are_numbers_are_told_apart() -> None:
    rest = [str(row % 256) for row in range(512)]
    columns = {"first": [str(row // 2) for row in range(512)], **{f"other {n}": rest for n in range(9)}}
    expected = len(set(zip(*columns.values(), strict=True)))
    found = judge(Table.from_columns(columns), KAnonymity(2, tuple(columns))).facts
    assert found == {"classes": expected, "largest_k": 1, "other_columns": []}


def test_of_many_broken_classes_some_are_told_and_the_rest_counted() -> None:
    table = Table.from_columns({"age": [str(n) for n in range(100)]}, {"age": Role.QUASI_IDENTIFIER})
    violations = judge(table, KAnonymity(2, "age")).violations
    assert len(violations) == 21
    assert str(violations[-1]) == "T3 at the release: 80 more classes are too small."


def test_links_from_x_to_y_are_counted() -> None:
    published = Generalized(table_of(SOUND))
    assert check(published, XYAnonymity(2, ("job",), ("disease",))).holds
    assert names(check(published, XYAnonymity(3, ("job",), ("disease",))).violations) == {"X1"}
    assert names(check(published, XYAnonymity(2, ("wage",), ("disease",))).violations) == {"T1"}
    guarantee = XYAnonymity(3, "job", "disease")
    assert XYAnonymity.from_json(guarantee.to_json()) == guarantee
    for wrong in (("job", "job"), ((), "job"), ("job", ())):
        with pytest.raises(InvalidParameter):
            XYAnonymity(3, *wrong)
    with pytest.raises(InvalidParameter, match="xy-anonymity"):
        XYAnonymity.from_json({"type": "k-anonymity"})


def test_what_cannot_be_compared_is_refused_in_a_sentence() -> None:
    published = Generalized(table_of(SOUND))
    with pytest.raises(InvalidParameter, match="as Table, got Transactions"):
        check(published, PROMISE, original=Transactions.from_sets([["a"]]))
    with pytest.raises(InvalidParameter, match="KAnonymity or XYAnonymity"):
        check(published, KmAnonymity(2, 2))
    with pytest.raises(InvalidParameter, match="exact"):
        check(published, PROMISE, exact=True)
    with pytest.raises(InvalidParameter, match="no column 'wage'"):
        judge(table_of(SOUND), KAnonymity(2, "wage"))
    with pytest.raises(InvalidParameter, match="got Transactions"):
        judge(table_of(SOUND), PROMISE, Transactions.from_sets([["a"]]))  # type: ignore[arg-type]


def test_a_release_carries_what_it_keeps_and_nothing_of_the_original() -> None:
    published, original = Generalized(table_of(SOUND)), table_of(ORIGINAL)
    release = certify(published, PROMISE, method="by hand", parameters={}, original=original)
    kept = {"classes", "largest_k", "smallest_alpha", "largest_l", "largest_entropy_l", "closeness"}
    assert set(release.verdict.facts) == kept
    with pytest.raises(NotAnonymous, match="T3 at the class of row"):
        certify(Generalized(table_of(changed(5, job="doctor"))), PROMISE, method="by hand", parameters={})


def test_what_a_reader_saw_is_a_violation_too() -> None:
    seen = Violation("T1", "table.parquet", "a column more.")
    assert check(Generalized(table_of(SOUND), (seen,)), PROMISE).violations == (seen,)


def test_columns_that_the_guarantee_leaves_out_are_named(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """P14: `verify` says which published columns its verdict is not about."""
    path = tmp_path / "t.csv"
    path.write_text("age,ill,cost\n30,flu,10\n30,cold,20\n")
    assert run(["verify", "--published", str(path), "--quasi", "age", "--sensitive", "ill", "-k", "2"]) == 0
    said = capfd.readouterr().out
    assert "The guarantee leaves out cost." in said
    assert "Nothing is guaranteed about the values of ill" in said
    assert (
        run(["verify", "--published", str(path), "--quasi", "age,cost", "--sensitive", "ill", "-k", "2", "-l", "2"])
        == 3
    )
    assert "leaves out" not in capfd.readouterr().out
