"""Tables that are in memory already, in anybody's kind, in and out."""

from __future__ import annotations

import sys
from datetime import date

import pyarrow as pa
import pytest

from disjoin.errors import InvalidParameter, MissingExtra
from disjoin.model import Table
from disjoin.readers.tables import as_table, read_table

PEOPLE = {"age": [37, None, 5], "city": ["Bonn", "", "Köln"], "zip": ["007", "7", "?"]}
EXPECTED = Table.from_columns({"age": ["37", "?", "5"], "city": ["Bonn", "?", "Köln"], "zip": ["007", "7", "?"]})


def rows() -> list[dict]:
    return [dict(zip(PEOPLE, row, strict=True)) for row in zip(*PEOPLE.values(), strict=True)]


@pytest.mark.parametrize(
    "made", [PEOPLE, rows(), pa.table(PEOPLE), pa.record_batch(PEOPLE), pa.table(PEOPLE).to_reader()]
)
def test_columns_rows_and_arrow_are_tables(made):
    assert as_table(made) == EXPECTED


def test_pandas_frames_are_tables_without_their_index():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(PEOPLE, index=["x", "y", "z"])  # ages are floats now: 37.0, nan, 5.0
    assert as_table(frame) == read_table(frame) == EXPECTED
    assert as_table(pandas.DataFrame({"a": [1, "x", None, 2.5]})).column("a").to_pylist() == ["1", "x", "?", "2.5"]
    with pytest.raises(InvalidParameter, match="columns 1 and 2 of 2 have the same name"):
        as_table(pandas.DataFrame([[1, 2]], columns=["a", "a"]))


def test_polars_and_duckdb_are_tables():
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    frame = polars.DataFrame(PEOPLE)
    assert as_table(frame) == as_table(frame.lazy()) == EXPECTED
    people = pa.table(PEOPLE)  # noqa: F841 - duckdb finds it by name
    assert as_table(duckdb.sql("select * from people")) == EXPECTED


def test_a_table_comes_back_as_it_is():
    assert as_table(EXPECTED) is EXPECTED


def test_values_of_several_types_in_a_column_are_text_each():
    mixed = {"a": ["x", 1, 2.0, None, True, date(2024, 1, 2), 10**30]}
    found = as_table(mixed).column("a").to_pylist()
    assert found == ["x", "1", "2", "?", "true", "2024-01-02", str(10**30)]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (5, "expected a table, found int"),
        (None, "expected a table, found NoneType"),
        ("people.csv", "expected a table, found str"),
        ([], "expected a table, found list"),
        ([1, 2], "expected a table, found list"),
        ({}, "with columns, found none"),
        ({"a": []}, "with rows, found none"),
        ({"a": [1], "b": [1, 2]}, "'a' has 1 row, but 'b' has 2"),
        ({"a": "xyz"}, "must be a list of values"),
        ({"a": [[1]]}, "expected single values"),
        ({"a": ["x", object()]}, "expected text, numbers or dates"),
        ({"": [1]}, "column 1 of 1 has no name"),
        ([{"a": 1}, {"b": 1}], "row 1 .* has the columns b, but the first one a"),
        (pa.array([1]), "expected a table"),
    ],
)
def test_what_is_no_table_is_refused_in_words(made, words):
    with pytest.raises(InvalidParameter, match=words):
        as_table(made)


def test_a_separator_is_for_files():
    with pytest.raises(InvalidParameter, match="separator is for files"):
        read_table(PEOPLE, separator=",")


def test_a_table_goes_out_as_it_came_in():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    plain = {name: EXPECTED.column(name).to_pylist() for name in EXPECTED.schema.names}
    assert EXPECTED.to_arrow().to_pydict() == plain
    assert EXPECTED.to_pandas().to_dict("list") == plain
    assert EXPECTED.to_polars().to_dict(as_series=False) == plain
    for frame in (EXPECTED.to_arrow(), EXPECTED.to_pandas(), EXPECTED.to_polars()):
        assert as_table(frame) == EXPECTED
    assert isinstance(EXPECTED.to_pandas(), pandas.DataFrame)
    assert isinstance(EXPECTED.to_polars(), polars.DataFrame)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_asked_for(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=f"pip install {name}"):
        getattr(EXPECTED, f"to_{name}")()
