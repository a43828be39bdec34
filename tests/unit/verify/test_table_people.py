"""Tables against the people whose rows they are, and against a population (P17)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from disjoin.errors import InvalidParameter
from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table, Verdict, Violation
from disjoin.model.intervals import LONGEST, interval_from
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify import check
from disjoin.verify.table import assignment, people, shape
from disjoin.verify.table.assignment import Kinds
from disjoin.verify.table.classes import LISTED, Classes
from disjoin.verify.table.inspection import judge, unseen
from disjoin.verify.table.original import (
    Comparison,
    check_cells,
    check_extent,
    check_map,
    is_in_the_same_order,
    spans_of,
)
from disjoin.verify.table.people import Asked, beside, check_people, with_population

PROMISE = KAnonymity(2, "age", person="id")


def aged(*ages: str, **columns: list[str]) -> Table:
    return Table.from_columns({"age": list(ages), **columns}, {"age": Role.QUASI_IDENTIFIER})


def told(verdict: Verdict) -> list[str]:
    return [violation.message for violation in verdict.violations]


# ------------------------------------------------------------------ people

APART = aged("[1, 5]", "[1, 5]", "[6, 9]", "[6, 9]")
NESTED = aged("[1, 9]", "[1, 9]", "[2, 5]", "[2, 5]")


def counted(
    published: Table, ages: str, ids: str, parts: Any = None, guarantee: KAnonymity = PROMISE
) -> people.Counted:
    original = aged(*ages, id=list(ids), ill=list("uvuv"))
    return check_people(
        Comparison.of(published, original, ("age",)), guarantee, None if parts is None else np.array(parts)
    )


def test_the_people_of_every_class_are_counted_with_the_map() -> None:
    good = counted(APART, "7182", "abcd", [2, 0, 3, 1])
    assert good == ([], ("U4",), "the rows are known")
    (finding,) = counted(APART, "7182", "abad", [2, 0, 3, 1]).findings
    assert finding.message == "its rows belong to 1 person, but at least 2 are needed."
    (finding,) = counted(APART, "7182", "abcd", [2, 0, 3, 1], KAnonymity(3, "age", person="id")).findings[:1]
    assert finding.message == "its rows belong to 2 different people, but at least 3 are needed."


def test_a_map_goes_before_the_order_of_rows() -> None:
    """In their order, the rows of each class belong to one person."""
    assert counted(NESTED, "3333", "aabb", [0, 2, 1, 3]).findings == []
    assert len(counted(NESTED, "3333", "aabb").findings) == 2


def test_without_a_map_rows_that_fit_one_class_are_counted() -> None:
    assert counted(APART, "1278", "abcd") == ([], ("U4",), "the rows are known")  # they are in the same order
    assert counted(APART, "7182", "abcd") == ([], ("U4",), "")
    few = counted(APART, "7182", "abad")
    assert (len(few.findings), few.decided, few.how) == (1, ("U4",), "too few people fit a class")


def test_rows_that_fit_several_classes_leave_it_open() -> None:
    assert counted(NESTED, "3399", "abcd") == ([], (), "rows fit several classes")
    sensitive = KAnonymity(2, "age", "ill", alpha="1/2", person="id")
    assert counted(APART, "7182", "abcd", guarantee=sensitive) == ([], (), "rows fit several classes")


def test_too_many_pairs_leave_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MOST_PAIRS", 4)
    assert counted(APART, "7182", "abcd").decided == ("U4",)
    monkeypatch.setattr(people, "MOST_PAIRS", 3)
    assert counted(APART, "7182", "abcd") == ([], (), "too many rows fit several classes")
    monkeypatch.setattr(people, "fitting_pairs", lambda *given: "there are too many")
    assert counted(APART, "7182", "abcd") == ([], (), "there are too many")


def test_values_of_people_are_counted_if_that_is_promised() -> None:
    half, two = (KAnonymity(2, "age", "ill", person="id", **more) for more in ({"alpha": "1/2"}, {"l": 2}))
    for guarantee in (half, two):
        assert counted(APART, "1278", "abcd", guarantee=guarantee) == ([], ("U4", "U5"), "the rows are known")
    alike = Comparison.of(APART, aged(*"1278", id=list("abcd"), ill=list("uuuv")), ("age",))
    for guarantee in (half, two):
        (finding,) = check_people(alike, guarantee, None).findings
        assert finding.message == "2 of its 2 different people have the same ill, but at most 1 may."


def test_the_original_must_say_whose_a_row_is() -> None:
    found = check_people(Comparison.of(APART, aged(*"1278"), ("age",)), PROMISE, None)
    assert (found.decided, found.how) == (("U4",), "the people are not known")
    assert [finding.message[:26] for finding in found.findings] == ["the original has no column"]
    assert "people" not in judge(APART, PROMISE, Table.from_columns({"id": list("abcd"), "size": list("1234")})).facts


def test_rows_of_kinds_are_listed_with_their_classes() -> None:
    places, rows = people._rows_of_kinds(
        np.array([7, 8]), np.array([1, 0]), np.array([0, 1, 0, 1, 1]), np.array([2, 3])
    )
    assert (places.tolist(), rows.tolist()) == ([7, 7, 7, 8, 8], [1, 3, 4, 0, 2])


def test_a_verdict_tells_how_people_were_counted() -> None:
    original = aged(*"7182", id=list("abcd"))
    verdict = judge(APART, PROMISE, original)
    assert verdict.facts["people"] == {"decided": True, "how": ""}
    assert unseen(verdict) == []
    (words,) = unseen(judge(APART, PROMISE))
    assert words.endswith("the publisher counted people, as you can with the original.")
    (words,) = unseen(judge(NESTED, PROMISE, aged(*"3399", id=list("abcd"))))
    assert words.startswith("Not checked: U4, the number of")
    assert words.endswith("Which row became which is not known, and rows fit several classes.")
    sensitive = KAnonymity(2, "age", "ill", l=2, person="id")
    (words,) = unseen(Verdict(sensitive, (), ("U4",), {}))
    assert words.startswith("Not checked: U5, ")
    (words,) = unseen(Verdict(sensitive, (), (), {}))
    assert words.startswith("Not checked: U4 and U5, ")
    assert unseen(Verdict(sensitive, (Violation("T3", "row 1", "odd."),), (), {})) == []


def test_people_are_not_counted_if_rows_cannot_come_from_the_original() -> None:
    verdict = judge(APART, PROMISE, aged(*"7188", id=list("abcd")))
    assert [violation.invariant for violation in verdict.violations] == ["U3"]
    assert "people" not in verdict.facts


def test_people_are_counted_where_the_map_leads() -> None:
    published = Generalized(aged("1", "1"))
    for ids, expected in ((["a", "b"], set()), (["a", "a"], {"U4"})):
        verdict = check(published, PROMISE, original=aged("1", "1", id=ids), part_of_record=[0, 1])
        assert {violation.invariant for violation in verdict.violations} == expected
        assert {"U2", "U4"} <= set(verdict.checked)


def test_the_column_of_people_may_not_be_published() -> None:
    published = aged("1", "1", id=["a", "b"])
    assert told(check(Generalized(published), PROMISE)) == ["column 'id' identifies people and must not be published."]
    original = aged("1", "1", id=["a", "b"])
    assert check(Generalized(aged("1", "1")), PROMISE, original=original).holds
    assert "column 'id' names people and is published." in told(judge(published, PROMISE, original))


# ------------------------------------------------------------------ population

PEOPLE = aged("20", "21", "21", "25", "30", "39", "39", "50")
SAMPLE = aged("[20, 29]", "[20, 29]", "[30, 38]", "[30, 38]", "[39, 39.5]", "[90, 99]")


def test_people_of_a_population_are_counted_for_every_class() -> None:
    included, presence = beside(Classes.of(SAMPLE, ("age",)), PEOPLE)
    assert included.tolist() == [4, 1, 2, 0]
    half = Fraction(1, 2)
    assert presence == [half, half, half, 1, half, 0]  # of those of 20, 21, 25, 30, 39 and 50


def test_people_are_counted_in_all_columns() -> None:
    both = {"age": Role.QUASI_IDENTIFIER, "size": Role.QUASI_IDENTIFIER}
    table = Table.from_columns({"age": ["[1, 5]", "[1, 9]", "[1, 5]"], "size": ["[1, 9]", "[4, 6]", "[4, 6]"]}, both)
    population = Table.from_columns({"age": list("15167"), "size": list("19446")}, both)
    included, presence = beside(Classes.of(table, ("age", "size")), population)
    assert included.tolist() == [3, 1, 3]  # classes are in the order of their values
    third = Fraction(1, 3)
    assert sorted(presence) == [third, third, third, third, 1]


def seen(asked: Asked | None = None, **guaranteed: Any) -> Verdict:
    verdict = Verdict(KAnonymity(2, "age", **guaranteed), (Violation("T3", "row 1", "odd."),), ("T1",), {"classes": 4})
    return with_population(verdict, SAMPLE, ("age",), PEOPLE, asked)


def test_what_a_population_shows_is_added_to_the_verdict() -> None:
    verdict = seen()
    assert verdict.facts == {"classes": 4, "population": {"people": 8, "k_map": 0, "presence": [[0, 1], [1, 1]]}}
    assert (told(verdict), verdict.checked) == (["odd."], ("T1",))
    with pytest.raises(InvalidParameter, match="the population has no column 'age'"):
        with_population(verdict, SAMPLE, ("age",), Table.from_columns({"size": ["1"]}))


@pytest.mark.parametrize("asked", [True, False])
def test_k_map_is_checked_if_it_is_promised_or_asked_for(asked: bool) -> None:
    verdict = seen(Asked(k_map=2)) if asked else seen(k_map=2)
    assert verdict.checked == ("T1", "T13")
    few = "it includes {} people of the population, but at least 2 are needed."
    assert told(verdict) == ["odd.", few.format(1), few.format(0)]
    assert len(told(seen(Asked(k_map=2), k_map=4))) == len(told(seen(Asked(k_map=4), k_map=2))) == 4


def test_presence_is_checked_if_it_is_promised_or_asked_for() -> None:
    exact, narrow = (Fraction(0), Fraction(1)), (Fraction(1, 10), Fraction(1, 2))
    assert told(seen(Asked(presence=exact))) == ["odd."]
    low, high = (
        "people may be in the table with probability 0, not at least 0.1.",
        "people may be in the table with probability 1, not at most 0.5.",
    )
    verdict = seen(Asked(presence=narrow))
    assert (told(verdict), verdict.checked) == (["odd.", low, high], ("T1", "T14"))
    assert told(seen(Asked(presence=exact), least_presence="1/10", most_presence="1/2")) == ["odd.", low, high]
    assert told(seen(Asked(presence=narrow), least_presence="0", most_presence="1")) == ["odd.", low, high]


def test_other_promises_are_asked_nothing_besides() -> None:
    verdict = Verdict(XYAnonymity(2, "age", "ill"), (), (), {})
    assert with_population(verdict, SAMPLE, ("age",), PEOPLE, Asked(k_map=1)).checked == ("T13",)


def test_an_original_with_a_population_is_compared_with_it() -> None:
    guarantee = KAnonymity(2, "age", k_map=5)
    published, original = Generalized(aged("1", "1")), aged("1", "1")
    verdict = check(published, guarantee, original=original.with_population(aged("1", "1", "2")))
    assert told(verdict) == ["it includes 2 people of the population, but at least 5 are needed."]
    assert unseen(verdict) == []
    alone = check(published, guarantee, original=original)
    assert alone.holds
    assert unseen(alone)[0].startswith("Not checked: T13 (k-map), about")
    presence = KAnonymity(2, "age", most_presence="1/2")
    assert unseen(check(published, presence))[0].startswith("Not checked: T14 (delta-presence), about")
    assert "population" not in check(published, KAnonymity(2, "age"), original=original.with_population(PEOPLE)).facts


# ------------------------------------------------------------------ rows against rows


def compared(mine: Table, theirs: Table, suppressed: int = 0) -> Comparison:
    return Comparison.of(mine, theirs, ("age",), suppressed)


def test_other_columns_are_compared_as_text() -> None:
    mine, theirs = aged("1", "2", note=["[5, 9]", "7"]), aged("1", "2", note=["7", "7.0"])
    (finding,) = check_cells(compared(mine, theirs), np.array([0, 1]))
    assert finding.message == "its value of note is not the original's (1 more rows)."
    assert finding.example == ("note: [5, 9]", "note: 7")
    (finding,) = check_cells(compared(aged("1", "2"), aged("3", "2")), np.array([0, 1]))
    assert finding.message == "its value of age does not include the original's."


def test_the_number_of_rows_is_told_with_those_left_out() -> None:
    (finding,) = check_extent(compared(aged("1"), aged("1", "1", "1"), 1))
    assert finding.message == "1 rows published and 1 suppressed, but 3 given."
    (finding,) = check_extent(compared(aged("1"), aged("1", "1")))
    assert finding.message == "1 rows published, but 2 given."


@pytest.mark.parametrize(
    ("parts", "message", "is_usable"),
    [
        ([0, 1], None, True),
        ([0], "the map has 1 entries for 2 rows.", False),
        ([0, -2], "the map names rows that do not exist.", False),
        ([0, 2], "the map names rows that do not exist.", False),
        ([0, -1], "0 rows of the original became this one.", True),
        ([1, 1], "0 rows of the original became this one (1 more are not the image of one row).", True),
    ],
)
def test_what_is_wrong_with_a_map_is_told(parts: list[int], message: str | None, is_usable: bool) -> None:
    findings, usable = check_map(compared(aged("1", "2"), aged("1", "2")), np.array(parts))
    assert [finding.message for finding in findings] == ([message] if message else [])
    assert usable == is_usable


def test_tables_of_different_lengths_are_not_in_the_same_order() -> None:
    assert is_in_the_same_order(compared(aged("1", "2"), aged("1", "2")))
    assert not is_in_the_same_order(compared(aged("1"), aged("1", "2")))
    assert not is_in_the_same_order(compared(aged("1", "2"), aged("2", "1")))


# ------------------------------------------------------------------ kinds of rows


def test_kinds_that_overflow_stay_apart() -> None:
    codes = [str(row % 256) for row in range(512)]
    table = Table.from_columns({f"c{n}": codes for n in range(7)})
    assert Kinds.of(table, table.schema.names, np.arange(512)).rows.size == 512


def pairs_of() -> tuple[list[tuple[int, int]], str]:
    """Return which published kinds include which of the original: 1 and 3 by [1, 5], all by [1, 9]; 1 by the last."""
    mine = aged("[1, 5]", "[1, 9]", "[1, 9]", note=["x", "x", "y"])
    theirs = aged("1", "3", "7", "1", "1", note=["x", "x", "x", "y", "z"])  # the last fits nothing
    comparison = compared(mine, theirs)
    by = assignment.columns_to_compare(comparison)
    ours = Kinds.of(mine, by, np.array([0, 0, 1]))
    sources = Kinds.of(theirs, by, np.array([0, 0, 0, 1, 2]))
    found = assignment.fitting_pairs(comparison, ours, sources)
    return ([], found) if isinstance(found, str) else (sorted(zip(*(each.tolist() for each in found), strict=True)), "")


FIT = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("block", [1, 10])
def test_rows_that_fit_are_found_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(assignment, "BLOCK", block)
    assert pairs_of() == (FIT, "")


@pytest.mark.parametrize(("limit", "enough"), [("EDGES", 6), ("COMPARED", 7)])
def test_more_pairs_than_can_be_looked_at_are_told(monkeypatch: pytest.MonkeyPatch, limit: str, enough: int) -> None:
    monkeypatch.setattr(assignment, limit, enough)
    assert pairs_of() == (FIT, "")
    monkeypatch.setattr(assignment, limit, enough - 1)
    assert pairs_of()[1].startswith(f"more than {enough - 1} ")


# ------------------------------------------------------------------ spans and shape


def inside(published: list[str], original: list[str], tree: Hierarchy | None = None) -> dict[str, list[str]]:
    """Return which original values each published one includes."""
    mine, theirs = (
        Table.from_columns({"job": values}, {"job": Role.QUASI_IDENTIFIER}) for values in (published, original)
    )
    mine = mine.with_hierarchies({"job": tree} if tree else {})
    ours, others = spans_of("job", mine, theirs)
    names = theirs.values_of("job").to_pylist()
    return {
        text: [names[at] for at in range(len(names)) if ours.of(np.array([code])).include(others.of(np.array([at])))[0]]
        for code, text in enumerate(mine.values_of("job").to_pylist())
    }


def test_strangers_to_a_hierarchy_include_themselves_only() -> None:
    tree = Hierarchy.from_rows([["cook", "kitchen", "all"], ["nurse", "ward", "all"]])
    found = inside(["all", "king", "pope", "queen", "ward", "*"], ["?", "cook", "king", "nurse", "pope", "queen"], tree)
    assert found == {
        "*": ["?", "cook", "king", "nurse", "pope", "queen"],
        "all": ["?", "cook", "nurse"],
        "king": ["king"],
        "pope": ["pope"],
        "queen": ["queen"],
        "ward": ["nurse"],
    }


def test_a_star_that_the_hierarchy_has_includes_what_is_below_it() -> None:
    tree = Hierarchy.from_rows([["cook", "*", "all"], ["nurse", "ward", "all"]])
    assert inside(["*"], ["cook", "king", "nurse"], tree) == {"*": ["cook"]}


def test_numbers_are_read_up_to_a_length() -> None:
    assert interval_from("9" * LONGEST) is not None
    assert interval_from("9" * (LONGEST + 1)) is None


def test_what_is_out_of_order_or_unreadable_is_counted() -> None:
    (one,), (two,) = (shape.check_order(aged(*ages)) for ages in ("1132", "4321"))
    assert (one.node, one.example) == (3, ("age: 2",))
    assert one.message.endswith("where rows come from.")
    assert two.message.endswith("(2 more are out of order).")
    (one,), (two,) = (shape.check_readable(aged(*ages)) for ages in ("1x", "yx"))
    assert one.message == "in column 'age' 1 value is not a number or an interval."
    assert two.message == "in column 'age' 2 values are not a number or an interval."


def test_the_first_findings_are_listed_and_the_rest_is_counted() -> None:
    classes = [str(age) for age in range(LISTED + 1)]
    assert len(told(judge(aged(*classes[:-1]), KAnonymity(2, "age")))) == LISTED
    assert told(judge(aged(*classes), KAnonymity(2, "age")))[-1] == "1 more classes are too small."


def test_tables_are_judged_by_links_against_their_original() -> None:
    published = Table.from_columns({"age": ["[1, 5]", "[1, 5]"], "size": ["[1, 2]", "[3, 4]"]})
    original = Table.from_columns({"age": ["2", "3"], "size": ["2", "3"]})
    assert judge(published, XYAnonymity(2, "age", "size"), original).holds
    for guarantee in (XYAnonymity(2, "wage", "size"), XYAnonymity(2, "age", "wage"), KAnonymity(2, "age", "wage")):
        with pytest.raises(InvalidParameter, match="no column 'wage'"):
            judge(published, guarantee)
