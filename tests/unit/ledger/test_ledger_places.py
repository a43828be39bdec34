"""Where a ledger may lie and where it is looked for, and files that are none."""

import os
import sqlite3

import pytest

import disjoin
from disjoin.ledger.ledger import LEDGER, Ledger

PEOPLE = [{f"p{n}", f"q{n % 7}"} for n in range(30)]


@pytest.fixture
def ledger(tmp_path):
    made = Ledger.start(tmp_path)
    made.add(disjoin.disassociate(PEOPLE, k=3), PEOPLE)
    return made


def test_the_nearest_ledger_is_found_from_the_data_upwards(ledger, tmp_path):
    deep = tmp_path / "years" / "2026"
    deep.mkdir(parents=True)
    assert Ledger.near(deep / "visits.csv") == ledger
    nearer = Ledger.start(tmp_path / "years")
    assert Ledger.near(deep / "visits.csv") == nearer
    assert Ledger.near(tmp_path / "visits.csv") == ledger


def test_standard_input_has_the_ledger_of_the_current_folder(ledger, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert Ledger.near("-") == ledger
    assert Ledger.near("data.csv") == ledger


def test_a_link_to_the_data_leads_to_its_ledger(ledger, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (tmp_path / "data.csv").write_text("tea,milk\n")
    (elsewhere / "data.csv").symlink_to(tmp_path / "data.csv")
    assert Ledger.near(elsewhere / "data.csv") == ledger


def test_where_there_is_none_none_is_found(tmp_path):
    assert Ledger.near(tmp_path / "data.csv") is None
    with pytest.raises(disjoin.UnreadableInput, match=r"found none\. Start one with disjoin ledger start"):
        Ledger.open(tmp_path)


def test_no_ledger_is_started_in_a_release_or_below(tmp_path):
    folder = disjoin.disassociate(PEOPLE, k=3).write(tmp_path / "release")
    (folder / "below").mkdir()
    for place in (folder, folder / "below"):
        with pytest.raises(disjoin.InvalidParameter, match="is a release folder, which others receive"):
            Ledger.start(place)
    assert not list(folder.rglob(LEDGER))


def test_a_ledger_that_came_into_a_release_is_refused(ledger, tmp_path):
    folder = disjoin.disassociate(PEOPLE, k=3).write(tmp_path / "release")
    ledger.path.rename(folder / LEDGER)
    with pytest.raises(disjoin.InvalidParameter, match="others receive"):
        Ledger.open(folder)


def test_a_data_package_of_others_is_no_release(tmp_path):
    (tmp_path / "datapackage.json").write_text('{"name": "visits", "resources": []}')
    assert Ledger.start(tmp_path).entries() == []


def test_a_ledger_is_started_in_a_folder(tmp_path):
    with pytest.raises(disjoin.InvalidParameter, match="is none"):
        Ledger.start(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"not a database", b"SQLite format 3\0" + bytes(84), bytes(5000)])
def test_another_file_under_the_name_is_one_sentence(tmp_path, content):
    (tmp_path / LEDGER).write_bytes(content)
    (tmp_path / LEDGER).chmod(0o600)
    with pytest.raises(disjoin.UnreadableInput, match=r"expected a (whole )?ledger"):
        Ledger.open(tmp_path)


def test_a_database_of_another_program_is_not_touched(tmp_path):
    with sqlite3.connect(tmp_path / LEDGER) as other:
        other.execute("CREATE TABLE secret (key BLOB)")
    (tmp_path / LEDGER).chmod(0o600)
    before = (tmp_path / LEDGER).read_bytes()
    with pytest.raises(disjoin.UnreadableInput, match="found another file"):
        Ledger.open(tmp_path)
    assert (tmp_path / LEDGER).read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE release SET contents = zeroblob(8)",
        "UPDATE release SET contents = 7",
        "UPDATE release SET facts = '{}'",
        "UPDATE secret SET key = zeroblob(32)",
        "UPDATE secret SET key = 'short'",
        "DELETE FROM secret",
        "DROP TABLE people",
        "INSERT INTO people VALUES (1, 0, zeroblob(8))",
    ],
)
def test_a_damaged_ledger_is_noticed(ledger, damage):
    with sqlite3.connect(ledger.path) as file:
        file.execute(damage)
    with pytest.raises(disjoin.UnreadableInput, match="found one that is damaged"):
        Ledger.open(ledger.path)


def test_no_change_of_a_byte_is_more_than_a_sentence(ledger):
    whole = ledger.path.read_bytes()
    for place in range(0, len(whole), 131):
        ledger.path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            assert len(Ledger.open(ledger.path).entries()) == 1  # a byte that nobody uses
        except disjoin.DisjoinError as told:
            assert "\n" not in str(told)


def test_a_ledger_of_a_later_format_asks_for_a_later_version(ledger):
    with sqlite3.connect(ledger.path) as file:
        file.execute("PRAGMA user_version = 2")
    with pytest.raises(disjoin.UnreadableInput, match="use a newer one"):
        Ledger.open(ledger.path)


def test_a_ledger_that_others_may_read_is_refused(ledger):
    ledger.path.chmod(0o640)
    with pytest.raises(disjoin.UnreadableInput, match="chmod 600"):
        Ledger.open(ledger.path)
    ledger.path.chmod(0o600)
    assert len(Ledger.open(ledger.path).entries()) == 1


def test_a_folder_under_the_name_is_no_ledger(tmp_path):
    (tmp_path / LEDGER).mkdir()
    assert Ledger.near(tmp_path / "data.csv") is None


def test_a_link_that_leads_nowhere_and_a_pipe_cannot_be_read(tmp_path):
    (tmp_path / LEDGER).symlink_to(tmp_path / "gone")
    with pytest.raises(disjoin.UnreadableInput, match="cannot be read"):
        Ledger.near(tmp_path / "data.csv")
    (tmp_path / LEDGER).unlink()
    os.mkfifo(tmp_path / LEDGER, 0o600)
    with pytest.raises(disjoin.UnreadableInput, match="found something else"):
        Ledger.near(tmp_path / "data.csv")
