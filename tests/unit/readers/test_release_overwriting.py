"""What --overwrite replaces: an empty folder, or a release and nothing else. Everything else is somebody's work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from disjoin.errors import OutputExists
from disjoin.release.reader import check_destination, read_release, write_release
from helpers.releases import figure_3, sealed
from helpers.table_releases import clinic, sealed_table

DOCUMENTS = {"README.md": "for you\n", "report.html": b"<p>", "report.json": "{}\n"}


def written(folder: Path, **options: bool) -> Path:
    return write_release(sealed(figure_3()), folder / "release", documents=DOCUMENTS, **options)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else b"" for f in sorted(folder.rglob("*"))}


def a_file(path: Path) -> None:
    path.write_text("my thesis")


def a_folder_of_something_else(path: Path) -> None:
    path.mkdir()
    (path / "thesis.txt").write_text("my thesis")


def another_data_package(path: Path) -> None:
    path.mkdir()
    (path / "datapackage.json").write_text('{"name": "weather", "resources": []}')


def a_release_with_a_note_in_it(path: Path) -> None:
    written(path.parent)
    (path / "notes.txt").write_text("do not lose")


def a_package_that_only_claims_to_be_a_release(path: Path) -> None:
    path.mkdir()
    (path / "precious.txt").write_text("my thesis")
    package = {"disjoin": {}, "resources": [{"path": "precious.txt"}]}
    (path / "datapackage.json").write_text(json.dumps(package))


def declare(path: Path, name: str, **facts: object) -> None:
    file = path / "datapackage.json"
    package = json.loads(file.read_text())
    package["resources"].append({"path": name, **facts})
    file.write_text(json.dumps(package))


def a_release_that_declares_a_strange_file(path: Path) -> None:
    written(path.parent)
    (path / "precious.txt").write_text("my thesis")
    declare(path, "precious.txt")


def a_release_that_declares_a_folder(path: Path) -> None:
    written(path.parent)
    (path / "thesis").mkdir()
    (path / "thesis" / "chapter 1.txt").write_text("my thesis")
    declare(path, "thesis")


def a_release_with_a_folder_for_a_table(path: Path) -> None:
    written(path.parent)
    (path / "clusters.parquet").unlink()
    (path / "clusters.parquet").mkdir()
    (path / "clusters.parquet" / "chapter 1.txt").write_text("my thesis")


def a_release_with_a_link_for_a_table(path: Path) -> None:
    written(path.parent)
    (path / "clusters.parquet").rename(path.parent / "elsewhere.parquet")
    (path / "clusters.parquet").symlink_to(path.parent / "elsewhere.parquet")


def a_release_with_a_page_that_somebody_has_gone_on_writing(path: Path) -> None:
    written(path.parent)
    with (path / "README.md").open("a") as page:
        page.write("and my thesis\n")


def a_release_with_a_changed_byte(path: Path) -> None:
    written(path.parent)
    (path / "README.md").write_text("for us!\n")


def a_release_of_records_with_a_hierarchy(path: Path) -> None:
    written(path.parent)
    (path / "hierarchies").mkdir()
    (path / "hierarchies" / "age.csv").write_text("my thesis")
    declare(path, "hierarchies/age.csv")


def a_release_of_a_table_with_the_hierarchy_of_another(path: Path) -> None:
    write_release(sealed_table(clinic()), path, documents={})
    (path / "hierarchies" / "income.csv").write_text("my thesis")
    declare(path, "hierarchies/income.csv")


@pytest.mark.parametrize(
    "make",
    [
        a_file,
        a_folder_of_something_else,
        another_data_package,
        a_package_that_only_claims_to_be_a_release,
        a_release_with_a_note_in_it,
        a_release_that_declares_a_strange_file,
        a_release_that_declares_a_folder,
        a_release_with_a_folder_for_a_table,
        a_release_with_a_link_for_a_table,
        a_release_with_a_page_that_somebody_has_gone_on_writing,
        a_release_with_a_changed_byte,
        a_release_of_records_with_a_hierarchy,
        a_release_of_a_table_with_the_hierarchy_of_another,
    ],
)
def test_what_is_not_a_release_is_never_overwritten(tmp_path, make):
    make(tmp_path / "release")
    before = everything_in(tmp_path)
    for overwrite in (True, False):
        with pytest.raises(OutputExists, match="will not be overwritten") as caught:
            written(tmp_path, overwrite=overwrite)
        assert "overwrite" not in str(caught.value), "nobody is told to do what will be refused"
        assert "remove" not in str(caught.value).lower()
    assert everything_in(tmp_path) == before


def test_what_is_in_the_way_of_a_new_release_is_named(tmp_path):
    a_release_with_a_note_in_it(tmp_path / "release")
    with pytest.raises(OutputExists, match=r"Move 'notes\.txt' away, or choose another place"):
        check_destination(tmp_path / "release", overwrite=True)


def test_a_changed_file_is_named_and_can_be_moved_away(tmp_path):
    a_release_with_a_changed_byte(tmp_path / "release")
    with pytest.raises(OutputExists, match=r"'README\.md' in it has changed since .* Move 'README\.md' away"):
        check_destination(tmp_path / "release", overwrite=True)
    (tmp_path / "release" / "README.md").rename(tmp_path / "mine.md")
    assert read_release(written(tmp_path, overwrite=True)).published == figure_3()


def test_a_huge_file_in_a_release_is_refused_by_its_size_alone(tmp_path):
    path = written(tmp_path)
    with (path / "README.md").open("r+b") as page:
        page.truncate(1 << 40)  # sparse: to hash it would take an hour
    with pytest.raises(OutputExists, match="changed since"):
        check_destination(path, overwrite=True)


def test_a_table_with_its_hierarchies_is_overwritten(tmp_path):
    path = write_release(sealed_table(clinic()), tmp_path / "release", documents={})
    assert (path / "hierarchies").is_dir()
    assert read_release(written(tmp_path, overwrite=True)).published == figure_3()
