"""Whatever is wrong with a file is said in a sentence, with the file and the line."""

from __future__ import annotations

import gzip
import io
import os
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.readers.read import read

LINES = b"".join(b"term%d other%d\n" % (number, number) for number in range(20000))


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def arrow(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue()


def late(line: bytes) -> bytes:
    """Put a bad line behind more text than any first look sees."""
    return LINES + line + LINES


WRONG: dict[str, tuple[str, bytes, dict[str, Any], int | None, str]] = {
    "empty file": ("x.dat", b"", {}, None, "empty file"),
    "only a header": ("x.csv", b"record,term\n", {}, None, "found none"),
    "only blank lines": ("x.dat", b"\n \t\r\n", {}, None, "found none"),
    "empty gzip": ("x.dat.gz", gzip.compress(b""), {}, None, "empty file"),
    "binary": ("x.dat", b"a b\nc\0d\n", {}, 2, "binary file"),
    "binary far down": ("x.dat", late(b"term1 \0term1\n"), {}, 20001, "binary file"),
    "utf-16": ("x.csv", "a,b\n".encode("utf-16"), {}, None, "UTF-16"),
    "utf-16 without mark": ("x.csv", "a,b\n".encode("utf-16-le"), {}, 1, "UTF-16"),
    "invalid utf-8": ("x.dat", b"a b\nc caf\xe9 d\n", {}, 2, "0xE9"),
    "invalid utf-8 far down": ("x.dat", late(b"a \xff\n"), {}, 20001, "0xFF"),
    "half a character": ("x.csv", b"a,b\nc,\xe2\x82\n", {}, 2, "0xE2"),
    "invalid utf-8 in a quoted file": ("x.csv", b'"a",b\n\nc,caf\xe9\n', {}, 3, "0xE9"),
    "stray byte in a quoted file": ("x.csv", b'"a\n",b\nc\xfe\n', {}, 3, "UTF-8"),
    "stray byte in quotes": ("x.csv", b'a\n"a\n\xff",b\n', {}, 3, "UTF-8"),
    "invalid utf-8 in json": ("x.jsonl", b'["a"]\n["\xe9"]\n', {}, 2, "0xE9"),
    "invalid utf-8 in spmf": ("x.spmf", b"1 -2\n\xe9 -2\n", {}, 2, "0xE9"),
    "invalid utf-8 in a header": ("x.csv", b"record,t\xe9rm\n1,a\n", {"format": "long"}, 1, "0xE9"),
    "lone carriage returns": ("x.csv", b"a,b\rc,d\r", {}, None, "carriage return"),
    "cut gzip": ("x.dat.gz", gzip.compress(LINES)[:-9], {}, None, "gzip file, found one that is cut short"),
    "cut gzip header": ("x.dat.gz", gzip.compress(LINES)[:5], {}, None, "cut short"),
    "cut zstd": ("x.dat.zst", zstandard.compress(LINES)[:-9], {}, None, "zstd file, found one that is cut short"),
    "corrupt gzip": ("x.dat.gz", gzip.compress(LINES)[:-6] + b"\0\0\0\0\0\0", {}, None, "damaged"),
    "packed twice": ("x.dat.gz", gzip.compress(gzip.compress(LINES)), {}, None, "packed twice"),
    "zip": ("x.csv", b"PK\x03\x04" + bytes(40), {}, None, "zip archive"),
    "missing column": ("x.csv", b"who,what,by\n1,a,b\n", {"id": "visit"}, None, "columns are: who, what, by"),
    "column twice": ("x.csv", b"id,what,what\n1,a,b\n", {"terms": "what"}, None, "found more than one"),
    "undecided columns": ("x.csv", b"user,order,item\n1,2,a\n", {}, None, "Use id=NAME"),
    "one column for both": ("x.csv", b"a,b,c\n", {"id": "a", "terms": "a"}, None, "cannot both be"),
    "short row": ("x.csv", b"record,term\n1,a\n\n2\n", {}, 4, "expected 2 fields, found 1. Complete or"),
    "unquoted comma": ("x.csv", b"visit,diagnosis\n1,J10\n1,Fever, high\n", {}, 3, "Quote a field that has a comma"),
    "unquoted semicolon": ("x.csv", b"visit;term\n1;a\n1;b;c\n", {}, 3, "found 3. Quote a field that has a semicolon"),
    "unquoted comma among quotes": ("x.csv", b'id,term\n1,"a\nb"\n1,c,d\n', {}, 4, "expected 2 fields, found 3"),
    "long row beyond the term": ("x.csv", b"id,term,day\n1,a,2\n1,a,2,3\n", {}, 3, "expected 3 fields, found 4"),
    "separator at the end of a row": ("x.csv", b"id,term\n1,a,\n", {}, 2, "expected 2 fields, found 3"),
    "short row behind the term": ("x.csv", b"id,term,day\n1,a,2\n1,b\n", {}, 3, "expected 3 fields, found 2"),
    "empty id": ("x.csv", b"record,term\n1,a\n,b\n", {}, 3, "column 'record' is empty"),
    "empty term in a long table": ("x.csv", b"record,term\n1,a\n2,\n", {}, 3, "column 'term' is empty"),
    "empty quoted term in a long table": ("x.csv", b'record,"te\nrm"\n1,a\n2,""\n', {"format": "long"}, 4, "empty"),
    "unterminated quote": ("x.csv", b'a,b\n\nc,"d\ne,f\n', {}, 3, "never closed"),
    "text after a quote": ("x.csv", b'a,b\n"c"d,e\n', {}, 2, "after a closing quote"),
    "empty term": ("x.csv", b"a,b\nc,,d\n", {}, 2, "empty field"),
    "empty first term": ("x.csv", b"a,b\n,c\n", {}, 2, "empty field"),
    "empty last term": ("x.csv", b"a,b\nc,\n", {}, 2, "empty field"),
    "empty last term, no newline": ("x.csv", b"a,b\nc,", {}, 2, "empty field"),
    "empty quoted term": ("x.csv", b'a,b\n"x\ny"\n""\n', {}, 4, "empty field"),
    "empty term after quotes": ("x.csv", b'"a\nb",c\nd,,e\n', {}, 3, "empty field"),
    "json: not json": ("x.jsonl", b'["a"]\n["b",\n', {}, 2, "JSON"),
    "json: null": ("x.jsonl", b'["a"]\n["b", null]\n', {}, 2, "null"),
    "json: bool": ("x.jsonl", b"[true]\n", {}, 1, "true"),
    "json: nested": ("x.jsonl", b'["b", ["a"]]\n', {}, 1, "an array"),
    "json: all in one array": ("x.json", b'[["a"], ["b", "c"]]\n', {}, 1, "found one array with all records"),
    "json: all objects in one array": ("x.json", b'[{"a": ["b"]}]\n', {}, 1, "jq -c '.[]' does that"),
    "json: one array over several lines": ("x.json", b'[\n  ["a"],\n  ["b"]\n]\n', {}, 1, "one array with all"),
    "json: one array, no suffix": ("x", b'[\n  ["a"],\n  ["b"]\n]\n', {}, 1, "one array with all"),
    "json: member twice": ("x.jsonl", b'{"a": ["x"]}\n{"a": ["x"], "a": ["y"]}\n', {}, 2, "found 'a' twice"),
    "json: member twice, unused": ("x.jsonl", b'{"a": ["x"], "b": 1, "b": 2}\n', {"field": "a"}, 1, "'b' twice"),
    "json: nested without end": ("x.jsonl", b"[" * 200000 + b"\n", {}, 1, "JSON"),
    "json: not a number": ("x.jsonl", b"[NaN]\n", {}, 1, "found NaN, which is not a term"),
    "json: empty term": ("x.jsonl", b'["a", ""]\n', {}, 1, "empty string"),
    "json: half a pair": ("x.jsonl", b'["\\ud800"]\n', {}, 1, "surrogate"),
    "json: a scalar": ("x.jsonl", b"5\n", {}, 1, "a single string or number"),
    "json: member missing": ("x.jsonl", b'{"a": ["x"], "b": 1}\n', {"field": "items"}, 1, "The members are: a, b"),
    "json: member missing later": ("x.jsonl", b'{"a": ["x"]}\n{"b": ["x"]}\n', {}, 2, "'a', found none"),
    "json: two arrays": ("x.jsonl", b'{"a": ["x"], "b": ["y"], "c": 1}\n', {}, 1, "found a, b. Use field='a'"),
    "json: no array": ("x.jsonl", b'{"a": "x", "c": 1}\n', {}, 1, "none among a, c"),
    "json: array for object": ("x.jsonl", b'{"a": ["x"]}\n["y"]\n', {}, 2, "an object"),
    "spmf: record not ended": ("x.spmf", b"1 -1 -2\n2 -1 3\n", {}, 2, "expected -2"),
    "spmf: no name": ("x.spmf", b"@ITEM=1=\n1 -2\n", {}, 1, "@ITEM"),
    "spmf: two items of one name": ("x.spmf", b"@ITEM=1=a\n@ITEM=2=a\n1 2 -2\n", {}, None, "have the same name"),
    "spmf: binary": ("x.spmf", late(b"\0\n"), {}, 20001, "binary"),
    "not parquet": ("x.parquet", b"a,b\n", {}, None, "expected a parquet file"),
    "not parquet either": ("x.csv", b"a,b\n", {"format": "parquet"}, None, "expected a parquet file"),
    "not arrow": ("x.arrow", b"a,b\n", {}, None, "expected an arrow file"),
    "arrow as text": ("x", arrow(pa.table({"t": [["a"]]})), {"format": "fimi"}, None, "found an arrow file"),
    "cut parquet": ("x.parquet", parquet(pa.table({"t": [["a"]]}))[:-9], {}, None, "damaged or cut short. Copy it"),
    "parquet as text": ("x.parquet", parquet(pa.table({"t": [["a"]]})), {"format": "fimi"}, None, "format='parquet'"),
    "parquet: no column": ("x", parquet(pa.table({"t": [["a"]]})), {"field": "u"}, None, "The columns are: t"),
    "parquet: no list": ("x", parquet(pa.table({"t": ["a"]})), {}, None, "The columns are: t"),
    "parquet: not a list": ("x", parquet(pa.table({"t": ["a"]})), {"field": "t"}, None, "expected lists"),
    "parquet: pairs": ("x", parquet(pa.table({"r": [1], "t": ["a"]})), {"format": "parquet"}, None, "list column"),
    "parquet: two lists": ("x", parquet(pa.table({"t": [["a"]], "u": [["b"]]})), {}, None, "t, u"),
    "parquet: null term": ("x", parquet(pa.table({"t": [["a"], [], ["b", None]]})), {}, None, "row 2 (counted from 0)"),
    "parquet: empty term": ("x", parquet(pa.table({"t": [["a"], ["b", ""]]})), {}, None, "row 1 (counted from 0)"),
    "parquet: null id": ("x", parquet(pa.table({"id": [1, None], "term": ["a", "b"]})), {}, None, "'id', row 1"),
    "parquet: fractions": ("x", parquet(pa.table({"t": [[1.5]]})), {}, None, "found double"),
    "parquet: not utf-8": ("x", parquet(pa.table({"t": pa.array([[b"\xff"]])})), {}, None, "UTF-8"),
    "parquet: no rows": ("x", parquet(pa.table({"t": pa.array([[], None])})), {}, None, "expected records"),
    "parquet: limit": ("x", parquet(pa.table({"t": [["a" * 99]] * 9999})), {"max_bytes": 9999}, None, "max_bytes=N"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_file_and_line(case: str, tmp_path: Path) -> None:
    name, content, options, line, words = WRONG[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableInput) as caught:
        read(path, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and words in message
    assert caught.value.line == line and (line is None or f"line {line}:" in message)
    assert "\n" not in message and len(message) < 500
    assert list(tmp_path.iterdir()) == [path], "nothing is left behind"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
@pytest.mark.parametrize("filling", [b"\0", b"\n", b"a "])
def test_a_file_that_unpacks_without_end_is_stopped(pack: Any, filling: bytes, tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "bomb"
    path.write_bytes(pack(filling * (32 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableInput, match=r"unpacks to more than 100,000 bytes.*max_bytes=N"):
            read(path, max_bytes=100_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.slow  # without the compiler
def test_the_limit_holds_for_streams_and_plain_files_too(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(LINES)
    for source in (tmp_path / "x.dat", io.BytesIO(LINES)):
        with pytest.raises(UnreadableInput, match="max_bytes=N"):
            read(source, max_bytes=len(LINES) - 1)
        assert len(read(source if isinstance(source, Path) else io.BytesIO(LINES), max_bytes=len(LINES))) == 20000


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"nowhere\.dat: there is no such file"):
        read(tmp_path / "nowhere.dat")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="found a folder"):
        read(str(tmp_path))


def test_an_impossible_path_is_no_traceback() -> None:
    for path in ("a\0b", "x" * 5000):
        with pytest.raises(UnreadableInput):
            read(path)


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.dat"
    path.write_bytes(b"a\n")

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    path.chmod(0)
    if os.access(path, os.R_OK):  # the superuser may read anything
        monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UnreadableInput, match=r"secret\.dat: no permission to read"):
        read(path)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a matter of Unix")
def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"a b\nc\n"))
    writer.start()
    assert len(read(path)) == 2
    writer.join()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"format": "xlsx"}, "there is no format 'xlsx'. Choose one of fimi, basket, long"),
        ({"format": "fimi", "separator": ","}, "fimi has no option separator"),
        ({"format": "basket", "id": "a"}, "only long"),
        ({"format": "jsonl", "terms": "a"}, "jsonl has no option terms"),
        ({"format": "long", "field": "a"}, "long has no option field"),
        ({"field": "a", "id": "b"}, "one or the other"),
        ({"separator": "::"}, "one ASCII character"),
        ({"separator": '"'}, "one ASCII character"),
        ({"separator": ""}, "one ASCII character"),
        ({"separator": 5}, "separator must be a text, got 5"),
        ({"separator": b","}, "separator must be a text, got bytes"),
        ({"field": ["a", "b"]}, "field must be a text, got a list"),
        ({"id": 0}, "id must be a text, got 0"),
        ({"terms": {"a"}}, "terms must be a text"),
        ({"format": ["fimi"]}, "format must be a text"),
        ({"format": 5}, "format must be a text"),
        ({"keep_order": "yes"}, "keep_order must be true or false, got 'yes'"),
        ({"max_bytes": "9"}, "max_bytes must be a whole number"),
        ({"max_bytes": 0}, "max_bytes must be a whole number of at least 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_read(
    options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidParameter) as caught:
        read("nowhere.csv", **options)
    assert words in str(caught.value)


def test_text_streams_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="binary mode"):
        read(io.StringIO("a b\n"))


ESCAPE = "\x1b[2J"  # clears a terminal
MIRROR = "\u202e"  # makes a terminal write from right to left


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("x.csv", "who{0},what,when\n1,a,b\n2,a,b\n", {}),
        ("x.csv", "who{0},what\n1,a\n2,a\n", {}),
        ("x.csv", "visit{0},term\n,a\n", {"id": "visit{0}"}),
        ("x.csv", "who,what{0}\n1,a\n", {"id": "visit"}),
        ("x.csv", "who,what{0}\n1,what{0}\n", {"format": "long"}),
        ("x.csv", "order{0},user,visit,term\n1,2,3,4\n", {}),
        ("x.jsonl", '{{"a{0}": 1}}\n', {}),
        ("x.jsonl", '{{"a{0}": 1}}\n', {"field": "b"}),
        ("x.jsonl", '{{"a{0}": 1, "a{0}": 1}}\n', {}),
        ("x.spmf", "@ITEM{0}=\n", {}),
        ("x.spmf", "@ITEM=1=a{0}\n@ITEM=2=a{0}\n1 2 -2\n", {}),
        ("x.spmf", "1 -2\n2 {0}\n", {}),
    ],
)
@pytest.mark.parametrize("trick", [ESCAPE, MIRROR, "x" * 5000], ids=["escape", "mirror", "long"])
def test_names_from_a_file_cannot_play_with_the_terminal(
    name: str, text: str, options: dict[str, str], trick: str, tmp_path: Path
) -> None:
    if name.endswith("jsonl") and trick == ESCAPE:
        text = text.replace("{0}", "\\u001b[2J")
    path = tmp_path / name
    path.write_text(text.format(trick) if "{0}" in text else text.replace("{{", "{").replace("}}", "}"), newline="")
    with pytest.raises(UnreadableInput) as caught:
        read(path, **{key: value.format(trick) for key, value in options.items()})
    message = str(caught.value)
    assert message.isprintable() and len(message) < 600
