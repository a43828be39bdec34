"""Reconstructions on disk: a folder of Parquet, CSV or FIMI files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter
from disjoin.model import Transactions
from disjoin.release.result_folder import ResultFolder
from disjoin.text import quoted

_FOLDER = ResultFolder(
    "The folder of reconstructions", "folder of reconstructions", r"reconstruction-[0-9]+\.(parquet|csv|fimi)"
)
_ITEMS_AT_ONCE = 1 << 20

# Terms with these characters need quotes: otherwise the reader of baskets sees a separator, a file of another kind,
# blanks to trim, or numbers between blanks. The last lines are the first bytes of Parquet, Arrow, bzip2 and PDF files.
_TO_BE_QUOTED = r'[",;|\x00-\x1f\x7f]|^ | $|^\x{FEFF}|^[0-9 ]* [0-9 ]*$' + "|^(?:PAR1|ARROW1|BZh|%PDF-)"
_MISLEADING = re.compile(rb"PAR1|ARROW1|BZh|%PDF-|PK\x03\x04|P\*M\x18|\xef\xbb\xbf")


# Raises, before long work, unless a path is free, or may be overwritten and has only unchanged reconstructions.
check_worlds_destination = _FOLDER.check


def write_worlds(
    worlds: Iterable[Transactions], path: str | Path, *, format: str = "parquet", overwrite: bool = False
) -> list[str]:
    """Write `reconstruction-0`, ... into a new folder, one by one, completely or not at all; return their names.
    Raises `InvalidParameter` if a term cannot be written in the format. `files.json` has sizes and sums."""
    if format not in FORMATS:
        raise InvalidParameter(f"format must be one of {', '.join(FORMATS)}, got {quoted(format)}.")
    names = []
    with _FOLDER.filled(path, overwrite=overwrite) as folder:
        for number, world in enumerate(worlds):
            names.append(f"reconstruction-{number}.{format}")
            FORMATS[format](world, folder / names[-1])
    return names


def _write_parquet(world: Transactions, file: Path) -> None:
    import pyarrow.parquet as pq

    coded = pa.DictionaryArray.from_arrays(pa.array(world.items), world.vocabulary)
    element = pa.field("element", coded.type, nullable=False)
    terms = pa.LargeListArray.from_arrays(pa.array(world.offsets), coded, type=pa.large_list(element))
    table = pa.Table.from_arrays([terms], schema=pa.schema([pa.field("terms", terms.type, nullable=False)]))
    # Without our schema, readers see plain lists of strings.
    pq.write_table(table, file, store_schema=False, compression="zstd", write_statistics=False)


def _write_csv(world: Transactions, file: Path) -> None:
    terms = world.vocabulary
    _refuse(terms, "\0", "a NUL character, which text files cannot have")
    doubled = pc.binary_join_element_wise('"', pc.replace_substring(terms, '"', '""'), '"', "")
    quoted_where_needed = pc.if_else(pc.match_substring_regex(terms, _TO_BE_QUOTED), doubled, terms)
    with file.open("wb") as stream:
        stream.writelines(_lines(world, quoted_where_needed, ","))


def _write_fimi(world: Transactions, file: Path) -> None:
    _refuse(world.vocabulary, "\0", "a NUL character, which text files cannot have")
    _refuse(world.vocabulary, "[ \t\r\n]", "a blank or a line end, but FIMI separates terms by blanks")
    with file.open("wb") as stream:
        for number, block in enumerate(_lines(world, world.vocabulary, " ")):
            if number == 0 and _MISLEADING.match(block):
                stream.write(b" ")  # FIMI ignores a blank, which keeps the file from looking like another format
            stream.write(block)


Write = Callable[[Transactions, Path], None]
FORMATS: dict[str, Write] = {"parquet": _write_parquet, "csv": _write_csv, "fimi": _write_fimi}


def _refuse(terms: pa.StringArray, pattern: str, why: str) -> None:
    bad = terms.filter(pc.match_substring_regex(terms, pattern))
    if len(bad):
        raise InvalidParameter(f"the term {quoted(bad[0].as_py())} has {why}. Use Parquet instead.")


def _lines(world: Transactions, written: pa.StringArray, separator: str) -> Iterator[bytes]:
    wide = written.cast(pa.large_string())
    mark, end, nothing = (pa.scalar(text, pa.large_string()) for text in (separator, "\n", ""))
    first = 0
    while first < len(world):
        goal = int(world.offsets[first]) + _ITEMS_AT_ONCE
        last = max(first + 1, int(np.searchsorted(world.offsets, goal, side="right")) - 1)
        offsets = world.offsets[first : last + 1]
        terms = wide.take(pa.array(world.items[offsets[0] : offsets[-1]]))
        records = pa.LargeListArray.from_arrays(pa.array(offsets - offsets[0]), terms)
        lines = pc.binary_join_element_wise(pc.binary_join(records, mark), nothing, end)
        yield "".join(lines.to_pylist()).encode()
        first = last
