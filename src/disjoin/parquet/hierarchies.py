"""Hierarchy files of a release: names, writing, reading."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.published import Violation
from disjoin.parquet.columns import Oddities
from disjoin.parquet.tables import HIERARCHIES, Part

SEPARATOR = ";"
LONGEST_ROW = 1 << 20  # characters, including line ends inside names


class SeparatedRows:
    """The rows of lines that end with a newline; `line` is where the previous row ended, from 1.

    >>> list(SeparatedRows(['tea;drinks;*\\n', '"a;b";*\\n']))
    [['tea', 'drinks', '*'], ['a;b', '*']]
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._taken = 0  # characters since the last row
        self._reader = csv.reader(self._counted(lines), delimiter=SEPARATOR, strict=True)

    @property
    def line(self) -> int:
        return self._reader.line_num

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for row in self._reader:
                self._taken = 0
                yield row
        except csv.Error as failure:
            message = f"expected names between semicolons, found a row that cannot be read ({failure})."
            raise UnreadableInput(message, line=self.line) from None

    def _counted(self, lines: Iterable[str]) -> Iterator[str]:
        for number, line in enumerate(lines, start=1):
            self._taken += len(line)
            if self._taken > LONGEST_ROW:
                message = f"expected rows of at most {LONGEST_ROW:,} characters, found a longer one."
                raise UnreadableInput(f"{message} Check the line ends and the quotes.", line=number)
            yield line


LONGEST_NAME = 160  # characters of a file name, before its suffix; file systems allow 255
_QUOTED_IN = {",": '[,"\r\n]', ";": '[;"\r\n]'}  # by separator: characters that need quotes
_LARGEST_HIERARCHY = 128 << 20  # bytes; it is read whole, and takes several times as many in memory


def hierarchy_path(column: str) -> str:
    """Return the path of a column's hierarchy in a release; unsuitable characters are percent-encoded.

    >>> hierarchy_path("age"), hierarchy_path("../a b")
    ('hierarchies/age.csv', 'hierarchies/%2E.%2Fa%20b.csv')
    """
    return f"{HIERARCHIES}/{file_name(column)}.csv"


def file_name(column: str) -> str:
    """Return a file name, without suffix, that is unique to the column; a very long one ends with a fingerprint."""
    name = quote(column, safe="").replace("~", "%7E")
    name = f"%2E{name[1:]}" if name.startswith(".") else name  # otherwise the file would be hidden
    if len(name) <= LONGEST_NAME:
        return name
    mark = hashlib.sha256(column.encode()).hexdigest()[:32]
    return f"{name[: LONGEST_NAME - 33]}~{mark}"


def hierarchy_text(tree: Hierarchy) -> bytes:
    """Return a hierarchy as a file: one row per leaf, in order, from the leaf to the root, with semicolons."""
    words = quoted_fields(tree.names, ";").to_pylist()
    lines = (";".join([words[node] for node in path]) for path in map(np.ndarray.tolist, tree.paths()))
    return "".join(f"{line}\n" for line in lines).encode()


def quoted_fields(values: pa.StringArray, separator: str) -> pa.StringArray:
    """Return the values as fields of a separated file; an empty one is quoted, so that no line is empty."""
    needed = pc.or_(pc.match_substring_regex(values, _QUOTED_IN[separator]), pc.equal(values, ""))
    doubled = pc.binary_join_element_wise('"', pc.replace_substring(values, '"', '""'), '"', "")
    return pc.if_else(needed, doubled, values)


def hierarchy_part(tree: Hierarchy, name: str, of_what: str) -> Part:
    facts: dict[str, Any] = {
        "name": name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "dialect": {"delimiter": ";", "header": False},
        "description": f"What {of_what} generalise to: one row per value, up to what stands for all.",
        "rows": tree.n_leaves,
    }
    return Part(partial(_write_hierarchy, tree), facts)


def _write_hierarchy(tree: Hierarchy, path: Path) -> None:
    path.write_bytes(hierarchy_text(tree))


def read_hierarchy_part(file: Path, path: str, memory_limit: int, odd: Oddities) -> Hierarchy:
    if not file.is_file():
        raise UnreadableInput("expected the file of a hierarchy, found a folder or a special file.", source=str(file))
    limit = min(memory_limit, _LARGEST_HIERARCHY)
    if file.stat().st_size > limit:
        raise UnreadableInput(f"the hierarchy has more than {limit:,} bytes, the limit.", source=str(file))
    try:
        data = file.read_bytes()
        tree = Hierarchy.from_rows(SeparatedRows(_lines(data.decode())))
    except UnicodeDecodeError:
        raise UnreadableInput("expected UTF-8 text, found other bytes.", source=str(file)) from None
    except (UnreadableInput, InvalidParameter) as failure:
        raise UnreadableInput(str(failure), source=str(file)) from None
    if hierarchy_text(tree) != data:
        odd.found.append(Violation("F1", path, "is not written as hierarchies of a release are"))
    return tree


def _lines(text: str) -> Iterator[str]:
    """Yield lines with their newlines, because a name may contain one."""
    first = 0
    while first < len(text):
        end = text.find("\n", first) + 1 or len(text)
        yield text[first:end]
        first = end
