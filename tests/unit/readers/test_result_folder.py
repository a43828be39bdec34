"""What --overwrite replaces besides releases: results with a list of what was written, and as it was written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from disjoin.errors import OutputExists
from disjoin.release.descriptor import fingerprint
from disjoin.release.result_folder import LIST, ResultFolder

RESULTS = ResultFolder("The survey", "survey", r"survey\.(csv|json)|chart-\d+\.svg")


def write(place: Path, *, overwrite: bool = False, text: str = "1\n") -> Path:
    with RESULTS.filled(place, overwrite=overwrite) as folder:
        (folder / "survey.csv").write_text(text)
        (folder / "chart-1.svg").write_text("<svg/>")
    return place


def everything_in(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() if f.is_file() else b"" for f in sorted(folder.rglob("*"))}


def list_also(place: Path, name: str) -> None:
    """Forge the list of a folder, so that it has `name` with the right size and sum."""
    stated = json.loads((place / LIST).read_text())
    stated["files"][name] = fingerprint(place / name)
    (place / LIST).write_text(json.dumps(stated, indent=1, sort_keys=True) + "\n")


def names_that_only_look_right(place: Path) -> None:
    place.mkdir()
    (place / "survey.csv").write_text("my thesis")
    (place / "survey.json").write_text("{}")


def a_stranger_beside(place: Path) -> None:
    (write(place) / "thesis.txt").write_text("my thesis")


def a_stranger_in_the_list(place: Path) -> None:
    a_stranger_beside(place)
    list_also(place, "thesis.txt")


def a_file_that_somebody_has_gone_on_writing(place: Path) -> None:
    (write(place) / "survey.csv").write_text("1\nand my thesis\n")


def a_file_of_the_same_size(place: Path) -> None:
    (write(place) / "survey.csv").write_text("2\n")


def a_file_of_ours_that_is_not_in_the_list(place: Path) -> None:
    (write(place) / "survey.json").write_text("{}")


def a_link_for_a_file(place: Path) -> None:
    (write(place) / "survey.csv").rename(place.parent / "elsewhere.csv")
    (place / "survey.csv").symlink_to(place.parent / "elsewhere.csv")


def a_folder_for_a_file(place: Path) -> None:
    (write(place) / "survey.csv").unlink()
    (place / "survey.csv").mkdir()
    (place / "survey.csv" / "chapter 1.txt").write_text("my thesis")


def a_pipe_for_a_file(place: Path) -> None:
    (write(place) / "survey.csv").unlink()
    os.mkfifo(place / "survey.csv")


def an_empty_folder_inside(place: Path) -> None:
    (write(place) / "hierarchies").mkdir()


def a_list_with_a_remark(place: Path) -> None:
    write(place)
    stated = json.loads((place / LIST).read_text()) | {"remark": "my thesis"}
    (place / LIST).write_text(json.dumps(stated))


def a_list_that_is_a_link(place: Path) -> None:
    (write(place) / LIST).rename(place.parent / "elsewhere.json")
    (place / LIST).symlink_to(place.parent / "elsewhere.json")


def a_list_that_is_not_text(place: Path) -> None:
    (write(place) / LIST).write_bytes(b"\xff\xfe")


def a_list_nested_without_end(place: Path) -> None:
    (write(place) / LIST).write_text("[" * 100_000)


def a_list_of_another_kind_of_results(place: Path) -> None:
    with ResultFolder("The count", "count", r"survey\.csv").filled(place) as folder:
        (folder / "survey.csv").write_text("1\n")


def a_single_file(place: Path) -> None:
    place.write_text("my thesis")


@pytest.mark.parametrize(
    "make",
    [
        names_that_only_look_right,
        a_stranger_beside,
        a_stranger_in_the_list,
        a_file_that_somebody_has_gone_on_writing,
        a_file_of_the_same_size,
        a_file_of_ours_that_is_not_in_the_list,
        a_link_for_a_file,
        a_folder_for_a_file,
        a_pipe_for_a_file,
        an_empty_folder_inside,
        a_list_with_a_remark,
        a_list_that_is_a_link,
        a_list_that_is_not_text,
        a_list_nested_without_end,
        a_list_of_another_kind_of_results,
        a_single_file,
    ],
)
def test_what_was_not_written_here_is_never_overwritten(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "results")
    before = everything_in(tmp_path)
    for overwrite in (True, False):
        with pytest.raises(OutputExists, match="will not be overwritten") as caught:
            write(tmp_path / "results", overwrite=overwrite)
        assert "overwrite" not in str(caught.value), "nobody is told to do what will be refused"
    assert everything_in(tmp_path) == before


def test_results_as_they_were_written_are_overwritten_if_asked(tmp_path: Path) -> None:
    place = write(tmp_path / "results")
    with pytest.raises(OutputExists, match="overwrite=True"):
        write(place)
    write(place, overwrite=True, text="2\n")
    assert (place / "survey.csv").read_text() == "2\n"
    assert sorted(file.name for file in place.iterdir()) == ["chart-1.svg", LIST, "survey.csv"]


def test_an_empty_folder_is_filled_if_asked(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    assert write(tmp_path / "results", overwrite=True)


def test_what_is_in_the_way_is_named_and_can_be_moved_away(tmp_path: Path) -> None:
    a_file_of_the_same_size(tmp_path / "results")
    with pytest.raises(OutputExists, match=r"'survey\.csv' in it has changed since .* Move 'survey\.csv' away"):
        RESULTS.check(tmp_path / "results", overwrite=True)
    (tmp_path / "results" / "survey.csv").rename(tmp_path / "mine.csv")
    write(tmp_path / "results", overwrite=True)


def test_a_huge_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    place = write(tmp_path / "results")
    with (place / "survey.csv").open("r+b") as file:
        file.truncate(1 << 40)  # sparse: to hash it would take an hour
    with pytest.raises(OutputExists, match="changed since"):
        RESULTS.check(place, overwrite=True)


def test_what_is_put_there_during_the_work_is_not_lost(tmp_path: Path) -> None:
    place = write(tmp_path / "results")
    with pytest.raises(OutputExists, match=r"has 'thesis\.txt'"), RESULTS.filled(place, overwrite=True) as folder:
        (folder / "survey.csv").write_text("2\n")
        (place / "thesis.txt").write_text("my thesis")
    assert (place / "thesis.txt").read_text() == "my thesis"
    assert (place / "survey.csv").read_text() == "1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["results"], "and nothing is left behind"
