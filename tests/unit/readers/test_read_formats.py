"""Every format, packed and plain: what is written is what is read."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from disjoin.model import Transactions
from disjoin.readers.options import READERS
from disjoin.readers.read import read
from oracle import reading as twin

ANY_TERM = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
# Without quotes around it a term cannot hold blanks, line ends, or what makes a comment or a mark of the format.
BARE_TERM = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6).filter(
    lambda term: term[0] not in "@#%-"
)


def rows_of(terms: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(st.lists(terms, min_size=1, max_size=5), min_size=1, max_size=8)


def write_parquet(rows: list[list[str]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"n": range(len(rows)), "terms": pa.array(rows, pa.list_(pa.string()))}), sink)
    return sink.getvalue()


def write_long_parquet(rows: list[list[str]]) -> bytes:
    pairs = sorted((place, number, term) for number, row in enumerate(rows) for place, term in enumerate(row))
    sink = io.BytesIO()
    pq.write_table(pa.table({"record": [n for _, n, _ in pairs], "term": [term for *_, term in pairs]}), sink)
    return sink.getvalue()


def write_arrow(rows: list[list[str]]) -> bytes:
    sink = io.BytesIO()
    table = pa.table({"terms": pa.array(rows, pa.large_list(pa.large_string()))})
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


Write = Callable[[list[list[str]]], bytes]
WRITERS: list[tuple[str, Write, st.SearchStrategy[str]]] = [
    ("fimi", twin.write_fimi, BARE_TERM),
    ("basket", twin.write_basket, ANY_TERM),
    ("long", twin.write_long, ANY_TERM),
    ("spmf", twin.write_spmf, BARE_TERM),
    ("jsonl", twin.write_jsonl, ANY_TERM),
    ("jsonl", twin.write_jsonl_objects, ANY_TERM),
    ("parquet", write_parquet, ANY_TERM),
    ("long", write_long_parquet, ANY_TERM),
    ("arrow", write_arrow, ANY_TERM),
]
IDS = [write.__name__ for _, write, _ in WRITERS]
BASKETS = [["tea", "milk"], ["tea", "007", "7"], ["Nausea"], ["nausea", "tea", "köttbullar"]]


def written_rows(data: Transactions) -> list[list[str]]:
    assert data.written is not None
    names = data.vocabulary.to_pylist()
    return [
        [names[item] for item in data.written[first:end]]
        for first, end in zip(data.offsets[:-1], data.offsets[1:], strict=True)
    ]


def test_every_format_has_a_writer_here() -> None:
    assert {format for format, *_ in WRITERS} == set(READERS)


@pytest.mark.parametrize(("format", "write", "terms"), WRITERS, ids=IDS)
def test_what_is_written_is_read_back(format: str, write: Write, terms: st.SearchStrategy[str]) -> None:
    @given(rows_of(terms))
    def check(rows: list[list[str]]) -> None:
        data = read(io.BytesIO(write(rows)), format=format, keep_order=True)
        expected = twin.collected(rows)
        assert written_rows(data) == expected.rows
        assert data.intake.repeated_terms == expected.repeated
        assert data.intake.format == format

    check()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstd"])
@pytest.mark.parametrize(("format", "write", "terms"), WRITERS, ids=IDS)
def test_packing_is_seen_in_the_bytes_and_the_format_in_the_content(
    format: str, write: Write, terms: Any, pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "a file without a telling name"
    path.write_bytes(pack(write(BASKETS)))
    data = read(path, keep_order=True)
    assert written_rows(data) == BASKETS
    assert data.intake.format == format


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_files_packed_in_several_pieces_are_read_whole(pack: Callable[[bytes], bytes]) -> None:
    assert len(read(io.BytesIO(pack(b"a b\n") + pack(b"c\n")))) == 2


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"a b\nc\n"))))
    assert read("-").to_sets() == [{"a", "b"}, {"c"}]


def test_the_rows_of_a_record_need_not_be_adjacent() -> None:
    data = read(io.BytesIO(b"term,record\nflu,1\ncough,2\nrash,1\nflu,1\n\n"), keep_order=True)
    assert written_rows(data) == [["flu", "rash"], ["cough"]]
    assert (data.intake.repeated_terms, data.intake.blank_records) == (1, 1)


def test_columns_of_a_long_table_may_be_named() -> None:
    text = b'when;who;what;note\nmon;1;flu;\ntue;2;"a;b";x\nwed;1;rash;"y\nz"\n'
    data = read(io.BytesIO(text), id="who", terms="what")
    assert data.to_sets() == [{"flu", "rash"}, {"a;b"}]


def test_an_id_is_not_a_number() -> None:
    assert len(read(io.BytesIO(b"record\tterm\n07\ta\n7\ta\n"))) == 2


def test_long_tables_in_parquet_take_any_kind_of_id_and_whole_numbers_as_terms() -> None:
    sink = io.BytesIO()
    ids = pa.array([2.5, 1.0, 2.5]).cast(pa.float64())
    pq.write_table(pa.table({"visit": ids, "code": pa.array([7, 7, 10], pa.int16()), "price": [1, 2, 3]}), sink)
    sink.seek(0)
    assert read(sink).to_sets() == [{"7", "10"}, {"7"}]


def test_the_list_column_of_a_file_may_be_named() -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": [["x"]], "b": [["y"]]}), sink)
    for option in ({"field": "b"}, {"terms": "b"}, {"terms": "b", "format": "parquet"}):
        assert read(io.BytesIO(sink.getvalue()), **option).to_sets() == [{"y"}]


def test_json_numbers_stay_as_written() -> None:
    rows = b'[1, 1.0, "1", 1e5, -0, 12345678901234567890123]\n'
    assert read(io.BytesIO(rows)).vocabulary.to_pylist() == ["-0", "1", "1.0", "12345678901234567890123", "1e5"]


def test_the_member_of_a_json_object_may_be_named() -> None:
    rows = b'{"tags": ["x"], "items": ["a", "b"]}\n{"items": [], "tags": []}\n{"items": ["c"]}\n'
    data = read(io.BytesIO(rows), field="items")
    assert data.to_sets() == [{"a", "b"}, {"c"}]
    assert data.intake.blank_records == 1


def test_spmf_itemsets_of_a_sequence_are_one_record() -> None:
    header = b"# a comment\n% another\n@CONVERTED_FROM_TEXT\n@ITEM=1=green tea\n@ITEM=-1=|\n"
    text = header + b"1 2 -1 3 -1 1 -1 -2\n2 -1 -2 -2\n"
    data = read(io.BytesIO(text))
    assert data.to_sets() == [{"green tea", "2", "3"}, {"2"}]
    assert (data.intake.format, data.intake.repeated_terms, data.intake.blank_records) == ("spmf", 1, 1)


def test_spmf_transactions_need_no_marks() -> None:
    text = b"@CONVERTED_FROM_TEXT\n@ITEM=1=tea\n@ITEM=2=milk\n1 2\n\n2\n"
    data = read(io.BytesIO(text))
    assert data.to_sets() == [{"tea", "milk"}, {"milk"}]
    assert data.intake.blank_records == 1


def test_a_file_is_never_changed_by_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "quoted.csv"
    path.write_bytes(b'"a ""b""",c\n')
    assert read(path).to_sets() == [{'a "b"', "c"}]
    assert path.read_bytes() == b'"a ""b""",c\n'


@pytest.mark.parametrize(
    ("name", "records", "terms", "occurrences"),
    [
        ("wv1.dat.gz", 59602, 497, 149639),
        ("groceries_named.csv.gz", 9835, 169, 43367),
        ("mushroom.dat.gz", 8124, 119, 186852),
    ],
)
def test_the_benchmark_files_have_their_published_sizes(
    name: str, records: int, terms: int, occurrences: int, datasets: Path
) -> None:
    data = read(datasets / name)
    assert (len(data), data.n_terms, data.items.size) == (records, terms, occurrences)
