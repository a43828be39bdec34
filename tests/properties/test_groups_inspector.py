"""The inspector of groups against the oracle, on small groups that are sound, spoiled, or both in turn."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from disjoin.model import Groups, PrivacyDegree, Transactions, Verdict
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from oracle.groups_inspection import bare_records_of, degree_of, violated, violated_beside
from unit.verify.spoiled_groups import published, spoiled

many = settings(examples(250), suppress_health_check=list(HealthCheck))
some = settings(examples(100), suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 2**32 - 1)
named = st.sampled_from([(), ("a",), ("x",), ("x", "w"), ("A ",), ("\uff39", "B")])


def names(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def note(found: set[str]) -> None:
    for name in sorted(found) or ["nothing"]:
        event(name)


@many
@given(seeds, st.integers(0, 2), st.integers(2, 4), named)
def test_the_inspector_finds_exactly_what_the_oracle_finds(seed: int, times: int, p: int, secret: Any) -> None:
    random = Random(seed)
    _, groups, _ = published(random)
    for _ in range(times):
        groups = spoiled(groups, random)
    expected = violated(groups, p, secret)
    note(expected)
    verdict = check(Groups.from_nested(groups), PrivacyDegree(p, secret))
    assert names(verdict) == expected
    assert verdict.checked == ("P1", "P2", "P3", "P4", "P5")
    assert verdict.facts == {"degree": degree_of(groups), "bare_records": bare_records_of(groups)}


@many
@given(seeds, st.integers(0, 2), st.booleans(), st.booleans(), named)
def test_against_the_original_too(seed: int, times: int, mapped: bool, suppress: bool, secret: Any) -> None:
    random = Random(seed)
    records, groups, parts = published(random, suppress=suppress)
    for _ in range(times):
        groups = spoiled(groups, random)
    suppressed = parts.count(-1) + (random.random() < 0.1)
    where = parts if mapped else None
    expected = violated(groups, 2, secret) | violated_beside(groups, records, secret, where, suppressed)
    note(expected)
    verdict = check(
        Groups.from_nested(groups),
        PrivacyDegree(2, secret),
        original=Transactions.from_sets(records),
        part_of_record=None if where is None else np.array(where),
        suppressed_records=suppressed,
    )
    assert names(verdict) == expected
    judged = ("Q1", "Q2") if "P1" in expected else ("Q1", "Q2", "Q3", "Q4")
    assert verdict.checked == ("P1", "P2", "P3", "P4", "P5", *judged)


@some
@given(seeds, st.booleans())
def test_a_map_of_another_grouping_is_noticed(seed: int, nonsense: bool) -> None:
    random = Random(seed)
    records, groups, parts = published(random)
    lost = [random.randint(-2 if nonsense else 0, len(groups) - 1 + nonsense) for _ in parts]
    lost = lost[: random.randint(0, len(lost))] if nonsense and random.random() < 0.3 else lost
    expected = violated_beside(groups, records, (), lost)
    note(expected)
    verdict = check(
        Groups.from_nested(groups),
        PrivacyDegree(2),
        original=Transactions.from_sets(records),
        part_of_record=np.array(lost, dtype=np.int64),
    )
    assert {name for name in names(verdict) if name[0] == "Q"} == expected


@some
@given(seeds)
def test_what_is_published_as_it_should_be_differs_in_nothing_from_its_original(seed: int) -> None:
    records, groups, parts = published(Random(seed))
    data = Transactions.from_sets(records)
    for where in (None, np.array(parts)):
        verdict = check(Groups.from_nested(groups), PrivacyDegree(2), original=data, part_of_record=where)
        assert names(verdict) <= {"P3"}
        assert len(verdict.checked) == 9


FIELDS = {
    "sizes": st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 4), max_size=3),
    "record_offsets": st.lists(st.integers(-1, 5), max_size=4),
    "item_offsets": st.lists(st.integers(-1, 5), max_size=5),
    "items": st.lists(st.integers(-1, 4), max_size=5),
    "counts": st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 4), max_size=4),
    "sensitive_offsets": st.lists(st.integers(-1, 5), max_size=4),
    "sensitive_items": st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 4), max_size=4),
    "sensitive_counts": st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 4), max_size=4),
    "vocabulary": st.lists(st.sampled_from(["", "a", "b", "c", "x", "y"]) | st.none(), max_size=6),
}


@some
@given(seeds, st.data())
def test_whatever_the_arrays_hold_there_is_a_verdict(seed: int, data: Any) -> None:
    records, groups, parts = published(Random(seed))
    sound = Groups.from_nested(groups)
    fields = {name: getattr(sound, name) for name in FIELDS}
    for name in data.draw(st.sets(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=9)):
        fields[name] = data.draw(FIELDS[name])
    broken = Groups(**fields)
    assume(broken != sound)
    verdict = check(
        broken,
        PrivacyDegree(data.draw(st.sampled_from([2, 3, 2**80]))),
        original=Transactions.from_sets(records),
        part_of_record=np.array(parts),
    )
    note(names(verdict))
    assert verdict.checked[0] == "P1"
    assert not verdict.holds
