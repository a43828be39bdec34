"""A small file that unpacks to a huge one, or has a text without an end, is refused while it is read."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import disjoin
from disjoin.errors import UnreadableInput
from disjoin.parquet import untrusted_child
from disjoin.readers import build_transactions, columnar, jsonl, sources
from disjoin.readers.read import read
from disjoin.readers.tables import read_table
from disjoin.release.reader import read_release
from helpers.tampering import adopt

BASKETS = b"first,second\n" + b"tea,milk\n" * 10_000


def packed(path: Path, text: bytes, codec: str) -> Path:
    if codec == "gzip":
        path.write_bytes(gzip.compress(text))
    else:
        path.write_bytes(pa.Codec("zstd").compress(text, asbytes=True))
    return path


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
@pytest.mark.parametrize("way", [partial(read, format="basket"), read_table], ids=["records", "a table"])
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(codec, way, tmp_path, monkeypatch):
    path = packed(tmp_path / "baskets.csv", BASKETS, codec)
    monkeypatch.setattr(untrusted_child, "FREELY_UNPACKED", 1 << 16)
    with pytest.raises(UnreadableInput, match=r"unpacks to more than 65,536, the limit .* unpack it first"):
        way(path)
    path.write_bytes(BASKETS)  # the way out
    assert way(path)


def test_a_lower_limit_of_the_caller_is_still_the_limit(tmp_path):
    path = packed(tmp_path / "baskets.csv", BASKETS, "gzip")
    with pytest.raises(UnreadableInput, match=r"unpacks to more than 1,000 bytes, .* max_bytes=N"):
        read(path, max_bytes=1000)


@pytest.mark.parametrize("codec", ["gzip", "zstd", None])
def test_a_line_without_an_end_is_refused_with_its_number(codec, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_LINE", 2 << 20)
    text = b"tea,milk\n" * 150_000 + b"x" * (8 << 20) + b"\n"
    path = tmp_path / "baskets.csv"
    packed(path, text, codec) if codec else path.write_bytes(text)
    with pytest.raises(UnreadableInput, match=r"lines of at most 2,097,152 bytes, found a longer one") as caught:
        read(path)
    assert caught.value.line == 150_001


def test_no_more_is_unpacked_than_a_line_may_be_long(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_LINE", 2 << 20)
    path = packed(tmp_path / "baskets.csv", b"x" * (64 << 20), "gzip")
    lengths = []
    plain = sources._next_line
    monkeypatch.setattr(sources, "_next_line", lambda data, *at: lengths.append(len(data)) or plain(data, *at))
    with pytest.raises(UnreadableInput, match="found a longer one"):
        read(path)
    assert max(lengths) <= 4 << 20


def test_lines_as_long_as_they_may_be_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LONGEST_LINE", 8)
    (tmp_path / "baskets.csv").write_bytes(b"tea,milk\n" * 5 + b"tea,milk")
    assert len(read(tmp_path / "baskets.csv")) == 6


def test_a_long_term_of_json_is_refused_at_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr(jsonl, "LONGEST_TERM", 100)
    monkeypatch.setattr(
        build_transactions, "objection_to_length", lambda *given: pytest.fail("found after all was read")
    )
    (tmp_path / "baskets.jsonl").write_text('["tea"]\n["' + "ü" * 51 + '"]\n["tea"]\n')
    with pytest.raises(UnreadableInput, match=r"terms of at most 100 bytes, found one of 102") as caught:
        read(tmp_path / "baskets.jsonl")
    assert caught.value.line == 2


LONG = {
    "lists": [["tea"], ["x" * 101]],
    "coded lists": pa.array([["tea"], ["x" * 101]], pa.list_(pa.dictionary(pa.int32(), pa.string()))),
    "large lists": pa.array([["tea"], ["x" * 101]], pa.large_list(pa.large_string())),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_long_text_in_a_batch_is_refused_before_the_next_is_read(kind, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "LONGEST_CELL", 100)
    monkeypatch.setattr(columnar, "from_batches", lambda batches, *given, **more: list(batches))
    path = tmp_path / f"baskets.{ending}"
    table = pa.table({"terms": LONG[kind]})
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(UnreadableInput, match=r"in column 'terms', expected values of at most 100 bytes, found one of"):
        read(path)


def with_a_long_term(folder: Path, size: int) -> Path:
    """Replace the last row by one with a long term, without the copies that Arrow would make of it."""
    file = folder / "subrecords.parquet"
    rows = pq.read_table(file)
    ends = pa.array([0, size], pa.int32()).buffers()[1]
    term = pa.StringArray.from_buffers(1, ends, pa.py_buffer(b"x" * size))
    terms = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), term).cast(rows.schema.field("terms").type)
    last = rows.slice(len(rows) - 1)
    last = last.set_column(rows.schema.get_field_index("terms"), rows.schema.field("terms"), terms)
    table = pa.concat_tables([rows.slice(0, len(rows) - 1), last])
    plainly = {"use_dictionary": False, "write_statistics": False}
    pq.write_table(table, file, store_schema=False, compression="zstd", **plainly)
    adopt(folder, file.name, len(rows))
    return file


def written(folder: Path) -> Path:
    baskets = [["a", "b"]] * 6 + [["a"]] * 6 + [["a", "c"], ["b", "c"], ["c"]]
    return disjoin.disassociate(baskets, k=3, m=2).write(folder)


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path / "release")


def varint(number: int) -> bytes:
    """Return a number as the footer of a Parquet file has it."""
    number, out = number << 1, b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def say_less(file: Path) -> None:
    """Let the footer state a small size, in as many bytes as before."""
    data = file.read_bytes()
    metadata = pq.read_metadata(file)
    group = metadata.row_group(0)
    sizes = {group.total_byte_size, *(group.column(n).total_uncompressed_size for n in range(group.num_columns))}
    for size in sizes:
        if size > 1 << 20:
            true = varint(size)
            assert true in data
            data = data.replace(true, b"\x82" + b"\x80" * (len(true) - 2) + b"\x00")
    file.write_bytes(data)
    assert untrusted_child.said_size(pq.read_metadata(file)) < 1 << 20


def test_a_table_that_would_unpack_to_far_more_than_its_size_is_refused_by_its_footer(folder, monkeypatch):
    file = with_a_long_term(folder, 3 << 20)
    monkeypatch.setattr(untrusted_child, "FREELY_UNPACKED", 1 << 20)
    with pytest.raises(
        UnreadableInput, match=r"would unpack to 3,\d+,\d+, but the limit for its size is 1,048,576"
    ) as c:
        read_release(folder)
    assert c.value.source == str(file)


def test_so_is_a_parquet_file_of_input(tmp_path, monkeypatch):
    pq.write_table(pa.table({"terms": [["x" * (3 << 20)]]}), tmp_path / "b.parquet", compression="zstd")
    monkeypatch.setattr(untrusted_child, "FREELY_UNPACKED", 1 << 20)
    with pytest.raises(UnreadableInput, match=r"the limit for its size is 1,048,576. If you trust it, save it without"):
        read(tmp_path / "b.parquet")


MEASURED = """
import os, sys
pid = os.posix_spawn(sys.executable, [sys.executable, "-m", "disjoin", *sys.argv[1:]], os.environ)
_, status, used = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""


def spent(*arguments: object) -> tuple[int, int, str]:
    """Run a command; return its exit code, the most bytes that it or a child of it held, and what it said."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    code, kilobytes = found.stdout.split()[-2:]
    return int(code), int(kilobytes) << 10, found.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded and measured on Linux")
def test_a_term_of_700_megabytes_is_refused_with_less_memory_than_that(folder):
    file = with_a_long_term(folder, 700_000_000)  # it takes seconds to make, so both ways are tried in one test
    for words in ("the limit for its size", "far more memory to read"):
        assert file.stat().st_size < 1 << 20
        code, most, said = spent("verify", folder)
        assert code == 2
        assert words in " ".join(said.split())
        assert most < 600 << 20
        say_less(file)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded and measured on Linux")
@pytest.mark.parametrize("text", ["a line", "lines"])
def test_input_that_unpacks_to_half_a_gigabyte_is_refused_with_less_memory_than_that(text, tmp_path):
    path = tmp_path / "baskets.csv.zst"
    part = b"x" * 1_000_000 if text == "a line" else b"tea,milk\n" * 110_000
    with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, "zstd") as stream:
        for _ in range(500):
            stream.write(part)
    code, most, said = spent("inspect", path)
    assert code == 2
    assert ("found a longer one" if text == "a line" else "unpacks to more than") in " ".join(said.split())
    assert most < 450 << 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded and measured on Linux")
def test_an_arrow_file_with_a_term_of_a_gigabyte_is_refused_with_less_memory_than_that(tmp_path):
    feather.write_feather(pa.table({"terms": [["x" * 1_000_000_000]]}), tmp_path / "b.arrow", compression="zstd")
    code, most, said = spent("inspect", tmp_path / "b.arrow")
    assert code == 2
    assert "far more memory to read" in " ".join(said.split())
    assert most < 900 << 20
