"""What looks as if it named a person, in columns and among terms: suggestions, which somebody has to accept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from disjoin.model.person_names import names_a_person

if TYPE_CHECKING:
    from disjoin.model import Table

NEARLY_ALL = 0.95  # of the values distinct: the column numbers rows, or names people
SAMPLES = 3
_LEAST_ROWS = 20
_SHAPES = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}"),
    "a telephone number": re.compile(r"\+?[0-9][0-9 /().-]{7,}[0-9]"),
    "an account number": re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}[A-Z0-9 ]{0,4}"),
    "a number of a card or a person": re.compile(r"(?:\D*\b)?[0-9]{7,}"),
}
_BIRTH = re.compile(r"(birth|born|dob|geburt|naissance|nacim)", re.IGNORECASE)


def looks_personal(term: str) -> bool:
    """Tell whether a term may name or number a person.

    >>> [looks_personal(term) for term in ("ann@example.org", "card 44710023", "milk", "E11.9")]
    [True, True, False, False]
    """
    return any(shape.fullmatch(term) for shape in _SHAPES.values())


def columns_of(table: Table) -> list[dict[str, Any]]:
    """Return the columns of a table: name, kind, some values, and the role that is suggested, with the reason."""
    return [_column(table, name) for name in table.schema.names]


def _column(table: Table, name: str) -> dict[str, Any]:
    values = table.values_of(name).to_pylist()
    role, why = _suggestion(name, values, len(table))
    return {
        "name": name,
        "kind": _kind(values),
        "distinct": len(values),
        "samples": values[:SAMPLES],
        "suggested": role,
        "why": why,
    }


def _suggestion(name: str, values: list[str], rows: int) -> tuple[str, str]:
    if names_a_person(name):
        return "identifier", "its name is that of a column that names people"
    if _BIRTH.search(name):
        return "identifier", "a date of birth names people"
    shown = [value for value in values[:50] if value != "?"]
    for what, shape in () if _kind(values) == "dates" else _SHAPES.items():
        if shown and all(shape.fullmatch(value) for value in shown):
            return "identifier", f"its values look like {what}"
    if rows >= _LEAST_ROWS and len(values) >= NEARLY_ALL * rows:
        return "identifier", "nearly all of its values are different"
    return "quasi", "nothing speaks against it"


_DATE = re.compile(r"[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}|[0-9]{2}\.[0-9]{2}\.[0-9]{4}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _kind(values: list[str]) -> str:
    given = [value for value in values if value != "?"]
    for kind, shape in (("dates", _DATE), ("numbers", _NUMBER)):
        if given and all(shape.fullmatch(value) for value in given):
            return kind
    return "words"
