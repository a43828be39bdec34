"""The child process of `untrusted`: reads a file like the readers, so that a crash ends only this process.

`python -m disjoin.parquet.untrusted_child MEMORY SECONDS KIND [PATH ...]` reads standard input, or the paths. Errors of
Arrow are left to the reader, which explains them. This module imports few modules, to start quickly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

SOUND, TOO_LARGE, OUT_OF_PROPORTION = 73, 74, 75  # exit codes that other failures do not use
READY, WORD = "ready", "sound"  # written at the beginning, and once per file
_ROWS_AT_ONCE = 1 << 16
_FOR_THE_INTERPRETER = 2 << 30  # bytes of addresses: Python, Arrow, and the stacks of its threads
_TO_SPARE = 512 << 20  # bytes of addresses in addition to those of the contents
FREELY_UNPACKED = 256 << 20  # bytes, for files of any size
MOST_TIMES = 200  # times the size of the file, above that


def main(arguments: list[str]) -> int:
    memory, seconds, kind, *paths = arguments
    _limit(int(memory), int(seconds))
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others reserve addresses that they do not use
    import pyarrow.parquet  # noqa: F401  # what fails before the first word is no fault of a file

    _say(READY)
    try:
        for place in paths or (None,):
            _LOOKS[kind](_opened(place), int(memory))
            _say(WORD)
    except MemoryError:
        if not _ample:
            return TOO_LARGE
        import resource

        return OUT_OF_PROPORTION if resource.getrlimit(resource.RLIMIT_AS)[0] < _ample[0] else TOO_LARGE
    return SOUND


def most_unpacked(packed: int) -> int:
    """Return the limit on unpacked bytes for that many packed ones; only a decompression bomb exceeds it.

    >>> most_unpacked(1000), most_unpacked(1 << 30)
    (268435456, 214748364800)
    """
    return max(FREELY_UNPACKED, MOST_TIMES * packed)


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def unpacked_size(metadata: Any) -> int:
    """Return the unpacked size that a Parquet file states, or the least size that its values need."""
    return sum(max(chunk.total_uncompressed_size, 8 * chunk.num_values) for chunk in _chunks(metadata))


def said_size(metadata: Any) -> int:
    """Return the size to which the pages of a Parquet file unpack, as stated in its footer."""
    return sum(chunk.total_uncompressed_size for chunk in _chunks(metadata))


def _chunks(metadata: Any) -> Iterator[Any]:
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        yield from map(group.column, range(group.num_columns))


def _limit(memory: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_AS: memory + _FOR_THE_INTERPRETER,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_CORE: 0,  # a core dump would write private data to disk
    }
    if sys.platform == "darwin":  # macOS rejects every limit of this kind; limits on time and stated sizes remain
        del wanted[resource.RLIMIT_AS]
    for what, most in wanted.items():
        hard = resource.getrlimit(what)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (bound, hard))


_ample: list[int] = []  # the initial limit on memory


def _tighten(needed: int) -> None:
    """Allow the next file as many addresses as it states, with some reserve."""
    try:
        import resource

        with open("/proc/self/statm") as file:  # noqa: PTH123
            taken = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):  # available on Linux only
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    _ample.append(soft)
    resource.setrlimit(resource.RLIMIT_AS, (min(_ample[0], taken + needed + _TO_SPARE), hard))


def _opened(place: str | None) -> Any:
    """Return the file as an Arrow input, or None if that fails; the reader explains why."""
    import mmap

    import pyarrow as pa

    if place is not None:
        try:
            return pa.memory_map(place)
        except (OSError, pa.ArrowException):
            return None
    return pa.BufferReader(pa.py_buffer(mmap.mmap(sys.stdin.fileno(), 0, access=mmap.ACCESS_READ)))


def _attempt(read: Callable[[], Any]) -> Any:
    """Return the readable contents; None after an ordinary error, which the reader meets again and explains."""
    try:
        return read()
    except MemoryError:
        raise
    except Exception:
        return None


def _survived(parts: Iterable[Any]) -> bool:
    return _attempt(lambda: [part.validate(full=True) for part in parts]) is not None


def _look_at_arrow(buffer: Any, memory: int) -> None:
    """Read batches as inputs are read, including those after a bad one."""
    import pyarrow as pa

    _tighten(most_unpacked(buffer.size()))  # no footer states the unpacked size of its buffers
    file = _attempt(lambda: pa.ipc.open_file(buffer))
    for number in range(_attempt(lambda: len(str(file.schema)) and file.num_record_batches) or 0):
        _survived(file.get_batch(each) for each in (number,))


def _look_at_parquet(buffer: Any, memory: int) -> None:
    """Read batches as inputs are read: all columns, then each alone."""
    facts = _facts(buffer)
    if facts is not None and facts.said > most_unpacked(buffer.size()):  # the reader refuses it because of its footer
        return
    if facts is not None:
        _tighten(_FOR_THE_INTERPRETER + 4 * facts.said)  # a batch of repeated long texts takes more than their size
    if not _survived(_batches(buffer, None)):
        for name in _names(buffer):
            _survived(_batches(buffer, [name]))


def _batches(buffer: Any, columns: list[str] | None) -> Iterator[Any]:
    import pyarrow.parquet as pq

    yield from pq.ParquetFile(buffer).iter_batches(_ROWS_AT_ONCE, columns=columns)


def _look_at_table(buffer: Any, memory: int) -> None:
    """Read a table as those of a release are read: whole and group by group, with dictionaries, then without."""
    facts = None if buffer is None else _facts(buffer)
    if facts is None or facts.size > memory or facts.said > most_unpacked(buffer.size()):
        return  # the reader refuses it because of its footer
    _tighten(4 * facts.size)
    is_usual = all("." not in path or path.endswith(".list.element") for path in facts.coded)
    if _survived(_groups(buffer, facts.coded, None)) and is_usual:
        return
    _survived(_groups(buffer, [], None))
    for name in _names(buffer):
        _survived(_groups(buffer, facts.coded, [name]))
        _survived(_groups(buffer, [], [name]))


class _Facts:
    """The facts of a footer that the readers need."""

    def __init__(self, metadata: Any) -> None:
        columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
        self.coded = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        self.size = unpacked_size(metadata)
        self.said = said_size(metadata)
        self.words = (metadata.schema.to_arrow_schema(), metadata.metadata, metadata.created_by)


def _facts(buffer: Any) -> _Facts | None:
    import pyarrow.parquet as pq

    facts: _Facts | None = _attempt(lambda: _Facts(pq.read_metadata(buffer)))
    return facts


def _names(buffer: Any) -> list[str]:
    import pyarrow.parquet as pq

    return _attempt(lambda: list(pq.ParquetFile(buffer).schema_arrow.names)) or []


def _groups(buffer: Any, coded: list[str], columns: list[str] | None) -> Iterator[Any]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(buffer, read_dictionary=coded)
    yield file.read(columns=columns)
    if file.num_row_groups > 1:
        for number in range(file.num_row_groups):
            yield file.read_row_group(number, columns=columns)


_LOOKS = {"arrow": _look_at_arrow, "parquet": _look_at_parquet, "tables": _look_at_table}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
