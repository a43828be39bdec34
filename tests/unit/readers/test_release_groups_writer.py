"""The release folder of groups: what is in it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import OutputExists
from disjoin.forms.groups.tables import tables_of
from disjoin.model import Groups
from disjoin.parquet import tables
from disjoin.release.reader import check_destination, read_release, write_release
from helpers.group_releases import sealed_groups, shop
from helpers.releases import figure_3, sealed

TABLES = ("groups.parquet", "records.parquet", "sensitive.parquet")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_release(sealed_groups(shop()), tmp_path / "release", documents={"README.md": "hello\n"})


def test_the_tables_have_exactly_the_columns_and_plain_types_of_the_format(path):
    terms = pa.list_(pa.field("element", pa.string(), nullable=False))
    expected = {
        "groups.parquet": [("group", pa.int64()), ("size", pa.int64())],
        "records.parquet": [("group", pa.int64()), ("terms", terms), ("count", pa.int64())],
        "sensitive.parquet": [("group", pa.int64()), ("term", pa.string()), ("count", pa.int64())],
    }
    for name, columns in expected.items():
        found = pq.read_schema(path / name)
        assert [(f.name, f.type) for f in found] == columns
        assert not any(f.nullable for f in found)
        assert found.metadata is None


def test_the_rows_say_what_was_published(path):
    sizes = pq.read_table(path / "groups.parquet").to_pylist()
    assert sizes == [{"group": g, "size": size} for g, size in enumerate([2, 2, 3, 3])]
    records = pq.read_table(path / "records.parquet").to_pylist()
    assert records[6] == {"group": 3, "terms": ["meat", "wine"], "count": 2}
    assert records[3] == {"group": 2, "terms": [], "count": 1}, "a record with sensitive items only has a row too"
    assert pq.read_table(path / "sensitive.parquet").to_pylist() == [
        {"group": 0, "term": "test", "count": 1},
        {"group": 2, "term": "pills", "count": 1},
        {"group": 2, "term": "viagra", "count": 1},
        {"group": 3, "term": "viagra", "count": 1},
    ]


@pytest.mark.parametrize("rows_in_a_group", [2, 1 << 20])
def test_a_dictionary_page_is_sorted_and_has_the_terms_of_its_own_column_only(tmp_path, rows_in_a_group, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_IN_A_GROUP", rows_in_a_group)
    path = write_release(sealed_groups(shop()), tmp_path / "r", documents={})
    with pq.ParquetFile(path / "sensitive.parquet", read_dictionary=["term"]) as parquet:
        assert parquet.read_row_group(0)["term"].chunk(0).dictionary.to_pylist() == ["pills", "test", "viagra"]
    with pq.ParquetFile(path / "records.parquet", read_dictionary=["terms.list.element"]) as parquet:
        words = parquet.read_row_group(0)["terms"].chunk(0).values.dictionary.to_pylist()
    assert words == ["cream", "meat", "strawberries", "wine"]


def test_numbers_are_packed_and_only_the_ids_have_statistics(path):
    for name in TABLES:
        group = pq.read_metadata(path / name).row_group(0)
        columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
        assert {name for name, column in columns.items() if column.is_stats_set} == {"group"}
        coded = {name for name, column in columns.items() if "DELTA_BINARY_PACKED" not in column.encodings}
        assert coded <= {"term", "terms.list.element"}
        assert all("RLE_DICTIONARY" in columns[name].encodings for name in coded)


def test_a_vocabulary_of_megabytes_of_sensitive_items_still_has_its_dictionary(tmp_path):
    names = sorted(hashlib.sha256(b"%d" % i).hexdigest() for i in range(30_000))  # 1.9 MB that do not compress well
    group = {"records": [[["tea"], 60_000]], "sensitive": dict.fromkeys(names, 1)}
    path = write_release(sealed_groups(Groups.from_nested([group] * 3)), tmp_path / "r", documents={})
    with pq.ParquetFile(path / "sensitive.parquet", read_dictionary=["term"]) as parquet:
        assert parquet.read_row_group(0)["term"].chunk(0).dictionary.to_pylist() == names
    assert (path / "sensitive.parquet").stat().st_size < 2 * 30_000 * 32, "each name is stored once, not three times"


def test_only_published_terms_are_written():
    groups = shop()
    padded = Groups(
        pa.array([*groups.vocabulary.to_pylist(), "zebra"]),
        *(getattr(groups, name) for name in Groups.__slots__[1:9]),
    )
    with pytest.raises(AssertionError, match="published terms only"):
        tables_of(padded)


def test_groups_without_a_sensitive_item_have_an_empty_table(tmp_path):
    groups = Groups.from_nested([{"records": [[["tea"], 2]], "sensitive": {}}])
    found = read_release(write_release(sealed_groups(groups), tmp_path / "r", documents={})).published
    assert found == groups
    assert found.anomalies == ()


def test_the_descriptor_describes_the_tables(path):
    package = json.loads((path / "datapackage.json").read_text())
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert set(resources) == {"README.md", *TABLES}
    assert {name: resources[name]["rows"] for name in TABLES} == dict(zip(TABLES, [4, 7, 4], strict=True))
    to_groups = [{"fields": ["group"], "reference": {"resource": "groups", "fields": ["group"]}}]
    keys = {n: (resources[n]["schema"].get("primaryKey"), resources[n]["schema"].get("foreignKeys")) for n in TABLES}
    assert keys == {
        "groups.parquet": (["group"], None),
        "records.parquet": (None, to_groups),
        "sensitive.parquet": (["group", "term"], to_groups),
    }
    kinds = {field["name"]: field["type"] for n in TABLES for field in resources[n]["schema"]["fields"]}
    assert kinds == {"group": "integer", "size": "integer", "count": "integer", "terms": "array", "term": "string"}
    block = package["disjoin"]
    assert block["guarantee"] == {"type": "privacy-degree", "p": 2}
    assert block["counts"] == {"records": 10, "suppressed_records": 0, "terms": 7}


def test_a_release_of_one_form_may_replace_one_of_the_other_whole(path):
    write_release(sealed(figure_3()), path, documents={}, overwrite=True)
    assert read_release(path).published == figure_3()
    write_release(sealed_groups(shop()), path, documents={}, overwrite=True)
    assert {file.name for file in path.iterdir()} == {*TABLES, "datapackage.json"}
    (path / "clusters.parquet").write_bytes(b"")
    with pytest.raises(OutputExists, match=r"Move 'clusters\.parquet' away"):
        check_destination(path, overwrite=True)
