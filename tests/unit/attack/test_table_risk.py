"""Whom a table singles out, against a slow twin and by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.arrays import row_classes
from disjoin.attack.table_risk import Exposure, TableRisk, table_risk
from disjoin.errors import InvalidParameter
from disjoin.model import Table
from helpers.hypothesis_profile import examples
from oracle import table_utility as twin

QUASI = ["age", "sex", "town", "job"]
rows_drawn = st.lists(
    st.fixed_dictionaries({**{name: st.sampled_from("abc") for name in QUASI}, "ill": st.sampled_from("uvwx")}),
    min_size=1,
    max_size=25,
)


def table(rows: list[twin.Row]) -> Table:
    return Table.from_columns({name: [row[name] for row in rows] for name in (*QUASI, "ill")})


def told(risk: TableRisk) -> dict[tuple[str, ...], tuple[int, int]]:
    return {found.columns: (found.unique_rows, found.classes) for found in risk.known}


@examples(100)
@given(rows_drawn, st.integers(1, 6))
def test_every_set_of_columns_is_examined_as_the_twin_does(rows: list[twin.Row], largest: int) -> None:
    risk = table_risk(table(rows), QUASI, "ill", largest)
    assert told(risk) == twin.risks(rows, QUASI, largest)
    assert all(found.rows == len(rows) for found in risk.known)
    without = twin.risks(rows, QUASI, 3)
    for name, found in zip(QUASI, risk.without, strict=True):
        assert (found.unique_rows, found.classes) == without[tuple(other for other in QUASI if other != name)]


@examples(100)
@given(rows_drawn)
def test_k_l_and_alpha_are_what_the_twin_finds_for_all_columns(rows: list[twin.Row]) -> None:
    risk = table_risk(table(rows), QUASI, ["ill"])
    sizes = sorted(len(members) for members in twin.classes_of(rows, QUASI))
    assert risk.sizes.tolist() == sizes
    assert risk.k == sizes[0]
    [found] = risk.diversity
    distinct, entropy_l, alpha = twin.diversity(rows, QUASI, "ill")
    assert (found.l, found.alpha) == (distinct, alpha)
    assert found.entropy_l == pytest.approx(entropy_l)


@examples(40)
@given(rows_drawn)
def test_the_worst_come_first_and_who_knows_more_finds_no_fewer(rows: list[twin.Row]) -> None:
    known = table_risk(table(rows), QUASI, largest=4).known
    assert [(-f.unique_rows, -f.classes) for f in known] == sorted((-f.unique_rows, -f.classes) for f in known)
    for one in known:
        for other in known:
            if set(one.columns) < set(other.columns):
                assert one.unique_rows <= other.unique_rows
                assert one.classes <= other.classes


@examples(40)
@given(rows_drawn, st.sampled_from([2, 9, 1 << 62]), st.sampled_from([0, 4]))
def test_how_keys_are_packed_and_counted_does_not_matter(rows: list[twin.Row], largest_key: int, room: int) -> None:
    expected = table_risk(table(rows), QUASI, "ill")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_classes, "LARGEST_KEY", largest_key)
        patch.setattr(row_classes, "_ROOM", room)
        found = table_risk(table(rows), QUASI, "ill")
    assert (found.known, found.diversity, found.sizes.tolist()) == (
        expected.known,
        expected.diversity,
        expected.sizes.tolist(),
    )


def test_values_that_no_row_has_are_ignored() -> None:
    whole = table([dict(zip((*QUASI, "ill"), row, strict=True)) for row in ("abcau", "abcav", "bbbbu")])
    part = Table(whole.schema, tuple(codes[:2] for codes in whole.codes), whole.values)
    risk = table_risk(part, QUASI, "ill")
    assert risk.whole == Exposure(tuple(QUASI), 2, 0, 1, 2)
    assert risk.diversity[0].l == 2


def test_risk_is_one_row_of_a_class_in_the_mean() -> None:
    risk = table_risk(Table.from_columns({"sex": ["m"] * 3 + ["f"]}), "sex")
    assert risk.whole.mean_risk == 0.5  # three rows with a chance of 1/3, one with 1
    assert risk.whole.unique_share == 0.25
    assert risk.without == ()


def test_the_largest_share_is_exact_among_many_classes() -> None:
    generator = np.random.default_rng(1)
    towns, ills = generator.integers(0, 40, 400).tolist(), generator.integers(0, 3, 400).tolist()
    risk = table_risk(Table.from_columns({"town": towns, "ill": ills}), "town", "ill")
    rows = [{"town": str(t), "ill": str(i)} for t, i in zip(towns, ills, strict=True)]
    assert risk.diversity[0].alpha == twin.diversity(rows, ["town"], "ill")[2]
    assert Counter(towns).most_common()[-1][1] == risk.k


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"quasi": []}, "quasi must name at least one column"),
        ({"quasi": ["age", "size"]}, "there is no column 'size'"),
        ({"quasi": ["age", "age"]}, "quasi names a column twice: age, age"),
        ({"quasi": ["age"], "sensitive": "age"}, "a column has one role, 'age' is named twice"),
        ({"quasi": ["age"], "largest": 0}, "largest must be a whole number of at least 1"),
    ],
)
def test_mistakes_are_one_sentence(named: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        table_risk(Table.from_columns({"age": ["7"], "ill": ["flu"]}), **named)


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(InvalidParameter, match="the table has no rows"):
        table_risk(Table.from_columns({"age": []}), "age")
