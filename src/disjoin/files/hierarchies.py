"""Hierarchies in files: one row a leaf, from the leaf to the root, semicolons between the names, no header."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import BinaryIO

from disjoin.errors import UnreadableInput
from disjoin.files.reading import DEFAULT_MAX_BYTES
from disjoin.files.sources import open_source
from disjoin.model.hierarchy import Hierarchy

SEPARATOR = ";"


def read_hierarchy(source: str | Path | BinaryIO, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Hierarchy:
    """Return the hierarchy of a file (plain, gzip or zstd), of standard input (`-`) or of a stream.

    Every row ends with the same root, such as `*`. A name that has a semicolon in it stands in double quotes. Blanks
    around names and blank lines do not count. What is no tree raises `UnreadableInput`.
    """
    opened = open_source(source, max_bytes)
    lines = (line.removeprefix("\ufeff") if number == 1 else line for number, line in opened.lines())
    try:
        rows = [[name.strip() for name in row] for row in csv.reader(lines, delimiter=SEPARATOR, strict=True)]
    except csv.Error as error:
        raise opened.error(f"expected names between semicolons, found a row that cannot be read ({error}).") from None
    rows = [row for row in rows if any(row)]
    if all(len(row) < 2 for row in rows):
        raise opened.error(
            "expected a hierarchy: one row a term, from the term to the root, semicolons between them "
            "(tea;drinks;*). Found no row with two names."
        )
    try:
        return Hierarchy.from_rows(rows)
    except UnreadableInput as error:
        raise opened.error(str(error)) from None
