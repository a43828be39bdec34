"""A release that somebody has tampered with is read, so that the inspector can judge it; rubbish is refused."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.forms.clusters.tables import _depths
from disjoin.model.ragged import frozen
from disjoin.release.descriptor import fingerprint
from disjoin.release.reader import read_release, write_release
from helpers.releases import figure_3, sealed
from helpers.tampering import Rows, adopt, anomalies, change, named, reverse, with_row
from helpers.tampering import edit as describe

CLUSTERS, SUBRECORDS = "clusters.parquet", "subrecords.parquet"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_release(sealed(figure_3()), tmp_path / "release", documents={"README.md": "hello\n"})


def in_order_of_terms(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row["terms"])


def renumbered(rows: Rows) -> Rows:
    return [row | {"cluster": row["cluster"] * 7} for row in rows]


def child_first(rows: Rows) -> Rows:
    swap = {0: 2, 2: 0, None: None, 1: 1}
    moved = [row | {"cluster": swap[row["cluster"]], "parent": swap[row["parent"]]} for row in rows]
    return sorted(moved, key=lambda row: row["cluster"])


def in_a_circle(rows: Rows) -> Rows:
    return [row | {"parent": (row["cluster"] + 1) % 3} for row in rows]


@pytest.mark.parametrize(
    ("table", "edit", "expected"),
    [
        (CLUSTERS, reverse, ("V12", CLUSTERS)),
        (SUBRECORDS, reverse, ("V12", SUBRECORDS)),
        (SUBRECORDS, in_order_of_terms, ("V12", SUBRECORDS)),
        (CLUSTERS, renumbered, ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, cluster=0), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, cluster=None), ("V1", CLUSTERS)),
        (CLUSTERS, child_first, ("V12", CLUSTERS)),
        (CLUSTERS, in_a_circle, ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, parent=1), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, parent=17), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, parent=-1), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, size=None), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, terms=None), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, terms=["playboy", None]), ("V1", CLUSTERS)),
        (CLUSTERS, with_row(1, terms=["", "playboy"]), ("V1", CLUSTERS)),
        (SUBRECORDS, with_row(0, terms=[None]), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(0, terms=[""]), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(0, count=None), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(0, cluster=17), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(0, cluster=None), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(7, chunk=-1), ("V1", SUBRECORDS)),
        (SUBRECORDS, with_row(11, chunk=5), ("V1", SUBRECORDS)),
    ],
)
def test_a_planted_oddity_is_an_anomaly(path, table, edit, expected):
    change(path, table, edit)
    assert expected in anomalies(path)


@pytest.mark.parametrize("table", [CLUSTERS, SUBRECORDS])
def test_another_column_is_an_anomaly(path, table):
    change(path, table, named, patient=pa.string())
    assert anomalies(path) == [("V1", table)]


def test_disorder_is_mended_so_that_the_rest_can_be_judged(path):
    change(path, CLUSTERS, reverse)
    change(path, SUBRECORDS, reverse)
    found = read_release(path).published
    assert found.parents.tolist() == [-1, 0, 0]
    assert [sorted(map(sorted, found.chunks_of(node))) for node in range(3)] == [
        sorted(map(sorted, figure_3().chunks_of(node))) for node in range(3)
    ]


def test_a_child_before_its_parent_is_put_behind_it(path):
    change(path, CLUSTERS, child_first)
    found = read_release(path).published
    assert (found.parents < range(3)).all()
    assert found.sizes.tolist() == [10, 5, 5]
    assert found.n_records == 10


def test_terms_that_hide_in_a_dictionary_page_are_found(path):
    table = pq.read_table(path / CLUSTERS)
    words = pa.array(sorted(["panic disorder", "playboy", "viagra", "secret"]))
    codes = pa.array([words.to_pylist().index(t) for row in table["terms"].to_pylist() for t in row], pa.int32())
    offsets = table["terms"].combine_chunks().offsets
    lists = pa.ListArray.from_arrays(offsets, pa.DictionaryArray.from_arrays(codes, words))
    pq.write_table(table.set_column(3, "terms", lists), path / CLUSTERS, store_schema=False)
    adopt(path, CLUSTERS, 3)
    found = read_release(path).published
    assert [(a.invariant, a.place, a.example) for a in found.anomalies] == [("V1", CLUSTERS, ("secret",))]
    assert found == figure_3()


def test_metadata_in_the_footer_is_found(path):
    table = pq.read_table(path / CLUSTERS)
    with pq.ParquetWriter(path / CLUSTERS, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"source": "ward 7"})
    adopt(path, CLUSTERS, 3)
    assert anomalies(path) == [("V1", CLUSTERS)]


def test_a_file_that_mixes_two_codings_is_read_all_the_same(path):
    def lengthen(rows: Rows) -> Rows:
        return rows[:-1] + [row | {"terms": [f"{i:050d}"]} for i, row in enumerate(rows[-1:] * 40_000)]

    change(path, SUBRECORDS, lengthen)  # with the default limit of 1 MiB for a dictionary
    assert pq.read_metadata(path / SUBRECORDS).num_row_groups == 1
    assert read_release(path).published.counts.size == 11 + 40_000


@pytest.mark.parametrize("name", [CLUSTERS, SUBRECORDS, "README.md"])
def test_a_file_that_is_not_the_one_described_is_an_anomaly(path, name):
    if name == "README.md":
        (path / name).write_text("hollo\n")
    else:
        pq.write_table(pq.read_table(path / name), path / name, store_schema=False, compression="none")
    assert set(anomalies(path)) == {("F1", name)}
    assert read_release(path).published == figure_3()


def test_a_missing_document_and_an_undeclared_file_are_anomalies(path):
    (path / "README.md").unlink()
    (path / ".hidden").write_text("alignment")
    (path / "more").mkdir()
    assert sorted(anomalies(path)) == [("F1", ".hidden"), ("F1", "README.md"), ("F1", "more")]


@pytest.mark.parametrize("stranger", ["../outside.txt", "/etc/hostname", "other.parquet"])
def test_a_declared_path_that_is_no_part_of_a_release_is_never_opened(path, stranger, monkeypatch):
    (path.parent / "outside.txt").write_text("x")
    describe(path, lambda package: package["resources"].append({"path": stranger, "bytes": 1, "hash": "sha256:0"}))
    opened: list[str] = []
    monkeypatch.setattr(
        "disjoin.release.descriptor.fingerprint", lambda file: opened.append(file.name) or fingerprint(file)
    )
    assert anomalies(path) == [("F1", stranger)]
    assert sorted(opened) == ["README.md", CLUSTERS, SUBRECORDS]


@pytest.mark.parametrize("key", ["bytes", "hash", "rows"])
def test_a_resource_without_its_figures_is_an_anomaly(path, key):
    describe(path, lambda package: [resource.pop(key, None) for resource in package["resources"]])
    assert ("F1", SUBRECORDS) in anomalies(path)


@pytest.mark.parametrize("count", ["records", "terms"])
def test_counts_that_the_tables_do_not_bear_out_are_an_anomaly(path, count):
    describe(path, lambda package: package["disjoin"]["counts"].update({count: 9}))
    assert anomalies(path) == [("F1", "datapackage.json")]


def test_what_is_no_release_is_refused(tmp_path, path):
    for folder in (tmp_path / "nowhere", path / "README.md", tmp_path):
        with pytest.raises(UnreadableInput, match="expected a release folder"):
            read_release(folder)


@pytest.mark.parametrize("table", [CLUSTERS, SUBRECORDS])
def test_a_missing_or_damaged_table_is_refused(path, table):
    content = (path / table).read_bytes()
    for broken in (content[:-20], content[: len(content) // 2], b"", b"PAR1" + bytes(200) + b"PAR1", b"hello"):
        (path / table).write_bytes(broken)
        with pytest.raises(UnreadableInput, match=r"damaged or cut short. Copy it again\.$"):
            read_release(path)
    (path / table).unlink()
    with pytest.raises(UnreadableInput, match="lacks this table"):
        read_release(path)


def test_damage_inside_a_table_never_crashes(path):
    content = bytearray((path / SUBRECORDS).read_bytes())
    for position in range(4, len(content) - 8, 3):
        damaged = content.copy()
        damaged[position] ^= 0xFF
        (path / SUBRECORDS).write_bytes(damaged)
        try:
            found = read_release(path).published
        except UnreadableInput:
            continue
        assert ("F1", SUBRECORDS) in {(a.invariant, a.place) for a in found.anomalies}


def test_terms_that_are_no_text_are_refused(path):
    table = pq.read_table(path / CLUSTERS)
    words = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.array([0, 2], pa.int32()).buffers()[1], pa.py_buffer(b"\xff\xfe")]
    )
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 1, 1], pa.int32()), words)
    pq.write_table(table.set_column(3, "terms", lists), path / CLUSTERS, store_schema=False)
    with pytest.raises(UnreadableInput, match=r"(?i)utf-?8"):
        read_release(path)


@pytest.mark.parametrize(
    ("table", "column", "kind"),
    [
        (CLUSTERS, "size", pa.string()),
        (CLUSTERS, "cluster", pa.int32()),
        (SUBRECORDS, "count", pa.float64()),
        (SUBRECORDS, "terms", pa.string()),
        (CLUSTERS, "terms", pa.list_(pa.int64())),
    ],
)
def test_a_column_of_another_type_is_refused_by_name(path, table, column, kind):
    rows = pq.read_table(path / table)
    position = rows.schema.get_field_index(column)
    pq.write_table(rows.set_column(position, column, pa.nulls(len(rows), kind)), path / table, store_schema=False)
    with pytest.raises(UnreadableInput, match=f"column '{column}'"):
        read_release(path)


def test_a_missing_column_is_refused_with_the_ones_there_are(path):
    pq.write_table(pq.read_table(path / CLUSTERS).drop(["size"]), path / CLUSTERS, store_schema=False)
    with pytest.raises(UnreadableInput, match="expected the columns cluster, parent, size, terms, found"):
        read_release(path)


def test_a_small_file_that_unpacks_to_a_huge_table_is_refused(path):
    n = 1_000_000
    table = pa.table(
        {
            "cluster": pa.array([0] * n),
            "parent": pa.nulls(n, pa.int64()),
            "size": pa.array([5] * n),
            "terms": pa.array([[]] * n, pa.list_(pa.string())),
        }
    )
    pq.write_table(table, path / CLUSTERS, store_schema=False)
    assert (path / CLUSTERS).stat().st_size < 100_000
    with pytest.raises(UnreadableInput, match="limit"):
        read_release(path, memory_limit=1 << 20)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda p: p.pop("disjoin"), "not from disjoin"),
        (lambda p: p["disjoin"].update(format=3), "newer"),
        (lambda p: p["disjoin"].update(format="1"), "whole number"),
        (lambda p: p["disjoin"].update(format=0), "format 1"),
        (lambda p: p["disjoin"].update(method=7), "a string"),
        (lambda p: p["disjoin"].pop("parameters"), "an object"),
        (lambda p: p["disjoin"]["guarantee"].update(k=1), "guarantee"),
        (lambda p: p["disjoin"]["guarantee"].update(type="wishful"), "guarantee"),
        (lambda p: p["disjoin"]["guarantee"].update(sensitive=[1, "a"]), "sensitive"),
        (lambda p: p["disjoin"]["counts"].update(suppressed_records=-1), "between 0 and"),
        (lambda p: p["disjoin"]["counts"].pop("terms"), "whole number"),
    ],
)
def test_a_descriptor_that_is_not_ours_is_refused_in_words(path, edit, words):
    describe(path, edit)
    with pytest.raises(UnreadableInput, match=words):
        read_release(path)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b'{"disjoin": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_descriptor_is_refused(path, text):
    (path / "datapackage.json").write_bytes(text)
    with pytest.raises(UnreadableInput, match=r"datapackage\.json"):
        read_release(path)


def test_depths_of_long_chains_and_circles_are_found_quickly():
    n = 200_000
    chain = frozen([*range(1, n), -1], "int64")
    assert _depths(chain).tolist() == list(range(n - 1, -1, -1))
    circle = frozen([*range(1, n), 0], "int64")
    assert (_depths(circle) == -1).all()


@pytest.mark.parametrize("name", [CLUSTERS, SUBRECORDS, "datapackage.json", "README.md"])
def test_a_file_that_may_not_be_read_is_not_called_damaged(path, name, monkeypatch):
    forbid(monkeypatch, path / name)
    with pytest.raises(UnreadableInput, match=rf"{name}: no permission to read"):
        read_release(path)


def test_a_folder_that_may_not_be_read_is_one_sentence(path, monkeypatch):
    def refuse(folder: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "is_dir", refuse)
    with pytest.raises(UnreadableInput, match="release: no permission to read"):
        read_release(path)


def forbid(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    """Take a file's read permission away, also from the superuser."""
    refusal = PermissionError(errno.EACCES, "Permission denied", str(file))
    opened, metadata = Path.open, pq.read_metadata

    def refuse(function: Any) -> Any:
        def guarded(place: Path, *args: Any, **options: Any) -> Any:
            if place == file:
                raise refusal
            return function(place, *args, **options)

        return guarded

    monkeypatch.setattr(Path, "open", refuse(opened))
    monkeypatch.setattr(Path, "read_text", refuse(Path.read_text))
    monkeypatch.setattr(pq, "read_metadata", refuse(metadata))


def test_a_path_that_is_none_is_refused_in_words():
    with pytest.raises(InvalidParameter, match="expected the path of a release folder, got None"):
        read_release(None)


def test_a_path_that_is_no_text_is_not_called_damaged(path):
    moved = path.rename(path.with_name("caf\udce9"))
    with pytest.raises(UnreadableInput, match=r"caf\\udce9: the path is not UTF-8 text"):
        read_release(moved)
