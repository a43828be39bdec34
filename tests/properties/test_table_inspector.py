"""The inspector of tables against the oracle, on small tables that are sound, spoiled, or both in turn."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from disjoin.model import Generalized, Hierarchy, KAnonymity, Role, Table, Verdict
from disjoin.model.k_anonymity import XYAnonymity
from disjoin.verify import check
from disjoin.verify.table.inspection import judge
from helpers.hypothesis_profile import examples
from oracle.table_inspection import (
    PATHS,
    QUASI,
    ROLES,
    Sheet,
    facts_of,
    links,
    publish,
    random_original,
    spoiled,
    violated,
    violated_beside,
)

many = settings(examples(80), suppress_health_check=list(HealthCheck), deadline=None)
some = settings(examples(40), suppress_health_check=list(HealthCheck), deadline=None)
seeds = st.integers(0, 2**32 - 1)
TREES = {name: Hierarchy.from_rows(paths) for name, paths in PATHS.items()}
guarantees = st.builds(
    KAnonymity,
    st.integers(2, 4),
    st.just(QUASI),
    st.just(("disease",)),
    st.sampled_from([None, Fraction(1, 2), Fraction(2, 3), Fraction(1)]),
    st.integers(1, 3),
    st.sampled_from([None, Fraction(1), Fraction(3, 2), Fraction(2), Fraction("1.7547"), Fraction(3)]),
)


def table_of(sheet: Sheet) -> Table:
    columns = {name: [row[name] for row in sheet.rows] for name in sheet.roles}
    table = Table.from_columns(columns, {name: Role(role) for name, role in sheet.roles.items()})
    return table.with_hierarchies({name: TREES[name] for name in sheet.paths if name in columns})


def names(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def note(found: set[str]) -> None:
    for name in sorted(found) or ["nothing"]:
        event(name)


def drawn(seed: int, times: int, k: int) -> tuple[Random, Sheet, Sheet, list[int]]:
    random = Random(seed)
    original = random_original(random)
    sheet, parts = publish(original, random, k)
    for _ in range(times):
        sheet = spoiled(sheet, random)
    return random, original, sheet, parts


@many
@given(seeds, st.integers(0, 2), guarantees)
def test_the_inspector_finds_exactly_what_the_oracle_finds(seed: int, times: int, guarantee: KAnonymity) -> None:
    _, _, sheet, _ = drawn(seed, times, guarantee.k)
    expected = violated(sheet, guarantee)
    note(expected)
    verdict = check(Generalized(table_of(sheet)), guarantee)
    assert names(verdict) == expected
    asked = [guarantee.alpha is not None, guarantee.l > 1, guarantee.entropy_l is not None]
    optional = [name for name, is_asked in zip(("T4", "T5", "T6"), asked, strict=True) if is_asked]
    assert verdict.checked == ("T1", "T2", "T3", *optional, "T7")


@many
@given(seeds, st.integers(0, 2), guarantees)
def test_what_a_table_keeps_is_what_the_oracle_measures(seed: int, times: int, guarantee: KAnonymity) -> None:
    _, _, sheet, _ = drawn(seed, times, guarantee.k)
    expected = facts_of(sheet.rows, guarantee)
    table = table_of(sheet)
    for verdict in (check(Generalized(table), guarantee), judge(table, guarantee)):
        assert verdict.facts == expected


@many
@given(seeds, st.integers(0, 2), st.booleans())
def test_against_the_original_too(seed: int, times: int, is_mapped: bool) -> None:
    random, original, sheet, parts = drawn(seed, times, 2)
    if random.random() < 0.2:
        random.shuffle(parts)
    where = parts if is_mapped else None
    expected = violated_beside(sheet, original, QUASI, where)
    note(expected)
    verdict = check(
        Generalized(table_of(sheet)),
        KAnonymity(2, QUASI, ("disease",)),
        original=table_of(original),
        part_of_record=None if where is None else np.array(where),
    )
    assert {name for name in names(verdict) if name[0] == "U"} == expected
    compared = [name for name in verdict.checked if name[0] == "U"]
    assert compared[0] == "U1"
    assert ("U2" in compared) <= is_mapped
    assert ("U2" in compared or "U3" in compared) == (len(sheet.rows) == len(original.rows) or "U2" in compared)


@some
@given(seeds, st.integers(2, 4))
def test_what_is_published_as_it_should_be_differs_in_nothing_from_its_original(seed: int, k: int) -> None:
    _, original, sheet, parts = drawn(seed, 0, k)
    for where, last in ((None, "U3"), (np.array(parts), "U2")):
        verdict = check(
            Generalized(table_of(sheet)),
            KAnonymity(k, QUASI, ("disease",)),
            original=table_of(original),
            part_of_record=where,
        )
        assert names(verdict) <= ({"T3"} if len(original.rows) < k else set())
        assert verdict.checked == ("T1", "T2", "T3", "T7", "U1", last)


@some
@given(seeds, st.integers(0, 1), st.integers(2, 3))
def test_tables_of_other_tools_may_be_in_any_order_and_lack_columns(seed: int, times: int, k: int) -> None:
    random, original, sheet, _ = drawn(seed, times, k)
    kept = [name for name in random.sample(list(ROLES), len(ROLES)) if name != "ward" or random.random() < 0.5]
    random.shuffle(sheet.rows)
    bare = Sheet([{name: row[name] for name in kept} for row in sheet.rows], dict.fromkeys(kept, "other"), sheet.paths)
    guarantee = KAnonymity(k, QUASI, ("disease",))
    same = Sheet(original.rows, {name: "other" for name in ROLES if name in kept}, original.paths)
    expected = violated(sheet, guarantee) & {"T3"} | violated_beside(bare, same, QUASI)
    note(expected)
    assert names(judge(table_of(bare), guarantee, table_of(original))) == expected


@some
@given(seeds, st.integers(0, 1), st.integers(1, 4), st.sampled_from([("town",), ("age", "sex")]))
def test_x_is_linked_to_as_many_y_as_the_oracle_counts(seed: int, times: int, k: int, x: Any) -> None:
    _, _, sheet, _ = drawn(seed, times, 2)
    for y in (("disease",), ("disease", "ward")):
        verdict = check(Generalized(table_of(sheet)), XYAnonymity(k, x, y))
        assert verdict.facts["largest_k"] == links(sheet.rows, x, y)
        assert ("X1" in names(verdict)) == (links(sheet.rows, x, y) < k)
        assert verdict.checked == ("T1", "T2", "X1", "T7")
