"""A file that would crash, stop or fill the process that reads it is refused with a sentence; a child has tried it."""

from __future__ import annotations

import gzip
import io
import json
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.cli.main import run
from disjoin.errors import UnreadableInput
from disjoin.parquet import untrusted, untrusted_child
from disjoin.parquet.untrusted import ChildLimits, ChildResult, require_harmless
from disjoin.parquet.untrusted_child import SOUND, TOO_LARGE
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.release.reader import read_release
from helpers import forked_readers
from helpers.tampering import edit, rehash

RECORDS = [["a", "b"]] * 6 + [["a"]] * 6 + [["a", "c"], ["b", "c"], ["c"]]
TABLE = pa.table({"terms": RECORDS})


@pytest.fixture
def folder(tmp_path):
    return disjoin.disassociate(RECORDS, k=3, m=2).write(tmp_path / "release")


@pytest.fixture
def looks(monkeypatch):
    """The looks that are taken."""
    taken, usual = [], untrusted.ended
    monkeypatch.setattr(
        untrusted, "ended", lambda look, *more, **rest: (taken.append(look), usual(look, *more, **rest))[1]
    )
    return taken


def arrow(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet(table: pa.Table = TABLE) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, store_schema=False)
    return sink.getvalue()


def rough(how: str, seconds: int = 30, memory: int = 1 << 20) -> ChildResult:
    return forked_readers.ended(ChildLimits(how, memory, seconds, child="helpers.misbehaving_child"))


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGBUS", "SIGABRT"])
def test_a_crash_is_one_sentence(name, monkeypatch, tmp_path):
    ending = rough(name)
    assert not ending.is_good(1)
    monkeypatch.setattr(untrusted, "ended", lambda *_, **__: ending)
    (tmp_path / "x.arrow").write_bytes(arrow())
    with pytest.raises(UnreadableInput, match=rf"x\.arrow: expected a whole arrow file, .* crashes: {name}\). Copy it"):
        read(tmp_path / "x.arrow")
    assert run(["inspect", str(tmp_path / "x.arrow")]) == 2


@pytest.mark.parametrize("how", ["leaves early", "wordless"])
def test_a_child_that_does_not_come_to_its_last_word_has_not_seen_the_file(how):
    assert not rough(how).is_good(1)


def test_a_child_that_is_through_says_so():
    assert rough("well") == ChildResult(SOUND, 1)
    assert rough("well").is_good(1)


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limits")
def test_time_and_memory_of_a_child_are_bounded():
    assert rough("hangs", seconds=1) == ChildResult(None, 0)
    assert rough("spins", seconds=1).code in (None, -24)
    assert rough("grows").code == TOO_LARGE


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (ChildResult(None, 0), "does not end within 60 seconds"),
        (ChildResult(TOO_LARGE, 0), r"takes more than 8,589,934,592 bytes to read, the limit\..*max_bytes=N"),
        (ChildResult(1, 0), "crashes: exit code 1"),
        (ChildResult(SOUND, 0), "crashes: exit code 73"),
    ],
)
def test_every_bad_ending_has_its_words(ending, words, monkeypatch):
    monkeypatch.setattr(untrusted, "ended", lambda *_, **__: ending)
    with pytest.raises(UnreadableInput, match=words):
        read(io.BytesIO(parquet()))


def test_a_child_that_cannot_be_started_is_no_fault_of_the_file(monkeypatch):
    with pytest.raises(UnreadableInput, match="none can be started"):
        rough("mute")
    monkeypatch.setattr(untrusted, "ended", forked_readers.ended)
    for interpreter in (None, "", "no-such-python"):
        monkeypatch.setattr(sys, "executable", interpreter)
        with pytest.raises(UnreadableInput, match="none can be started"):
            read(io.BytesIO(parquet()))


def test_the_time_grows_with_the_size():
    assert ChildLimits.at("arrow", 1, 0).seconds == 60
    assert ChildLimits.at("arrow", 1, 100 << 20).seconds == 160


def test_a_process_of_its_own_reads_what_is_sound_and_where_it_is(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(untrusted, "ended", forked_readers.ended)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyarrow.py").write_text("raise SystemExit\n")  # nothing of the current folder is run
    assert len(read(io.BytesIO(arrow()))) == len(RECORDS)
    assert read_release("release").published.n_records == len(RECORDS)


def test_a_table_that_crashes_is_named(folder, monkeypatch):
    monkeypatch.setattr(untrusted, "ended", lambda *_, **__: ChildResult(-6, 1))
    with pytest.raises(UnreadableInput, match=r"subrecords\.parquet: expected a whole Parquet file, .*SIGABRT"):
        disjoin.verify(folder)
    assert run(["show", str(folder)]) == 2


def test_one_child_looks_at_a_whole_folder(folder, looks):
    disjoin.verify(folder)
    assert [look.kind for look in looks] == ["tables"]


def test_what_the_program_has_just_written_is_trusted(tmp_path, looks):
    disjoin.disassociate(RECORDS, k=3, m=2).write(tmp_path / "another")
    assert looks == []


@pytest.mark.parametrize("make", [arrow, parquet])
def test_every_way_in_is_looked_at_once(make, tmp_path, looks):
    (tmp_path / "x").write_bytes(make())
    (tmp_path / "x.gz").write_bytes(gzip.compress(make()))
    for source in (tmp_path / "x", tmp_path / "x.gz", io.BytesIO(make())):
        assert len(read(source)) == len(RECORDS)
    assert [look.kind for look in looks] == [make.__name__] * 3


def test_bytes_in_memory_leave_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    read(io.BytesIO(arrow()))
    assert list(tmp_path.iterdir()) == []


def test_an_offset_that_leads_out_of_an_array_is_refused():
    whole = arrow(pa.table({"terms": [["tea"], ["milk", "jam"], ["tea"]]}))
    offsets = struct.pack("<4i", 0, 1, 3, 4)
    assert whole.count(offsets) == 1
    broken = whole.replace(offsets, struct.pack("<4i", 0, 1, 3, 1 << 30))
    with pytest.raises(UnreadableInput, match="damaged"):
        read(io.BytesIO(broken))


@pytest.mark.parametrize("make", [arrow, parquet])
def test_changed_bytes_of_a_file_never_crash(make):
    generator, whole, refused = random.Random(1), make(), 0
    for _ in range(150):
        changed = bytearray(whole)
        for _ in range(generator.randint(1, 3)):
            changed[generator.randrange(8, len(whole))] ^= generator.randint(1, 255)
        try:
            read(io.BytesIO(bytes(changed)))
        except UnreadableInput:
            refused += 1
    assert refused > 30, "the changes are such that matter"


def test_changed_bytes_of_the_footer_of_a_table_never_crash(folder):
    file = folder / "clusters.parquet"
    whole = file.read_bytes()
    first, refused = len(whole) - 8 - struct.unpack("<i", whole[-8:-4])[0], 0
    for place in range(first + 30, first + 90):  # where the sizes of the first columns are, whose reader may abort
        for bit in (1, 2):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
            try:
                read_release(folder)
            except UnreadableInput:
                refused += 1
    assert refused > 10, "the changes are such that matter"


def test_a_name_of_a_column_that_is_not_text_is_refused():
    named = pa.table({"terms": RECORDS, "visit": list(range(len(RECORDS)))})
    broken = parquet(named).replace(b"visit", b"visi\xff")
    for reader in (read, read_table):
        with pytest.raises(UnreadableInput, match="names of columns in UTF-8 text"):
            reader(io.BytesIO(broken))


def test_values_that_are_not_text_name_their_column():
    broken = arrow(pa.table({"terms": [["caffè"]]})).replace("è".encode(), b"\xff\xff")
    with pytest.raises(UnreadableInput, match="in column 'terms', expected UTF-8 text"):
        read(io.BytesIO(broken))


def test_a_writer_whose_name_is_not_text_is_refused(folder):
    file = folder / "clusters.parquet"
    file.write_bytes(file.read_bytes().replace(b"parquet-cpp", b"\xffarquet-cpp"))
    rehash(folder, file.name)
    with pytest.raises(UnreadableInput, match=r"clusters\.parquet: expected the name of the program that wrote it"):
        disjoin.verify(folder)


def test_a_table_that_does_not_belong_there_is_not_opened(folder):
    (folder / "more.parquet").write_bytes(parquet()[:-40] + b"\0" * 40)
    assert {violation.place for violation in disjoin.verify(folder).violations} == {"more.parquet"}


@pytest.mark.skipif(sys.platform == "win32", reason="makes links")
def test_a_descriptor_that_is_a_link_is_refused(folder):
    (folder / "datapackage.json").rename(folder.parent / "elsewhere.json")
    (folder / "datapackage.json").symlink_to(folder.parent / "elsewhere.json")
    with pytest.raises(UnreadableInput, match=r"datapackage\.json: expected a file, found a link"):
        disjoin.verify(folder)


@pytest.mark.parametrize("other", ["another version", "another writer"])
def test_who_cannot_compare_the_texts_says_so(folder, other, capsys):
    assert "texts_compared" not in disjoin.verify(folder).facts
    if other == "another version":
        edit(folder, lambda package: package["disjoin"].update(version="0.0.1"))
    else:
        file = folder / "clusters.parquet"
        file.write_bytes(re.sub(rb"(arrow version )[0-9]", rb"\g<1>9", file.read_bytes()))
        rehash(folder, file.name)
    assert disjoin.verify(folder).facts["texts_compared"] is False
    assert run(["verify", str(folder)]) == 5
    assert capsys.readouterr().out.startswith("Not compared: the texts of the folder")
    assert run(["verify", str(folder), "--json"]) == 5
    assert json.loads(capsys.readouterr().out)["facts"]["texts_compared"] is False


def test_a_writer_that_no_pyarrow_is_is_found(folder):
    file = folder / "clusters.parquet"
    file.write_bytes(file.read_bytes().replace(b"parquet-cpp", b"barquet-cpp"))
    rehash(folder, file.name)
    assert [violation.place for violation in disjoin.verify(folder).violations] == ["clusters.parquet"]


@pytest.mark.parametrize("version", ["record 17 is Bob", "", "1" * 31, "0.1.0\n", "v1", "1.0-x"])
def test_a_version_that_is_none_is_refused(folder, version):
    edit(folder, lambda package: package["disjoin"].update(version=version))
    with pytest.raises(UnreadableInput, match='expected "version" to be a version'):
        disjoin.verify(folder)


def test_who_asks_for_less_than_a_false_promise_learns_that_texts_were_not_compared(folder):
    stated = disjoin.verify(folder).guarantee
    edit(folder, lambda package: package["disjoin"]["guarantee"].update(k=stated.k + 500))
    (folder / "README.md").write_text("record 17 is Bob")
    rehash(folder, "README.md")
    assert disjoin.verify(folder, guarantee=stated).facts["texts_compared"] is False


@pytest.mark.parametrize(
    ("text", "line"),
    [(b"a,b\rc,d\n1,2\n", 1), (b"\ra,b\n1,2\n", 1), (b"a,b\n1,2\r3\n", 2), (b"a,b\n1,2\n3,\r\r4\n", 3)],
)
def test_a_lone_carriage_return_in_a_table_is_refused_with_its_line(text, line):
    with pytest.raises(UnreadableInput, match=f"line {line}: expected lines that end with a newline"):
        read_table(io.BytesIO(text))


def test_the_child_starts_without_the_heavy_rooms():
    code = "import disjoin.parquet.untrusted_child, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numba", "scipy", "numpy", "click", "disjoin.model"} & set(loaded)


def test_a_file_that_is_there_is_what_the_child_sees(tmp_path):
    file = Path(tmp_path / "x.parquet")
    file.write_bytes(parquet())
    with file.open("rb") as stream:
        require_harmless(stream, "parquet", "x.parquet", 1 << 20)
        assert stream.read() == parquet(), "who reads after the child begins where the file begins"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_the_child_sets_no_limit_that_macos_rejects(platform, monkeypatch):
    resource = pytest.importorskip("resource")
    limits = {}
    monkeypatch.setattr(resource, "setrlimit", lambda what, bounds: limits.update({what: bounds}))
    monkeypatch.setattr(untrusted_child.sys, "platform", platform)
    untrusted_child._limit(1 << 30, 5)
    assert {resource.RLIMIT_CPU, resource.RLIMIT_CORE} <= limits.keys()
    assert (resource.RLIMIT_AS in limits) == (platform == "linux")
