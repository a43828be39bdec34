"""A table with very many rows is in parts, cut by the content; what holds for one file holds for them."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.api import Deposit, deposit, flat_tables
from disjoin.cli.main import run
from disjoin.errors import OutputExists, UnreadableInput
from disjoin.forms.clusters import tables
from disjoin.forms.clusters.tables import lay_out, tables_of
from disjoin.model import Clusters, Verdict
from disjoin.parquet import tables as release_parts
from disjoin.parquet.tables import files_in, part_ends
from disjoin.parquet.untrusted_child import unpacked_size
from disjoin.release.descriptor import fingerprint
from disjoin.release.reader import holds_in_blocks, read_release
from disjoin.verify import check, extent_in_parts
from helpers.tampering import compared, edit

LIMIT = 3
TERMS = [f"t{number:02}" for number in range(12)]
FIRST, SECOND = "subrecords/part-00000.parquet", "subrecords/part-00001.parquet"


def baskets() -> list[set[str]]:
    draw = random.Random(3)
    return [{draw.choice(TERMS[: draw.randint(1, 12)]) for _ in range(4)} for _ in range(70)]


@pytest.fixture(scope="module")
def release():
    return disjoin.disassociate(baskets(), k=3, m=2, max_cluster_size=12)


@pytest.fixture(scope="module")
def whole(release, tmp_path_factory):
    return release.write(tmp_path_factory.mktemp("whole") / "release")


@pytest.fixture(scope="module")
def written(release, tmp_path_factory):
    usual, release_parts.ROWS_IN_A_PART = release_parts.ROWS_IN_A_PART, LIMIT
    try:
        return release.write(tmp_path_factory.mktemp("parts") / "release")
    finally:
        release_parts.ROWS_IN_A_PART = usual


@pytest.fixture
def path(written, tmp_path, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", LIMIT)
    return shutil.copytree(written, tmp_path / "release")


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path: file.read_bytes() for path, file in files_in(folder).items()}


def parts_of(folder: Path, table: str) -> list[list[dict]]:
    return [pq.read_table(file).to_pylist() for file in sorted((folder / table).iterdir())]


def verdict_on(folder: Path, **given) -> Verdict:
    """Inspect a folder without a child process, which takes its time."""
    return disjoin.verify(read_release(folder, just_written=True), **given)


def broken(folder: Path) -> set[tuple[str, str]]:
    return {(found.invariant, found.place) for found in verdict_on(folder).violations}


def test_parts_are_the_table_and_each_ends_with_the_tree_that_fills_it(path, whole, release):
    parents = release.published.parents.tolist()
    tree = [sum(parent < 0 for parent in parents[: node + 1]) for node in range(len(parents))]
    for table in ("clusters", "subrecords"):
        parts, rows = parts_of(path, table), pq.read_table(whole / f"{table}.parquet").to_pylist()
        assert len(parts) > 2
        assert [row for part in parts for row in part] == rows
        for part, following in pairwise(parts):
            last = tree[part[-1]["cluster"]]
            assert last < tree[following[0]["cluster"]], "a tree is in one part"
            assert len(part) >= LIMIT > sum(tree[row["cluster"]] < last for row in part)


def test_the_dictionary_of_a_part_has_the_terms_of_the_part(path):
    for file in sorted((path / "subrecords").iterdir()):
        column = pq.read_table(file, read_dictionary=["terms.list.element"])["terms"].chunk(0)
        words = column.values.dictionary.to_pylist()
        assert words == sorted({term for row in pq.read_table(file)["terms"].to_pylist() for term in row})


def test_the_descriptor_has_one_resource_with_a_list_of_parts(path, whole):
    package = json.loads((path / "datapackage.json").read_text())
    assert package["disjoin"]["format"] == 2
    [stated] = [one for one in package["resources"] if one["name"] == "subrecords"]
    [alone] = [
        one for one in json.loads((whole / "datapackage.json").read_text())["resources"] if one["name"] == "subrecords"
    ]
    paths = sorted(f"subrecords/{file.name}" for file in (path / "subrecords").iterdir())
    assert stated["path"] == paths
    rows = [len(part) for part in parts_of(path, "subrecords")]
    assert stated["parts"] == [
        {"path": name, "rows": number, **fingerprint(path / name)} for name, number in zip(paths, rows, strict=True)
    ]
    differs = {"path", "parts", "bytes", "hash"}
    assert {k: v for k, v in stated.items() if k not in differs} == {k: v for k, v in alone.items() if k not in differs}


def test_a_table_that_is_just_full_is_one_file_with_the_same_bytes(release, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", release.published.counts.size)
    assert everything_in(release.write(tmp_path / "again")) == everything_in(whole)
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", release.published.counts.size - 1)
    assert files_in(release.write(tmp_path / "more")).keys() > {"clusters.parquet", FIRST}


def test_what_is_read_is_what_was_written_and_holds(path, release):
    assert verdict_on(path, original=baskets()).holds
    assert read_release(path, just_written=True).published == release.published
    comparison = compared(path)
    assert comparison.is_whole and not comparison.violations
    assert disjoin.load(path).write(path.parent / "again") and everything_in(path.parent / "again") == everything_in(
        path
    )


def test_threads_change_no_byte(path, tmp_path):
    for threads in (1, 2):
        made = disjoin.disassociate(baskets(), k=3, m=2, max_cluster_size=12, threads=threads)
        assert everything_in(made.write(tmp_path / f"by-{threads}")) == everything_in(path)


def test_commands_read_it(path, whole, capsys, monkeypatch):
    for command in (["show"], ["support", "t00"], ["verify"]):
        said = []
        for folder, limit in ((path, LIMIT), (whole, 1 << 24)):
            monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", limit)
            assert run([command[0], str(folder), *command[1:]]) == 0
            said.append(capsys.readouterr().out.replace(str(folder), ""))
        assert said[0] == said[1]


def test_a_large_table_in_one_file_is_read_and_is_not_what_we_would_write(path, whole, release):
    assert read_release(whole, just_written=True).published == release.published
    assert {("F1", "subrecords.parquet"), ("F1", FIRST)} < broken(whole)


def test_it_is_exported_and_deposited(path, whole, tmp_path):
    ours, theirs = flat_tables(path), flat_tables(whole)
    assert {name: table.to_pylist() for name, table in ours.items()} == {
        name: table.to_pylist() for name, table in theirs.items()
    }
    facts = Deposit("T", ("A",), "MIT", "a@b.org", "2026-01-31")
    deposit(path, facts, tmp_path / "deposit")
    assert disjoin.verify(tmp_path / "deposit").holds
    found = json.loads((tmp_path / "deposit" / "croissant.json").read_text())
    files = {one["@id"]: one for one in found["distribution"]}
    assert files[SECOND]["sha256"] == fingerprint(path / SECOND)["hash"].removeprefix("sha256:")
    assert {one["@id"] for one in files["subrecords.parquet"]["containedIn"]} < files.keys()
    [fields] = [one["field"] for one in found["recordSet"] if one["@id"] == "subrecords"]
    assert all(field["source"]["fileSet"] == {"@id": "subrecords.parquet"} for field in fields)


def test_the_lines_of_its_readme_open_it(path, monkeypatch):
    text = (path / "README.md").read_text()
    assert "`subrecords/*.parquet`" in text and ".parquet`" in text and "release/subrecords.parquet" not in text
    monkeypatch.chdir(path.parent)
    found: dict = {}
    exec(text.split("```python\n")[1].split("```")[0], found)
    duckdb = pytest.importorskip("duckdb")
    supports = duckdb.sql(text.split("```sql\n")[1].split("```")[0]).fetchall()
    assert found["support"].to_dict() == dict(supports)


def test_only_parts_as_they_were_are_overwritten(path, release):
    assert everything_in(release.write(path, overwrite=True))
    (path / "subrecords" / "thesis.txt").write_text("my thesis")
    with pytest.raises(OutputExists, match=r"subrecords/thesis.txt"):
        release.write(path, overwrite=True)
    (path / "subrecords" / "thesis.txt").unlink()
    (path / FIRST).write_bytes((path / SECOND).read_bytes())
    with pytest.raises(OutputExists, match="changed since"):
        release.write(path, overwrite=True)


# What somebody might do to it.


def restated(folder: Path) -> None:
    """Let the descriptor state what is there, as a careful forger would."""

    def say(package):
        for one in package["resources"]:
            if isinstance(one["path"], list):
                one["path"] = [name for name in files_in(folder) if name.startswith(f"{one['name']}/")]
                rows = {name: pq.read_metadata(folder / name).num_rows for name in one["path"]}
                one["parts"] = [
                    {"path": name, "rows": rows[name], **fingerprint(folder / name)} for name in one["path"]
                ]
                one["rows"] = sum(rows.values())
            elif one["path"].endswith(".parquet"):
                one["rows"] = pq.read_metadata(folder / one["path"]).num_rows
                one |= fingerprint(folder / one["path"])

    edit(folder, say)


def swap(folder: Path) -> None:
    first, second = (folder / FIRST).read_bytes(), (folder / SECOND).read_bytes()
    (folder / FIRST).write_bytes(second)
    (folder / SECOND).write_bytes(first)


def last(folder: Path) -> Path:
    return sorted((folder / "subrecords").iterdir())[-1]


def double_the_last(folder: Path) -> None:
    number = len(list((folder / "subrecords").iterdir()))
    shutil.copy(last(folder), folder / "subrecords" / f"part-{number:05}.parquet")


def take_the_last(folder: Path) -> None:
    last(folder).unlink()


def change_one(folder: Path) -> None:
    table = pq.read_table(folder / SECOND)
    counts = [number + 1 for number in table["count"].to_pylist()]
    release_parts.write_table(table.set_column(3, table.schema.field(3), [counts]), folder / SECOND)


def cut_elsewhere(folder: Path) -> None:
    rows = pq.read_table(folder / FIRST), pq.read_table(folder / SECOND)
    release_parts.write_table(rows[0].slice(0, len(rows[0]) - 1), folder / FIRST)
    release_parts.write_table(pa.concat_tables([rows[0].slice(len(rows[0]) - 1), rows[1]]), folder / SECOND)


def put_into_one(folder: Path) -> None:
    tables = [pq.read_table(file) for file in sorted((folder / "subrecords").iterdir())]
    shutil.rmtree(folder / "subrecords")
    (folder / "subrecords").mkdir()
    release_parts.write_table(pa.concat_tables(tables), folder / FIRST)


def add_a_stranger(folder: Path) -> None:
    (folder / "subrecords" / "notes.parquet").write_bytes(b"Bob was here")


CHANGES: list[Callable[[Path], None]] = [
    swap,
    double_the_last,
    take_the_last,
    change_one,
    cut_elsewhere,
    put_into_one,
    add_a_stranger,
]


@pytest.mark.parametrize("tamper", CHANGES)
@pytest.mark.parametrize("careful", [False, True])
def test_tampering_with_a_part_is_found(path, tamper, careful):
    tamper(path)
    if careful and tamper is not add_a_stranger:
        restated(path)
    assert not verdict_on(path).holds


@pytest.mark.parametrize("tamper", CHANGES)
def test_part_by_part_nothing_is_taken_that_the_whole_would_refuse(path, tamper):
    assert holds_in_blocks(path, extent_in_parts)
    tamper(path)
    if tamper is not add_a_stranger:
        restated(path)
    assert not holds_in_blocks(path, extent_in_parts)


def hide_a_term(folder: Path) -> None:
    file = folder / "clusters" / "part-00000.parquet"
    table = pq.read_table(file)
    lists = table["terms"].combine_chunks()
    words = sorted({*lists.flatten().to_pylist(), "secret"})
    codes = pa.array([words.index(term) for term in lists.flatten().to_pylist()], pa.int32())
    coded = pa.ListArray.from_arrays(lists.offsets, pa.DictionaryArray.from_arrays(codes, words))
    pq.write_table(table.set_column(3, "terms", coded), file, store_schema=False)


def mistake_the_parent(folder: Path) -> None:
    """Let a cluster of the second part belong to one of the first."""
    file = folder / "clusters" / "part-00001.parquet"
    table = pq.read_table(file)
    parents = [0, *table["parent"].to_pylist()[1:]]
    release_parts.write_table(table.set_column(1, table.schema.field(1), [parents]), file)


@pytest.mark.parametrize("tamper", [hide_a_term, mistake_the_parent])
def test_part_by_part_the_table_of_clusters_is_looked_at_too(path, tamper):
    tamper(path)
    restated(path)
    assert not verdict_on(path).holds
    assert not holds_in_blocks(path, extent_in_parts)


def test_what_is_written_is_looked_at_part_by_part(release, tmp_path, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", LIMIT)
    monkeypatch.setattr(release_parts, "ROWS_IN_A_GROUP", 2)
    monkeypatch.setattr("disjoin.pipeline.read_release", lambda *_, **__: pytest.fail("all of it was read at once"))
    path = release.write(tmp_path / "release")
    assert len(list((path / "subrecords").iterdir())) > 2
    assert trees_in_turn(path) == release.published


def trees_in_turn(path: Path) -> Clusters:
    reading = tables.ClusterBlocks(path, 1 << 30)
    parts = list(reading)
    assert reading.is_sound()
    return reduce(Clusters.joined, parts)


@pytest.mark.parametrize("rows", [1, 2, 5, 1000])
def test_one_file_is_looked_at_some_rows_after_others(release, whole, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", rows)
    assert trees_in_turn(whole) == release.published
    monkeypatch.setattr("disjoin.pipeline.read_release", lambda *_, **__: pytest.fail("all of it was read at once"))
    assert everything_in(release.write(tmp_path / "release")) == everything_in(whole)


def test_tables_in_parts_are_read_into_files_without_names(release, written, tmp_path, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", LIMIT)
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 4)
    monkeypatch.setattr("disjoin.forms.clusters.tables.gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(
        "disjoin.forms.clusters.tables.read_tables", lambda *_: pytest.fail("all of it was read at once")
    )
    loaded = disjoin.load(written)
    assert loaded.published == release.published
    assert loaded.published.pages == tmp_path
    assert disjoin.verify(written).holds
    assert list(tmp_path.iterdir()) == []


def swap_rows(table: pa.Table) -> pa.Table:
    return table.take([1, 0, *range(2, table.num_rows)])


def lose_a_row(table: pa.Table) -> pa.Table:
    return table.slice(0, table.num_rows - 1)


def repeat_a_row(table: pa.Table) -> pa.Table:
    return table.take([0, *range(table.num_rows)])


def name_another_cluster(table: pa.Table) -> pa.Table:
    numbers = [*table["cluster"].to_pylist()[:-1], table.num_rows + 7]
    return table.set_column(0, table.schema.field(0), [numbers])


@pytest.mark.parametrize("name", ["clusters.parquet", "subrecords.parquet"])
@pytest.mark.parametrize("spoil", [swap_rows, lose_a_row, repeat_a_row, name_another_cluster])
@pytest.mark.parametrize("rows", [1, 4, 1000])
def test_some_rows_after_others_nothing_is_taken_that_the_whole_would_refuse(
    whole, name, spoil, rows, tmp_path, monkeypatch
):
    monkeypatch.setattr(tables, "ROWS_AT_ONCE", rows)
    path = Path(shutil.copytree(whole, tmp_path / "release"))
    assert holds_in_blocks(path, extent_in_parts)
    release_parts.write_table(spoil(pq.read_table(path / name, read_dictionary=["terms.list.element"])), path / name)
    restated(path)
    contents = read_release(path)
    assert holds_in_blocks(path, extent_in_parts) == check(contents.published, contents.guarantee).holds


def test_where_parts_end_is_compared_whoever_wrote_them(path):
    cut_elsewhere(path)
    restated(path)
    assert ("V12", "subrecords.parquet") in {(a.invariant, a.place) for a in read_release(path).published.anomalies}


def test_a_part_that_is_missing_between_others_is_named(path):
    (path / SECOND).unlink()
    with pytest.raises(UnreadableInput, match="lacks this part") as refusal:
        disjoin.verify(path)
    assert str(path / SECOND) in str(refusal.value.source)


def test_a_folder_without_parts_is_no_table(path):
    shutil.rmtree(path / "subrecords")
    (path / "subrecords").mkdir()
    with pytest.raises(UnreadableInput, match="lacks this table"):
        read_release(path, just_written=True)


def test_a_table_that_is_there_twice_is_found(path, whole):
    shutil.copy(whole / "subrecords.parquet", path)
    assert ("F1", FIRST) in broken(path)


def test_links_are_found(path, tmp_path):
    shutil.move(path / SECOND, tmp_path / "elsewhere.parquet")
    (path / SECOND).symlink_to(tmp_path / "elsewhere.parquet")
    assert ("F1", SECOND) in broken(path)
    shutil.move(path / "subrecords", tmp_path / "elsewhere")
    (path / "subrecords").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnreadableInput, match="lacks this table"):
        read_release(path, just_written=True)


def subrecords_in(package: dict) -> dict:
    return next(one for one in package["resources"] if one["name"] == "subrecords")


@pytest.mark.parametrize(
    "say",
    [
        lambda package: subrecords_in(package)["path"].append("../../secret.parquet"),
        lambda package: subrecords_in(package)["path"].append("/etc/passwd"),
        lambda package: subrecords_in(package)["path"].append(FIRST),
        lambda package: subrecords_in(package)["path"].reverse(),
        lambda package: subrecords_in(package)["path"].append(None),
        lambda package: subrecords_in(package)["parts"].reverse(),
        lambda package: subrecords_in(package)["parts"].append({"path": "../x.parquet", "bytes": 1}),
        lambda package: subrecords_in(package)["parts"].pop(),
        lambda package: subrecords_in(package).update(parts="none"),
        lambda package: subrecords_in(package)["parts"][0].update(rows=9999),
        lambda package: subrecords_in(package)["parts"][0].update(hash="sha256:0"),
        lambda package: subrecords_in(package).update(rows=1),
        lambda package: package["resources"].append({"name": "more", "path": [], "parts": []}),
        lambda package: package["disjoin"].update(format=1),
    ],
)
def test_what_is_said_of_parts_is_compared_and_no_strange_path_is_opened(path, tmp_path, say):
    (tmp_path / "secret.parquet").symlink_to("/dev/full")  # nobody could read it
    edit(path, say)
    found = broken(path)
    assert found and {invariant for invariant, _ in found} == {"F1"}


def test_format_2_is_for_tables_in_parts(whole, tmp_path):
    copy = shutil.copytree(whole, tmp_path / "copy")
    edit(copy, lambda package: package["disjoin"].update(format=2))
    assert ("F1", "datapackage.json") in broken(copy)


def test_parts_together_are_within_the_limit_of_memory(path):
    sizes = [unpacked_size(pq.read_metadata(file)) for file in (path / "subrecords").iterdir()]
    with pytest.raises(UnreadableInput, match="the parts of the table would unpack to more than"):
        read_release(path, memory_limit=sum(sizes) - 1, just_written=True)


@pytest.mark.parametrize(
    ("rows", "ends"),
    [([2], []), ([3], []), ([4], [1]), ([1, 4], [2]), ([1, 3, 3, 5, 5], [2, 5]), ([0, 30], [2])],
)
def test_where_parts_end(rows, ends, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_PART", LIMIT)
    assert part_ends(np.array(rows)) == ends


@pytest.mark.parametrize("rows", [1, 3, 7, 64])
def test_groups_of_rows_are_written_one_after_another_with_the_same_bytes(release, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(release_parts, "ROWS_IN_A_GROUP", rows)
    for name, table in tables_of(release.published).items():
        release_parts.write_table(table, tmp_path / "whole")
        lay_out(release.published)[name].write(tmp_path / "groups")
        assert pq.read_metadata(tmp_path / "groups").num_row_groups == -(-table.num_rows // rows)
        assert (tmp_path / "groups").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_release_without_chunks_is_written_in_groups_too(tmp_path):
    published = Clusters.from_nested([{"size": 4, "term_chunk": ["tea"]}])
    lay_out(published)["subrecords.parquet"].write(tmp_path / "none")
    assert pq.read_table(tmp_path / "none").num_rows == 0


def test_rows_of_a_large_tree_are_put_together_once(tmp_path, monkeypatch):
    """One cluster with all records: read a row at a time, it must not be copied with every row that comes."""
    folder = disjoin.disassociate(baskets(), k=3, m=2, clustering="core", refine=False).write(tmp_path / "release")
    copied, put_together = [], tables.joined

    def joined(parts):
        copied.append(sum(part.rows for part in parts))
        return put_together(parts)

    monkeypatch.setattr(tables, "ROWS_AT_ONCE", 1)
    monkeypatch.setattr("disjoin.forms.clusters.tables.joined", joined)
    assert holds_in_blocks(folder, extent_in_parts)
    rows = sum(pq.read_metadata(folder / name).num_rows for name in ("clusters.parquet", "subrecords.parquet"))
    assert rows > 20
    assert rows <= sum(copied) <= 2 * rows
