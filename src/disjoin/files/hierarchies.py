"""Hierarchies in files: one row per leaf, from the leaf to the root, semicolons between the names, no header."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.reading import DEFAULT_MAX_BYTES
from disjoin.files.release_hierarchies import SeparatedRows, file_name
from disjoin.files.sources import Source, open_source
from disjoin.files.wording import NO_PERMISSION, listed, quoted
from disjoin.model.hierarchy import Hierarchy
from disjoin.model.hierarchy_rows import require_shallow

_PACKED = ("", ".gz", ".zst")
_NO_ROWS = "expected a hierarchy, found an empty file. Give a file with one row per term: tea;drinks;*"


def read_hierarchy(source: str | Path | BinaryIO, *, max_bytes: int = DEFAULT_MAX_BYTES) -> Hierarchy:
    """Return the hierarchy of a file (plain, gzip or zstd), of standard input (`-`) or of a stream.

    Every row ends with the same root, such as `*`. A name that has a semicolon in it stands in double quotes. Blanks
    around names and blank lines do not count. A name that stands for different things at several levels gets its level
    added, if all rows are as long (`Hierarchy.told_apart`). What is no tree raises `UnreadableInput` with the line.
    """
    opened = open_source(source, max_bytes, if_empty=_NO_ROWS)
    rows, lines = separated_rows(opened)
    if all(len(row) < 2 for row in rows):
        raise opened.error(
            "expected a hierarchy: one row per term, from the term to the root, semicolons between them "
            "(tea;drinks;*). Found no row with two names."
        )
    try:
        return Hierarchy.by_levels(rows, lines)
    except UnreadableInput as error:
        raise opened.error(str(error), error.line) from None


def hierarchy_from(given: Hierarchy | str | Path | None) -> Hierarchy | None:
    """Return the hierarchy itself, or that of a file."""
    if isinstance(given, (str, Path)):
        return read_hierarchy(given)
    if given is not None and not isinstance(given, Hierarchy):
        raise InvalidParameter(
            f"hierarchy must be a Hierarchy or the path of one, got {type(given).__name__}. "
            "Make one with disjoin.model.Hierarchy.from_rows."
        )
    return given


def read_groups(source: str | Path | BinaryIO, *, max_bytes: int = DEFAULT_MAX_BYTES) -> dict[str, list[str]]:
    """Return the groups of categories: a row each, the category first, then its group, the group of that and so on."""
    opened = open_source(source, max_bytes)
    groups: dict[str, list[str]] = {}
    for row, line in zip(*separated_rows(opened), strict=True):
        if len(row) < 2 or not all(row):
            raise opened.error("expected a category and its group, such as nurse;health, found less.", line)
        if row[0] in groups:
            raise opened.error(f"{quoted(row[0])} has two rows; keep one of them.", line)
        groups[row[0]] = row[1:]
    if not groups:
        raise opened.error("expected rows such as nurse;health, found none.")
    return groups


def separated_rows(opened: Source) -> tuple[list[list[str]], list[int]]:
    """Return the rows of names between semicolons that are not blank, and the line on which each ends."""
    texts = (line.removeprefix("\ufeff") if number == 1 else line for number, line in opened.lines())
    separated = SeparatedRows(f"{text.removesuffix(chr(13))}\n" for text in texts)
    rows, lines = [], []
    try:
        for row in separated:
            names = [name.strip() for name in row]
            if any(names):
                require_shallow(len(names), separated.line)
                rows.append(names)
                lines.append(separated.line)
    except UnreadableInput as error:
        raise error if error.source else opened.error(str(error), error.line) from None
    return rows, lines


def read_hierarchies(
    folder: str | Path, columns: Iterable[str], *, max_bytes: int = DEFAULT_MAX_BYTES
) -> dict[str, Hierarchy]:
    """Return the hierarchies that a folder has of these columns, by column; a column without a file is left out.

    The file of `age` is `age.csv`, or one whose name ends with `_age.csv`, as `adult_hierarchy_age.csv` does; plain,
    `.gz` or `.zst`. A hierarchy of one node, which generalises nothing, raises `UnreadableInput`, and so do two files
    for a column.
    """
    place, wanted = Path(folder), list(columns)
    names = _names_in(place)
    found = {}
    for column in wanted:
        name = _file_of(place, names, column, wanted)
        if name is not None:
            found[column] = read_hierarchy(place / name, max_bytes=max_bytes)
            if found[column].names[0].equals(found[column].names[-1]):  # the first leaf is the root
                message = f"expected a hierarchy of {quoted(column)} with a root above its values, found one node."
                raise UnreadableInput(message, source=str(place / name))
    return found


def _names_in(folder: Path) -> list[str]:
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise UnreadableInput(f"expected a folder of hierarchies, found {found}.", source=str(folder))
    try:
        return sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=str(folder)) from None


def _file_of(folder: Path, names: Sequence[str], column: str, columns: Collection[str]) -> str | None:
    """Return the file of a column: its own name beats the name as releases write it, and that a mere ending."""
    own = [f"{column}.csv{packed}" for packed in _PACKED]
    released = [f"{file_name(column)}.csv{packed}" for packed in _PACKED]
    others = [other for other in columns if other != column and other.endswith(f"_{column}")]
    for fits in (
        [name for name in names if name in own],
        [name for name in names if name in released],
        [name for name in names if _ends_with(name, f"_hierarchy_{column}")],
        [n for n in names if _ends_with(n, f"_{column}") and not any(_ends_with(n, other) for other in others)],
    ):
        if len(fits) > 1:
            message = f"expected one hierarchy of {quoted(column)}, found {listed(fits)}. Move all but one away."
            raise UnreadableInput(message, source=str(folder))
        if fits:
            return fits[0]
    return None


def _ends_with(name: str, ending: str) -> bool:
    return any(name.endswith(f"{ending}.csv{packed}") for packed in _PACKED)
