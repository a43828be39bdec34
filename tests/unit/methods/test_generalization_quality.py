"""What local search keeps of a table: the two bars on Adult, the most that can be kept, and tables at the edge."""

import csv
import functools
import gzip
from itertools import combinations

import numpy as np
import pytest
from benchmarks import most_kept
from hypothesis import given, settings
from hypothesis import strategies as st

from disjoin.methods.generalization import Generalization
from disjoin.methods.generalization import local_search as pricing
from disjoin.methods.generalization.encoding import encoded
from disjoin.methods.generalization.local_search import largest_part, local_search
from disjoin.methods.generalization.requirements import asked_of, roles_of
from disjoin.model import Hierarchy, Role, Table
from disjoin.readers.hierarchies import read_hierarchy

SIX = ("age", "education", "marital-status", "occupation", "sex", "native-country")
EIGHT = (*SIX, "race", "workclass")


def quasi(columns, hierarchies=None):
    table = Table.from_columns(columns, dict.fromkeys(columns, Role.QUASI_IDENTIFIER))
    return table.with_hierarchies(hierarchies or {})


def searched(table, **settings):
    rows = encoded(table, roles_of(table))
    return rows, local_search(rows, Generalization(algorithm="local-search", **settings))


def granularity_kept(rows, found):
    lost = [
        (tree.leaf_counts[found.vectors[found.class_of_row, a]] - 1).mean() / (tree.n_leaves - 1)
        for a, tree in enumerate(rows.hierarchies)
    ]
    return 1 - np.mean(lost)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "bar"), [(SIX, 0.96), (EIGHT, 0.94)])
def test_at_least_as_much_is_kept_of_adult_as_arx_keeps(datasets, columns, bar):
    with gzip.open(datasets / "adult_arx.csv.gz", "rt", encoding="utf-8") as stream:
        records = list(csv.DictReader(stream, delimiter=";"))
    hierarchies = {name: read_hierarchy(datasets / f"adult_hierarchy_{name}.csv.gz") for name in columns}
    table = quasi({name: [record[name] for record in records] for name in columns}, hierarchies)
    rows, found = searched(table, k=5)
    assert granularity_kept(rows, found) >= bar
    assert np.bincount(found.class_of_row).min() >= 5


def test_rows_that_are_all_equal_stay_as_they_are():
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"]])
    rows, found = searched(quasi({"x": ["a"] * 7}, {"x": tree}), k=3)
    assert granularity_kept(rows, found) == 1
    assert len(found.vectors) == 1


@pytest.mark.parametrize("demands", [{"k": 3}, {"k": 3, "l": 2}])
def test_retries_lose_less_and_leave_no_class_too_small(demands):
    tree = Hierarchy.from_rows([[str(i), f"{i // 2}s", f"{i // 4}d", "*"] for i in range(12)])
    draw = np.random.default_rng(0)
    columns = {name: [str(value) for value in draw.integers(12, size=60)] for name in "abc"}
    roles = dict.fromkeys("abc", Role.QUASI_IDENTIFIER) | {"s": Role.SENSITIVE}
    table = Table.from_columns(columns | {"s": [str(value) for value in draw.integers(3, size=60)]}, roles)
    table = table.with_hierarchies(dict.fromkeys("abc", tree))
    rows, once = searched(table, **demands)
    _, again = searched(table, **demands, retries=6)
    assert granularity_kept(rows, again) > granularity_kept(rows, once)
    pairs = {(int(number), int(value)) for number, (value,) in zip(again.class_of_row, rows.sensitive, strict=True)}
    assert np.bincount(again.class_of_row).min() >= 3
    assert np.bincount([number for number, _ in pairs]).min() >= demands.get("l", 1)


def test_as_many_rows_as_k_are_one_class():
    tree = Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]])
    rows, found = searched(quasi({"x": ["a", "b", "a"]}, {"x": tree}), k=3)
    assert [rows.hierarchies[0].names[node].as_py() for node in found.vectors[0]] == ["ab"]


def test_numbers_that_all_differ_form_the_closest_classes():
    table = quasi({"age": ["1", "2", "3", "50", "51", "90", "91"]})
    rows, found = searched(table, k=2)
    groups = {}
    for leaf, number in zip(rows.leaves[:, 0].tolist(), found.class_of_row.tolist(), strict=True):
        groups.setdefault(number, []).append(rows.hierarchies[0].names[leaf].as_py())
    assert sorted(groups.values()) == [["1", "2", "3"], ["50", "51"], ["90", "91"]]


def test_a_missing_number_is_far_from_every_number():
    rows, found = searched(quasi({"age": ["1", "?", "100", "?", "2", "99"]}), k=2)
    names = rows.hierarchies[0].names.to_pylist()
    alone = found.class_of_row[[names[leaf] == "?" for leaf in rows.leaves[:, 0]]]
    assert alone[0] == alone[1]
    assert np.bincount(found.class_of_row).tolist() == [2, 2, 2]


def test_a_large_surplus_lends_a_row_rather_than_joining():
    tree = Hierarchy.from_rows([["a", "*"], ["b", "*"], ["c", "*"]])
    _, found = searched(quasi({"x": ["a"] * 9 + ["b"]}, {"x": tree}), k=3)
    assert sorted(np.bincount(found.class_of_row).tolist()) == [3, 7]


def test_spans_cost_the_same_with_a_table_and_without(monkeypatch):
    draw = np.random.default_rng(6)
    codes = draw.integers(0, 40, size=(300, 2))
    tree = Hierarchy.from_rows([[f"{i:02}", f"p{i // 3}", f"q{i // 12}", "*"] for i in range(48)])
    table = quasi({f"c{j}": [f"{code:02}" for code in codes[:, j]] for j in range(2)}, {"c0": tree, "c1": tree})
    _, with_table = searched(table, k=4)
    monkeypatch.setattr(pricing, "LARGEST_TABLE", 0)
    _, without = searched(table, k=4)
    assert with_table.class_of_row.tolist() == without.class_of_row.tolist()
    assert with_table.vectors.tolist() == without.vectors.tolist()


def test_losses_that_do_not_fit_one_scale_are_rounded():
    primes = (101, 103, 107, 109, 113, 127, 131, 137, 139)
    names = [f"c{prime}" for prime in primes]
    trees = {
        name: Hierarchy.from_rows([[f"{i:03}", "*"] for i in range(prime + 1)])
        for name, prime in zip(names, primes, strict=True)
    }
    table = quasi({name: [f"{i % 3:03}" for i in range(12)] for name in names}, trees)
    rows, found = searched(table, k=4)
    assert granularity_kept(rows, found) == 1


def random_numbers(rows, columns, most=10**6):
    draw = np.random.default_rng(1)
    return quasi({f"c{j}": [str(number) for number in draw.integers(most, size=rows)] for j in range(columns)})


def largest_part_of(table, **asked):
    rows = encoded(table, roles_of(table))
    return largest_part(pricing.priced(rows), asked_of(Generalization(**asked), rows).demands)


@pytest.mark.parametrize(
    ("rows", "columns", "most", "largest"),
    [(3_000, 8, 10**6, 2_048), (3_000, 5, 10**6, 8_192), (3_000, 8, 100, 8_192)],
)
def test_a_table_of_many_fine_numbers_is_searched_in_small_parts(rows, columns, most, largest):
    table = random_numbers(rows, columns, most)
    assert largest_part_of(table) == largest


def test_a_search_for_diverse_classes_has_more_rows_to_choose_from():
    draw = np.random.default_rng(2)
    columns = {name: [str(value) for value in draw.integers(9, size=60)] for name in ("age", "illness")}
    table = Table.from_columns(columns, {"age": Role.QUASI_IDENTIFIER, "illness": Role.SENSITIVE})
    assert largest_part_of(table, l=2) == 4 * largest_part_of(table)


def intervals_kept(table, found):
    """One minus the mean share of a column's range that the interval of a row's class takes, with numbers alone."""
    numbers = np.array([[int(value) for value in column] for column in table], dtype=np.float64)
    kept = []
    for column in numbers:
        lows = np.full(len(found.vectors), np.inf)
        highs = -lows
        np.minimum.at(lows, found.class_of_row, column)
        np.maximum.at(highs, found.class_of_row, column)
        kept.append(1 - ((highs - lows)[found.class_of_row] / (column.max() - column.min())).mean())
    return np.mean(kept)


@pytest.mark.slow
def test_small_parts_of_many_fine_numbers_keep_nearly_as_much_as_the_whole(monkeypatch):
    rows, whole = searched(random_numbers(1_000, 8), k=5)
    numbers = [
        [tree.names[leaf].as_py() for leaf in rows.leaves[:, a].tolist()] for a, tree in enumerate(rows.hierarchies)
    ]
    monkeypatch.setattr("disjoin.methods.generalization.local_search.largest_part", lambda *_: 512)
    _, parts = searched(random_numbers(1_000, 8), k=5)
    assert len(parts.vectors) != len(whole.vectors) or (parts.vectors != whole.vectors).any()
    assert intervals_kept(numbers, parts) >= intervals_kept(numbers, whole) - 0.01


def partitions(rows, k):
    """Return all ways to put rows into classes of at least k."""
    if not rows:
        yield []
    first, others = rows[:1], rows[1:]
    for size in range(k - 1, len(others) + 1):
        for chosen in combinations(others, size) if rows else ():
            for rest in partitions([row for row in others if row not in chosen], k):
                yield [[*first, *chosen], *rest]


def least_loss(rows, k, stars=0):
    """Return the least sum of losses of all classes of the rows that are not starred, by trying them all."""
    scale, found = pricing.scale_of(rows), []
    for starred in range(stars + 1):
        for kept in combinations(range(len(rows)), len(rows) - starred):
            for classes in partitions(list(kept), k):
                found.append(sum(len(one) * loss_of(rows, one, scale) for one in classes))
    return min(found)


def loss_of(rows, members, scale):
    """Return what each row of a class loses."""
    total = 0
    for a, tree in enumerate(rows.hierarchies):
        node = functools.reduce(tree.common_ancestor, rows.leaves[members, a])
        total += int(tree.leaf_counts[node] - 1) * scale // (tree.n_leaves - 1)
    return total


TINY = Hierarchy.from_rows([["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"], ["e", "e", "*"]])


@given(
    st.lists(st.tuples(*[st.sampled_from("abcde")] * 2), min_size=3, max_size=5),
    st.lists(st.integers(0, 8), min_size=5, max_size=5),
    st.integers(2, 3),
)
@settings(max_examples=8, deadline=None)
def test_no_classes_lose_less_than_prices_prove(records, prices, k):
    table = quasi(dict(zip("xy", zip(*records, strict=True), strict=True)), {"x": TINY, "y": TINY})
    rows = encoded(table, roles_of(table))
    cells, least = most_kept.cells_of(rows, k, 8), least_loss(rows, k)
    prices = np.array(prices[: cells.counts.size])
    assert most_kept.bound(cells, prices)[0] <= least
    assert most_kept.bound(cells, prices)[0] - int(prices.max()) <= least_loss(rows, k, stars=1)
    alone = most_kept.cheapest_cells(cells, 8)
    found, better = most_kept.better_prices(cells, alone, 8, least, 30)
    assert cells.counts @ alone <= found == most_kept.bound(cells, better)[0] <= least


def test_prices_prove_more_than_rows_one_by_one():
    table = quasi({"x": ["a", "a", "b", "c", "c"]}, {"x": TINY})  # b needs an a, and the other a needs them then
    rows = encoded(table, roles_of(table))
    cells = most_kept.cells_of(rows, 2, 4)
    alone = most_kept.cheapest_cells(cells, 4)
    by_prices, _ = most_kept.better_prices(cells, alone, 4, 3, 60)
    assert (cells.counts @ alone, by_prices, least_loss(rows, 2)) == (1, 2, 3)
