"""The release folder: what is in it, and that it appears whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disjoin.errors import CannotWrite, InvalidParameter, OutputExists
from disjoin.forms import clusters
from disjoin.model import Clusters, KmAnonymity
from disjoin.parquet import tables
from disjoin.release import destination as release_folder
from disjoin.release import reader
from disjoin.release.reader import check_destination, read_release, write_release
from disjoin.verify import certify
from helpers.releases import figure_3, sealed

DOCUMENTS = {"README.md": "for you\n", "report.html": b"<p>", "report.json": "{}\n"}
HOME = Path(__file__).parents[2]


def written(folder: Path, **options: bool) -> Path:
    return write_release(sealed(figure_3()), folder / "release", documents=DOCUMENTS, **options)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else b"" for f in sorted(folder.rglob("*"))}


def test_tables_that_are_written_take_no_memory_while_they_are_read_again(tmp_path, monkeypatch):
    laid_out = []

    def lay_out(published):
        laid_out.append(clusters.FORM.lay_out(published))
        return laid_out[0]

    monkeypatch.setitem(reader.FORMS, "clusters", replace(clusters.FORM, lay_out=lay_out))
    left = []
    path = tmp_path / "release"
    write_release(
        sealed(figure_3()), path, documents=DOCUMENTS, verify_written=lambda folder: left.append(dict(laid_out[0]))
    )
    assert left == [{}]
    assert (path / "clusters.parquet").is_file()


def test_the_tables_have_exactly_the_columns_and_plain_types_of_the_format(tmp_path):
    path = written(tmp_path)
    terms = pa.list_(pa.field("element", pa.string(), nullable=False))
    clusters = pa.schema([("cluster", "int64"), ("parent", "int64"), ("size", "int64"), ("terms", terms)])
    subrecords = pa.schema([("cluster", "int64"), ("chunk", "int32"), ("terms", terms), ("count", "int64")])
    assert [(f.name, f.type) for f in pq.read_schema(path / "clusters.parquet")] == [(f.name, f.type) for f in clusters]
    found = pq.read_schema(path / "subrecords.parquet")
    assert [(f.name, f.type) for f in found] == [(f.name, f.type) for f in subrecords]
    assert [f.name for f in pq.read_schema(path / "clusters.parquet") if f.nullable] == ["parent"]
    assert not any(f.nullable for f in found)


def test_the_rows_say_what_was_published(tmp_path):
    path = written(tmp_path)
    assert pq.read_table(path / "clusters.parquet").to_pylist() == [
        {"cluster": 0, "parent": None, "size": 10, "terms": []},
        {"cluster": 1, "parent": 0, "size": 5, "terms": ["viagra"]},
        {"cluster": 2, "parent": 0, "size": 5, "terms": ["panic disorder", "playboy"]},
    ]
    rows = pq.read_table(path / "subrecords.parquet").to_pylist()
    assert rows[0] == {"cluster": 0, "chunk": 0, "terms": ["ikea"], "count": 1}
    assert rows[3] == {"cluster": 1, "chunk": 0, "terms": ["audi a4", "sony tv"], "count": 3}
    assert [(row["cluster"], row["chunk"]) for row in rows] == [(0, 0)] * 3 + [(1, 0)] + [(1, 1)] * 4 + [(2, 0)] * 4


def test_a_dictionary_page_is_sorted_and_has_the_terms_of_its_own_column_only(tmp_path):
    path = written(tmp_path)
    for name, owner in (("clusters.parquet", "term chunk"), ("subrecords.parquet", "chunk")):
        with pq.ParquetFile(path / name, read_dictionary=["terms.list.element"]) as parquet:
            column = parquet.read_row_group(0)["terms"].chunk(0)
        rows = pq.read_table(path / name)["terms"].to_pylist()
        assert column.values.dictionary.to_pylist() == sorted({term for row in rows for term in row}), owner


def test_nothing_is_stored_about_who_wrote_it_and_when(tmp_path):
    path = written(tmp_path)
    for name in ("clusters.parquet", "subrecords.parquet"):
        assert pq.read_metadata(path / name).metadata is None
    package = json.loads((path / "datapackage.json").read_text())
    assert set(package) == {"$schema", "name", "title", "description", "resources", "disjoin"}


def test_a_vocabulary_of_megabytes_still_has_its_dictionary(tmp_path):
    names = sorted(hashlib.sha256(b"%d" % i).hexdigest() for i in range(30_000))  # 1.9 MB that do not compress well
    chunk = {"subrecords": [[[name], 1] for name in names]}
    other = {"subrecords": [[[name], 2] for name in names]}
    leaves = [{"size": 30_000, "record_chunks": [chunk]}, {"size": 60_000, "record_chunks": [other]}] * 2
    path = write_release(sealed(Clusters.from_nested(leaves)), tmp_path / "r", documents={})
    with pq.ParquetFile(path / "subrecords.parquet", read_dictionary=["terms.list.element"]) as parquet:
        assert len(parquet.read_row_group(0)["terms"].chunk(0).values.dictionary) == 30_000
    assert (path / "subrecords.parquet").stat().st_size < 2 * 30_000 * 32, "each name is stored once, not four times"


def test_many_row_groups_are_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_IN_A_GROUP", 2)
    path = written(tmp_path)
    assert pq.read_metadata(path / "subrecords.parquet").num_row_groups == 6
    assert read_release(path).published == figure_3()


def test_the_descriptor_describes_every_file_truly(tmp_path):
    path = written(tmp_path)
    package = json.loads((path / "datapackage.json").read_text())
    resources = {resource["path"]: resource for resource in package["resources"]}
    assert set(resources) == {file.name for file in path.iterdir()} - {"datapackage.json"}
    for name, resource in resources.items():
        content = (path / name).read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == "sha256:" + hashlib.sha256(content).hexdigest()
    assert resources["clusters.parquet"]["rows"] == 3
    assert resources["subrecords.parquet"]["rows"] == 12
    for name in ("clusters.parquet", "subrecords.parquet"):
        assert [f["name"] for f in resources[name]["schema"]["fields"]] == pq.read_schema(path / name).names


def test_the_descriptor_states_how_it_was_made_and_what_is_promised(tmp_path):
    path = write_release(sealed(figure_3(), suppressed_records=4), tmp_path / "r", documents={})
    block = json.loads((path / "datapackage.json").read_text())["disjoin"]
    assert block.pop("version")
    assert block == {
        "format": 1,
        "method": "disassociation",
        "parameters": {"k": 3, "m": 2, "max_cluster_size": 30, "strategy": "adding"},
        "guarantee": {"type": "km-anonymity", "k": 3, "m": 2},
        "counts": {"records": 10, "suppressed_records": 4, "terms": 12},
    }


def test_the_text_of_the_descriptor_is_canonical(tmp_path):
    text = (written(tmp_path) / "datapackage.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_a_certified_release_writes_itself_with_its_documents_and_is_certified_again(tmp_path):
    made = certify(figure_3(), KmAnonymity(3, 2), method="disassociation", parameters={"k": 3, "m": 2})
    path = made.write(tmp_path / "release")
    assert {file.name for file in path.iterdir()} == {
        *DOCUMENTS,
        "datapackage.json",
        "clusters.parquet",
        "subrecords.parquet",
    }
    contents = read_release(path)
    again = certify(
        contents.published, contents.guarantee, method=contents.method, parameters=contents.parameters
    ).write(tmp_path / "again")
    assert everything_in(again) == everything_in(path)


def test_missing_parents_are_made_and_files_are_as_open_as_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        path = write_release(sealed(figure_3()), tmp_path / "a" / "b" / "c", documents=DOCUMENTS)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o750
    assert {file.stat().st_mode & 0o777 for file in path.iterdir()} == {0o640}


def test_a_taken_path_is_refused_and_left_alone(tmp_path):
    path = written(tmp_path)
    before = everything_in(tmp_path)
    with pytest.raises(OutputExists, match="already exists"):
        written(tmp_path)
    with pytest.raises(OutputExists):
        check_destination(path)
    assert everything_in(tmp_path) == before


def test_overwriting_replaces_the_whole_release_and_leaves_no_trace(tmp_path):
    path = written(tmp_path)
    release = sealed(Clusters.from_nested([{"size": 4, "term_chunk": ["tea"]}]))
    assert write_release(release, path, documents={}, overwrite=True) == path
    assert sorted(p.name for p in path.iterdir()) == ["clusters.parquet", "datapackage.json", "subrecords.parquet"]
    assert [p.name for p in tmp_path.iterdir()] == ["release"]
    assert read_release(path).published == release.published


def test_overwriting_an_empty_folder_is_fine(tmp_path):
    (tmp_path / "release").mkdir()
    assert read_release(written(tmp_path, overwrite=True)).published == figure_3()


@pytest.mark.parametrize("path", ["", Path(), ".", "a\0b", "\ud800", "caf\udce9", None, 5, b"release"])
def test_what_is_no_path_is_refused_before_the_work(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidParameter, match="the output path") as caught:
        check_destination(path, overwrite=True)
    assert str(caught.value).isprintable()


@pytest.mark.skipif(sys.platform != "linux", reason="needs names that are any bytes")
def test_a_working_folder_whose_name_is_no_text_is_found_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "caf\udce9").mkdir()
    monkeypatch.chdir(tmp_path / "caf\udce9")
    with pytest.raises(InvalidParameter, match="is not UTF-8 text"):
        check_destination("release")


def test_an_empty_path_is_called_empty():
    with pytest.raises(InvalidParameter, match="the output path is empty"):
        check_destination("")


@pytest.mark.parametrize("below", ["release", "deep/er/release"])
def test_a_file_in_the_way_is_found_before_the_work(below, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="file is a file, not a folder: choose another place"):
        check_destination(tmp_path / "file" / below)


@pytest.mark.parametrize("name", ["x" * 300, "deep/" + "x" * 300, "x" * 300 + "/release"])
def test_a_name_that_is_too_long_is_found_before_the_work(name, tmp_path):
    with pytest.raises(CannotWrite, match="too long"):
        check_destination(tmp_path / name)


def test_a_name_as_long_as_the_system_allows_is_fine(tmp_path):
    path = tmp_path / ("é" * 127)
    assert read_release(write_release(sealed(figure_3()), path, documents={})).published == figure_3()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system where nothing can be made")
@pytest.mark.parametrize("path", ["/proc/release", "/proc/deep/er/release"])
def test_a_place_where_nothing_can_be_made_is_found_before_the_work(path):
    with pytest.raises(CannotWrite, match="choose another place"):
        check_destination(path)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_parent_that_takes_no_folder_is_found_before_the_work(number, tmp_path, monkeypatch):
    def refuse(folder: Path) -> None:
        assert folder.parent == tmp_path, "the nearest parent that is there"
        raise OSError(number, "no")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(CannotWrite, match="choose another place"):
        check_destination(tmp_path / "deep" / "er" / "release")


def test_a_link_that_leads_nowhere_or_to_itself_is_refused(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OutputExists, match="Choose another place"):
        check_destination(tmp_path / "loop")
    with pytest.raises(CannotWrite, match="choose another place"):
        check_destination(tmp_path / "loop" / "release")


def test_looking_at_a_place_leaves_nothing_there(tmp_path):
    assert check_destination(str(tmp_path / "deep" / "release")) == tmp_path / "deep" / "release"
    assert not list(tmp_path.iterdir())


def test_nobody_is_told_to_remove_the_root_or_a_home(tmp_path):
    (tmp_path / "diary.txt").write_text("mine")
    for place in ("/", tmp_path):
        with pytest.raises(OutputExists, match=r"Choose another place\.$"):
            check_destination(place, overwrite=True)


def test_a_folder_that_may_not_be_looked_into_is_not_overwritten(tmp_path, monkeypatch):
    def refuse(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(OutputExists, match="have no permission to read it"):
        check_destination(tmp_path, overwrite=True)


def test_a_link_to_a_release_stays_a_link(tmp_path):
    path = written(tmp_path)
    link = tmp_path / "latest"
    link.symlink_to(path)
    write_release(sealed(figure_3(), k=4), link, documents={}, overwrite=True)
    assert link.is_symlink()
    assert read_release(path).guarantee.k == 4


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full"), MemoryError(), ValueError()])
@pytest.mark.parametrize("overwrite", [False, True])
def test_whatever_goes_wrong_in_the_middle_nothing_is_left_and_nothing_is_lost(
    tmp_path, monkeypatch, failure, overwrite
):
    path = written(tmp_path / "deep" / "er") if overwrite else tmp_path / "deep" / "er" / "release"
    before = everything_in(tmp_path)

    def fail(groups: Iterator[pa.Table], file: Path) -> None:
        assert everything_in(tmp_path) != before, "the failure comes in the middle"
        raise failure

    monkeypatch.setattr(tables, "write_groups", fail)
    with pytest.raises(CannotWrite if isinstance(failure, OSError) else type(failure)) as caught:
        write_release(sealed(figure_3()), path, documents=DOCUMENTS, overwrite=overwrite)
    assert everything_in(tmp_path) == before
    if isinstance(failure, OSError):
        assert "disk is full" in str(caught.value)


def test_an_old_release_comes_back_when_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    path = written(tmp_path)
    before = everything_in(tmp_path)
    rename = Path.rename

    def refuse_the_new_one(self: Path, target: Path) -> Path:
        if self.name.endswith(".partial"):
            raise OSError(errno.EIO, "I/O error")
        return rename(self, target)

    monkeypatch.setattr(release_folder, "_swapped", lambda complete, path: False)  # as where that cannot be done
    monkeypatch.setattr(Path, "rename", refuse_the_new_one)
    with pytest.raises(CannotWrite, match="I/O error"):
        write_release(sealed(figure_3(), k=9), path, documents={}, overwrite=True)
    assert everything_in(tmp_path) == before


def test_somebody_who_takes_the_path_meanwhile_keeps_it(tmp_path, monkeypatch):
    path = tmp_path / "release"
    write_groups = tables.write_groups

    def meanwhile(groups: Iterator[pa.Table], file: Path) -> None:
        write_groups(groups, file)
        path.mkdir(exist_ok=True)
        (path / "theirs.txt").write_text("mine now")

    monkeypatch.setattr(tables, "write_groups", meanwhile)
    with pytest.raises(OutputExists, match="in the meantime"):
        write_release(sealed(figure_3()), path, documents={})
    assert list(everything_in(tmp_path)) == ["release", "release/theirs.txt"]


def test_a_file_in_the_way_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="not a folder"):
        write_release(sealed(figure_3()), tmp_path / "file" / "release", documents={})


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file sizes")
def test_a_disk_that_says_no_is_one_sentence_and_leaves_nothing(tmp_path):
    program = """
        import resource, sys
        from disjoin.errors import CannotWrite
        from disjoin.release.reader import write_release
        from helpers.releases import figure_3, sealed
        release = sealed(figure_3())
        write_release(release, sys.argv[1] + "/one", documents={})  # everything is imported
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        try:
            write_release(release, sys.argv[1] + "/two", documents={"README.md": "x" * 400})
        except CannotWrite as failure:
            sys.exit(f"said: {failure}")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], cwd=HOME, capture_output=True, text=True
    )
    assert "said: The release could not be written" in done.stderr, done.stderr
    assert "larger than the system allows" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["one"]
