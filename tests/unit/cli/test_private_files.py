"""P11: files with facts about an original can be read by their owner only, from the moment they are made."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from disjoin.advise.results import TrialFolder
from disjoin.atomic import whole_file
from disjoin.cli.main import run
from disjoin.errors import CannotWrite
from disjoin.studio.store import Memory

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")
PEOPLE = "age,ill\n" + "".join(f"{20 + n},{'abc'[n % 3]}\n" for n in range(24))
TABLE = ["people.csv", "--quasi", "age", "--sensitive", "ill"]
SETS = "".join(f"{n % 3} {3 + n % 2}\n" for n in range(24))
WAYS = {  # what is written, and the command that writes it
    "page.html": ["inspect", *TABLE, "--report", "page.html"],
    "advice": ["advise", *TABLE, "-k", "2", "-o", "advice"],
    "results": ["compare", *TABLE, "-k", "2", "-o", "results"],
    "items": ["advise", "sets.dat", "-k", "2", "--clusterings", "core", "-o", "items"],
    "dossier.html": ["dossier", "release", "--original", "people.csv", "-o", "dossier.html"],
    "disjoin-ledger": ["ledger", "start", "."],
}


@pytest.fixture
def open_to_all(tmp_path, monkeypatch):
    """A folder with data and a release, in which new files are readable and writable by everybody unless told."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("sets.dat").write_text(SETS)
    before = os.umask(0)
    assert run(["generalize", *TABLE, "-k", "2", "-o", "release", "--quiet"]) == 0
    monkeypatch.setattr(os, "chmod", None)  # a mode that is set afterwards is too late
    yield tmp_path
    os.umask(before)


def mode(path):
    return path.stat().st_mode & 0o777


def modes(path):
    return {each.name: mode(each) for each in (path, *path.rglob("*"))} if path.is_dir() else {path.name: mode(path)}


@pytest.mark.parametrize("name", WAYS)
def test_only_the_owner_can_read_what_is_private(name, open_to_all, capsys):
    assert run(WAYS[name]) == 0
    found = modes(open_to_all / name)
    assert found.pop(name) == (0o700 if (open_to_all / name).is_dir() else 0o600)
    assert set(found.values()) <= {0o600}
    assert len(found) >= 3 or not (open_to_all / name).is_dir()


def test_a_private_folder_that_replaces_an_open_one_is_closed(open_to_all, capsys):
    Path("advice").mkdir()
    assert mode(Path("advice")) == 0o777
    assert run([*WAYS["advice"], "--overwrite", "--quiet"]) == 0
    assert set(modes(Path("advice")).values()) == {0o700, 0o600}


def test_a_release_can_be_read_by_others(open_to_all):
    assert set(modes(open_to_all / "release").values()) == {0o777, 0o666}, "as the umask has it"


def test_a_private_file_is_closed_while_it_is_written(open_to_all):
    with whole_file(Path("page"), private=True) as file:
        file.write(b"facts")
        assert [mode(path) for path in Path().glob(".page.*")] == [0o600]
    with pytest.raises(CannotWrite), whole_file(Path("page"), private=True):
        raise OSError
    assert mode(Path("page")) == 0o600


def test_a_private_folder_is_closed_while_it_is_written(open_to_all):
    folder = TrialFolder("advice", "The advice", "folder of advice", ())
    with folder.kind.filled("made") as unfinished:
        assert mode(unfinished) == 0o700
    folder.write([{"k": 2}], {}, "page", {}, "more")
    assert set(modes(Path("more")).values()) == {0o700, 0o600}


def test_the_memory_of_the_studio_and_its_journal_are_closed(open_to_all):
    memory = Memory(open_to_all / "studio.db")
    memory.add_data("one", {"name": "people.csv"})
    assert {path.name: mode(path) for path in open_to_all.glob("studio.db*")} == {
        f"studio.db{ending}": 0o600 for ending in ("", "-shm", "-wal")
    }


def test_the_journal_of_a_ledger_is_closed(open_to_all):
    assert run(WAYS["disjoin-ledger"]) == 0
    ledger = sqlite3.connect("disjoin-ledger", isolation_level=None)
    ledger.execute("BEGIN IMMEDIATE")
    ledger.execute("CREATE TABLE more(n)")
    assert {mode(path) for path in open_to_all.glob("disjoin-ledger*")} == {0o600}
    assert len([*open_to_all.glob("disjoin-ledger*")]) == 2
    ledger.close()
