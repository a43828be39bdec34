"""The inspector with the original at hand, against the oracle."""

from __future__ import annotations

from copy import deepcopy
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from disjoin.model import Clusters, KmAnonymity, Transactions, Verdict
from disjoin.verify import check
from disjoin.verify.clusters.support_bounds import Bounds
from disjoin.verify.forest import Forest
from helpers.hypothesis_profile import examples
from oracle.inspection import (
    canonical,
    chunks_of,
    lower_bound,
    nodes_of,
    upper_bound,
    upper_bound_any_mode,
    violated,
    violated_beside,
)
from unit.verify.forests import any_forest, honest, seeded, strong_forest

many = settings(examples(250), suppress_health_check=list(HealthCheck))

LOOSE = KmAnonymity(2, 1)  # honest forests promise nothing: only their O-invariants are of interest here


def beside(verdict: Verdict) -> set[str]:
    return {violation.invariant for violation in verdict.violations if violation.invariant.startswith("O")}


@many
@given(seeded(honest))
def test_what_is_cut_from_the_records_agrees_with_them(case: Any) -> None:
    records, trees, part_of_record = case
    published, data = Clusters.from_nested(trees), Transactions.from_sets(records)
    with_map = check(published, LOOSE, original=data, part_of_record=np.array(part_of_record), exact=False)
    assert not beside(with_map)
    assert {"O1", "O2", "O3", "O4", "O5", "O6"} <= set(with_map.checked)
    without = check(published, LOOSE, original=data, exact=False)
    assert not beside(without)
    assert {"O1", "O6", "O7"} <= set(without.checked)
    assert without.facts["O7"]["itemsets"] == without.facts["O7"]["of"]  # tiny: all of them


def tampered(trees: list[Any], leaves: list[int], random: Random) -> tuple[list[Any], list[int]]:
    """Change one thing."""
    trees, leaves = deepcopy(trees), list(leaves)
    nodes = nodes_of(trees)
    chunks = [c for node in nodes for c in chunks_of(node)]
    kind = random.choice(["count", "term", "term chunk", "map", "suppress", "size", "nothing"])
    if kind == "count" and chunks:
        random.choice(random.choice(chunks)["subrecords"])[1] += random.choice([-1, 1])
    elif kind == "term" and chunks:
        random.choice(random.choice(chunks)["subrecords"])[0][0] = random.choice("abcdez")
    elif kind == "term chunk":
        node = random.choice([node for node in nodes if "children" not in node])
        node["term_chunk"] = sorted({*node["term_chunk"], random.choice("abcdez")} - {random.choice("abcde")})
    elif kind == "map":
        leaves[random.randrange(len(leaves))] = random.choice(leaves)
    elif kind == "suppress":
        leaves[random.randrange(len(leaves))] = -1
    elif kind == "size":
        random.choice(nodes)["size"] += 1
    return canonical(trees), leaves


@many
@given(seeded(honest), st.integers(0, 2**32 - 1), st.integers(0, 1))
def test_every_change_is_found_and_named_as_the_oracle_names_it(case: Any, seed: int, suppressed: int) -> None:
    records, trees, part_of_record = case
    trees, leaves = tampered(trees, part_of_record, Random(seed))
    assume(not violated(trees, 2, 1) & {"V1", "V3", "V4"})
    expected = violated_beside(trees, records, leaves, suppressed)
    for name in sorted(expected) or ["nothing"]:
        event(name)
    verdict = check(
        Clusters.from_nested(trees),
        LOOSE,
        original=Transactions.from_sets(records),
        part_of_record=np.array(leaves),
        suppressed_records=suppressed,
        exact=False,
    )
    assert beside(verdict) == expected


@many
@given(
    st.one_of(
        seeded(any_forest).map(canonical),
        seeded(lambda random: strong_forest(random, 2, daring=True)),
        seeded(lambda random: honest(random)[1]),
    ),
    st.integers(1, 3),
)
def test_bounds_are_those_of_the_specification(trees: Any, size: int) -> None:
    broken = violated(trees, 2, 1)
    assume(not broken & {"V1", "V3", "V4"})
    apart = "V9" not in broken
    event(f"V9 holds: {apart}")
    forest = Forest.of(Clusters.from_nested(trees))
    vocabulary = forest.names.to_pylist()
    itemsets = list(combinations(range(len(vocabulary)), size))
    assume(itemsets)
    bounds = Bounds(forest, apart=apart, filled=True)
    rows, room = np.array(itemsets), bounds.room(size)
    lower = bounds.lower(rows, np.empty(size, dtype=np.int64))
    upper = np.concatenate([bounds.upper(part, room) for part in (rows[:3], rows[3:])])  # the room is left as it was
    assert (upper == bounds.upper(bounds.rarest_first(rows), room)).all()
    above = upper_bound if apart else upper_bound_any_mode
    for itemset, low, high in zip(itemsets, lower, upper, strict=True):
        terms = frozenset(vocabulary[item] for item in itemset)
        assert low == lower_bound(trees, terms)
        assert high == sum(above(tree, terms) for tree in trees)


@many
@given(seeded(honest), st.integers(0, 2**32 - 1))
def test_with_unknown_suppressed_records_only_what_is_certain_is_asked(case: Any, seed: int) -> None:
    records, trees, _ = case
    random = Random(seed)
    more = [frozenset(random.sample("abcdefg", random.randint(1, 4))) for _ in range(random.randint(1, 3))]
    everything = [*records, *more]
    random.shuffle(everything)
    verdict = check(
        Clusters.from_nested(trees),
        LOOSE,
        original=Transactions.from_sets(everything),
        suppressed_records=len(more),
        exact=False,
    )
    assert not beside(verdict)
