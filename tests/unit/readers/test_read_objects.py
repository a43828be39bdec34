"""Data in memory: collections, Arrow, pandas, polars and duckdb."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import DisjoinError, InvalidParameter, UnreadableInput
from disjoin.model import Transactions
from disjoin.readers.read import as_transactions, read
from oracle import reading as twin

BASKETS = [["tea", "milk"], ["tea", "007", "7"], [], ["nausea", "Nausea", "tea"]]
RECORDS = [frozenset(row) for row in BASKETS if row]
PAIRS = {"visit": [3, 1, 3, 1, 2], "term": ["a", "b", "c", "b", "é"]}
GROUPED = [{"a", "c"}, {"b"}, {"é"}]

HOLDERS_OF_LISTS: dict[str, Callable[[], Any]] = {
    "list of sets": lambda: [set(row) for row in BASKETS],
    "tuple of lists": lambda: tuple(BASKETS),
    "generator": lambda: (frozenset(row) for row in BASKETS),
    "arrow list array": lambda: pa.array(BASKETS),
    "arrow slice": lambda: pa.array([["x"], *BASKETS, ["y"]]).slice(1, 4),
    "arrow large list array": lambda: pa.array(BASKETS, pa.large_list(pa.large_string())),
    "arrow list view": lambda: pa.array(BASKETS, pa.list_view(pa.string_view())),
    "arrow dictionary": lambda: pa.array(BASKETS, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "arrow chunks": lambda: pa.chunked_array([BASKETS[:1], BASKETS[1:]]),
    "arrow table": lambda: pa.table({"n": [1, 2, 3, 4], "terms": BASKETS}),
    "arrow batch": lambda: pa.record_batch({"terms": BASKETS}),
    "arrow reader": lambda: pa.table({"terms": BASKETS}).to_reader(),
    "pandas frame": lambda: pd.DataFrame({"n": [1, 2, 3, 4], "terms": BASKETS}),
    "pandas frame of sets": lambda: pd.DataFrame({"n": [1, 2, 3, 4], "terms": [set(row) for row in BASKETS]}),
    "pandas series": lambda: pd.Series(BASKETS),
    "pandas series of sets": lambda: pd.Series([set(row) for row in BASKETS]),
    "polars frame": lambda: pl.DataFrame({"terms": BASKETS}),
    "polars lazy frame": lambda: pl.LazyFrame({"terms": BASKETS}),
    "polars series": lambda: pl.Series(BASKETS),
    "duckdb relation": lambda: duckdb.from_arrow(pa.table({"terms": BASKETS})),
}
FRAME = pd.DataFrame({"term": ["x", *PAIRS["term"]], "visit": [9, *PAIRS["visit"]]})
HOLDERS_OF_PAIRS: dict[str, Callable[[], Any]] = {
    "arrow table": lambda: pa.table(PAIRS),
    "arrow table, other way round": lambda: pa.table({"term": PAIRS["term"], "visit": PAIRS["visit"]}),
    "arrow table, unusual names": lambda: pa.table({"x": PAIRS["visit"], "y": PAIRS["term"]}),
    "pandas frame": lambda: pd.DataFrame(PAIRS),
    "pandas frame with row labels": lambda: FRAME[FRAME.visit != 9],
    "pandas frame with categories": lambda: pd.DataFrame(PAIRS).astype({"term": "category"}),
    "pandas frame with the id as index": lambda: pd.DataFrame(PAIRS).set_index("visit"),
    "polars frame": lambda: pl.DataFrame(PAIRS),
    "polars frame with categories": lambda: pl.DataFrame(PAIRS).with_columns(pl.col("term").cast(pl.Categorical)),
    "duckdb relation": lambda: duckdb.from_arrow(pa.table(PAIRS)),
}


@pytest.mark.parametrize("holder", HOLDERS_OF_LISTS)
def test_a_collection_of_collections_is_read_whoever_holds_it(holder: str) -> None:
    data = as_transactions(HOLDERS_OF_LISTS[holder]())
    assert data.to_sets() == RECORDS
    assert (data.intake.format, data.intake.blank_records) == ("memory", 1)


@pytest.mark.parametrize("holder", HOLDERS_OF_PAIRS)
def test_a_long_table_is_read_whoever_holds_it(holder: str) -> None:
    data = as_transactions(HOLDERS_OF_PAIRS[holder]())
    assert data.to_sets() == GROUPED
    assert data.intake.repeated_terms == 1


def test_transactions_come_back_as_they_are() -> None:
    data = Transactions.from_sets([{"a"}])
    assert as_transactions(data) is data and read(data) is data


@given(st.lists(st.lists(st.text(max_size=3).filter(bool), max_size=4)))
def test_arrow_and_python_agree(rows: list[list[str]]) -> None:
    ours = as_transactions(pa.array(rows, pa.list_(pa.string())), keep_order=True)
    theirs = as_transactions(rows, keep_order=True)
    assert ours.vocabulary.to_pylist() == theirs.vocabulary.to_pylist()
    for name in ("offsets", "items", "written"):
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist()
    assert ours.intake == theirs.intake == twin_intake(rows)


def twin_intake(rows: list[list[str]]) -> Any:
    expected = twin.collected(rows)
    return type(Transactions.from_sets([]).intake)("memory", expected.blank, expected.repeated)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcé")), min_size=1), st.integers(1, 4))
def test_pairs_in_any_batches_give_the_records_of_the_slow_twin(pairs: list[tuple[int, str]], size: int) -> None:
    table = pa.table({"record": [record for record, _ in pairs], "term": [term for _, term in pairs]})
    batches = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=size))
    expected = twin.long_table([(str(record), term) for record, term in pairs])
    data = as_transactions(batches, keep_order=True)
    names = data.vocabulary.to_pylist()
    assert data.written is not None
    assert [[names[item] for item in part] for part in np.split(data.written, data.offsets[1:-1])] == expected.rows
    assert data.intake.repeated_terms == expected.repeated


def test_more_rows_than_are_taken_at_once_stay_in_order() -> None:
    rows = [[f"t{number % 1000}", f"u{number}"] for number in range(140_000)]
    data = as_transactions(pa.array(rows))
    assert len(data) == 140_000 and data.n_terms == 141_000
    assert all(data.vocabulary[int(data[n][0])].as_py() == f"t{n % 1000}" for n in (0, 65_536, 139_999))


def test_a_list_column_or_two_columns_can_be_named() -> None:
    table = pa.table({"a": [["x"]], "b": [["y"]], "who": [1], "what": ["z"], "why": ["w"]})
    assert read(table, field="b").to_sets() == read(table, terms="b").to_sets() == [{"y"}]
    assert read(table, id="who", terms="why").to_sets() == [{"w"}]
    assert as_transactions(pd.DataFrame({"a": [{"x"}], "b": [{"y"}]}), field="b").to_sets() == [{"y"}]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (["ab", "c"], "record 0: expected a collection of terms, found a str"),
        ([{"a": 1}], "record 0"),
        ([["a"], 5], "record 1"),
        ({"a": ["b"]}, "found a dict"),
        (5, "found an int"),
        (None, "expected a collection of records, found None. Give a list of sets"),
        (b"a b", "found bytes"),
        ([["a", None]], "record 0: a term must be a string"),
        ([["a", ""]], "empty term"),
        (pa.array(["a"]), "expected lists"),
        (pa.array([["a"], [None]]), "row 1 (counted from 0) has a missing value"),
        (pa.table({"a": [1], "b": [2], "c": [3]}), "The columns are: a, b, c"),
        (pl.DataFrame({"a": ["x"]}), "The columns are: a"),
        (pd.DataFrame({"id": [1, 2], "term": ["a", None]}), "'term', row 1 (counted from 0) has a missing value"),
        (pd.DataFrame({"id": [1, 2], "term": ["a", 5]}), "Convert the terms to strings"),
        (pa.table({"id": [1], "term": [0.5]}), "found double"),
    ],
)
def test_what_cannot_be_records_is_said(data: Any, words: str) -> None:
    with pytest.raises(DisjoinError) as caught:
        read(data)
    assert words in str(caught.value)


def test_options_of_files_are_not_for_objects() -> None:
    with pytest.raises(InvalidParameter, match="format is for files"):
        read([{"a"}], format="fimi")
    with pytest.raises(InvalidParameter, match="not a table"):
        read([{"a"}], field="terms")
    with pytest.raises(UnreadableInput, match="The columns are: terms"):
        read(pa.table({"terms": [["a"]]}), field="items")


@pytest.mark.parametrize("name", ["baskets.csv", Path("baskets.csv")])
def test_the_name_of_a_file_is_not_its_records(name: Any) -> None:
    with pytest.raises(InvalidParameter) as caught:
        as_transactions(name)
    assert str(caught.value).endswith("found the text 'baskets.csv'. To read a file, use disjoin.read('baskets.csv')")


@pytest.mark.parametrize("option", ["field", "id", "terms"])
def test_columns_are_named_by_text(option: str) -> None:
    with pytest.raises(InvalidParameter, match=f"{option} must be a text"):
        as_transactions(pa.table({"0": [["a"]]}), **{option: 0})
