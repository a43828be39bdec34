"""Every original value that a published cell may have, by trying all values of a small domain. Standard library.

A question is a text: a number, `low..high`, a name of a hierarchy, `?` for a missing value, `*` for any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from oracle.table_inspection import Paths, includes, interval

Row = Mapping[str, str]


def possible_values(
    cell: str, domain: Iterable[str], paths: list[tuple[str, ...]] | None, *, is_exact: bool
) -> list[str]:
    """The values of the domain that may have been published as the cell; `*` may be any of them."""
    return [value for value in domain if (cell in ("*", value) if is_exact else includes(cell, value, paths))]


def is_asked_for(question: str, value: str, paths: list[tuple[str, ...]] | None) -> bool:
    """Whether an original value is one that the question asks for."""
    if question in ("*", value):
        return True
    if paths is not None:
        return includes(question, value, paths)
    low, dots, high = question.partition("..")
    ends = (Fraction(low), Fraction(high)) if dots else interval(question)
    number = interval(value)
    return ends is not None and number is not None and ends[0] <= number[0] <= ends[1]


def row_matches(row: Row, asked: Row, domains: Mapping[str, Iterable[str]], paths: Paths, exact: set[str]) -> set[bool]:
    """For each original row that a published row may have: whether it satisfies the query."""
    answers = {True}
    for name, question in asked.items():
        values = possible_values(row[name], domains[name], paths.get(name), is_exact=name in exact)
        here = {is_asked_for(question, value, paths.get(name)) for value in values}
        answers = {one and other for one in answers for other in here}
    return answers


def fewest_and_most(
    rows: Iterable[Row], asked: Row, domains: Mapping[str, Iterable[str]], paths: Paths, exact: set[str]
) -> tuple[int, int]:
    """How many rows have all that is asked for, in the originals with the fewest and the most; rows are independent."""
    found = [row_matches(row, asked, domains, paths, exact) for row in rows]
    return sum(answers == {True} for answers in found), sum(True in answers for answers in found)
