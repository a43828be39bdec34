"""What a killed run has left behind is recognised and removed by the next one, with a word; nothing else is touched."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from disjoin.atomic import PARTIAL, begun, tidy_beside, whole_file
from disjoin.cli.main import run
from disjoin.errors import DisjoinWarning
from disjoin.release import destination as release_folder
from disjoin.release.destination import require_free, whole_or_nothing
from disjoin.release.reader import write_release
from helpers.pausing_cli import paused_at
from helpers.releases import figure_3, sealed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs locks")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def filled(folder: Path) -> Path:
    folder.mkdir()
    (folder / "half.csv").write_text("half")
    return folder


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.txt"
    path.write_text("tea milk\ntea milk jam\ntea jam\nmilk jam\n" * 5)
    return path


def test_the_next_run_removes_what_a_killed_one_has_left_and_says_so(
    baskets: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    arguments = ["disassociate", str(baskets), "-k", "3", "-o", str(out), "-q"]
    with paused_at("disjoin.release.reader._described", arguments) as (process, _):
        [left] = [name for name in names_in(tmp_path) if name.endswith(".partial")]
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    assert left in names_in(tmp_path)
    assert run(arguments) == 0
    assert capfd.readouterr().err == f"Removed leftovers of an interrupted run: {left}.\n"
    assert names_in(tmp_path) == ["baskets.txt", "release"]


def test_a_run_that_is_still_going_on_keeps_its_folder(
    baskets: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["disassociate", str(baskets), "-k", "3", "-o", str(tmp_path / "release"), "-q"]
    with paused_at("disjoin.release.reader._described", arguments):
        before = names_in(tmp_path)
        assert run(arguments) == 0
        assert capfd.readouterr().err == ""
        assert names_in(tmp_path) == sorted([*before, "release"])


def test_a_folder_somebody_fills_is_left_alone(tmp_path: Path) -> None:
    with begun(tmp_path / "release", PARTIAL, Path.mkdir) as place:
        tidy_beside(tmp_path / "release")
        assert place.is_dir()
    assert names_in(tmp_path) == []


def test_only_names_of_ours_beside_the_same_place_are_removed(tmp_path: Path) -> None:
    others = [
        ".release.1a2b3c4d.partial.txt",
        ".release.1a2b3c4d.PARTIAL",
        ".release.1a2b3c4.partial",
        ".release.1a2b3c4g.partial",
        ".other.1a2b3c4d.partial",
        "release.1a2b3c4d.partial",
        ".releases.1a2b3c4d.partial",
        ".release.x.1a2b3c4d.partial",
        ".disjoin.1a2b3c4d.partial",
    ]
    for name in others:
        filled(tmp_path / name)
    ours = [".release.00000000.partial", ".release.ffffffff.partial"]
    for name in ours:
        filled(tmp_path / name)
    (tmp_path / ".disjoin.12345678.probe").mkdir()
    (tmp_path / ".release.12345678.part").write_text("half")
    words = "interrupted run: .*disjoin.12345678.probe|interrupted run: .*release.00000000.partial"
    with pytest.warns(DisjoinWarning, match=words):
        require_free(tmp_path / "release", overwrite=False, objection_to=lambda folder: None)
    assert names_in(tmp_path) == sorted(others)


def test_links_files_and_full_probes_of_such_a_name_stay(tmp_path: Path) -> None:
    mine = filled(tmp_path / "mine")
    (tmp_path / ".release.1a2b3c4d.partial").symlink_to(mine)
    (tmp_path / ".release.2a2b3c4d.partial").write_text("a file")
    (tmp_path / ".release.3a2b3c4d.part").mkdir()
    filled(tmp_path / ".disjoin.1a2b3c4d.probe")
    before = names_in(tmp_path)
    tidy_beside(tmp_path / "release")
    assert names_in(tmp_path) == before
    assert names_in(mine) == ["half.csv"]


def test_a_release_that_stepped_aside_is_put_back(tmp_path: Path) -> None:
    path = write_release(sealed(figure_3()), tmp_path / "release", documents={})
    path.rename(tmp_path / ".release.1a2b3c4d.old")
    with pytest.warns(DisjoinWarning, match="Restored a folder that an interrupted run had moved: release"):
        tidy_beside(path)
    assert names_in(tmp_path) == ["release"]
    assert (path / "datapackage.json").is_file()


def test_a_release_that_stepped_aside_for_one_that_is_there_is_removed(tmp_path: Path) -> None:
    filled(tmp_path / "release")
    filled(tmp_path / ".release.1a2b3c4d.old")
    with pytest.warns(DisjoinWarning, match=r"Removed .* \.release\.1a2b3c4d\.old"):
        tidy_beside(tmp_path / "release")
    assert names_in(tmp_path) == ["release"]


def test_names_that_begin_alike_are_not_taken_for_one_another(tmp_path: Path) -> None:
    long = "x" * 45
    with pytest.raises(KeyError), whole_or_nothing(tmp_path / f"{long}1") as folder:
        left = folder.name.replace(".partial", ".old")
        raise KeyError
    filled(tmp_path / left)
    tidy_beside(tmp_path / f"{long}2")
    assert names_in(tmp_path) == [left]


def test_the_next_file_of_the_same_name_removes_half_a_file(tmp_path: Path) -> None:
    (tmp_path / ".x.csv.1a2b3c4d.part").write_text("half")
    with (
        pytest.warns(DisjoinWarning, match=r"interrupted run: \.x\.csv\.1a2b3c4d\.part"),
        whole_file(tmp_path / "x.csv"),
    ):
        pass
    assert names_in(tmp_path) == ["x.csv"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is a moment between two renames")
def test_at_no_moment_is_the_place_of_a_release_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_release(sealed(figure_3()), tmp_path / "release", documents={})

    def refuse(*given: object) -> None:
        raise AssertionError("a rename of its own")

    monkeypatch.setattr(Path, "rename", refuse)
    write_release(sealed(figure_3(), k=4), path, documents={}, overwrite=True)
    assert names_in(tmp_path) == ["release"]


def test_where_folders_cannot_change_places_at_once_the_old_one_steps_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_folder, "_swapped", lambda complete, path: False)
    path = write_release(sealed(figure_3()), tmp_path / "release", documents={"README.md": "old"})
    write_release(sealed(figure_3()), path, documents={"README.md": "new"}, overwrite=True)
    assert (path / "README.md").read_text() == "new"
    assert names_in(tmp_path) == ["release"]
