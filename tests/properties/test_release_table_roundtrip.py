"""Tables: write then read is identity, and the bytes are a function of the content."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from disjoin.forms.table.tables import csv_blocks
from disjoin.model import Generalized, Hierarchy, Table
from disjoin.parquet import tables
from disjoin.parquet.hierarchies import file_name, hierarchy_text
from disjoin.release.reader import read_release, write_release
from helpers.hypothesis_profile import examples
from helpers.table_releases import in_order, sealed_table, some_tables


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@examples(25)
@given(some_tables(), st.sampled_from([2, 1 << 20]))
def test_tables_are_read_back_without_a_word_of_doubt(published, rows_in_a_group):
    release = sealed_table(published, 4)
    usual = tables.ROWS_IN_A_GROUP
    tables.ROWS_IN_A_GROUP = rows_in_a_group
    try:
        with tempfile.TemporaryDirectory() as folder:
            contents = read_release(write_release(release, Path(folder) / "r", documents={"README.md": "hello\n"}))
    finally:
        tables.ROWS_IN_A_GROUP = usual
    assert contents.published == published
    assert contents.published.anomalies == ()
    assert contents.guarantee == release.guarantee
    assert contents.counts == release.counts


@examples(8)
@given(some_tables(), st.randoms(use_true_random=False))
def test_equal_tables_give_equal_bytes_whatever_the_order_was(published, chance):
    table = published.table
    order = list(range(len(table)))
    chance.shuffle(order)
    roles = {column.name: column.role for column in table.schema.columns}
    shuffled = Table.from_columns({name: table.column(name).take(order) for name in table.schema.names}, roles)
    again = Generalized(in_order(shuffled.with_hierarchies(table.hierarchies)))
    with tempfile.TemporaryDirectory() as folder:
        first = write_release(sealed_table(published), Path(folder) / "first", documents={})
        second = write_release(sealed_table(again), Path(folder) / "elsewhere" / "second", documents={})
        assert bytes_of(first) == bytes_of(second)


@examples(15)
@given(some_tables())
def test_anybody_reads_the_text_and_the_columns_alike(published):
    table = published.table
    text = b"".join(csv_blocks(table)).decode()
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert tuple(header) == table.schema.names
    assert rows == [list(row) for row in zip(*(table.column(name).to_pylist() for name in header), strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = write_release(sealed_table(published), Path(folder) / "r", documents={})
        columns = pq.read_table(path / "table.parquet")
        assert columns.to_pydict() == {name: table.column(name).to_pylist() for name in table.schema.names}
        assert columns.schema.metadata is None


@examples(30)
@given(some_tables())
def test_a_hierarchy_is_text_that_says_it_all(published):
    for tree in published.table.hierarchies.values():
        rows = list(csv.reader(io.StringIO(hierarchy_text(tree).decode(), newline=""), delimiter=";", strict=True))
        assert [row[0] for row in rows] == sorted(row[0] for row in rows)
        assert Hierarchy.from_rows(rows) == tree


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=20, unique=True))
def test_every_column_has_a_file_name_of_its_own_that_any_disk_takes(names):
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(made)
    assert all(name.isascii() and len(name) <= 160 and not name.startswith(".") for name in made)
    assert not any(set(name) & set('/\\:*?"<>|\0') for name in made)
