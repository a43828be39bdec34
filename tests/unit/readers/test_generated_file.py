"""A generated file is there whole or not at all, in folders that are made for it."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest

from disjoin.atomic import whole_file
from disjoin.errors import CannotWrite, InvalidParameter


def test_missing_parents_are_made(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "x.csv"
    with whole_file(path) as file:
        file.write(b"a,b\n")
    assert path.read_bytes() == b"a,b\n"
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full"), ValueError()])
def test_whatever_goes_wrong_nothing_is_left_and_nothing_is_lost(failure: BaseException, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes(b"old")
    for path in (tmp_path / "old.csv", tmp_path / "deep" / "er" / "x.csv"):
        with pytest.raises(CannotWrite if isinstance(failure, OSError) else type(failure)), whole_file(path) as file:
            file.write(b"half of")
            raise failure
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_bytes() == b"old"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("file/x.csv", "A part of the path is a file, not a folder"),
        ("file/deep/x.csv", "A part of the path is a file, not a folder"),
        ("folder", "It is a folder: name a file"),
        ("x" * 300, "The name is too long"),
    ],
)
def test_the_advice_fits_what_is_wrong(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CannotWrite) as caught, whole_file(tmp_path / name):
        if name != "x" * 300:
            pytest.fail("it was opened")
    assert words in str(caught.value) and "make room" not in str(caught.value).lower()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "folder"]


def test_a_full_disk_is_told_to_make_room(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="No space left on the disk: make room"), whole_file(tmp_path / "x.csv"):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system where nothing can be made")
def test_a_place_where_nothing_can_be_made_is_one_sentence() -> None:
    with pytest.raises(CannotWrite, match="choose another place"), whole_file(Path("/proc/deep/x.csv")):
        pytest.fail("it was opened")


@pytest.mark.parametrize("path", [Path(), Path("/"), Path("a\0b"), Path("\ud800")])
def test_what_is_no_name_of_a_file_is_refused(path: Path) -> None:
    with pytest.raises(InvalidParameter, match="the output path") as caught, whole_file(path):
        pytest.fail("it was opened")
    assert str(caught.value).isprintable()
