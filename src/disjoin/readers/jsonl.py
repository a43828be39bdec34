"""JSON Lines: one array per line, or one object with an array."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from disjoin.errors import MOST_PROBLEMS, Placeholder, Remedy, UnreadableInput, all_lines
from disjoin.model import Transactions
from disjoin.model.spelling import LONGEST_TERM
from disjoin.readers.build_transactions import LONGEST_CELL, RowBuilder
from disjoin.readers.options import IF_BLANK, Options
from disjoin.readers.sources import Source
from disjoin.text import is_utf8, listed, quoted


class _NoRecord(ValueError):
    """A line that is not a record; its message is the finding."""


def _no_number(name: str) -> NoReturn:
    raise _NoRecord(f"expected a string or a number as a term, found {name}, which is not a term. Remove or name it.")


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; refuse two members with one name, because a dictionary would silently lose the first."""
    found = dict(members)
    if len(found) < len(members):
        twice = next(name for place, (name, _) in enumerate(members) if name in dict(members[:place]))
        raise _NoRecord(f"expected each member once, found {quoted(twice)} twice. Remove or rename one of them.")
    return found


# Numbers are kept as written: 007 is not JSON, but 1.0 is, and differs from 1.
_DECODER = json.JSONDecoder(
    parse_int=str, parse_float=str, parse_constant=_no_number, object_pairs_hook=_without_repeats
)
_ONE_ARRAY = (
    "expected one record per line, found one array with all records. Write one record per line (jq -c '.[]' does that)."
)


def read_jsonl(source: Source, options: Options) -> Transactions:
    """Read arrays of strings and numbers; `field` names the member of an object that has the array."""
    rows, bad = RowBuilder(), list[UnreadableInput]()
    field = options.field
    for line, text in source.lines():
        text = text.strip(" \t\r")
        if not text:
            rows.add(())
            continue
        try:
            record = _parsed(source, text, line)
            if isinstance(record, dict) and field is None:
                field = _only_array(source, record, line)
            rows.add(_terms_of(source, record, field, text, line, options))
        except _NoLines as error:  # of the whole file
            raise all_lines([*bad, error.args[0]]) from None
        except UnreadableInput as error:
            bad.append(error)
            if len(bad) == MOST_PROBLEMS:
                break
    if bad:
        raise all_lines(bad)
    return rows.finish(options, source.error, format="jsonl")


class _NoLines(Exception):
    """The file has no record per line, or its records are not where they were looked for; has the error."""


def _terms_of(source: Source, record: Any, field: str | None, text: str, line: int, options: Options) -> list[str]:
    if isinstance(record, dict):
        if field not in record:
            members = listed(record) or "(none)"
            found = f"expected a member {quoted(field)}, found none. The members are: {members}."
            raise source.error(found, line)
        record = record[field]
    elif field is not None:
        raise source.error(f"expected an object with the member {quoted(field)}, found {_kind(record)}.", line)
    if options.takes_blanks and isinstance(record, list):
        record = ["" if term is None else term for term in record]
    terms = _terms(source, record, line)
    if len(text) > LONGEST_TERM // 4:  # a letter has up to four bytes
        _require_short(source, terms, options, line)
    if "" in terms and not options.takes_blanks:
        message = "expected a term, found an empty string. Remove it, or give it a name."
        raise source.error(message, line).offering(*IF_BLANK)
    if "\\u" in text and not is_utf8("".join(terms)):  # an escape may stand for half a character
        found = "expected whole characters, found half of a surrogate pair (\\ud800 to \\udfff)."
        raise source.error(f"{found} Repair it.", line)
    return terms


def _parsed(source: Source, text: str, line: int) -> Any:
    try:
        return _DECODER.decode(text)
    except _NoRecord as error:
        raise source.error(str(error), line) from None
    except json.JSONDecodeError as error:
        if text in ("[", "[[", "[{"):
            raise _NoLines(source.error(_ONE_ARRAY, line)) from None
        reason = f"{error.msg} at column {error.colno}"
    except RecursionError:
        reason = "too many nested arrays"
    message = f"expected a JSON array or object, found something else ({reason}). Write one record per line."
    raise source.error(message, line)


def _only_array(source: Source, record: dict[str, Any], line: int) -> str:
    arrays = [name for name, value in record.items() if isinstance(value, list)]
    if len(arrays) != 1:
        found = f"found {listed(arrays)}" if arrays else f"found none among {listed(record) or 'no members'}"
        choices = [Remedy("field", name, f"take the terms from {quoted(name)}") for name in arrays]
        ask = Remedy("field", Placeholder("NAME"), "name the member that has the terms")
        error = source.error(f"expected one member that is an array, {found}.", line).offering(*(choices or [ask]))
        raise _NoLines(error)
    return arrays[0]


def _terms(source: Source, record: Any, line: int) -> list[str]:
    if not isinstance(record, list):
        raise source.error(f"expected an array of terms, found {_kind(record)}.", line)
    if record and set(map(type, record)) != {str}:
        if all(isinstance(term, (list, dict)) for term in record):
            raise _NoLines(source.error(_ONE_ARRAY, line))
        odd = next(term for term in record if not isinstance(term, str))
        message = f"expected a string or a number as a term, found {_kind(odd)}. Remove or name it."
        raise source.error(message, line).offering(*(IF_BLANK if odd is None else ()))
    return record


def _require_short(source: Source, terms: list[str], options: Options, line: int) -> None:
    """Raise if a term is too long, before all lines are read; a text that will be split may be longer."""
    most = LONGEST_TERM if options.split_at is None else LONGEST_CELL
    longest = max((len(term.encode("utf-8", "replace")) for term in terms if len(term) > most // 4), default=0)
    if longest > most:
        raise source.error(f"expected terms of at most {most:,} bytes, found one of {longest:,}. Shorten it.", line)


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return "a single string or number"
    return "an array" if isinstance(value, list) else "an object"
