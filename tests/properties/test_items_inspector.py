"""The inspector of generalised and noisy records against the oracle, on small data, sound and spoiled."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from disjoin.model import (
    Bag,
    DifferentialPrivacy,
    GeneralizedItems,
    Hierarchy,
    KmAnonymity,
    NoisyRecords,
    Transactions,
    Verdict,
)
from disjoin.verify import check
from helpers.hypothesis_profile import examples
from oracle.item_inspection import facts_of, keeps_the_promise, violated, violated_beside, violated_by_noise
from unit.verify.generalised_items import FOREST, bag_of, noun_of, published, spoiled

many = settings(examples(250), suppress_health_check=list(HealthCheck))
some = settings(examples(100), suppress_health_check=list(HealthCheck))
seeds = st.integers(0, 2**32 - 1)
ALONE = ("A1", "A2", "A3", "A4", "A5", "A6")


def names(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


def note(found: set[str]) -> None:
    for name in sorted(found) or ["nothing"]:
        event(name)


@many
@given(seeds, st.integers(0, 2), st.integers(2, 4), st.integers(1, 5), st.sampled_from([0, 0, 0, 1]))
def test_the_inspector_finds_exactly_what_the_oracle_finds(seed: int, times: int, k: int, m: int, left: int) -> None:
    random = Random(seed)
    _, items, _ = published(random)
    for _ in range(times):
        items = spoiled(items, random)
    expected = violated(items, k, m, left)
    note(expected)
    verdict = check(noun_of(items), KmAnonymity(k, m), suppressed_records=left)
    assert names(verdict) == expected
    assert verdict.checked == ALONE
    assert verdict.facts == facts_of(items, m)


@many
@given(seeds, st.integers(0, 2), st.sampled_from(["map", "none", "astray", "nonsense"]), st.booleans())
def test_against_the_original_too(seed: int, times: int, where: str, strange: bool) -> None:
    random = Random(seed)
    records, items, parts = published(random)
    for _ in range(times):
        items = spoiled(items, random)
    records = [*records, frozenset({"zebra", "c"})] if strange else records
    lowest, beyond = (-2, 2) if where == "nonsense" else (-1, 0)
    parts = [*parts, 0][: len(records)]
    if where in ("astray", "nonsense"):
        parts = [random.randint(lowest, max(0, len(items.rows) - 1 + beyond)) for _ in parts]
        parts = parts[: random.randint(0, len(parts))] if where == "nonsense" and random.random() < 0.3 else parts
    followed = None if where == "none" else parts
    expected = violated(items, 2, 2) | violated_beside(items, records, followed)
    if "A1" in expected:
        expected.discard("B3")
    note(expected)
    verdict = check(
        noun_of(items),
        KmAnonymity(2, 2),
        original=Transactions.from_sets(records),
        part_of_record=None if followed is None else np.array(followed, dtype=np.int64),
    )
    assert names(verdict) == expected
    assert verdict.checked == (*ALONE, "B1", "B2") + (() if "A1" in expected else ("B3",))


@many
@given(seeds, st.integers(2, 4), st.integers(1, 4))
def test_what_is_accepted_keeps_the_promise_to_the_letter_and_what_keeps_it_is_accepted(
    seed: int, k: int, m: int
) -> None:
    records, items, parts = published(Random(seed))
    verdict = check(
        noun_of(items),
        KmAnonymity(k, m),
        original=Transactions.from_sets(records),
        part_of_record=np.array(parts),
    )
    event(f"holds: {verdict.holds}")
    assert verdict.holds == keeps_the_promise(items, records, k, m)
    assert names(verdict) <= {"A6"}


@some
@given(seeds, st.integers(0, 2), st.sampled_from([0, 0, 7]))
def test_of_noisy_records_the_form_is_judged_as_the_oracle_does(seed: int, times: int, left: int) -> None:
    random = Random(seed)
    _, items, _ = published(random)
    for _ in range(times):
        items = spoiled(items, random)
    verdict = check(NoisyRecords(bag_of(items)), DifferentialPrivacy(1), suppressed_records=left)
    note(names(verdict))
    assert names(verdict) == violated_by_noise(items, left)
    assert verdict.checked == ("N1", "N2", "N3", "N4")


FIELDS = {
    "offsets": st.lists(st.integers(-1, 5), max_size=4),
    "items": st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-1, 4), max_size=5),
    "counts": st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 4), max_size=4),
    "vocabulary": st.lists(st.sampled_from(["", "a1", "A", "c", "zebra"]) | st.none(), max_size=5),
}
COLUMN = st.lists(st.sampled_from(["", "a1", "A", "c", "zebra", "*"]) | st.none(), max_size=8)


@some
@given(seeds, st.data())
def test_whatever_the_arrays_hold_there_is_a_verdict(seed: int, data: Any) -> None:
    records, items, parts = published(Random(seed))
    sound = bag_of(items)
    fields = {name: getattr(sound, name) for name in FIELDS}
    for name in data.draw(st.sets(st.sampled_from(sorted(FIELDS)), min_size=1)):
        fields[name] = data.draw(FIELDS[name])
    broken, tree = Bag(**fields), Hierarchy.from_rows(list(FOREST.values()))
    verdict = check(
        GeneralizedItems(broken, data.draw(COLUMN), data.draw(COLUMN), tree),
        KmAnonymity(2, data.draw(st.sampled_from([1, 2, 9]))),
        original=Transactions.from_sets(records),
        part_of_record=np.array(parts),
    )
    note(names(verdict))
    assert not verdict.holds
    assert verdict.checked[0] == "A1"
    assert check(NoisyRecords(broken), DifferentialPrivacy(1)).checked[0] == "N1"
