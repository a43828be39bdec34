"""Tables beside their originals: whatever a row cannot have become is noticed, with the map and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table
from disjoin.verify import check
from disjoin.verify.table.inspection import judge
from unit.verify.generalized import ORIGINAL, PARTS, PROMISE, SOUND, changed, names, table_of

BESIDE = {
    # what happened: the published rows, whether the map is known, and what must complain
    "U1 a row too few": (SOUND[:-1], False, {"U1"}),
    "U1 a row too many": (sorted([*SOUND, SOUND[0]]), False, {"U1"}),
    "U2 not an ancestor": (changed(4, job="kitchen"), True, {"U2"}),
    "U2 outside the interval": (changed(3, age="[20, 25.4]"), True, {"U2"}),
    "U2 a missing value is no number": (changed(1, age="[0, 99]"), True, {"U2"}),
    "U2 another sensitive value": (changed(5, disease="gout"), True, {"U2"}),
    "U2 another column changed": (changed(5, note="x"), True, {"U2"}),
    "U3 not an ancestor": ([*SOUND[:4], ("kitchen", "31", "cold", "x"), ("kitchen", "31", "flu", "y")], False, {"U3"}),
    "U3 another column changed": (changed(5, note="x"), False, {"U3"}),
    "U3 each fits some row, but two the same": (
        [*SOUND[:2], ("kitchen", "[20, 31]", "flu", "x"), *SOUND[3:5], ("kitchen", "[20, 31]", "flu", "y")],
        False,
        {"U3"},
    ),
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_does_not_fit_the_original_is_found(name: str) -> None:
    rows, is_mapped, expected = BESIDE[name]
    published = Generalized(table_of(rows))
    parts = PARTS if is_mapped else None
    verdict = check(published, PROMISE, original=table_of(ORIGINAL), part_of_record=parts)
    assert {found for found in names(verdict.violations) if found[0] == "U"} == expected


@pytest.mark.parametrize(
    "parts", [[4, 2, 5, 3, 0, 0], [4, 2, 5, 3, 0, 6], [4, 2, 5, 3, 0, -2], [4, 2, 5, 3, 0], [4, 2, 5, 3, 0, -1]]
)
def test_a_map_that_is_not_one_to_one_is_refused(parts: list[int]) -> None:
    published, original = Generalized(table_of(SOUND)), table_of(ORIGINAL)
    verdict = check(published, PROMISE, original=original, part_of_record=np.array(parts))
    assert "U1" in names(verdict.violations)


def test_every_published_column_is_one_of_the_original_and_no_identifier() -> None:
    published = Generalized(table_of([row[:3] for row in SOUND], "job age disease"))
    assert check(published, PROMISE, original=table_of(ORIGINAL, note=Role.IDENTIFIER)).holds
    assert check(published, PROMISE, original=table_of(ORIGINAL)).holds
    fewer = table_of([row[:3] for row in ORIGINAL], "job age disease")
    assert names(check(Generalized(table_of(SOUND)), PROMISE, original=fewer).violations) == {"U1"}
    assert names(judge(table_of(SOUND), PROMISE, table_of(ORIGINAL, note=Role.IDENTIFIER)).violations) == {"U1"}


def test_suppressed_rows_count_and_may_be_any() -> None:
    published, original = Generalized(table_of(SOUND)), table_of([*ORIGINAL, ("cook", "99", "flu", "x")])
    assert check(published, PROMISE, original=original, suppressed_records=1).holds
    parts = np.append(PARTS, -1)
    assert check(published, PROMISE, original=original, part_of_record=parts, suppressed_records=1).holds
    assert names(check(published, PROMISE, original=original, part_of_record=parts).violations) == {"U1"}


IMPOSSIBLE = {
    # what U3 says: published (job, age, note) of the cook of 1, the baker of 2 and the nurse of 1
    "in columns that do not change is published 2x, but the original has it 1x": ["**b", "**b", "**c"],
    "published rows inside a value of job: 2, rows of the original: 1": ["W*a", "W*b", "**c"],
    "no row of the original fits this published row": ["**a", "K*c", "**b"],
    "at most 2 of the 3 published rows can come from": ["C*a", "K1a", "**a"],
}


@pytest.mark.parametrize("words", IMPOSSIBLE)
def test_every_reason_why_rows_cannot_be_matched_is_found(words: str) -> None:
    jobs = {"*": "*", "W": "ward", "K": "kitchen", "C": "cook"}
    rows = sorted((jobs[job], age, note) for job, age, note in IMPOSSIBLE[words])
    notes = "aaa" if words.startswith("at most") else "abc"
    source = [("cook", "1", notes[0]), ("baker", "2", notes[1]), ("nurse", "1", notes[2])]
    tables = table_of(rows, "job age note"), table_of(source, "job age note")
    violations = judge(tables[0], KAnonymity(2, ("job", "age")), tables[1]).violations
    (found,) = [violation for violation in violations if violation.invariant == "U3"]
    assert words in found.message


@pytest.mark.parametrize("limit", ["COMPARED", "EDGES"])
def test_what_is_too_large_to_decide_is_never_said_to_hold(limit: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(f"disjoin.verify.table.assignment.{limit}", 1)
    verdict = check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL))
    assert "U3" not in verdict.checked
    assert verdict.facts["U3"]["decided"] is False
    spoiled = Generalized(table_of(changed(5, note="x")))
    assert "U3" in names(check(spoiled, PROMISE, original=table_of(ORIGINAL)).violations)


def test_pairs_are_compared_block_by_block(monkeypatch: Any) -> None:
    monkeypatch.setattr("disjoin.verify.table.assignment.BLOCK", 1)
    rows = [*SOUND[:2], ("*", "[20, 31]", "flu", "x"), *SOUND[3:]]
    assert "U3" in check(Generalized(table_of(rows)), PROMISE, original=table_of(ORIGINAL)).checked
    assert check(Generalized(table_of(SOUND)), PROMISE, original=table_of(ORIGINAL)).holds


def test_the_root_includes_missing_values_and_a_leaf_does_not() -> None:
    tree = Hierarchy.from_rows([["f", "any"]])
    original = Table.from_columns({"sex": ["f", "?"]})
    for rows, expected in ((["any", "any"], set()), (["f", "f"], {"U3"})):
        table = Table.from_columns({"sex": rows}).with_hierarchies({"sex": tree})
        assert names(judge(table, KAnonymity(2, "sex"), original).violations) == expected


def test_a_table_in_the_order_of_its_original_needs_no_flow() -> None:
    rows = [SOUND[part] for part in PARTS]
    verdict = judge(table_of(rows), PROMISE, table_of(ORIGINAL))
    assert verdict.holds
    assert verdict.facts["U3"] == {"decided": True, "how": "the rows are in the same order"}


def test_anything_includes_even_what_the_hierarchy_lacks() -> None:
    tree = Hierarchy.from_rows([["f", "any"], ["m", "any"]])
    original = Table.from_columns({"sex": ["f", "?", "x"]})
    for value, expected in (("*", set()), ("any", {"U3"})):
        table = Table.from_columns({"sex": [value] * 3}).with_hierarchies({"sex": tree})
        assert names(judge(table, KAnonymity(2, "sex"), original).violations) == expected
