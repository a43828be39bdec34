"""The ledger as Python meets it: what it knows, what it says, what it refuses."""

import sqlite3
import stat
from pathlib import Path

import pytest

import disjoin
from disjoin.ledger import store
from disjoin.ledger.ledger import LEDGER, Ledger

PEOPLE = [{f"p{n}", f"q{n % 7}", f"r{n % 3}"} for n in range(60)]
OTHERS = [{f"o{n}", f"q{n % 7}", f"r{n % 3}"} for n in range(60)]
CANARY = "canary-of-the-coal-mine"


def method(**settings):
    return disjoin.Disassociation(k=3, m=2, **settings)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.start(tmp_path)


@pytest.fixture(scope="module")
def release():
    return disjoin.disassociate(PEOPLE, k=3, m=2)


def stopped(ledger, how, place):
    """The error that stops a release of the same people."""
    with pytest.raises(disjoin.PublishedBefore) as caught, ledger.publishing(disjoin.read(PEOPLE), how, place):
        raise AssertionError("it must not come to this")
    return caught.value


def long(tmp_path, name, rows):
    (tmp_path / name).write_text("patient,diagnosis\n" + "".join(f"{who},{what}\n" for who, what in rows))
    return disjoin.read(tmp_path / name)


def test_a_new_ledger_is_private_and_empty(ledger, tmp_path):
    assert ledger.path == tmp_path / LEDGER
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert (ledger.entries(), ledger.overlaps(PEOPLE)) == ([], [])


def test_two_ledgers_have_different_keys(tmp_path):
    keys = set()
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        with sqlite3.connect(Ledger.start(tmp_path / name).path) as file:
            keys |= set(file.execute("SELECT key FROM secret").fetchall())
    assert len(keys) == 2
    assert {len(key) for (key,) in keys} == {32}


def test_a_second_ledger_does_not_take_the_place_of_the_first(ledger):
    with pytest.raises(disjoin.OutputExists, match="already exists"):
        Ledger.start(ledger.path.parent)


def test_the_same_records_are_known_in_any_order(ledger, release):
    ledger.add(release, PEOPLE)
    [found] = ledger.overlaps(PEOPLE[::-1])
    assert (found.kind, found.records, found.of_records, found.ids) == ("same", 60, 60, None)
    assert "all 60 records are in it" in str(found)


def test_other_people_are_not_known(ledger, release):
    ledger.add(release, PEOPLE)
    assert ledger.overlaps(OTHERS) == []


def test_one_more_record_is_an_update(ledger, release):
    ledger.add(release, PEOPLE)
    [found] = ledger.overlaps([*PEOPLE, {"new", "one"}])
    assert (found.kind, found.records, found.of_records) == ("update", 60, 61)


def test_a_few_of_the_people_are_a_part(ledger, release):
    ledger.add(release, PEOPLE)
    [found] = ledger.overlaps([*PEOPLE[:20], *OTHERS[20:]])
    assert (found.kind, found.records) == ("part", 20)
    assert "by chance, about 10 at most" in str(found)


def test_one_id_in_common_is_enough_whatever_its_record_holds(ledger, release, tmp_path):
    ledger.add(release, long(tmp_path, "one.csv", [(f"p{n}", f"d{n}") for n in range(60)]))
    [found] = ledger.overlaps(long(tmp_path, "two.csv", [(" P7 ", "x"), *((f"n{n}", f"e{n}") for n in range(59))]))
    assert (found.kind, found.ids, found.of_ids, found.records) == ("numbers", 1, 60, 0)
    assert "1 of 60 ids are in it" in str(found)


def test_the_same_records_under_other_ids_are_known_by_their_content(ledger, release, tmp_path):
    ledger.add(release, long(tmp_path, "one.csv", [(f"p{n}", f"d{n}") for n in range(60)]))
    [found] = ledger.overlaps(long(tmp_path, "two.csv", [(f"other{n}", f"d{n}") for n in range(60)]))
    assert (found.kind, found.ids, found.records) == ("same", 0, 60)


def test_people_of_a_table_are_known_by_their_identifiers(ledger, release):
    first = {"name": [f"n{n}" for n in range(30)], "age": [str(n % 50) for n in range(30)]}
    later = {"id": [f"n{n}" for n in range(10, 40)], "weight": [str(n) for n in range(30)]}
    ledger.add(release, first, identifiers="name")
    [found] = ledger.overlaps(later, identifiers=["id"])
    assert (found.ids, found.of_ids, found.records) == (20, 30, 0)


def test_identifiers_are_for_tables(ledger):
    with pytest.raises(disjoin.InvalidParameter, match="columns of a table"):
        ledger.overlaps(disjoin.read(PEOPLE), identifiers="name")


def test_an_entry_says_when_how_and_where(ledger, release, tmp_path):
    path = release.write(tmp_path / "out" / "release")
    entry = ledger.add(release, PEOPLE, path=path)
    assert [entry] == Ledger.open(tmp_path).entries()
    assert (entry.number, entry.method, entry.parameters["k"]) == (1, "disassociation", 3)
    assert entry.promise == release.guarantee.sentence()
    assert entry.place == str(Path("out") / "release")
    assert (entry.finished, entry.again, ledger.state_of(entry)) == (True, False, "there")
    assert ledger.add(release, PEOPLE).again


def test_the_ledger_notices_that_a_release_was_replaced_or_is_gone(ledger, release, tmp_path):
    entry = ledger.add(release, PEOPLE, path=release.write(tmp_path / "release"))
    disjoin.disassociate(OTHERS, k=3).write(tmp_path / "release", overwrite=True)
    assert ledger.state_of(entry) == "changed"
    (tmp_path / "release").rename(tmp_path / "elsewhere")
    assert ledger.state_of(entry) == "gone"


def test_neither_ids_nor_terms_are_in_the_file(ledger, tmp_path):
    rows = [(f"{CANARY}-{n}", f"{CANARY}-term-{n % 9}") for n in range(60)]
    data = long(tmp_path, "visits.csv", rows)
    release = disjoin.disassociate(data, k=3, sensitive=[f"{CANARY}-term-1"], l=3)
    ledger.add(release, data, path=release.write(tmp_path / "release"))
    stored = ledger.path.read_bytes()
    assert CANARY.encode() not in stored
    assert b"disassociation" in stored  # it is the right file


def test_what_is_forgotten_is_overwritten_and_its_number_not_given_again(ledger, release):
    ledger.add(release, PEOPLE)
    with sqlite3.connect(ledger.path) as file:
        [(contents,)] = file.execute("SELECT contents FROM release").fetchall()
    assert contents[:64] in ledger.path.read_bytes()
    ledger.forget(1)
    assert contents[:64] not in ledger.path.read_bytes()
    assert ledger.overlaps(PEOPLE) == []
    assert ledger.add(release, PEOPLE).number == 2


def test_nothing_is_forgotten_if_one_number_is_wrong(ledger, release):
    ledger.add(release, PEOPLE)
    with pytest.raises(disjoin.InvalidParameter, match="has no release 7; known are 1"):
        ledger.forget(1, 7)
    assert len(ledger.entries()) == 1


def test_a_run_that_has_not_ended_is_seen_by_another(ledger, tmp_path):
    with ledger.publishing(disjoin.read(PEOPLE), method(), tmp_path / "a"):
        error = stopped(Ledger.open(tmp_path), method(), tmp_path / "b")
    assert "Unfinished run 1" in str(error)
    assert "to be written to a)" in str(error)
    assert [overlap.kind for overlap in error.overlaps] == ["same"]


def test_a_crash_is_told_on_the_next_run(ledger, tmp_path):
    crashed = ledger.publishing(disjoin.read(PEOPLE), method(), tmp_path / "a")
    crashed.__enter__()  # and never comes back
    [entry] = Ledger.open(tmp_path).entries()
    assert not entry.finished
    assert "It is still running, or was stopped" in str(stopped(ledger, method(), tmp_path / "a"))


@pytest.mark.parametrize("failure", [disjoin.GuaranteeUnreachable("no"), KeyboardInterrupt()])
def test_a_run_that_failed_leaves_nothing(ledger, tmp_path, failure):
    with pytest.raises(type(failure)), ledger.publishing(disjoin.read(PEOPLE), method(), tmp_path / "a"):
        raise failure
    assert ledger.entries() == []


def test_a_run_that_was_interrupted_behind_the_release_stays_known(ledger, release, tmp_path):
    with pytest.raises(KeyboardInterrupt), ledger.publishing(disjoin.read(PEOPLE), method(), tmp_path / "a"):
        release.write(tmp_path / "a")
        raise KeyboardInterrupt
    assert [entry.finished for entry in ledger.entries()] == [False]


def test_an_entry_that_was_forgotten_meanwhile_is_told_together_with_the_release(ledger, release, tmp_path):
    with ledger.publishing(disjoin.read(PEOPLE), method(), tmp_path / "a") as run:
        ledger.forget(1)
        path = release.write(tmp_path / "a")
        with pytest.raises(disjoin.CannotWrite, match=r"The release is in .*, but the ledger was not updated\."):
            run.finish(release, path)


def test_a_ledger_that_another_run_holds_is_one_sentence(ledger, release, monkeypatch):
    monkeypatch.setattr(store, "_WAIT", 0.05)
    with store.connected(ledger.path, writing=True), pytest.raises(disjoin.CannotWrite, match="Another run is using"):
        ledger.add(release, PEOPLE)


def test_a_ledger_that_cannot_be_written_is_one_sentence(ledger):
    with pytest.raises(disjoin.CannotWrite, match="cannot be written"), store.connected(ledger.path) as file:
        file.execute("PRAGMA query_only = ON")
        file.execute("DELETE FROM secret")


def test_the_same_settings_are_told_apart_from_others(ledger, release, tmp_path):
    ledger.add(release, PEOPLE)
    for settings, said in (({}, True), ({"clustering": "core"}, False)):
        assert ("The settings are the same" in str(stopped(ledger, method(**settings), tmp_path / "a"))) is said


def test_noise_adds_up(ledger, tmp_path):
    pytest.importorskip("opendp")
    ledger.add(disjoin.diffpart(PEOPLE, "1/2", domain=sorted(set().union(*PEOPLE))), PEOPLE)
    error = stopped(ledger, disjoin.DiffPart(epsilon="3/2", domain="seen"), tmp_path / "a")
    assert "only epsilon = 2 (1/2 + 3/2)" in str(error)


def test_neither_key_nor_hashes_are_shown(ledger, release):
    entry = ledger.add(release, PEOPLE)
    [found] = ledger.overlaps(PEOPLE)
    assert "contents" not in repr(entry) + repr(found) + repr(ledger)
    assert repr(ledger).startswith("Ledger(path=")


def test_a_ledger_whose_schema_is_not_text_is_damaged_in_a_sentence(ledger):
    sound = ledger.path.read_bytes()
    assert sound.count(b"CREATE TABLE secret") == 1
    ledger.path.write_bytes(sound.replace(b"CREATE TABLE secret (", b"CREATE TABLE secret \xff"))
    with pytest.raises(disjoin.UnreadableInput):
        Ledger.open(ledger.path)
