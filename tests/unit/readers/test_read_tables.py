"""Tables read from files: everything as text, as it was written; what is no table is refused with file and line."""

from __future__ import annotations

import csv
import gzip
import io
from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model import Role, Table
from disjoin.readers.tables import read_table
from helpers.hypothesis_profile import examples


def columns_of(table: Table) -> dict[str, list[str]]:
    return {name: table.column(name).to_pylist() for name in table.schema.names}


def read(text: str | bytes, **options) -> dict[str, list[str]]:
    return columns_of(read_table(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_in_the_header(separator):
    rows = [["age", "zip", '"a;b,c|d\te"'], ["37", "007", "x"]]
    text = "\n".join(separator.join(row) for row in rows)
    assert read(text) == {"age": ["37"], "zip": ["007"], "a;b,c|d\te": ["x"]}
    assert read(text.replace("x", "x:y"), separator=separator) == {"age": ["37"], "zip": ["007"], "a;b,c|d\te": ["x:y"]}


def test_values_stay_as_written_and_missing_ones_are_question_marks():
    text = 'age,zip,note\n037,  007 ,"say ""ah"", please"\n,?,"two\nlines"\n""," ",1e3\n'
    assert read(text) == {
        "age": ["037", "?", "?"],
        "zip": ["007", "?", "?"],
        "note": ['say "ah", please', "two\nlines", "1e3"],
    }


def test_packing_line_ends_byte_order_marks_and_blank_lines_do_not_matter(tmp_path):
    plain = {"age": ["37", "38"], "zip": ["1", "2"]}
    assert read("\n\nage,zip\n37,1\n\n38,2") == plain
    assert read(b"\xef\xbb\xbfage,zip\r\n37,1\r\n38,2\r\n") == plain
    assert read(gzip.compress(b"age,zip\n37,1\n38,2\n")) == plain
    assert read(pa.compress(b"age,zip\n37,1\n38,2\n", "zstd", asbytes=True)) == plain
    path = tmp_path / "people.tsv.gz"
    path.write_bytes(gzip.compress(b"age\tzip\n37\t1\n38\t2\n"))
    assert columns_of(read_table(path)) == plain


def test_columns_have_no_role_and_values_are_in_order():
    table = read_table(io.BytesIO("city\nZürich\nAachen\nZürich\n".encode()))
    assert table.schema.with_role(Role.OTHER) == ("city",)
    assert table.values_of("city").to_pylist() == ["Aachen", "Zürich"]
    assert table.codes_of("city").tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("age,zip\n1,2\n1,2,3\n", 3, "expected 2 fields as in the header, found 3"),
        ("age,zip\n1,2\n\n1\n", 4, "expected 2 fields as in the header, found 1"),
        ('age,zip\n"1\n",2\n1\n', 4, "expected 2 fields as in the header, found 1"),
        ('age,zip\n1,"2\n3,4\n', 2, "never closed"),
        ("age,age\n1,2\n", 1, "columns 1 and 2 of 2 have the same name"),
        ("age,\n1,2\n", 1, "column 2 of 2 has no name"),
        ("39, State-gov\n50, Private\n39, Private\n", 1, "found a row of data: its field 1 occurs again below"),
        ("17,4350\n18,4351\n", 1, "most of its 2 fields are numbers"),
        ("age,zip\n", None, "expected a header and rows below it, found one line with 2 fields"),
        ("age,zip\n\n  \n", None, "expected a header and rows below it|fields"),
        ("\n\n", None, "names of the columns, found none"),
        ("", None, "empty file"),
        (b"age,zip\n1,\xe9\n", 2, "expected UTF-8 text, found the byte 0xE9"),
        (b"\xe9ge,zip\n1,2\n", 1, "expected UTF-8 text"),
        (b"age,zip\n1,\x00\n", 2, "binary file"),
        ("age,zip\n1,2\n".encode("utf-16"), None, "UTF-16"),
    ],
)
def test_what_is_no_table_is_refused_with_file_and_line(tmp_path, text, line, words):
    path = tmp_path / "people.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UnreadableInput, match=words) as refused:
        read_table(path)
    assert refused.value.source == str(path)
    assert line is None or refused.value.line == line


def test_a_bad_row_late_in_a_large_file_is_found():
    rows = "".join(f"{number},{number % 7}\n" for number in range(30_000))
    with pytest.raises(UnreadableInput, match="line 30002"):
        read(f"a,b\n{rows}1\n")


def test_a_dataset_without_a_header_is_told_from_a_table(datasets):
    with pytest.raises(UnreadableInput, match="found a row of data: its field 1 occurs again below"):
        read_table(datasets / "adult.data.gz")
    table = read_table(datasets / "adult_arx.csv.gz")
    assert (len(table), len(table.schema.names)) == (30_162, 9)


@pytest.mark.parametrize(("options", "words"), [({"separator": "::"}, "one ASCII"), ({"max_bytes": 0}, "max_bytes")])
def test_options_that_are_none_are_refused(options, words):
    with pytest.raises(InvalidParameter, match=words):
        read("a,b\n1,2\n", **options)
    with pytest.raises(UnreadableInput, match="the limit"):
        read("a,b\n1,2\n", max_bytes=3)


def test_columns_of_any_type_become_text():
    table = pa.table(
        {
            "whole": pa.array([7, None], pa.uint8()),
            "part": [0.1, float("nan")],
            "sum": [37.0, 1e22],
            "price": [Decimal("1.50"), None],
            "day": [date(2024, 2, 1), None],
            "night": [datetime(2024, 2, 1), datetime(2024, 2, 2)],
            "hour": [datetime(2024, 2, 1, 3), None],
            "is": [True, False],
            "none": pa.nulls(2),
            "text": pa.array(["007", ""], pa.large_string()),
            "coded": pa.array(["b", None]).dictionary_encode(),
            "x.y": ["a", "b"],
        }
    )
    file = io.BytesIO()
    pq.write_table(table, file)
    expected = {
        "whole": ["7", "?"],
        "part": ["0.1", "?"],
        "sum": ["37", "10000000000000000000000"],
        "price": ["1.50", "?"],
        "day": ["2024-02-01", "?"],
        "night": ["2024-02-01", "2024-02-02"],
        "is": ["true", "false"],
        "none": ["?", "?"],
        "text": ["007", "?"],
        "coded": ["b", "?"],
        "x.y": ["a", "b"],
    }
    found = read(file.getvalue())
    assert found.pop("hour")[0].startswith("2024-02-01T03:00:00")
    assert found == expected


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"a": [["x"]]}), "column 'a', expected single values"),
        (pa.table({"a": [float("inf")]}), "infinite"),
        (pa.table({"a": pa.array([b"\xff"])}), "UTF-8"),
        (pa.table({"a": pa.array([], pa.string())}), "found none"),
        (pa.table([["x"], ["y"]], names=["a", "a"]), "different names"),
        (pa.table({}), "found none"),
    ],
)
def test_a_parquet_file_that_is_no_table_is_refused(table, words):
    file = io.BytesIO()
    pq.write_table(table, file)
    with pytest.raises(UnreadableInput, match=words):
        read(file.getvalue())


_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=6)
_FIELDS = _TEXT | st.sampled_from(["", "?", "a,b", 'q"', "two\nlines", "007", "ü"])


@examples(60)
@given(st.data(), st.sampled_from(",;\t|"), st.integers(1, 4), st.integers(1, 5))
def test_what_pythons_own_writer_writes_is_read(data, separator, width, height):
    names = [f"name {number}" for number in range(width)]
    rows = data.draw(st.lists(st.lists(_FIELDS, min_size=width, max_size=width), min_size=height, max_size=height))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([names, *rows])
    expected = [[field.strip(" \t\r\n") or "?" for field in row] for row in rows]
    found = read(text.getvalue(), separator=separator)
    assert list(found) == names
    assert [list(row) for row in zip(*found.values(), strict=True)] == expected


def test_too_many_columns_are_refused_at_once(tmp_path):
    """P14: 100,000 columns took a minute without a word; looking up a column took longer the more there were."""
    names = ",".join(f"c{place}" for place in range(20_001))
    (tmp_path / "wide.csv").write_text(f"{names}\n{'1,' * 20_000}1\n")
    with pytest.raises(UnreadableInput, match="expected at most 20,000 columns, found 20,001"):
        read_table(tmp_path / "wide.csv")
    with pytest.raises(InvalidParameter, match="expected at most 20,000 columns"):
        read_table({name: ["1"] for name in names.split(",")})
