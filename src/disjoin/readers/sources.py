"""Bytes of files, streams and standard input: decompressed, with limits; a child process checks Parquet and Arrow."""

from __future__ import annotations

import mmap
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from disjoin.atomic import require_no_lake_table, scheme_in
from disjoin.errors import DisjoinError, InvalidParameter, Remedy, UnreadableInput
from disjoin.parquet.untrusted import RAISE_LIMIT, require_harmless
from disjoin.parquet.untrusted_child import most_unpacked
from disjoin.readers.build_transactions import LONGEST_LINE
from disjoin.readers.spreadsheets import is_spreadsheet, sheet_as_csv
from disjoin.text import NO_PERMISSION

NO_RECORDS = "expected records, found an empty file. Give a file with one record per line."
_BLOCK = 1 << 20
_PACKED_BY = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"\x50\x2a\x4d\x18": "zstd"}
_ARCHIVES = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # spreadsheets are such archives
_PACKED_SUFFIXES = (".gz", ".gzip", ".zst", ".zstd")


@dataclass(slots=True, eq=False)
class Source:
    """The unpacked bytes, which readers rewrite in place, and their origin; `suffix` has no compression suffix."""

    name: str
    suffix: str
    data: mmap.mmap | bytearray
    start: int = 0  # after a byte order mark

    def error(self, message: str, line: int | None = None) -> UnreadableInput:
        return UnreadableInput(message, source=self.name, line=line)

    def text(self) -> NDArray[np.uint8]:
        """Return the text as an array without the byte order mark; shares memory with `data`."""
        return np.frombuffer(self.data, np.uint8)[self.start :]

    def head(self, size: int) -> bytes:
        return bytes(self.data[self.start : self.start + size])

    def lines(self) -> Iterator[tuple[int, str]]:
        first, number, size = self.start, 1, len(self.data)
        while first < size:
            end = self.data.find(b"\n", first)
            end = size if end < 0 else end
            yield number, self.decoded(bytes(self.data[first:end]), number)
            first, number = end + 1, number + 1

    def decoded(self, text: bytes, line: int | None) -> str:
        """Return the text as a string, or raise with the line that is not UTF-8."""
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise self.not_utf8(text[error.start : error.start + 1], line) from None

    def not_utf8(self, byte: bytes, line: int | None) -> UnreadableInput:
        message = f"expected UTF-8 text, found the byte 0x{byte.hex().upper()}. Save it as UTF-8, or name its encoding."
        return self.error(message, line).offering(Remedy("encoding", "cp1252", "read it as cp1252, common on Windows"))

    def binary(self, line: int | None = None) -> UnreadableInput:
        found = "expected text, found a NUL byte: this is a binary file (or UTF-16)."
        return self.error(f"{found} Export it as UTF-8 text, Parquet or JSON Lines.", line)


def open_source(
    source: str | Path | BinaryIO,
    max_bytes: int,
    *,
    if_empty: str | None = NO_RECORDS,
    sheet: str | None = None,
    encoding: str | None = None,
) -> Source:
    """Read and unpack a path, `-` or a binary stream; raise above `max_bytes` or, with `if_empty`, for no bytes.

    A spreadsheet's only or named sheet is read as CSV; text in another `encoding` becomes UTF-8.
    """
    data: mmap.mmap | bytearray
    if isinstance(source, str) and source == "-":
        name = "<standard input>"
        if sys.stdin is None:
            raise UnreadableInput("there is no standard input to read from.", source=name)
        data = _from_stream(sys.stdin.buffer, name, max_bytes)
    elif isinstance(source, (str, Path)):
        name, data = str(source), _from_path(Path(source), max_bytes)
    else:
        given = getattr(source, "name", None)
        name = given if isinstance(given, str) else "<stream>"
        data = _from_stream(source, name, max_bytes)
    codec = next((codec for magic, codec in _PACKED_BY.items() if data[: len(magic)] == magic), None)
    if codec:
        data = _unpacked(data, codec, name, max_bytes)
    path = Path(name)
    suffix = (Path(path.stem) if path.suffix.lower() in _PACKED_SUFFIXES else path).suffix.lower()
    if data[:4] in _ARCHIVES and is_spreadsheet(data, suffix):
        data, suffix, sheet = sheet_as_csv(data, name, sheet, max_bytes), ".csv", None
    elif encoding is not None and not _columnar(data):
        data, encoding = _in_utf8(data, name, encoding), None
    if sheet is not None or encoding is not None:
        what, has = "an encoding", "text files have an encoding"
        if sheet is not None:
            what, has = "a sheet", "spreadsheets have sheets"
        raise UnreadableInput(f"{what} is given, but only {has}. Leave it out.", source=name)
    kind, begun = _columnar(data), 0
    while not kind and len(data) - begun > LONGEST_LINE:  # only the ends of long ranges are searched
        begun = _next_line(data, begun, name)
    if kind and isinstance(data, bytearray):
        data = _looked_at(data, kind, name, max_bytes)
    opened = Source(name, suffix, data)
    if not len(data) and if_empty is not None:
        raise opened.error(if_empty)
    return opened


def _in_utf8(data: mmap.mmap | bytearray, name: str, encoding: str) -> bytearray:
    try:
        return bytearray(bytes(data).decode(encoding).encode())
    except LookupError:
        message = f"there is no encoding {encoding!r}. Known are utf-8, utf-16, cp1252 (Windows), latin-1, cp437, ..."
        raise InvalidParameter(message) from None
    except UnicodeError as error:
        place = getattr(error, "start", 0)
        message = f"expected text in the encoding {encoding}, found invalid bytes. Try another one."
        raise UnreadableInput(message, source=name, line=bytes(data[:place]).count(b"\n") + 1) from None


def columnar_format(source: Source) -> str | None:
    return _columnar(source.data)


def _columnar(data: mmap.mmap | bytearray) -> str | None:
    magic = bytes(data[:6])
    return "parquet" if magic[:4] == b"PAR1" else "arrow" if magic == b"ARROW1" else None


def _looked_at(data: bytearray, kind: str, name: str, max_bytes: int) -> mmap.mmap:
    """Return the same bytes in an unnamed file that a child process has checked."""
    try:
        # In memory if possible: private data are not written to disk.
        in_memory = hasattr(os, "memfd_create")
        with open(os.memfd_create("disjoin"), "wb+") if in_memory else tempfile.TemporaryFile() as file:  # noqa: PTH123
            file.write(data)
            file.flush()
            require_harmless(file, kind, name, max_bytes)
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UnreadableInput(f"there is no space for a copy to check ({reason}).", source=name) from None


def _from_path(path: Path, max_bytes: int) -> mmap.mmap | bytearray:
    try:
        if path.is_dir():
            require_no_lake_table(path)
            raise UnreadableInput("expected a file, found a folder. Name the file inside it.", source=str(path))
        with path.open("rb") as file:
            facts = os.fstat(file.fileno())
            if not stat.S_ISREG(facts.st_mode):
                return _from_stream(file, str(path), max_bytes)
            if not facts.st_size:
                return bytearray()
            if facts.st_size > max_bytes:
                raise too_large(str(path), max_bytes)
            # Copy on write: readers may rewrite their view, the file does not change.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            if kind := _columnar(data):
                require_no_lake_table(path)
                require_harmless(file, kind, str(path), max_bytes)
            return data
    except DisjoinError:
        raise
    except FileNotFoundError:
        if scheme_in(path):
            message = "expected a path, found an address. Copy or mount it."
            spark = Remedy("engine", "spark", "read it with Spark")
            raise UnreadableInput(message, source=str(path), remedies=[spark]) from None
        raise UnreadableInput("there is no such file. Check the path.", source=str(path)) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(f"the file cannot be read ({reason}).", source=str(path)) from None


def _from_stream(stream: Any, name: str, max_bytes: int) -> bytearray:
    data = bytearray()
    while True:
        try:
            block = stream.read(_BLOCK)
        except OSError as error:
            message = f"reading stopped early ({error.strerror or error}). Try again."
            raise UnreadableInput(message, source=name) from None
        if not block:
            return data
        if not isinstance(block, (bytes, bytearray, memoryview)):
            raise InvalidParameter(f"{name}: expected a stream of bytes, found text. Open it in binary mode ('rb').")
        data += block
        if len(data) > max_bytes:
            raise too_large(name, max_bytes)


def _unpacked(data: mmap.mmap | bytearray, codec: str, name: str, max_bytes: int) -> bytearray:
    text = bytearray()
    begun = 0  # start of a line
    limit = min(max_bytes, most_unpacked(len(data)))
    try:
        with pa.CompressedInputStream(pa.BufferReader(pa.py_buffer(data)), codec) as stream:
            while block := stream.read(_BLOCK):
                text += block
                if len(text) > limit:
                    raise too_large(name, max_bytes) if limit == max_bytes else _bomb(name, len(data), limit)
                if len(text) - begun > LONGEST_LINE and not _columnar(text):
                    begun = _next_line(text, begun, name)
    except (OSError, pa.ArrowException) as error:
        state = "cut short" if "truncated" in str(error).lower() else "damaged"
        message = f"expected a whole {codec} file, found one that is {state}. Copy or download it again."
        raise UnreadableInput(message, source=name) from None
    return text


def _next_line(data: mmap.mmap | bytearray, begun: int, name: str) -> int:
    """Return the beginning of the next line, within the maximal length of a line that begins here."""
    end = data.rfind(b"\n", begun, begun + LONGEST_LINE + 1)
    if end < 0:
        line = 1 + sum(data[first : min(first + _BLOCK, begun)].count(b"\n") for first in range(0, begun, _BLOCK))
        message = f"expected lines of at most {LONGEST_LINE:,} bytes, found a longer one. Check the line ends."
        raise UnreadableInput(message, source=name, line=line)
    return end + 1


def _bomb(name: str, size: int, limit: int) -> UnreadableInput:
    unpacked = f"the file has {size:,} bytes and unpacks to more than {limit:,}, the limit for its size."
    return UnreadableInput(f"{unpacked} If you trust the file, unpack it first.", source=name)


def too_large(name: str, max_bytes: int) -> UnreadableInput:
    message = f"the file unpacks to more than {max_bytes:,} bytes, the limit."
    return UnreadableInput(message, source=name, remedies=[RAISE_LIMIT])
