"""Rows of names between semicolons, read one by one: a row without an end is refused before it is taken apart."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from disjoin.errors import UnreadableInput

SEPARATOR = ";"
LONGEST_ROW = 1 << 20  # characters, whatever line ends its names have in them


class SeparatedRows:
    """The rows of lines that end with a newline; `line` is where the row before ended, from 1.

    >>> list(SeparatedRows(['tea;drinks;*\\n', '"a;b";*\\n']))
    [['tea', 'drinks', '*'], ['a;b', '*']]
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._taken = 0  # characters since the last row
        self._reader = csv.reader(self._counted(lines), delimiter=SEPARATOR, strict=True)

    @property
    def line(self) -> int:
        """How many lines were taken."""
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
