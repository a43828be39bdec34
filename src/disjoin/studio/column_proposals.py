"""Page of the data: what the studio proposes for each column, from `model/column_roles.py`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from disjoin.model.column_roles import ColumnKind, ColumnRole, Stop, TableRoles
from disjoin.model.hierarchy_builders import has_decimal_commas, numbers_of

if TYPE_CHECKING:
    from disjoin.model import Table

SAMPLES = 3
COMMAS = "numbers with commas"
_SHAPES = {
    "an e-mail address": re.compile(r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}"),
    "a telephone number": re.compile(r"\+?[0-9][0-9 /().-]{7,}[0-9]"),
    "an account number": re.compile(r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}[A-Z0-9 ]{0,4}"),
    "a number of a card or a person": re.compile(r"(?:\D*\b)?[0-9]{7,}"),
}
_UNPUBLISHED = (ColumnKind.PERSON, ColumnKind.EVENT, ColumnKind.FREE_TEXT)
_OF_ROWS = (ColumnKind.DESCRIBES_EVENT, ColumnKind.MEASURE)


def looks_personal(term: str) -> bool:
    """Return whether a term may name or number a person.

    >>> [looks_personal(term) for term in ("ann@example.org", "card 44710023", "milk", "E11.9")]
    [True, True, False, False]
    """
    return any(shape.fullmatch(term) for shape in _SHAPES.values())


def columns_of(table: Table, roles: TableRoles, is_mixed: bool = False) -> list[dict[str, Any]]:
    return [_column(table, roles[name], is_mixed) for name in table.schema.names]


def _column(table: Table, role: ColumnRole, is_mixed: bool) -> dict[str, Any]:
    values = table.values_of(role.name).to_pylist()
    return {
        "name": role.name,
        "kind": _kind(values),
        "distinct": len(values),
        "samples": values[:SAMPLES],
        "suggested": suggestion(role, is_mixed),
        "role": role.role.value,
        "certainty": role.certainty.value,
        "why": role.why,
        "alone": role.alone,
        "stops": role.stops is not Stop.NONE or role.asks,
        "counted": role.distinct,
    } | _ways(role.name, values)


def suggestion(role: ColumnRole, is_mixed: bool = False) -> str:
    """Return what the page proposes for a column; next to terms of people, what differs between rows is left out."""
    if role.role in _UNPUBLISHED:
        return "identifier"
    if role.role is ColumnKind.CONSTANT or (is_mixed and role.role in (*_OF_ROWS, ColumnKind.TERMS)):
        return "other"
    return "sensitive" if role.is_sensitive else "quasi"


_DATE = re.compile(r"[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}|[0-9]{2}\.[0-9]{2}\.[0-9]{4}")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _kind(values: list[str]) -> str:
    given = [value for value in values if value != "?"]
    for kind, shape in (("dates", _DATE), ("numbers", _NUMBER)):
        if given and all(map(shape.fullmatch, given)):
            return kind
    return COMMAS if given and has_decimal_commas(given) else "words"


def _ways(name: str, values: list[str]) -> dict[str, str]:
    """Return how values may become coarser, to begin with: the usual way, and widths and limits that fit numbers."""
    kind = _kind(values)
    if kind not in ("numbers", COMMAS):
        return {"usual": "dates" if kind == "dates" else "flat"}
    numbers = [float(number) for text, number in numbers_of(values).items() if text != "?"]
    least, wide = min(numbers), max(numbers) - min(numbers)
    step = _round_step(wide / 12)
    ages = 0 <= least < 18 < 65 < least + wide <= 130
    bands = [18, 30, 65] if ages else [step * round((least + part * wide) / step) for part in (0.25, 0.5, 0.75)]
    written = [", ".join(f"{number:.6g}" for number in some) for some in ([step, 2 * step, 4 * step], bands)]
    usual = "mask" if _CODE.search(name) and kind == "numbers" else "none" if kind == "numbers" else "intervals"
    return {"usual": usual, "widths": written[0], "bands": written[1]}


_CODE = re.compile(r"(zip|plz|post|code|cap$)", re.IGNORECASE)


def _round_step(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten, the nearest to a width.

    >>> _round_step(6.6), _round_step(0.0375), _round_step(0)
    (5.0, 0.05, 1.0)
    """
    if width <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(width))
    return float(f"{min((part * power for part in (1, 2, 5, 10)), key=lambda step: abs(math.log(step / width))):.6g}")
