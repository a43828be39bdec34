from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter
from disjoin.model.table import Column, Role, Schema, Table

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)


@st.composite
def columns(draw: st.DrawFn) -> dict[str, list[str]]:
    rows = draw(st.integers(0, 8))
    names = draw(st.lists(words.filter(bool), unique=True, min_size=1, max_size=4))
    return {name: draw(st.lists(words, min_size=rows, max_size=rows)) for name in names}


def slow_codes(values: list[str]) -> tuple[list[int], list[str]]:
    distinct = sorted(set(values))
    return [distinct.index(value) for value in values], distinct


@given(columns())
def test_codes_are_ranks_in_code_point_order(given_columns: dict[str, list[str]]) -> None:
    table = Table.from_columns(given_columns)
    assert table.schema.names == tuple(given_columns)
    for name, values in given_columns.items():
        assert (table.codes_of(name).tolist(), table.values_of(name).to_pylist()) == slow_codes(values)
        assert table.codes_of(name).dtype == np.int32


@given(columns())
def test_a_column_comes_back_as_it_went_in(given_columns: dict[str, list[str]]) -> None:
    table = Table.from_columns(given_columns)
    assert {name: table.column(name).to_pylist() for name in given_columns} == given_columns
    assert len(table) == len(next(iter(given_columns.values())))


@given(columns())
def test_arrow_columns_and_lists_give_the_same_table(given_columns: dict[str, list[str]]) -> None:
    table = Table.from_columns(given_columns)
    for kind in (pa.string(), pa.large_string()):
        arrays = {name: pa.array(values, kind) for name, values in given_columns.items()}
        assert Table.from_columns(arrays) == table
    chunked = {name: pa.chunked_array([values[:1], values[1:]], pa.string()) for name, values in given_columns.items()}
    assert Table.from_columns(chunked) == table
    assert hash(Table.from_columns(chunked)) == hash(table)


def test_values_stay_as_written() -> None:
    table = Table.from_columns({"code": ["007", "7", "Nausea", "nausea"], "number": [7, 10, np.int64(9), 7]})
    assert table.column("code").to_pylist() == ["007", "7", "Nausea", "nausea"]
    assert table.values_of("number").to_pylist() == ["10", "7", "9"]


def test_columns_have_roles_and_are_found_by_them() -> None:
    table = Table.from_columns(
        {"name": ["Ann"], "age": ["30"], "town": ["Rome"], "illness": ["flu"], "note": ["-"]},
        {
            "name": Role.IDENTIFIER,
            "age": Role.QUASI_IDENTIFIER,
            "town": Role.QUASI_IDENTIFIER,
            "illness": Role.SENSITIVE,
        },
    )
    assert table.schema.with_role(Role.QUASI_IDENTIFIER) == ("age", "town")
    assert table.schema.with_role(Role.OTHER) == ("note",)
    changed = table.with_roles({"town": Role.OTHER})
    assert changed.schema.with_role(Role.OTHER) == ("town", "note")
    assert changed.column("town") == table.column("town")
    assert changed != table


def test_a_role_can_be_written_down_and_read_back() -> None:
    assert [Role(role.value) for role in Role] == list(Role)


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (lambda: Table.from_columns({"a": ["x"], "b": ["x", "y"]}), "must have 1 rows .* 'b' has 2"),
        (lambda: Table.from_columns({"": ["x"]}), "needs a name"),
        (lambda: Table.from_columns({"a": ["x"]}, {"b": Role.SENSITIVE}), "no column 'b'; the columns are 'a'"),
        (lambda: Table.from_columns({"a": ["x", None]}), "column 'a', row 1"),  # type: ignore[list-item]
        (lambda: Table.from_columns({"a": [True]}), "column 'a', row 0"),
        (lambda: Table.from_columns({"a": pa.array(["x", None])}), "missing values"),
        (lambda: Table.from_columns({"a": pa.array([7])}), "found int64; convert"),
        (lambda: Schema((Column("a"), Column("a"))), "'a' occurs twice"),
        (lambda: Table(Schema((Column("a"),)), (), ()), "needs codes and values"),
        (lambda: Table(Schema((Column("a"),)), (np.array([2]),), (pa.array(["x"]),)), r"in 0\.\.0"),
        (lambda: Table(Schema((Column("a"),)), (np.array([0]),), (pa.array(["y", "x"]),)), "code-point order"),
        (lambda: Table.from_columns({"a": ["x"]}).codes_of("b"), "no column 'b'"),
    ],
)
def test_what_is_no_table_is_refused_with_the_reason(made, complaint: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidParameter, match=complaint):
        made()


def test_values_that_no_row_has_are_allowed() -> None:
    table = Table(Schema((Column("a"),)), (np.array([1]),), (pa.array(["x", "y", "z"]),))
    assert table.column("a").to_pylist() == ["y"]


def test_a_table_cannot_be_changed() -> None:
    table = Table.from_columns({"a": ["x", "y"]})
    with pytest.raises(ValueError, match="read-only"):
        table.codes_of("a")[0] = 1
    with pytest.raises(FrozenInstanceError):
        table.codes = ()  # type: ignore[misc]


def test_a_table_without_columns_has_no_rows() -> None:
    assert len(Table.from_columns({})) == 0
