"""Zips and folders of strangers (B13): nothing leaves its folder, and nothing grows without end."""

import stat
import zipfile

import pytest

from disjoin.errors import UnreadableInput
from disjoin.studio.home import safe_suffix
from disjoin.studio.zips import MOST_MEMBERS, pack, put_together, safe_names, unpack


def packed(tmp_path, **files):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return tmp_path / "a.zip"


def test_a_packed_folder_comes_back_as_it_was(tmp_path):
    (tmp_path / "one" / "hierarchies").mkdir(parents=True)
    (tmp_path / "one" / "README.md").write_text("hello")
    (tmp_path / "one" / "hierarchies" / "age.csv").write_bytes(b"1;2")
    pack(tmp_path / "one", tmp_path / "a.zip", "release")
    pack(tmp_path / "one", tmp_path / "b.zip", "release")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    (tmp_path / "two").mkdir()
    unpack(tmp_path / "a.zip", tmp_path / "two")
    assert (tmp_path / "two" / "README.md").read_text() == "hello"
    assert (tmp_path / "two" / "hierarchies" / "age.csv").read_bytes() == b"1;2"


@pytest.mark.parametrize(
    "name",
    ["../evil", "a/../../evil", "/etc/passwd", "a\\..\\evil", "C:evil", "a\x00b", "a/b/c/d", "CON<", "", "x" * 200],
)
def test_names_that_no_release_has_are_refused(name, tmp_path):
    with pytest.raises(UnreadableInput):
        safe_names([name, "other"])


def test_a_zip_that_leads_out_writes_nothing_outside(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../outside.txt", "x")
    (tmp_path / "in").mkdir()
    with pytest.raises(UnreadableInput, match="leads out"):
        unpack(tmp_path / "a.zip", tmp_path / "in")
    assert not (tmp_path / "outside.txt").exists()


def test_a_bomb_stops_early(tmp_path):
    (tmp_path / "in").mkdir()
    with pytest.raises(UnreadableInput, match="far more"):
        unpack(packed(tmp_path, big=b"\0" * 20_000_000), tmp_path / "in")
    assert sum(file.stat().st_size for file in (tmp_path / "in").rglob("*")) < 10_000_000


def test_a_zip_of_many_files_is_no_release(tmp_path):
    (tmp_path / "in").mkdir()
    with pytest.raises(UnreadableInput, match="at most 200"):
        unpack(packed(tmp_path, **{f"f{n}": b"" for n in range(MOST_MEMBERS + 1)}), tmp_path / "in")


def test_links_are_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    (tmp_path / "in").mkdir()
    with pytest.raises(UnreadableInput, match="link"):
        unpack(tmp_path / "a.zip", tmp_path / "in")


def test_what_is_no_zip_is_said_to_be_none(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 nonsense")
    with pytest.raises(UnreadableInput, match="something else"):
        unpack(tmp_path / "a.zip", tmp_path)


def test_single_files_are_put_together(tmp_path):
    (tmp_path / "0000").write_text("x")
    put_together({"release/README.md": tmp_path / "0000"}, tmp_path / "in")
    assert (tmp_path / "in" / "README.md").read_text() == "x"


@pytest.mark.parametrize("name", ["x.csv/../../../y", "a.b c", "x.%2e", "x.\n", "évil.çsv", ".", "a.toolongsuffix"])
def test_of_a_hostile_name_no_more_than_a_short_suffix_is_kept(name):
    assert not set(safe_suffix(name)) & set("/\\ %\n")
    assert len(safe_suffix(name)) < 20
