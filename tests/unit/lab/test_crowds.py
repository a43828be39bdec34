"""Groups for experiments: fair draws, orders that differ in nothing else, and figures that can be checked by hand."""

from __future__ import annotations

import re

import numpy as np
import pytest

from disjoin.advise.results import Rows
from disjoin.lab.cahd import (
    ANATOMY,
    AT_RANDOM,
    BY_CONTENT,
    ONE_GROUP,
    FormingGroups,
    bandwidth_in_file,
    drawn_items,
    groups_formed,
    share_left_over,
)
from disjoin.lab.drawing import density
from disjoin.lab.experiment import Experiment
from disjoin.lab.page import section_of
from disjoin.methods.cahd import ORDERS
from disjoin.model import Groups, Transactions


@pytest.fixture
def records() -> Transactions:
    draw = np.random.default_rng(5)
    return Transactions.from_sets([{f"i{item}" for item in draw.choice(30, 3, replace=False)} for _ in range(200)])


def test_a_draw_allows_the_largest_p_and_is_the_same_for_a_seed(records: Transactions) -> None:
    drawn = [drawn_items(records, 3, 8, seed) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    supports = dict(zip(records.vocabulary.to_pylist(), records.supports().tolist(), strict=True))
    assert all(supports[item] * 8 <= len(records) for item in drawn[0])


@pytest.mark.parametrize("order", [*ORDERS, BY_CONTENT, AT_RANDOM, ONE_GROUP])
def test_every_order_gives_groups_of_the_same_records_with_the_degree(records: Transactions, order: str) -> None:
    sensitive = drawn_items(records, 3, 8, 1)
    groups = groups_formed(records, sensitive, FormingGroups(4, order=order), seed=1)
    assert groups.n_records == len(records)
    assert groups.sensitive_terms() == sensitive
    sizes = np.repeat(groups.sizes, np.diff(groups.sensitive_offsets))
    assert (groups.sensitive_counts * 4 <= sizes).all()
    assert (len(groups) == 1) == (order == ONE_GROUP)


def test_groups_by_sensitive_items_alone_have_the_degree_and_do_not_depend_on_ordinary_items(
    records: Transactions,
) -> None:
    sensitive = drawn_items(records, 3, 8, 1)
    renamed = Transactions.from_sets([{t if t in sensitive else f"x{t}" for t in r} for r in records.to_sets()])
    how = FormingGroups(4, grouping=ANATOMY)
    groups, others = (groups_formed(data, sensitive, how, seed=1) for data in (records, renamed))
    sizes = np.repeat(groups.sizes, np.diff(groups.sensitive_offsets))
    assert (groups.sensitive_counts * 4 <= sizes).all()
    assert groups.n_records == len(records)
    assert (groups.sizes == others.sizes).all()
    assert groups != groups_formed(records, sensitive, FormingGroups(4), seed=1)


def test_a_random_order_is_that_of_its_seed(records: Transactions) -> None:
    sensitive = drawn_items(records, 3, 8, 1)
    first, again, other = (groups_formed(records, sensitive, FormingGroups(4, order=AT_RANDOM), s) for s in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_share_left_over_counts_occurrences_in_larger_groups() -> None:
    tea = [["tea"], 4]
    groups = Groups.from_nested(
        [{"records": [tea], "sensitive": {"pills": 1}}, {"records": [tea, tea], "sensitive": {"pills": 2, "drops": 1}}]
    )
    assert share_left_over(groups, 4) == 0.75


@pytest.mark.parametrize(("letters", "band"), [("abcde", 1.0), ("edcba", 9.0), ("bacde", 3.0)])
def test_the_bandwidth_in_the_file_is_that_of_its_order(letters: str, band: float) -> None:
    data = Transactions.from_sets([{letter, "aa"} if letter == "c" else {letter} for letter in letters])
    assert bandwidth_in_file(data, ("aa",)) == band


def test_a_picture_has_a_rectangle_for_every_run_of_one_shade() -> None:
    grids = {"mine": [[0, 9, 9, 0], [2, 0, 0, 0]], "other": [[9, 9, 9, 9], [9, 9, 9, 9]]}
    chart = density("Mine", "mine", grids, (2, 4))
    assert re.findall('d="(M[^"]+)"', chart.body)[1:] == ["M0 1h1v1h-1z", "M1 0h2v1h-2z"]  # after the background
    assert "38% of the picture" in chart.description


def test_a_table_shows_the_spread_beside_its_value_and_only_settings_of_what_it_shows() -> None:
    rows: Rows = [
        {"data": "d", "records": 9, "terms": 3, "p": p, "order": order, "measure": measure, "value": value}
        for p in (4, 6)
        for order in ("one", "two")
        for measure, value in (("kl", p / 10), ("kl spread", 0.01))
        if (p, order, measure) != (6, "two", "kl spread")
    ]
    rows.append({**rows[0], "line": 7, "measure": "hidden"})
    experiment = Experiment(
        "x", "X", "X?", lambda s, q: [], lambda d, s: {}, lambda r: {}, shown=("kl",), across="order"
    )
    page = section_of(experiment, rows, {"quick": False, "date": "", "machine": "", "version": ""}, {})
    assert "| data | p | one | two |" in page
    assert "| d | 4 | 0.400 ± 0.010 | 0.400 ± 0.010 |" in page
    assert "| d | 6 | 0.600 ± 0.010 | 0.600 |" in page
