"""Sheets and encodings: read as the CSV that they would be exported to, and refused where that would guess."""

from __future__ import annotations

import datetime as dt
import io
import sys

import openpyxl
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import DisjoinWarning, InvalidParameter, MissingExtra, UnreadableInput

VISITS = [["patient", "code"], [1, "00743"], [2, "I10"], [1, "I10"]]


def workbook(path, **sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_long_table_in_a_sheet_is_read_as_its_csv_would_be(tmp_path):
    found = disjoin.read(workbook(tmp_path / "visits.xlsx", visits=VISITS))
    assert sorted(map(sorted, found.to_sets())) == [["00743", "I10"], ["I10"]]
    assert (found.intake.format, found.intake.id_column, found.intake.rows) == ("long", "patient", 3)


def test_values_of_a_table_are_written_as_people_see_them(tmp_path):
    rows = [
        ["n", "share", "day", "moment", "yes", "text"],
        [5, 2.5, dt.date(2024, 2, 1), dt.datetime(2024, 2, 1, 12, 30), True, "a, b"],
        [6, -0.0, dt.datetime(2024, 2, 2), dt.datetime(2024, 2, 1), False, " c "],
    ]
    table = disjoin.read_table(workbook(tmp_path / "a.xlsx", only=rows))
    assert [table.column(name).to_pylist() for name in ("n", "share", "yes")] == [
        ["5", "6"],
        ["2.5", "0"],
        ["true", "false"],
    ]
    assert table.column("day").to_pylist() == ["2024-02-01", "2024-02-02"]
    assert table.column("moment").to_pylist() == ["2024-02-01T12:30:00", "2024-02-01"]
    assert table.column("text").to_pylist() == ["a, b", "c"]


def test_one_of_several_sheets_must_be_named(tmp_path):
    path = workbook(tmp_path / "a.xlsx", notes=[["read me"]], visits=VISITS)
    assert len(disjoin.read(path, sheet="visits")) == 2
    with pytest.raises(UnreadableInput, match=r"found 2: notes, visits\. Use sheet=NAME"):
        disjoin.read(path)
    with pytest.raises(UnreadableInput, match=r"expected a sheet 'Visits', found none\. The sheets are: notes, visits"):
        disjoin.read(path, sheet="Visits")


def test_empty_cells_are_counted_and_said(tmp_path):
    path = workbook(tmp_path / "a.xlsx", only=[["age", "city"], [37, None], [None, "=A2"], [None, None], [1, "x"]])
    with pytest.warns(DisjoinWarning, match=r"5 cells of the sheet 'only' are empty\. Errors such as #N/A"):
        table = disjoin.read_table(path)
    assert table.column("city").to_pylist() == ["?", "x"]


def test_merged_cells_and_rounded_numbers_are_refused(tmp_path):
    path = workbook(tmp_path / "a.xlsx", only=[["a", "b"], [1, 2], [3, 4]])
    book = openpyxl.load_workbook(path)
    book["only"].merge_cells("A2:A3")
    book.save(path)
    with pytest.raises(UnreadableInput, match="has merged cells in row 2"):
        disjoin.read_table(path)
    long = workbook(tmp_path / "b.xlsx", only=[["a"], ["x"], [12345678901234567]])
    with pytest.raises(UnreadableInput, match="more than 15 digits") as refused:
        disjoin.read_table(long)
    assert refused.value.line == 3


def test_what_is_no_whole_workbook_is_refused(tmp_path):
    whole = workbook(tmp_path / "a.xlsx", only=VISITS).read_bytes()
    with pytest.raises(UnreadableInput, match="found one that is damaged"):
        disjoin.read_table(_named(tmp_path / "half.xlsx", whole[: len(whole) // 2]))
    with pytest.raises(UnreadableInput, match="found one that is damaged"):
        disjoin.read_table(_named(tmp_path / "old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600))
    with pytest.raises(UnreadableInput, match=rf"unpacks to .* bytes, but the limit is {len(whole):,}"):
        disjoin.read(io.BytesIO(whole), max_bytes=len(whole))


def _named(path, data):
    path.write_bytes(data)
    return path


def test_without_the_library_it_says_which_extra_is_missing(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", only=VISITS)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra, match=r"pip install 'disjoin\[sheets\]'"):
        disjoin.read(path)


def test_text_in_another_encoding_is_read_if_it_is_named(tmp_path):
    path = _named(tmp_path / "a.csv", "patient,code\n1,Fieber\n2,Übelkeit\n".encode("cp1252"))
    with pytest.raises(UnreadableInput, match=r"found the byte 0xDC.*encoding='cp1252'") as refused:
        disjoin.read(path, id="patient", terms="code")
    assert refused.value.line == 3
    assert disjoin.read(path, encoding="cp1252").to_sets() == [{"Fieber"}, {"Übelkeit"}]
    wide = _named(tmp_path / "b.csv", "age,city\n37,Köln\n".encode("utf-16"))
    assert disjoin.read_table(wide, encoding="utf-16").column("city").to_pylist() == ["Köln"]
    with pytest.raises(UnreadableInput, match="Use encoding='utf-16'"):
        disjoin.read_table(wide)


def test_encodings_and_sheets_that_do_not_fit_are_refused(tmp_path):
    path = _named(tmp_path / "a.csv", b"a,b\n1,\x81\n")
    with pytest.raises(InvalidParameter, match="there is no encoding 'klingon'"):
        disjoin.read_table(path, encoding="klingon")
    with pytest.raises(UnreadableInput, match="expected text in the encoding cp1252, found invalid bytes") as bad:
        disjoin.read_table(path, encoding="cp1252")
    assert bad.value.line == 2
    with pytest.raises(UnreadableInput, match="a sheet is given, but only spreadsheets have sheets"):
        disjoin.read_table(path, sheet="x")
    with pytest.raises(UnreadableInput, match="an encoding is given, but only text files have an encoding"):
        disjoin.read(workbook(tmp_path / "a.xlsx", only=VISITS), encoding="cp1252")
    with pytest.raises(InvalidParameter, match="sheet is for files"):
        disjoin.read([{"a"}], sheet="x")


def test_commands_take_sheets_too(tmp_path, capsys):
    path = workbook(tmp_path / "a.xlsx", notes=[["x"]], visits=VISITS)
    assert run(["inspect", str(path), "--sheet", "visits", "--id", "patient", "--terms", "code"]) == 0
    assert "2 people" in capsys.readouterr().out
