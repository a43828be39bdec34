"""The inspector's compiled loops against plain counting."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disjoin.model import Clusters, KmAnonymity
from disjoin.verify import chunks
from disjoin.verify.chunks import check_combinations, find_rare, without_twins
from disjoin.verify.counting import itemsets
from disjoin.verify.forest import Forest, rows_not_ascending
from helpers.hypothesis_profile import examples
from oracle.inspection import canonical, domain, is_km_anonymous
from oracle.reconstruction import bag_of
from unit.verify.forests import seeded

many = settings(examples(400), suppress_health_check=list(HealthCheck))


def bag(random: Random) -> list[Any]:
    """One large leaf with a few chunks of many subrecords each, some of them heavy."""
    chunks = []
    for _ in range(random.randint(1, 3)):
        letters = "abcdefgh"[: random.randint(1, 8)]
        rows = {
            tuple(sorted(random.sample(letters, random.randint(1, len(letters))))) for _ in range(random.randint(1, 9))
        }
        chunks.append({"subrecords": [[list(row), random.choice([1, 1, 2, 5])] for row in rows]})
    return canonical([{"size": 99, "record_chunks": chunks, "term_chunk": []}])


def supports(chunk: Any, m: int) -> Counter[tuple[str, ...]]:
    found: Counter[tuple[str, ...]] = Counter()
    for terms, count in bag_of(chunk).items():
        for size in range(1, m + 1):
            for itemset in combinations(sorted(terms), size):
                found[itemset] += count
    return found


@many
@given(seeded(bag), st.integers(2, 6), st.integers(2, 8))
def test_rare_itemsets_are_found_exactly_where_plain_counting_finds_them(trees: Any, k: int, m: int) -> None:
    forest = Forest.of(Clusters.from_nested(trees))
    chunks = trees[0]["record_chunks"]
    (found, least, lengths), examples = find_rare(forest, np.arange(len(chunks)), k, m)
    for number, chunk in enumerate(chunks):
        counted = supports(chunk, m)
        rare = {itemset: count for itemset, count in counted.items() if count < k}
        assert (found[number] > 0) == bool(rare)
        assert found[number] <= len(rare)
        if rare:
            worst = forest.terms(sorted(examples[number, : lengths[number]]))
            assert rare[worst] == least[number]
    with patch.object(itemsets, "FIRST_BREATH", 1):
        (some, _, _), _ = find_rare(forest, np.arange(len(chunks)), k, m, one=True)
    assert some.any() == found.any()
    assert (some <= found).all()


@many
@given(seeded(bag), st.integers(2, 6), st.integers(1, 4))
def test_leaving_out_twins_changes_no_verdict(trees: Any, k: int, m: int) -> None:
    forest = Forest.of(Clusters.from_nested(trees))
    guarantee = KmAnonymity(k, m)
    ordinary = {f.chunk for f in check_combinations(forest, guarantee)}
    assert ordinary == {n for n, c in enumerate(trees[0]["record_chunks"]) if not is_km_anonymous(c, k, m)}
    with patch.multiple(chunks, COSTLY=0.0, PER_ITEM=0):
        without = {f.chunk for f in check_combinations(forest, guarantee)}
    assert without == ordinary


def test_twins_are_terms_of_the_same_subrecords() -> None:
    rows = [[["a", "b", "c"], 1], [["a", "b", "d"], 2], [["d"], 1]]
    forest = Forest.of(Clusters.from_nested([{"size": 9, "record_chunks": [{"subrecords": rows}], "term_chunk": []}]))
    alone = without_twins(forest, 0)
    assert [alone.terms(alone.subrecord(row)) for row in range(3)] == [("a", "c"), ("a", "d"), ("d",)]
    assert alone.counts.tolist() == [1, 2, 1]


@many
@given(seeded(bag))
def test_domains_list_each_term_of_a_chunk_once_with_its_support(trees: Any) -> None:
    forest = Forest.of(Clusters.from_nested(trees))
    domains = forest.domains
    before: set[str] = set()
    for number, chunk in enumerate(trees[0]["record_chunks"]):
        those = slice(domains.offsets[number], domains.offsets[number + 1])
        terms = forest.terms(domains.terms[those])
        assert sorted(terms) == sorted(domain(chunk))
        assert dict(zip(terms, domains.supports[those], strict=True)) == {t: supports(chunk, 1)[(t,)] for t in terms}
        assert domains.repeated[those].tolist() == [term in before for term in terms]
        before |= set(terms)


@given(st.lists(st.lists(st.integers(0, 4), max_size=4), max_size=6))
def test_rows_that_do_not_ascend_are_found(rows: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, rows)])
    items = np.array([item for row in rows for item in row], dtype=np.int32)
    expected = [i for i, row in enumerate(rows) if any(a >= b for a, b in pairwise(row))]
    assert rows_not_ascending(offsets, items).tolist() == expected
