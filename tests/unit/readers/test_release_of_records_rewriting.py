"""Releases of generalised and of noisy records against themselves: nothing is hidden in them or called otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from disjoin.model import DifferentialPrivacy, KmAnonymity, Release
from disjoin.release.reader import write_release
from disjoin.report.documents import documents_of
from disjoin.verify import certify
from helpers.item_releases import pantry, rumours
from helpers.tampering import compared, edit, rehash


def written(release: Release, place: Path) -> Path:
    return write_release(release, place / "release", documents=documents_of(release))


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return written(certify(pantry(), KmAnonymity(2, 2), method="apriori", parameters={"k": 2, "m": 2}), tmp_path)


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    return written(certify(rumours(), DifferentialPrivacy(1), method="diffpart", parameters={"epsilon": "1"}), tmp_path)


def places(folder: Path) -> set[str]:
    return {violation.place for violation in compared(folder).violations} - {
        "datapackage.json"
    }  # that is about the method


@pytest.mark.parametrize("form", ["items", "noisy"])
def test_an_honest_folder_is_what_its_tables_make_it_and_a_remark_is_found(request, form):
    folder = request.getfixturevalue(form)
    assert places(folder) == set()
    (folder / "README.md").write_bytes((folder / "README.md").read_bytes() + b"\n<!-- row 3 is Bob -->\n")
    rehash(folder, "README.md")
    assert places(folder) == {"README.md"}


@pytest.mark.parametrize("name", ["mapping.parquet", "records.parquet"])
def test_bytes_between_the_pages_of_a_table_are_found(items, name):
    data = (items / name).read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")  # of the pages; what follows is found from the end
    (items / name).write_bytes(data[:end] + b"Bob has tea" + data[end:])
    rehash(items, name)
    assert places(items) == {name}


def test_generalised_records_that_are_called_noisy_are_found_out(items):
    for name in ("mapping.parquet", "hierarchy.csv"):
        (items / name).unlink()

    def rename(package):
        package["resources"] = [entry for entry in package["resources"] if (items / entry["path"]).exists()]
        package["disjoin"]["guarantee"] = DifferentialPrivacy(1).to_json()

    edit(items, rename)
    assert {violation.place for violation in compared(items).violations} >= {
        "datapackage.json",
        "README.md",
        "report.json",
    }
