"""A table read from a folder that nobody vouches for: refused in words, or read with what is wrong noted."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import UnreadableInput
from disjoin.model import Generalized, Role, Table
from disjoin.release.descriptor import fingerprint
from disjoin.release.reader import read_release, write_release
from helpers.table_releases import clinic, sealed_table
from helpers.tampering import adopt, edit

pytestmark = pytest.mark.skipif(os.name == "nt", reason="makes links")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_release(sealed_table(clinic()), tmp_path / "release", documents={})


def found_in(folder: Path) -> list[tuple[str, str]]:
    return [(anomaly.invariant, anomaly.place) for anomaly in read_release(folder).published.anomalies]


def declare(folder: Path, *names: str) -> None:
    entries = [{"path": name, **(fingerprint(folder / name) if (folder / name).is_file() else {})} for name in names]
    edit(folder, lambda package: package["resources"].extend(entries))


def replace(folder: Path, table: pa.Table, **options) -> None:
    pq.write_table(table, folder / "table.parquet", store_schema=False, **options)
    adopt(folder, "table.parquet", table.num_rows)


def test_an_honest_folder_is_read_without_a_word(folder):
    contents = read_release(folder)
    assert contents.published == clinic()
    assert contents.published.anomalies == ()
    assert contents.counts == {"records": 6, "columns": 5, "suppressed_records": 0}
    schema = contents.published.table.schema
    assert schema.with_role(Role.QUASI_IDENTIFIER) == ("job", "birth", "zip")
    assert (schema.with_role(Role.SENSITIVE), schema.with_role(Role.OTHER)) == (("illness",), ("note, if any",))
    assert set(contents.published.table.hierarchies) == {"job", "zip"}


def test_the_text_must_say_what_the_table_says(folder):
    text = (folder / "table.csv").read_text(encoding="utf-8")
    for other in (text.replace("fever", "Fever"), text + "\n", text[:-5], text.replace("\n", "\r\n"), ""):
        (folder / "table.csv").write_bytes(other.encode())
        adopt(folder, "table.csv", 6)
        assert found_in(folder) == [("F1", "table.csv")]


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_a_folder_without_one_of_the_tables_is_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(UnreadableInput, match=f"{name}: the release lacks this table"):
        read_release(folder)


@pytest.mark.parametrize("is_declared", [False, True])
@pytest.mark.parametrize("name", ["illness.csv", "birth.csv.gz", "unheard.csv", "zip.CSV", "zi%70.csv", ".zip.csv"])
def test_other_files_beside_the_hierarchies_do_not_belong_there(folder, name, is_declared):
    (folder / "hierarchies" / name).write_bytes((folder / "hierarchies" / "zip.csv").read_bytes())
    if is_declared:
        declare(folder, f"hierarchies/{name}")
    assert found_in(folder) == [("F1", f"hierarchies/{name}")]
    assert read_release(folder).published == clinic()


def test_a_folder_among_the_hierarchies_does_not_belong_there(folder):
    (folder / "hierarchies" / "more").mkdir()
    (folder / "more").mkdir()
    assert found_in(folder) == [("F1", "hierarchies/more"), ("F1", "more")]


@pytest.mark.parametrize(
    "name", ["../secret", "hierarchies/../../secret", "/etc/hostname", "hierarchies/", "hierarchies", ""]
)
def test_a_path_that_leads_away_is_never_followed(folder, name, monkeypatch):
    (folder.parent / "secret").write_text("s")
    declare(folder, name)
    opened = []
    monkeypatch.setattr("disjoin.release.descriptor.fingerprint", lambda file: opened.append(file) or fingerprint(file))
    assert found_in(folder) == [("F1", name)]
    assert all(file.resolve().is_relative_to(folder.resolve()) for file in opened)


def test_a_link_to_a_hierarchy_elsewhere_is_not_followed(folder):
    file = folder / "hierarchies" / "zip.csv"
    file.rename(folder.parent / "zip.csv")
    file.symlink_to(folder.parent / "zip.csv")
    assert found_in(folder) == [("F1", "hierarchies/zip.csv")]
    assert set(read_release(folder).published.table.hierarchies) == {"job"}


def test_a_link_to_a_folder_of_hierarchies_elsewhere_is_not_followed(folder):
    (folder / "hierarchies").rename(folder.parent / "elsewhere")
    (folder / "hierarchies").symlink_to(folder.parent / "elsewhere")
    assert found_in(folder) == [("F1", f"hierarchies{name}") for name in ("", "/job.csv", "/zip.csv")]


def test_a_hierarchy_that_is_gone_is_missed(folder):
    (folder / "hierarchies" / "zip.csv").unlink()
    assert found_in(folder) == [("F1", "hierarchies/zip.csv")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("4350;435*;*\n4350;43**;*\n", "have the same leaf"),
        ("4350;435*;43**;*\n4351;435*;44**;*\n", "has a different parent"),
        ("4350;*\n4351;all\n", "same root"),
        ("4350;;*\n", "empty name"),
        ('4350;"435\n', "between semicolons"),
        ("", "at least one row"),
        ("\n\n", "empty name"),
        ("\xff", "UTF-8"),
    ],
)
def test_a_hierarchy_that_is_no_tree_is_refused_in_words(folder, text, words):
    (folder / "hierarchies" / "zip.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(UnreadableInput, match=f"zip.csv: .*{words}"):
        read_release(folder)


@pytest.mark.parametrize(("old", "new"), [("Cat1", '"Cat1"'), ("\n", "\r\n"), ("Cat2;*\n", "Cat2;*")])
def test_a_hierarchy_written_otherwise_is_noted(folder, old, new):
    file = folder / "hierarchies" / "job.csv"
    file.write_bytes(file.read_text().replace(old, new).encode())
    adopt(folder, "hierarchies/job.csv", 2)
    assert found_in(folder) == [("F1", "hierarchies/job.csv")]
    assert read_release(folder).published == clinic()


def test_a_hierarchy_in_another_order_is_noted(folder):
    file = folder / "hierarchies" / "zip.csv"
    file.write_text("".join(sorted(file.read_text().splitlines(keepends=True), reverse=True)))
    adopt(folder, "hierarchies/zip.csv", 4)
    assert found_in(folder) == [("F1", "hierarchies/zip.csv")]
    assert read_release(folder).published == clinic()


def test_a_hierarchy_too_large_for_the_memory_is_refused(folder):
    (folder / "hierarchies" / "zip.csv").write_bytes(b"x" * 100_000)
    with pytest.raises(UnreadableInput, match="more than 50,000 bytes"):
        read_release(folder, memory_limit=50_000)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"job": [1]}, "'job' to be a string, found int64"),
        ({"job": [["a"]]}, "'job' to be a string, found list"),
        ({}, "columns of different names, found"),
        ({"": ["a"]}, "every column needs a name"),
    ],
)
def test_a_table_of_another_shape_is_refused_in_words(folder, columns, words):
    replace(folder, pa.table(columns))
    with pytest.raises(UnreadableInput, match=f"table.parquet: .*{words}"):
        read_release(folder)


def test_two_columns_of_one_name_are_refused(folder):
    replace(folder, pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["job", "job"]))
    with pytest.raises(UnreadableInput, match="columns of different names, found job, job"):
        read_release(folder)


def test_a_table_that_is_cut_short_or_not_text_is_refused(folder):
    whole = (folder / "table.parquet").read_bytes()
    for damaged in (whole[:-20], whole[: len(whole) // 2], b"PAR1", b""):
        (folder / "table.parquet").write_bytes(damaged)
        with pytest.raises(UnreadableInput, match="damaged or cut short"):
            read_release(folder)
    bad = pa.StringArray.from_buffers(1, pa.array([0, 1], pa.int32()).buffers()[1], pa.py_buffer(b"\xff"))
    replace(folder, pa.table({"job": bad}))
    with pytest.raises(UnreadableInput, match="not UTF-8"):
        read_release(folder)


def test_absent_values_metadata_and_values_that_no_row_has_are_noted(folder):
    table = pq.read_table(folder / "table.parquet")
    notes = table["note, if any"].to_pylist()
    table = table.set_column(4, "note, if any", pa.array([None, *notes[1:]]))
    job = pa.DictionaryArray.from_arrays(
        table["job"].combine_chunks().dictionary_encode().indices, ["Cat1", "Cat2", "Bob"]
    )
    table = table.set_column(0, "job", job)
    with pq.ParquetWriter(folder / "table.parquet", table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"author": "me"})
    adopt(folder, "table.parquet", 6)
    anomalies = [a for a in read_release(folder).published.anomalies if a.place == "table.parquet"]
    assert {a.invariant for a in anomalies} == {"T1"}
    words = " ".join(map(str, anomalies))
    assert "unexpected metadata 'author'" in words
    assert "1 row has no 'note, if any'" in words
    assert "values of 'job' that no row has (Bob)" in words


def test_a_bomb_is_refused(folder):
    with pytest.raises(UnreadableInput, match="the limit is 10"):
        read_release(folder, memory_limit=10)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"quasi": "job"}, "quasi columns as a list of strings"),
        ({"quasi": 5}, "quasi columns as a list of strings"),
        ({"quasi": []}, "at least one column"),
        ({"quasi": ["\ud800"]}, "quasi columns as a list of strings"),
        ({"sensitive": ["job"]}, "one role"),
        ({"alpha": "1e999999999"}, '"alpha" to be a fraction'),
        ({"alpha": 0.5}, '"alpha" to be a fraction'),
        ({"entropy_l": "9" * 5000}, '"entropy_l" to be a fraction'),
        ({"alpha": "1/0"}, "alpha must be a number"),
        ({"k": 1}, "k must be"),
    ],
)
def test_a_promise_that_is_none_is_refused_in_words(folder, facts, words):
    edit(folder, lambda package: package["disjoin"]["guarantee"].update(facts))
    with pytest.raises(UnreadableInput, match=words):
        read_release(folder)


def test_a_column_that_is_promised_and_not_there_is_left_to_the_inspector(folder):
    edit(folder, lambda package: package["disjoin"]["guarantee"].update(quasi=["job", "birth", "zip", "shoe"]))
    assert read_release(folder).published.quasi == ("job", "birth", "zip")


@pytest.mark.parametrize("counts", [{"records": 7}, {"columns": 4}])
def test_numbers_that_are_not_those_of_the_table_are_noted(folder, counts):
    edit(folder, lambda package: package["disjoin"]["counts"].update(counts))
    assert found_in(folder) == [("F1", "datapackage.json")]


def test_the_descriptor_tells_the_columns_and_every_file(folder):
    package = json.loads((folder / "datapackage.json").read_text())
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert list(resources) == ["hierarchies/job.csv", "hierarchies/zip.csv", "table.csv", "table.parquet"]
    assert len({resource["name"] for resource in resources.values()}) == 4
    for name in ("table.csv", "table.parquet"):
        fields = resources[name]["schema"]["fields"]
        assert [(field["name"], field["type"]) for field in fields] == [
            (name, "string") for name in ("job", "birth", "zip", "illness", "note, if any")
        ]
    assert [resources[name]["rows"] for name in resources] == [2, 4, 6, 6]


def test_an_older_release_is_overwritten_whole_unless_something_else_is_in_it(folder):
    small = Generalized(Table.from_columns({"job": ["*", "*"]}, {"job": Role.QUASI_IDENTIFIER}))
    write_release(sealed_table(small), folder, documents={}, overwrite=True)
    assert sorted(file.name for file in folder.iterdir()) == ["datapackage.json", "table.csv", "table.parquet"]
    write_release(sealed_table(clinic()), folder, documents={}, overwrite=True)
    (folder / "hierarchies" / "mine.txt").write_text("mine")
    with pytest.raises(FileExistsError, match=r"has 'hierarchies/mine\.txt'"):
        write_release(sealed_table(small), folder, documents={}, overwrite=True)
    assert (folder / "hierarchies" / "mine.txt").read_text() == "mine"
