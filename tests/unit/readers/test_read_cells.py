"""What is in a cell: lists, blanks and words that stand for blanks, in every reader."""

from __future__ import annotations

import io
import itertools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import Transactions
from disjoin.model.input_checks import lists_in
from disjoin.readers.read import read
from disjoin.readers.tables import as_table, read_table
from oracle import reading as twin

LISTS = ["I10;E11.9", "E11.9;J45", "J45", "I10; J45"]


def taken(text: str, **options: Any) -> Transactions:
    return read(io.BytesIO(text.encode()), **options)


def long_text(cells: list[str]) -> str:
    return "patient,code\n" + "".join(f'{number},"{cell}"\n' for number, cell in enumerate(cells))


def a_parquet(table: pa.Table) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file)
    file.seek(0)
    return file


IN_EVERY_READER = {
    "long": lambda: io.BytesIO(long_text(LISTS).encode()),
    "basket": lambda: io.BytesIO("\n".join(f"x,{cell}" for cell in LISTS * 3).encode()),
    "jsonl": lambda: io.BytesIO("\n".join(f'["{cell}"]' for cell in LISTS).encode()),
    "long parquet": lambda: a_parquet(pa.table({"patient": [1, 2, 3, 4], "code": LISTS})),
    "lists in parquet": lambda: a_parquet(pa.table({"codes": [[cell] for cell in LISTS]})),
    "frame": lambda: pd.DataFrame({"patient": [1, 2, 3, 4], "code": LISTS}),
    "collections": lambda: [{cell} for cell in LISTS],
}


@pytest.mark.parametrize("kind", IN_EVERY_READER)
def test_terms_that_look_like_lists_are_refused_with_the_option_that_splits_them(kind: str) -> None:
    options: dict[str, Any] = {"format": "basket", "separator": ","} if kind == "basket" else {}
    source = IN_EVERY_READER[kind]
    with pytest.raises(UnreadableInput, match=r"% of the terms look like lists, .* Use split=';' \(split"):
        read(source(), **options)
    apart = read(source(), split=";", **options).to_sets()
    assert {frozenset(record) - {"x"} for record in apart} == {
        frozenset({"I10", "E11.9"}),
        frozenset({"E11.9", "J45"}),
        frozenset({"J45"}),
        frozenset({"I10", "J45"}),
    }
    whole = read(source(), split="none", **options)
    assert set(LISTS) <= set(whole.vocabulary.to_pylist())


@pytest.mark.parametrize("separator", [";", "|", ", ", ",", "\n"])
def test_lists_of_codes_are_noticed_with_any_usual_separator(separator: str) -> None:
    rng = np.random.default_rng(7)
    codes = [f"{letter}{number:02}.{digit}" for letter in "EIJ" for number in range(15) for digit in range(3)]
    cells = pa.array([separator.join(sorted(rng.choice(codes, rng.integers(1, 5), replace=False))) for _ in range(200)])
    found = lists_in(cells, np.ones(200, np.int64))
    assert found is not None
    assert found.separator == separator.strip(" ")


NAMES = {
    "facets": [f"{a}, {b}" for a in ("BAG", "BOX", "CUP") for b in ("RED", "BLUE", "PINK")],
    "facets, some bare": [*(f"{a}, {b}" for a in ("BAG", "BOX") for b in ("RED", "BLUE")), "BAG", "BOX"],
    "diagnoses": ["Asthma, unspecified", "Asthma", "Fever, unspecified", "Fever", "Pneumonia, unspecified"],
    "slashes": ["rolls/buns", "rolls", "buns", "fruit/vegetables", "fruit", "vegetables"],
    "decimals": ["3,5", "5,3", "3", "5", "2,5"],
    "paths of a tree": ["Food|Dairy|Milk", "Food|Dairy|Butter", "Food|Bread", "Home|Garden"],
    "no separators": ["tea", "milk"],
    "nothing": [],
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_with_separators_in_them_are_no_lists(kind: str) -> None:
    assert lists_in(pa.array(NAMES[kind], pa.string()), np.full(len(NAMES[kind]), 9)) is None


CELL = st.lists(st.sampled_from(["a", " b", "c d ", "NULL", "null", "", " ", "é"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(st.sampled_from("123"), CELL), min_size=1), st.sampled_from(["skip", "term"]))
def test_split_cells_and_blanks_are_those_of_the_slow_twin(rows: list[tuple[str, list[str]]], way: str) -> None:
    expected, blanks = twin.cells(rows, way, {"null"})
    table = pa.table({"record": [record for record, _ in rows], "term": [";".join(cell) for _, cell in rows]})
    text = "record,term\n" + "".join(f'{record},"{";".join(cell)}"\n' for record, cell in rows)
    for source in (table, a_parquet(table), io.BytesIO(text.encode())):
        try:
            data = read(source, split=";", blank=way, blank_words="null", keep_order=True)
        except UnreadableInput as error:
            assert "every term is blank" in str(error)
            assert not expected.rows
            continue
        names = data.vocabulary.to_pylist()
        written = data.written
        assert written is not None
        assert names == sorted({term for row in expected.rows for term in row})
        ends = data.offsets.tolist()
        assert [[names[i] for i in written[a:b]] for a, b in itertools.pairwise(ends)] == expected.rows
        assert (data.intake.blank_records, data.intake.repeated_terms) == (expected.blank, expected.repeated)
        assert (data.intake.skipped_blanks, data.intake.named_blanks) == ((blanks, 0) if way == "skip" else (0, blanks))


WITH_BLANKS = {
    "long": 'patient,code\n1,a\n1,\n2,b\n2,""\n',
    "basket": 'a,\n"",b\n',
    "jsonl": '["a", null]\n["b", ""]\n',
}


@pytest.mark.parametrize("format", WITH_BLANKS)
def test_blank_cells_stop_the_reader_are_skipped_or_named(format: str) -> None:
    text = WITH_BLANKS[format]
    with pytest.raises(UnreadableInput, match=r"[Ll]ine \d.* blank='skip' .* blank='term'"):
        taken(text, format=format)
    skipped, named = taken(text, format=format, blank="skip"), taken(text, format=format, blank="term")
    assert (skipped.to_sets(), skipped.intake.skipped_blanks) == ([{"a"}, {"b"}], 2)
    assert (named.to_sets(), named.intake.named_blanks) == ([{"a", "(blank)"}, {"b", "(blank)"}], 2)


def test_a_term_that_is_called_blank_already_is_not_mixed_with_blanks() -> None:
    with pytest.raises(UnreadableInput, match=r"the term \(blank\) is for blanks, but it occurs in the data"):
        taken("(blank),\na,b\n", format="basket", blank="term")


def test_python_collections_may_have_none_and_nan() -> None:
    data = read([["a", None], ["b", float("nan"), ""]], blank="skip")
    assert data.to_sets() == [{"a"}, {"b"}]


def test_blank_words_are_blanks_only_when_told() -> None:
    text = "patient,code\n1,a\n1,NULL\n2,n/a\n2,b\n"
    assert taken(text).vocabulary.to_pylist() == ["NULL", "a", "b", "n/a"]
    with pytest.raises(UnreadableInput, match=r"found 2 blanks \(such as 'NULL'\)"):
        taken(text, blank_words="usual")
    assert taken(text, blank_words="usual", blank="skip").vocabulary.to_pylist() == ["a", "b"]
    assert taken(text, blank_words=["null"], blank="skip").vocabulary.to_pylist() == ["a", "b", "n/a"]


def test_a_file_of_blanks_has_no_records() -> None:
    with pytest.raises(UnreadableInput, match="every term is blank"):
        taken("patient,code\n1,NA\n2,-\n", blank_words="usual", blank="skip")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split": "ab"}, "split must be one character"),
        ({"split": "x"}, "split must be one character"),
        ({"blank": "drop"}, "blank must be one of error, skip, term"),
        ({"similar_ids": "join"}, "similar_ids must be one of error, merge, keep"),
        ({"blank_words": ["", "x"]}, "blank_words must be words separated by commas"),
        ({"blank_words": 7}, "blank_words must be words separated by commas"),
        ({"per_record": "yes"}, "per_record must be true or false"),
        ({"format": "basket", "similar_ids": "merge"}, "the format basket has no option similar_ids"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        taken("a,b\n", **options)


def test_blank_words_of_a_table_are_missing_values() -> None:
    text = b"age,job\n37,NA\n,nurse\nnull,baker\n"
    table = read_table(io.BytesIO(text), blank_words="usual")
    assert table.column("age").to_pylist() == ["37", "?", "?"]
    assert table.column("job").to_pylist() == ["?", "nurse", "baker"]
    assert as_table({"job": ["-", "nurse"]}, blank_words="usual").column("job").to_pylist() == ["?", "nurse"]
    assert read_table(io.BytesIO(text)).column("job").to_pylist() == ["NA", "nurse", "baker"]
