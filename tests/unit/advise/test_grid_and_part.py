"""What is tried on what: a grid that is born valid, and a part of the records that no order can change."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.advise.trial import Grid, SettingPoint, part_of
from disjoin.errors import InvalidParameter
from disjoin.model import Transactions
from helpers.hypothesis_profile import examples
from helpers.synthetic import baskets


def test_every_clustering_is_tried_with_every_k_and_m() -> None:
    grid = Grid(("core", "horpart"), (10, 5, 10), (3, 2))
    assert set(grid.points) == {
        SettingPoint(name, k, m) for name in ("core", "horpart") for k in (5, 10) for m in (2, 3)
    }
    assert len(grid.points) == 8


def test_all_are_measured_by_the_weakest_promise_of_the_grid() -> None:
    grid = Grid(ks=(20, 5), ms=(3, 2))
    assert grid.yardstick == (3, 5)
    assert grid.yardstick.alone == (3, 2)
    assert grid.paper == SettingPoint("horpart", 5, 2)


def test_m_is_named_only_where_there_are_several() -> None:
    assert Grid().name(SettingPoint("core", 20, 2)) == "core at k = 20"
    assert Grid(ms=(2, 3)).name(SettingPoint("core", 20, 3)) == "core at k = 20, m = 3"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ks": (1,)}, "k must be"),
        ({"ms": (0,)}, "m must be"),
        ({"ks": ()}, "no k to try"),
        ({"clusterings": ("auto",)}, "no clustering 'auto' to try. There are: horpart, core, core-horpart"),
        ({"l": 3}, "l needs sensitive terms"),
    ],
)
def test_a_grid_is_born_valid(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        Grid(**wrong)


@given(baskets(), st.integers(1, 30), st.randoms(use_true_random=False))
@examples(60)
def test_a_part_does_not_depend_on_the_order(records: list[list[str]], wanted: int, random: Any) -> None:
    part = Counter(part_of(Transactions.from_sets(records), wanted).to_sets())
    assert part.total() == min(wanted, len(records))
    assert part <= Counter(map(frozenset, records))
    random.shuffle(records)
    assert Counter(part_of(Transactions.from_sets(records), wanted).to_sets()) == part


def test_a_larger_part_has_the_smaller_one_in_it() -> None:
    data = Transactions.from_sets([[str(number % 7), str(number % 11)] for number in range(200)])
    small, large = (Counter(part_of(data, wanted).to_sets()) for wanted in (50, 100))
    assert small <= large


def test_equal_records_are_drawn_one_by_one() -> None:
    data = Transactions.from_sets([["tea"]] * 500 + [["jam"]] * 500)
    found = Counter(part_of(data, 100).to_sets())
    assert 20 < found[frozenset(["tea"])] < 80  # all or none of them, if equal records were one


def test_a_part_has_only_its_own_terms_and_keeps_what_is_sensitive() -> None:
    data = Transactions.from_sets([["tea"], ["jam"], ["rum"]] * 2).with_sensitive(["jam", "rum", "tea"])
    part = part_of(data, 1)
    assert part.n_terms == 1
    assert part.sensitive_terms() == tuple(part.vocabulary.to_pylist())


def test_a_part_has_at_least_one_record() -> None:
    with pytest.raises(InvalidParameter, match="records must be"):
        part_of(Transactions.from_sets([["tea"]]), 0)
