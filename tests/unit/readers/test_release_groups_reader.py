"""A release of groups that somebody has tampered with is read, for the inspector to judge; rubbish is refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import UnreadableInput
from disjoin.model import PrivacyDegree
from disjoin.release.reader import read_release, write_release
from disjoin.verify import check
from helpers.group_releases import sealed_groups, shop
from helpers.tampering import Rows, adopt, anomalies, change, edit, named, reverse, with_row

GROUPS, RECORDS, SENSITIVE = TABLES = ("groups.parquet", "records.parquet", "sensitive.parquet")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_release(sealed_groups(shop()), tmp_path / "release", documents={"README.md": "hello\n"})


def in_order_of_counts(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row["count"])


def renumbered(rows: Rows) -> Rows:
    return [row | {"group": row["group"] * 7} for row in rows]


def from_one(rows: Rows) -> Rows:
    return [row | {"group": row["group"] + 1} for row in rows]


def nothing(rows: Rows) -> Rows:
    return []


def test_what_nobody_touched_is_read_without_a_word(path):
    contents = read_release(path)
    assert contents.published == shop()
    assert contents.published.anomalies == ()
    assert (contents.guarantee, contents.method) == (PrivacyDegree(2), "cahd")
    assert check(contents.published, contents.guarantee).holds


@pytest.mark.parametrize(
    ("table", "how", "expected"),
    [
        (GROUPS, reverse, ("P4", GROUPS)),
        (RECORDS, reverse, ("P4", RECORDS)),
        (SENSITIVE, reverse, ("P4", SENSITIVE)),
        (RECORDS, in_order_of_counts, ("P4", RECORDS)),
        (GROUPS, renumbered, ("P1", GROUPS)),
        (GROUPS, from_one, ("P1", GROUPS)),
        (GROUPS, nothing, ("P1", RECORDS)),
        (GROUPS, nothing, ("P1", SENSITIVE)),
        (GROUPS, with_row(1, group=0), ("P1", GROUPS)),
        (GROUPS, with_row(1, group=None), ("P1", GROUPS)),
        (GROUPS, with_row(0, group=-1), ("P1", GROUPS)),
        (GROUPS, with_row(1, size=None), ("P1", GROUPS)),
        (GROUPS, with_row(1, size=-3), ("P1", GROUPS)),
        (GROUPS, with_row(1, size=7), ("F1", "datapackage.json")),
        (RECORDS, from_one, ("P1", RECORDS)),
        (RECORDS, with_row(0, group=17), ("P1", RECORDS)),
        (RECORDS, with_row(0, group=-1), ("P1", RECORDS)),
        (RECORDS, with_row(0, group=None), ("P1", RECORDS)),
        (RECORDS, with_row(0, terms=None), ("P1", RECORDS)),
        (RECORDS, with_row(0, terms=[None]), ("P1", RECORDS)),
        (RECORDS, with_row(0, terms=["", "cream"]), ("P1", RECORDS)),
        (RECORDS, with_row(0, count=None), ("P1", RECORDS)),
        (RECORDS, with_row(0, count=-1), ("P1", RECORDS)),
        (RECORDS, with_row(0, terms=["cream", "new"]), ("F1", "datapackage.json")),
        (SENSITIVE, with_row(0, group=17), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, group=-1), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, group=None), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, term=None), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, term=""), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, count=None), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(0, count=-1), ("P1", SENSITIVE)),
        (SENSITIVE, with_row(2, term="new"), ("F1", "datapackage.json")),
        (SENSITIVE, nothing, ("F1", "datapackage.json")),
    ],
)
def test_a_planted_oddity_is_an_anomaly(path, table, how, expected):
    change(path, table, how)
    assert expected in anomalies(path)


@pytest.mark.parametrize("number", [-(2**63), -1, 10**6, 2**62, 2**63 - 1])
@pytest.mark.parametrize(
    ("table", "column"),
    [(table, column) for table in TABLES for column in ("group", "size" if table == GROUPS else "count")],
)
def test_no_number_is_too_odd_for_reader_and_inspector(path, table, column, number):
    change(path, table, with_row(1, **{column: number}))
    contents = read_release(path)
    assert not check(contents.published, contents.guarantee).holds


@pytest.mark.parametrize("table", TABLES)
def test_another_column_is_an_anomaly(path, table):
    change(path, table, named, patient=pa.string())
    assert anomalies(path) == [("P1", table)]


def test_disorder_is_mended_so_that_the_rest_can_be_judged(path):
    for table in TABLES:
        change(path, table, reverse)
    found = read_release(path).published
    assert found.sizes.tolist() == shop().sizes.tolist()
    assert [sorted(found.records_of(g)) for g in range(4)] == [shop().records_of(g) for g in range(4)]
    assert [found.sensitive_of(g) for g in range(4)] == [shop().sensitive_of(g) for g in range(4)]


def test_a_row_without_its_sensitive_item_is_left_out_with_its_count(path):
    change(path, SENSITIVE, with_row(1, term=None, count=77))
    found = read_release(path).published
    assert [found.sensitive_of(g) for g in range(4)] == [{"test": 1}, {}, {"viagra": 1}, {"viagra": 1}]
    assert found.sensitive_counts.size == found.sensitive_items.size == 3


def test_rows_of_a_group_that_is_there_twice_are_not_lost(path):
    change(path, GROUPS, with_row(1, group=0))
    found = read_release(path).published
    assert [len(found.records_of(g)) for g in range(4)] == [2, 0, 2, 2], "those of group 1 belong nowhere"
    assert ("P1", RECORDS) in anomalies(path)


@pytest.mark.parametrize(("table", "column"), [(RECORDS, "terms"), (SENSITIVE, "term")])
def test_terms_that_hide_in_a_dictionary_page_are_found(path, table, column):
    rows = pq.read_table(path / table)
    inside = rows[column].combine_chunks()
    texts = inside.values if column == "terms" else inside
    dictionary = pa.array(sorted({*texts.to_pylist(), "secret"}))
    codes = pa.array([dictionary.to_pylist().index(text) for text in texts.to_pylist()], pa.int32())
    coded = pa.DictionaryArray.from_arrays(codes, dictionary)
    values = pa.ListArray.from_arrays(inside.offsets, coded) if column == "terms" else coded
    pq.write_table(rows.set_column(1, column, values), path / table, store_schema=False)
    adopt(path, table, len(rows))
    found = read_release(path).published
    assert [(a.invariant, a.place, a.example) for a in found.anomalies] == [("P1", table, ("secret",))]
    assert found == shop()


@pytest.mark.parametrize("table", TABLES)
def test_metadata_in_the_footer_is_found(path, table):
    rows = pq.read_table(path / table)
    with pq.ParquetWriter(path / table, rows.schema, store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"source": "ward 7"})
    adopt(path, table, len(rows))
    assert anomalies(path) == [("P1", table)]


@pytest.mark.parametrize("table", [RECORDS, SENSITIVE])
def test_a_file_that_mixes_two_codings_is_read_all_the_same(path, table):
    def lengthen(rows: Rows) -> Rows:
        column = "terms" if "terms" in rows[0] else "term"
        names = [f"{i:050d}" for i in range(40_000)]
        return rows + [rows[-1] | {column: [name] if column == "terms" else name} for name in names]

    before = pq.read_metadata(path / table).num_rows
    change(path, table, lengthen)  # with the default limit of 1 MiB for a dictionary
    found = read_release(path).published
    assert (found.counts if table == RECORDS else found.sensitive_counts).size == before + 40_000
    assert ("F1", "datapackage.json") in anomalies(path)


@pytest.mark.parametrize("table", TABLES)
def test_a_file_that_is_not_the_one_described_is_an_anomaly(path, table):
    pq.write_table(pq.read_table(path / table), path / table, store_schema=False, compression="none")
    assert set(anomalies(path)) == {("F1", table)}
    assert read_release(path).published == shop()


@pytest.mark.parametrize("count", ["records", "terms"])
def test_counts_that_the_tables_do_not_bear_out_are_an_anomaly(path, count):
    edit(path, lambda package: package["disjoin"]["counts"].update({count: 9_999}))
    assert anomalies(path) == [("F1", "datapackage.json")]


@pytest.mark.parametrize("table", TABLES)
def test_a_missing_or_damaged_table_is_refused(path, table):
    content = (path / table).read_bytes()
    for broken in (content[:-20], content[: len(content) // 2], b"", b"PAR1" + bytes(200) + b"PAR1", b"hello"):
        (path / table).write_bytes(broken)
        with pytest.raises(UnreadableInput, match=rf"{table}: .*damaged or cut short. Copy it again\.$"):
            read_release(path)
    (path / table).unlink()
    with pytest.raises(UnreadableInput, match=f"{table}: the release lacks this table"):
        read_release(path)


@pytest.mark.parametrize("table", TABLES)
def test_damage_inside_a_table_never_crashes(path, table):
    content = bytearray((path / table).read_bytes())
    for position in range(4, len(content) - 8, 5):
        damaged = content.copy()
        damaged[position] ^= 0xFF
        (path / table).write_bytes(damaged)
        try:
            found = read_release(path).published
        except UnreadableInput:
            continue
        assert ("F1", table) in {(a.invariant, a.place) for a in found.anomalies}


def test_a_sensitive_item_that_is_no_text_is_refused(path):
    rows = pq.read_table(path / SENSITIVE)
    offsets = pa.array([0, 2, 2, 2, 2], pa.int32()).buffers()[1]
    values = pa.Array.from_buffers(pa.string(), 4, [None, offsets, pa.py_buffer(b"\xff\xfe")])
    pq.write_table(rows.set_column(1, "term", values), path / SENSITIVE, store_schema=False)
    with pytest.raises(UnreadableInput, match=r"(?i)utf-?8"):
        read_release(path)


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        (GROUPS, "group", pa.int32()),
        (GROUPS, "size", pa.string()),
        (RECORDS, "terms", pa.string()),
        (RECORDS, "terms", pa.list_(pa.int64())),
        (RECORDS, "count", pa.float64()),
        (SENSITIVE, "term", pa.list_(pa.string())),
        (SENSITIVE, "term", pa.binary()),
        (SENSITIVE, "term", pa.int64()),
    ],
)
def test_a_column_of_another_type_is_refused_by_name(path, table, column, kind):
    rows = pq.read_table(path / table)
    position = rows.schema.get_field_index(column)
    pq.write_table(rows.set_column(position, column, pa.nulls(len(rows), kind)), path / table, store_schema=False)
    with pytest.raises(UnreadableInput, match=f"column '{column}'"):
        read_release(path)


def test_a_missing_column_is_refused_with_the_ones_there_are(path):
    pq.write_table(pq.read_table(path / SENSITIVE).drop(["term"]), path / SENSITIVE, store_schema=False)
    with pytest.raises(UnreadableInput, match="expected the columns group, term, count, found group, count"):
        read_release(path)


@pytest.mark.parametrize("table", TABLES)
def test_a_small_file_that_unpacks_to_a_huge_table_is_refused(path, table):
    rows = pq.read_table(path / table)
    huge = pa.concat_tables([rows.slice(0, 1)] * 1_000).combine_chunks()
    huge = pa.concat_tables([huge] * 1_000).combine_chunks()
    pq.write_table(huge, path / table, store_schema=False)
    assert (path / table).stat().st_size < 100_000
    with pytest.raises(UnreadableInput, match="limit"):
        read_release(path, memory_limit=1 << 20)
