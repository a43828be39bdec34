"""Which column is the record and which is the term, by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from disjoin.errors import UnreadableInput
from disjoin.files.wording import listed, quoted

_RECORD = (
    "record|basket|transaction|order|invoice|receipt|visit|session|patient|encounter|user|customer|"
    "subject|hadm|admission|stay|case|episode|fall"
)
_TERM = (
    "term|item|product|stock|article|sku|symptom|drug|query|word|tag|page|url|"
    "diagnos(?:is|e|es|en)|dx|icd(?:9|10)?|atc|procedure|medication"
)
_IS_RECORD = re.compile(rf"(id|tid|rid|({_RECORD})s?(id|no|nr|num|number|nummer|key|code)?)$")
_IS_TERM = re.compile(rf"(code|({_TERM})s?(id|no|nr|code|name)?)$")


def names_a_record(name: str) -> bool:
    """Tell whether a column of this name usually numbers the records.

    >>> names_a_record("Invoice No"), names_a_record("price")
    (True, False)
    >>> names_a_record("subject_id"), names_a_record("Fallnummer")
    (True, True)
    """
    return _IS_RECORD.match(_plain(name)) is not None


def names_a_term(name: str) -> bool:
    """Tell whether a column of this name usually holds the terms.

    >>> names_a_term("StockCode"), names_a_term("price")
    (True, False)
    >>> names_a_term("icd9_code"), names_a_term("Diagnose")
    (True, True)
    """
    return _IS_TERM.match(_plain(name)) is not None


def looks_long(names: Sequence[str]) -> bool:
    """Tell whether these look like the column names of a long table."""
    return any(map(names_a_record, names)) and any(map(names_a_term, names))


def choose_columns(
    names: Sequence[str], id_column: str | tuple[str, ...] | None, term_column: str | None, source: str | None = None
) -> tuple[int, int]:
    """Return the positions of the record id and of the term, or raise with a list of the columns there are.

    Of several columns that name a record together it is the first.

    A column that the caller does not name is the only one with a usual name or, of two columns, the one left over.

    >>> choose_columns(["patient", "date", "diagnosis"], None, None)
    (0, 2)
    """
    first = id_column[0] if isinstance(id_column, tuple) else id_column
    record = None if first is None else find_column(names, first, source)
    term = None if term_column is None else find_column(names, term_column, source)
    if len(names) == 2 and record is None and term is None and not looks_long(names):
        return 0, 1
    if len(names) == 2 and record is None and term is not None:
        return 1 - term, term
    if len(names) == 2 and term is None and record is not None:
        return record, 1 - record
    if record is None:
        record = _usual(names, names_a_record, "record id (id_column, --id-column)", source)
    if term is None:
        term = _usual(names, names_a_term, "term (term_column, --term-column)", source)
    if record == term:
        raise UnreadableInput(
            f"the record id and the term cannot both be column {quoted(names[record])}.", source=source
        )
    return record, term


def id_columns(names: Sequence[str], first: int, given: str | tuple[str, ...] | None, source: str | None) -> list[int]:
    """Return the positions of all columns that name a record together; the first is known."""
    further = given[1:] if isinstance(given, tuple) else ()
    return [first, *(find_column(names, name, source) for name in further)]


def find_column(names: Sequence[str], wanted: str, source: str | None = None) -> int:
    """Return the position of a column, or raise with a list of the columns there are."""
    places = [place for place, name in enumerate(names) if name == wanted]
    if len(places) != 1:
        found = "more than one" if places else "none"
        raise UnreadableInput(
            f"expected a column {quoted(wanted)}, found {found}. {columns_there(names)}", source=source
        )
    return places[0]


def columns_there(names: Sequence[str]) -> str:
    """List the columns, for an error."""
    return f"The columns are: {listed(names) or '(none)'}."


def _usual(names: Sequence[str], is_usual: Callable[[str], bool], what: str, source: str | None) -> int:
    places = [place for place, name in enumerate(names) if is_usual(name)]
    if len(places) > 1:
        several = listed(names[place] for place in places)
        message = f"say which column holds the {what}: {several} all look like it. {columns_there(names)}"
        raise UnreadableInput(message, source=source)
    if not places:
        raise UnreadableInput(f"say which column holds the {what}. {columns_there(names)}", source=source)
    return places[0]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
