"""`disjoin.look` says what a file is, and why."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin


def looked(tmp_path, text, name="file.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return disjoin.look(path)


def test_lines_of_terms_are_records(tmp_path):
    found = looked(tmp_path, "bread,milk\neggs\nmilk,eggs,bread\n")
    assert (found.kind, found.format, found.columns) == ("records", "basket", ())
    assert found.first[0] == ("bread", "milk")
    assert "commas" in found.why


def test_numbers_between_blanks_are_records(tmp_path):
    assert looked(tmp_path, "1 2 3\n2 4\n", "file.dat").format == "fimi"


def test_a_column_of_ids_and_one_of_terms_make_a_long_table(tmp_path):
    found = looked(tmp_path, "patient_id,diagnosis\n1,flu\n1,cold\n2,flu\n")
    assert (found.kind, found.columns) == ("long", ("patient_id", "diagnosis"))
    assert found.first == (("1", "flu"), ("1", "cold"), ("2", "flu"))


def test_a_header_and_even_rows_make_a_table(tmp_path):
    found = looked(tmp_path, "age,sex,city\n31,m,Bonn\n34,f,Rome\n31,f,Oslo\n")
    assert (found.kind, found.format, found.columns) == ("table", "table", ("age", "sex", "city"))
    assert found.to_json()["first"][1] == ["34", "f", "Rome"]


def test_a_table_with_lists_in_one_column_is_people_with_terms(tmp_path):
    found = looked(tmp_path, "age,sex,codes\n31,m,I10;E11\n34,f,E11\n31,f,I10;J45\n40,f,J45;I10\n")
    assert (found.kind, found.terms, found.split) == ("mixed", "codes", ";")
    assert "looks like lists" in found.why


def test_a_parquet_file_is_a_table_or_records(tmp_path):
    pq.write_table(pa.table({"age": [31, None], "sex": ["m", "f"], "job": ["a", "b"]}), tmp_path / "people.parquet")
    pq.write_table(pa.table({"terms": [["tea", "jam"], ["tea"]]}), tmp_path / "sets.parquet")
    assert disjoin.look(tmp_path / "people.parquet").first == (("31", "m", "a"), ("", "f", "b"))
    assert disjoin.look(tmp_path / "sets.parquet").kind == "records"


def test_what_can_be_nothing_is_refused(tmp_path):
    with pytest.raises(disjoin.UnreadableInput, match="PDF"):
        looked(tmp_path, "%PDF-1.7 something")


def test_a_look_does_not_show_data_when_it_is_printed(tmp_path):
    assert "Bonn" not in repr(looked(tmp_path, "age,sex,city\n31,m,Bonn\n34,f,Rome\n31,f,Oslo\n"))
