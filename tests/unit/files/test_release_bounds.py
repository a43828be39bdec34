"""A release folder of a few bytes on the disk costs little to judge, however large its files say they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.errors import UnreadableInput
from disjoin.files.release import read_release, write_release
from releases import figure_3, sealed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    documents = {"README.md": "hello\n", "report.html": "<p>"}
    return write_release(sealed(figure_3()), tmp_path / "release", documents=documents)


def stretch(file: Path, size: int) -> None:
    with file.open("r+b") as stream:
        stream.truncate(size)  # sparse: it takes no room


@pytest.mark.parametrize("page", ["README.md", "report.html"])
def test_a_page_of_gigabytes_is_refused_before_it_is_read(path, page):
    stretch(path / page, 1 << 40)
    with pytest.raises(UnreadableInput, match=r"expected a page of at most 64 MB, found 1,099,511,") as caught:
        read_release(path)
    assert caught.value.source == str(path / page)


def test_a_file_of_another_size_than_stated_is_not_hashed(path):
    stretch(path / "README.md", 60 << 20)
    found = read_release(path).published.anomalies
    assert [f.message for f in found] == ["datapackage.json states bytes 6, the file has 62914560"]
