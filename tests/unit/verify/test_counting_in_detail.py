"""The verifier's loops against plain Python on small random data, and how many steps they take (P17)."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random
from typing import Any

import numpy as np
import pytest

from disjoin.model import Clusters, KmAnonymity, Transactions
from disjoin.model.ragged import offsets_of
from disjoin.verify import check
from disjoin.verify.chunks import combinations_of, find_rare
from disjoin.verify.counting import bounds, equal_records, forests, itemsets, rule_confidence
from disjoin.verify.counting.bounds import Index
from disjoin.verify.counting.forests import FREE, Subrecords
from disjoin.verify.forest import Forest
from oracle.inspection import canonical, node_key
from unit.verify.forests import chunk, honest, joint, leaf

Row = tuple[int, ...]
Chunk = dict[Row, int]  # subrecords and how often they count
TERMS = 6


def drawn(random: Random) -> list[Chunk]:
    """Two or three chunks of a few subrecords, ascending."""
    found = []
    for _ in range(random.randint(2, 3)):
        rows = {tuple(sorted(random.sample(range(TERMS), random.randint(1, 4)))) for _ in range(random.randint(1, 7))}
        found.append({row: random.choice([1, 1, 2, 4]) for row in sorted(rows)})
    return found


def bags_of(chunks: list[Chunk]) -> tuple[Any, ...]:
    """Return subrecord_offsets, item_offsets, items and counts."""
    rows = [row for each in chunks for row in each]
    counts = [count for each in chunks for count in each.values()]
    items = np.array([item for row in rows for item in row], dtype=np.int32)
    return offsets_of([len(each) for each in chunks]), offsets_of([len(row) for row in rows]), items, np.array(counts)


def support(of: Chunk, items: Row) -> int:
    return sum(count for row, count in of.items() if set(items) <= set(row))


def occurring(of: Chunk, m: int) -> list[Row]:
    return sorted({items for row in of for size in range(1, m + 1) for items in combinations(row, size)})


SEEDS = range(40)


# ------------------------------------------------------------------ rare itemsets


def rare_in(of: Chunk, k: int, m: int) -> list[Row]:
    """Return the rare itemsets whose prefixes are not rare."""
    return [
        items
        for items in occurring(of, m)
        if support(of, items) < k and all(support(of, items[:size]) >= k for size in range(1, len(items)))
    ]


def forest_of(chunks: list[Chunk]) -> Forest:
    letters = "abcdef"
    record_chunks = [chunk({"".join(letters[item] for item in row): count for row, count in c.items()}) for c in chunks]
    tree = {"size": 99, "record_chunks": record_chunks, "term_chunk": list(letters)}
    return Forest.of(Clusters.from_nested([tree]))


@pytest.mark.parametrize("breath", [1, 7, 1 << 30])
@pytest.mark.parametrize("seed", SEEDS)
def test_rare_itemsets_are_found_counted_and_the_worst_is_shown(
    monkeypatch: pytest.MonkeyPatch, seed: int, breath: int
) -> None:
    monkeypatch.setattr(itemsets, "BREATH", breath)
    random = Random(seed)
    chunks, k, m = drawn(random), random.randint(2, 5), random.randint(2, 4)
    (found, least, length), examples = find_rare(forest_of(chunks), np.arange(len(chunks)), k, m)
    for at, each in enumerate(chunks):
        rare = rare_in(each, k, m)
        assert found[at] == len(rare)
        if rare:
            worst = min((support(each, items), len(items)) for items in rare)
            assert (least[at], length[at]) == worst
            assert support(each, tuple(examples[at, : length[at]].tolist())) == worst[0]


def test_the_first_of_equally_rare_itemsets_is_shown() -> None:
    (found, _, _), examples = find_rare(forest_of([{(0,): 3, (1,): 1, (2,): 1}]), np.array([0]), 2, 2)
    assert (found.tolist(), examples[0, 0]) == ([2], 1)


def test_combinations_of_a_huge_number_of_terms_are_counted_at_once() -> None:
    assert combinations_of(3, 1 << 40) == 7


def searched(chunks: list[Chunk], k: int, most: int, **more: Any) -> bool:
    """Search for rare pairs; return whether that came to an end."""
    forest = forest_of(chunks)
    room = 200
    tables = tuple(np.zeros((rows, room), dtype=np.int64) for rows in (3, 4, 3, 4))
    found = (np.zeros((3, len(chunks)), np.int64), np.zeros((len(chunks), 2), np.int32), np.empty(2, np.int32))
    return itemsets.search(np.arange(len(chunks)), forest.bags, k, tables, found, most, **more)


def test_steps_are_the_suffixes_that_are_read_and_their_terms() -> None:
    """Two subrecords of two terms are 6 steps; behind the first term there are two suffixes of one term."""
    alone = [{(0, 1): 1, (2, 3): 1}]
    assert [searched(alone, 3, most) for most in (6, 7)] == [False, True]
    common = [{(0, 1): 1, (0, 2): 1}]
    assert [searched(common, 2, most) for most in (10, 11)] == [False, True]
    assert [searched([*common, *common], 2, most) for most in (20, 21)] == [False, True]


def test_a_search_for_one_stops_after_the_first() -> None:
    several = [{(0, 1): 1, (2, 3): 1}] * 5
    assert searched(several, 2, 1000)
    assert searched(several[:1], 2, 1000, one=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(itemsets, "FIRST_BREATH", 1)
        assert not searched(several, 2, 1000, one=True)
        patched.setattr(itemsets, "BREATH", 1)
        assert searched(several, 2, 1000)


# ------------------------------------------------------------------ terms that others tell


def told_in(of: Chunk, size: int, m: int, share: int, whole: int) -> list[tuple[Row, int]]:
    """Return the known terms and the term that they tell."""
    return [
        (known, term)
        for known in [(), *occurring(of, m)]
        for term in range(TERMS)
        if term not in known
        and (both := support(of, (*known, term)))
        and both * whole >= share * (support(of, known) if known else size)
    ]


@pytest.mark.parametrize("breath", [1, 7, 1 << 30])
@pytest.mark.parametrize("seed", SEEDS)
def test_terms_that_others_tell_are_counted_and_the_first_is_shown(
    monkeypatch: pytest.MonkeyPatch, seed: int, breath: int
) -> None:
    monkeypatch.setattr(rule_confidence, "BREATH", breath)
    random = Random(seed)
    chunks, m = drawn(random), random.randint(1, 3)
    sizes = np.array([random.choice([sum(each.values()), 99]) for each in chunks])
    told, examples, is_done = rule_confidence.look_for_covers(
        np.arange(len(chunks)), bags_of(chunks), sizes, (m, 3, 4), TERMS
    )
    assert is_done
    for at, each in enumerate(chunks):
        expected = told_in(each, int(sizes[at]), m, 3, 4)
        count, with_it, of, length = told[:, at].tolist()
        assert count == len(expected)
        if expected:
            known, term = tuple(examples[at, :length].tolist()), int(examples[at, length])
            assert (known, term) in expected
            assert with_it == support(each, (*known, term))
            assert of == (support(each, known) if known else sizes[at])
            assert bool(known) == all(telling for telling, _ in expected)  # without known terms first


def test_covers_take_the_subrecords_that_are_read_and_their_terms_as_steps() -> None:
    """Two terms in one subrecord: 3 steps without known terms, 3 with each."""
    one = [{(0, 1): 1}]
    for steps, chunks in ((9, one), (18, [*one, *one])):
        sizes = np.full(len(chunks), 9)
        given = (np.arange(len(chunks)), bags_of(chunks), sizes, (1, 1, 1), TERMS)
        assert [rule_confidence.look_for_covers(*given, most)[2] for most in (steps, steps + 1)] == [False, True]


# ------------------------------------------------------------------ equal rows and order


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_equal_row_is_found_in_a_crowded_table(seed: int) -> None:
    random = Random(seed)
    rows = [tuple(sorted(random.sample(range(4), random.randint(0, 3)))) for _ in range(15)]
    keys = [random.randint(0, 1) for _ in rows]
    items = np.array([item for row in rows for item in row], dtype=np.int32)
    found = equal_records.first_equal(
        np.array(keys), offsets_of([len(r) for r in rows]), items, np.full(16, -1, np.int32)
    )
    both = list(zip(keys, rows, strict=True))
    assert found.tolist() == [both.index(each) for each in both]


def sign(one: Any, other: Any) -> int:
    return (one > other) - (one < other)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_and_chunks_are_compared_as_lists(seed: int) -> None:
    random = Random(seed)
    chunks = [*drawn(random), *drawn(random)]
    chunks += [{**chunks[0], next(iter(chunks[0])): 3}, dict(list(chunks[0].items())[:1]), chunks[0]]
    bags = bags_of(chunks)
    rows = [row for each in chunks for row in each]
    starts = bags[1].tolist()
    for a, b in [(random.randrange(len(rows)), random.randrange(len(rows))) for _ in range(30)]:
        found = forests.compare_rows(bags[2], starts[a], starts[a + 1], starts[b], starts[b + 1])
        assert sign(found, 0) == sign(rows[a], rows[b])
    written = [[row for row, count in each.items() for _ in range(count)] for each in chunks]
    for a in range(len(chunks)):
        for b in range(len(chunks)):
            assert sign(forests.compare_bags(a, b, bags), 0) == sign(written[a], written[b])
    out = [at > 0 and written[at - 1] > written[at] for at in range(len(chunks))]
    assert forests.chunks_out_of_order(np.array([0, len(chunks)]), bags).tolist() == out


def test_the_first_row_that_does_not_ascend_is_found() -> None:
    rows = [(1,), (0,), (0,), (2,), (3,), (0,), (1,)]
    items = np.array([item for row in rows for item in row], dtype=np.int32)
    found = forests.first_not_ascending(np.array([0, 4, 5, 7]), offsets_of([1] * 7), items)
    assert found.tolist() == [1, -1, -1]


@pytest.mark.parametrize("seed", SEEDS)
def test_leaves_have_the_order_of_their_sizes_chunks_and_term_chunks(seed: int) -> None:
    random = Random(seed)
    bags = [{"a": 2}, {"a": 2, "b": 2}, {"a": 2, "ab": 2}, {"c": 2}, {"a": 3}]
    for _ in range(4):
        one, other = (
            canonical([leaf(random.choice([4, 4, 5]), random.sample(bags, random.randint(0, 2)), terms)])[0]
            for terms in random.choices(["t", "u", "tu", ""], k=2)
        )
        verdict = check(Clusters.from_nested([one, other]), KmAnonymity(2, 1))
        is_out_of_order = any(v.invariant == "V12" and "chunk" not in v.place for v in verdict.violations)
        assert is_out_of_order == (node_key(one) > node_key(other))


# ------------------------------------------------------------------ records cut into subrecords


def subsets() -> list[Row]:
    return [items for size in (1, 2, 3, 4) for items in combinations(range(TERMS), size)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subrecord_is_found_in_its_own_chunk_only(seed: int) -> None:
    chunks = drawn(Random(seed))
    subrecord_offsets, item_offsets, items, _ = bags_of(chunks)
    bags = Subrecords(subrecord_offsets, item_offsets, items, np.full(64, FREE, dtype=np.int32))
    rows = [(at, row) for at, each in enumerate(chunks) for row in each]
    for s, (at, row) in enumerate(rows):  # as if all chunks were large, and most of the table taken
        place = forests._place(at, np.array(row, dtype=np.int32), 0, len(row), 64)
        while bags.table[place] != FREE:
            place = (place + 1) & 63
        bags.table[place] = s
    crowded = bags._replace(table=np.resize(np.arange(len(rows), dtype=np.int32), 16))
    for at in range(len(chunks)):
        for wanted in subsets():
            expected = rows.index((at, wanted)) if (at, wanted) in rows else -1
            piece = np.array([*wanted, 0, 0], dtype=np.int32)
            assert forests.find_subrecord(at, piece, len(wanted), bags) == expected
            assert forests._look_up(at, piece, len(wanted), bags) == expected
            assert forests._look_up(at, piece, len(wanted), crowded) == expected


@pytest.mark.parametrize("seed", range(60))
def test_records_are_found_in_what_was_made_from_them(seed: int) -> None:
    records, trees, parts = honest(Random(seed))
    published, data = Clusters.from_nested(trees), Transactions.from_sets(records)
    verdict = check(published, KmAnonymity(2, 1), original=data, part_of_record=np.array(parts))
    assert {violation.invariant for violation in verdict.violations if violation.invariant[0] == "O"} == set()


def test_small_chunks_next_to_large_ones_are_searched() -> None:
    """Two chunks are just large enough to be looked up by hash; before them are a small one and one almost as large."""
    lengths = {"a": 3, "b": forests.LARGE, "c": forests.LARGE + 1, "d": forests.LARGE + 2}
    chunks = [[f"{letter}{number:02}" for number in range(length)] for letter, length in lengths.items()]
    records = [{chunk[row % len(chunk)] for chunk in chunks} for row in range(3 * forests.LARGE + 3)]
    counted = [{term: sum(term in record for record in records) for term in each} for each in chunks]
    subrecords = [{"subrecords": [[[term], count] for term, count in sorted(each.items())]} for each in counted]
    tree = {"size": len(records), "record_chunks": subrecords, "term_chunk": []}
    published, parts = Clusters.from_nested(canonical([tree])), np.zeros(len(records), dtype=np.int64)

    def broken(given: list[set[str]]) -> set[str]:
        data = Transactions.from_sets(given)
        verdict = check(published, KmAnonymity(2, 1), original=data, part_of_record=parts)
        return {violation.invariant for violation in verdict.violations if violation.invariant[0] == "O"}

    assert broken(records) == set()
    assert broken([records[0] | {"c05"}, *records[1:]]) == {"O3"}


def test_the_first_term_without_a_place_is_shown() -> None:
    data = Transactions.from_sets([{"a", "y", "z"}, {"a", "x"}])
    verdict = check(
        Clusters.from_nested([leaf(2, [{"b": 2}])]), KmAnonymity(2, 1), original=data, part_of_record=[0, 0]
    )
    (example,) = [violation.example for violation in verdict.violations if violation.invariant == "O2"]
    assert example == ("a",)


# ------------------------------------------------------------------ supports


def test_a_place_in_a_list_is_found_from_anywhere() -> None:
    rows = np.array([1, 2, 4, 7, 8, 9, 15, 16, 30])
    for start in range(rows.size):
        for end in range(start, rows.size + 1):
            for row in range(32):
                expected = next((at for at in range(start, end) if rows[at] >= row), end)
                assert bounds._seek(rows, start, end, row) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_with_all_chosen_items_are_weighed(seed: int) -> None:
    random = Random(seed)
    lists = [sorted(random.sample(range(12), random.randint(1, 10))) for _ in range(4)]
    weights = [random.randint(1, 5) for _ in range(12)]
    index = Index(np.array(weights), offsets_of([len(each) for each in lists]), np.concatenate(lists))
    for _ in range(20):
        itemset = random.sample(range(4), random.randint(1, 3))
        chosen = random.randrange(1, 2 ** len(itemset))
        first = random.randint(0, 12)
        end = random.randint(first, 12)
        wanted = [lists[item] for bit, item in enumerate(itemset) if chosen >> bit & 1]
        expected = sum(weights[row] for row in range(first, end) if all(row in each for each in wanted))
        found = bounds.weight_between(np.array(itemset), chosen, (first, end), index, np.zeros(3, np.int64))
        assert found == expected


def test_a_table_of_rows_is_at_least_half_free() -> None:
    assert [equal_records.places_for(rows).size >= 2 * rows for rows in (0, 1, 8, 9, 100)] == [True] * 5
    assert equal_records.places_for(0).size > 0


def test_joints_are_ordered_by_kind_and_chunks_before_what_is_below_them() -> None:
    def pair(shared: list[dict[str, int]], term: str) -> Any:
        return joint([leaf(2, [{term: 2}], "t"), leaf(2, [{term: 2}], "u")], shared)

    trees = [
        leaf(4, [{"z": 4}], "t"),
        leaf(4, [{"a": 4}], "t"),
        pair([{"s": 2}], "z"),
        pair([{"s": 2}, {"t": 2}], "a"),
        pair([{"s": 2}, {"v": 2}], "z"),
        pair([{"a": 2}], "z"),
    ]
    for one, other in permutations(trees, 2):
        verdict = check(Clusters.from_nested([one, other]), KmAnonymity(2, 1))
        is_out_of_order = any(v.invariant == "V12" and "chunk" not in v.place for v in verdict.violations)
        assert is_out_of_order == (node_key(one) > node_key(other))
