"""Tables that must not be taken for baskets, because that would publish record ids as terms."""

from __future__ import annotations

import re

from disjoin.errors import UnreadableInput
from disjoin.files.naming import looks_long
from disjoin.files.sources import Source
from disjoin.files.wording import listed

_FEWEST_LINES = 3  # below a header two rows are needed to see that it is none of them
_TELLING_LINES = 10  # this many lines of two fields are no accident
_ROWS_FOR_AN_ODD_ONE = 10


def refuse_tables(source: Source, rows: list[list[str]]) -> None:
    """Raise if the first rows of a separated file may be those of a table with record ids in it."""
    if not _is_even(rows):
        return
    if len(rows[0]) == 2 and (_begins_with_header(rows) or _looks_like_pairs(rows)):
        raise source.error(
            f"{_lines(rows)} has 2 fields, so this may be records of two terms or a long table with the columns "
            f"{listed(rows[0])}. Say --format basket or --format long."
        )
    if _begins_with_header(rows):
        raise _looks_like_a_table(source, rows, "basket")


def refuse_spaced_tables(source: Source, lines: list[str]) -> None:
    """Raise if lines that were taken for blank-separated terms may be rows of a table.

    Queries of equally many words are common, so a table between blanks must also have a column of numbers.
    """
    piped = [[field.strip() for field in line.split("|")] for line in lines]
    if _is_even(piped) and (_begins_with_header(piped) or looks_long(piped[0])):
        raise _looks_like_a_table(source, piped, "fimi")
    rows = [line.split() for line in lines]
    if not _is_even(rows) or not _begins_with_header(rows) or any(map(_is_number, rows[0])):
        return
    if any(all(map(_is_number, column)) for column in zip(*rows[1:], strict=False)):
        raise _looks_like_a_table(source, rows, "fimi")


def _is_even(rows: list[list[str]]) -> bool:
    """Tell whether (nearly) all rows have as many fields as the first, and that is more than one.

    Nearly, because one unquoted comma in a table of thousands must not make it a file of baskets.
    """
    if not rows or len(rows[0]) < 2:
        return False
    odd = sum(len(row) != len(rows[0]) for row in rows)
    return odd * _ROWS_FOR_AN_ODD_ONE <= len(rows)


def _begins_with_header(rows: list[list[str]]) -> bool:
    """Tell whether nothing in the first row occurs below it; terms of a basket would, sooner or later."""
    below = {field for row in rows[1:] for field in row}
    return len(rows) >= _FEWEST_LINES and not below & set(rows[0])


def _looks_like_pairs(rows: list[list[str]]) -> bool:
    """Tell whether most rows are different pairs and nothing is ever on both sides: ids and terms, not baskets."""
    pairs = [(row[0], row[1]) for row in rows if len(row) == 2]
    distinct = len(set(pairs))
    if len(pairs) < _TELLING_LINES or (distinct < _TELLING_LINES and 2 * distinct <= len(pairs)):
        return False
    return not {left for left, _ in pairs} & {right for _, right in pairs}


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[0-9]+", text) is not None


def _lines(rows: list[list[str]]) -> str:
    return "every line" if all(len(row) == len(rows[0]) for row in rows) else "nearly every line"


def _looks_like_a_table(source: Source, rows: list[list[str]], otherwise: str) -> UnreadableInput:
    return source.error(
        f"{_lines(rows)} has {len(rows[0]):,} fields and the first looks like a header, so this may be a table with "
        f"the columns {listed(rows[0])}. Say --format {otherwise}, or name --id-column and --term-column."
    )
