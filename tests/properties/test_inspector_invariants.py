"""The inspector against the oracle, on tiny forests of every kind."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from disjoin.model import Clusters, KmAnonymity, Verdict, Violation, clusters
from disjoin.verify import check, extent_in_parts, with_stronger_guarantees
from disjoin.verify.clusters.reconstructions import most_records as most_records_exactly
from disjoin.verify.forest import Forest
from helpers.hypothesis_profile import examples
from oracle.inspection import canonical, node_key, nodes_of, violated
from oracle.reconstruction import guarantee_breaches, most_records, reconstructions_of_tree
from unit.verify.forests import any_forest, joint, leaf, seeded, slots, strong_forest

many = settings(examples(350), suppress_health_check=list(HealthCheck))
some = settings(examples(150), suppress_health_check=list(HealthCheck))


def names(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations}


@many
@given(
    seeded(any_forest),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["", "a", "ef", "A", "E"]),
)
def test_the_inspector_finds_exactly_what_the_oracle_finds(trees: Any, k: int, m: int, l: int, secret: str) -> None:  # noqa: E741
    expected = violated(trees, k, m, l, tuple(secret))
    for name in sorted(expected) or ["nothing"]:
        event(name)
    assert names(check(Clusters.from_nested(trees), KmAnonymity(k, m, l, tuple(secret)))) == expected


@many
@given(seeded(lambda random: strong_forest(random, 2, daring=True)), st.integers(1, 3))
def test_on_nearly_sound_forests_too(trees: Any, m: int) -> None:
    assume(slots(trees) <= 7)
    expected = violated(trees, 2, m)
    for name in sorted(expected) or ["nothing"]:
        event(name)
    assert names(check(Clusters.from_nested(trees), KmAnonymity(2, m))) == expected


def several_trees(random: Random) -> list[Any]:
    """Trees of which each mostly keeps the promise, mostly in order."""
    daring = random.random() < 0.2
    trees = [tree for _ in range(random.randint(1, 3)) for tree in strong_forest(random, 2, daring=daring)]
    return trees if random.random() < 0.3 else canonical(trees)


@some
@given(seeded(several_trees) | seeded(any_forest), st.randoms(use_true_random=False), st.sampled_from(["", "a", "E"]))
def test_part_by_part_the_inspector_agrees_with_itself(trees: Any, random: Random, secret: str) -> None:
    published, guarantee = Clusters.from_nested(trees), KmAnonymity(2, 2, 2, tuple(secret))
    roots = np.flatnonzero(published.parents < 0).tolist()
    cuts = [0, *(root for root in roots[1:] if random.random() < 0.6), len(published)]
    verdict = check(published, guarantee)
    event(f"{len(cuts) - 1} parts, {'sound' if verdict.holds else 'broken'}")
    found = extent_in_parts((published.between(*each) for each in pairwise(cuts)), guarantee)
    assert found == (published.extent if verdict.holds else None)


@some
@given(
    seeded(several_trees) | seeded(any_forest),
    st.integers(1, 12),
    st.sampled_from(["", "a", "E"]),
    st.booleans(),
    st.sampled_from([(), ((2, 3), (3, 2))]),
)
def test_range_by_range_the_inspector_says_the_same(
    trees: Any, numbers: int, secret: str, proven: bool, also: tuple[tuple[int, int], ...]
) -> None:
    published = Clusters.from_nested(trees)
    guarantee = KmAnonymity(2, 2, 2, tuple(secret), proven=proven, also=also if proven else ())
    whole = check(published, guarantee)
    with patch.object(clusters, "AT_ONCE", numbers):
        event(f"{len(published.ranges())} ranges, {'sound' if whole.holds else 'broken'}")
        assert check(published, guarantee) == whole
        assert with_stronger_guarantees(published, KmAnonymity(2, 2, proven=proven)).also == whole_also(
            published, proven
        )


def whole_also(published: Clusters, proven: bool) -> tuple[tuple[int, int], ...]:
    with patch.object(clusters, "AT_ONCE", 1 << 18):
        return with_stronger_guarantees(published, KmAnonymity(2, 2, proven=proven)).also


SOUND = [leaf(size, [{term: size}], "") for size, term in ((2, "b"), (3, "a"), (4, "c"), (5, "c"), (6, "c"))]
MANY = np.arange(5) + 2**40 // 4  # records: those of a range are not too many


def spoiled(**arrays: Any) -> Clusters:
    return replace(Clusters.from_nested(SOUND), **arrays)


@pytest.mark.parametrize(
    ("invariant", "published"),
    [
        ("V12", Clusters.from_nested([SOUND[0], SOUND[2], SOUND[1], *SOUND[3:]])),  # in each range they are in order
        ("V1", spoiled(vocabulary=pa.array(["a", "b", "c", "d"]))),  # a term that no range has
        ("V12", spoiled(vocabulary=pa.array(["a", "z", "y"]))),  # out of order in ranges that are no neighbours
        ("V1", spoiled(vocabulary=pa.array(["a", "b", "b"]))),
        ("V1", spoiled(counts=MANY, sizes=MANY)),
        ("V1", spoiled(parents=[-1, -1, -1, -1, 1])),  # a tree reaches into one of another range
        ("F1", spoiled(anomalies=(Violation("F1", "a file", "odd"),))),
    ],
)
def test_what_only_the_whole_can_show_is_found_range_by_range(invariant: str, published: Clusters) -> None:
    with patch.object(clusters, "AT_ONCE", 6):
        assert Clusters.from_nested(SOUND).ranges() == [(0, 2), (2, 5)]
        assert check(Clusters.from_nested(SOUND), KmAnonymity(2, 2)).holds
        assert invariant in names(check(published, KmAnonymity(2, 2)))


def test_the_order_of_trees_in_different_parts_is_looked_at() -> None:
    parts = [Clusters.from_nested([leaf(size, [{"a": size}], "b")]) for size in (2, 3)]
    assert extent_in_parts(parts, KmAnonymity(2, 2)) == {"records": 5, "terms": 2}
    assert extent_in_parts(parts[::-1], KmAnonymity(2, 2)) is None
    assert extent_in_parts([], KmAnonymity(2, 2)) is None


@some
@given(st.integers(0, 2**32 - 1), st.integers(2, 3), st.integers(1, 3))
def test_whenever_all_invariants_hold_so_does_the_guarantee(seed: int, k: int, m: int) -> None:
    trees = strong_forest(Random(seed), k)
    assume(slots(trees) <= 7)
    assume(check(Clusters.from_nested(trees), KmAnonymity(k, m)).holds)
    event(f"joint: {any('children' in tree for tree in trees)}")
    assert all(reconstructions_of_tree(tree) for tree in trees)
    assert guarantee_breaches(trees, k, m) == []


@some
@given(seeded(lambda random: strong_forest(random, 2, daring=True)), st.data())
def test_the_most_records_of_an_itemset_are_those_of_the_best_reconstruction(trees: Any, data: Any) -> None:
    assume(slots(trees) <= 6)
    published = Clusters.from_nested(trees)
    vocabulary = published.vocabulary.to_pylist()
    itemset = data.draw(st.frozensets(st.sampled_from(vocabulary), min_size=1, max_size=3))
    forest = Forest.of(published)
    found = most_records_exactly(forest, [vocabulary.index(term) for term in itemset])
    event(f"joint: {any('children' in tree for tree in trees)}")
    assert found == most_records(trees, itemset)


@some
@given(seeded(any_forest), st.integers(0, 2**32 - 1))
def test_any_other_order_is_noticed(trees: Any, seed: int) -> None:
    trees = canonical(trees)
    assume("V1" not in violated(trees, 2, 1))
    shuffled = deepcopy(trees)
    random = Random(seed)
    random.shuffle(shuffled)
    for node in nodes_of(shuffled):
        for part in ("record_chunks", "shared_chunks", "children"):
            random.shuffle(node.get(part, []))
    before, after = [node_key(tree) for tree in trees], [node_key(tree) for tree in shuffled]
    found = names(check(Clusters.from_nested(shuffled), KmAnonymity(2, 1)))
    assert ("V12" in found) == (before != after)


def alike(random: Random, depth: int = 3) -> Any:
    """A joint whose nodes differ little, whatever sizes say: what decides the order lies deep below."""
    if depth == 0 or (depth < 3 and random.random() < 0.5):
        return leaf(1, [], random.choice("aab"))
    children = [alike(random, depth - 1) for _ in range(random.randint(1, 3))]
    return {**joint(children, [{"s": 2}]), "size": 9, "children": sorted(children, key=node_key)}


@many
@given(seeded(alike), seeded(alike))
def test_joints_that_differ_only_deep_below_are_still_told_apart(one: Any, other: Any) -> None:
    found = names(check(Clusters.from_nested([one, other]), KmAnonymity(2, 1)))
    event("same" if node_key(one) == node_key(other) else "different")
    assert ("V12" in found) == (node_key(one) > node_key(other))


ARRAYS = ("parents", "sizes", "term_offsets", "term_items", "chunk_offsets")
ARRAYS += ("subrecord_offsets", "item_offsets", "items", "counts")
EXTREME = [-(2**63), -(2**31), -2, -1, 0, 1, 2, 5, 2**31 - 1, 2**40, 2**63 - 1]


def damaged(published: Clusters, random: Random) -> Clusters:
    parts = {name: np.array(getattr(published, name)) for name in ARRAYS}
    for name in random.choices(ARRAYS, k=random.randint(1, 2)):
        array = parts[name]
        if random.random() < 0.2:
            parts[name] = array[: random.randint(0, array.size)]
        elif array.size:
            limits = np.iinfo(array.dtype)
            numbers = [number for number in EXTREME if limits.min <= number <= limits.max]
            array[random.randrange(array.size)] = random.choice(numbers)
    return Clusters(vocabulary=published.vocabulary, **parts)


@many
@given(seeded(any_forest), st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 2**70]))
def test_whatever_the_arrays_say_there_is_a_verdict(trees: Any, seed: int, k: int) -> None:
    verdict = check(damaged(Clusters.from_nested(trees), Random(seed)), KmAnonymity(k, 2))
    assert "V1" in verdict.checked
    assert verdict.holds == (not verdict.violations)
