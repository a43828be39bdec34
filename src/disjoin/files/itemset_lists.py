"""Itemsets as text: terms between commas, quoted where they have commas or quotes in them, as in basket files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from disjoin.errors import InvalidParameter, UnreadableInput
from disjoin.files.wording import NO_PERMISSION, quoted

_FIELD = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",][^,]*|))\s*(,|$)', flags=re.DOTALL)
_PLAIN = re.compile(r'[^\s",](?:[^,\r\n]*[^\s,])?', flags=re.DOTALL)


def itemset_from(text: str) -> list[str]:
    """Return the terms of an itemset; blanks around them do not count, in quotes they do.

    >>> itemset_from('tea, "milk, 1 l" ,"a ""good"" wine"')
    ['tea', 'milk, 1 l', 'a "good" wine']
    """
    terms: list[str] = []
    position, more = 0, True
    while more:
        field = _FIELD.match(text, position)
        if field is None:
            raise InvalidParameter(
                f"expected terms between commas, got {quoted(text)}. "
                'Quote a term that has a comma or a quote in it, and double the quotes inside it ("").'
            )
        term = field[2].strip() if field[1] is None else field[1].replace('""', '"')
        if not term:
            raise InvalidParameter(f"expected a term, found an empty field in {quoted(text)}. Remove the extra comma.")
        terms.append(term)
        position, more = field.end(), field[3] == ","
    return terms


def itemset_text(terms: Iterable[str]) -> str:
    """Return an itemset as `itemset_from` reads it.

    >>> itemset_text(["tea", "milk, 1 l"])
    'tea,"milk, 1 l"'
    """
    return ",".join(term if _PLAIN.fullmatch(term) else '"' + term.replace('"', '""') + '"' for term in terms)


def relatedness_in(source: str) -> dict[tuple[str, str], float]:
    """Read a table of two terms and how related they are, a line each; a first line with names is skipped."""
    found: dict[tuple[str, str], float] = {}
    for number, line in enumerate(_text(source).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = itemset_from(line)
        except InvalidParameter as mistake:
            raise UnreadableInput(str(mistake), source=source, line=number) from None
        weight = _weight(fields)
        if weight is not None:
            found[fields[0], fields[1]] = weight
        elif number > 1 or len(fields) != 3:
            expected = "expected two terms and a number of at least 0, between commas"
            raise UnreadableInput(f"{expected}, found {quoted(line)}.", source=source, line=number)
    if not found:
        raise UnreadableInput("expected two terms and a number per line, found none.", source=source)
    return found


def _weight(fields: list[str]) -> float | None:
    try:
        weight = float(fields[2]) if len(fields) == 3 else -1.0
    except ValueError:
        return None
    return weight if 0 <= weight < float("inf") else None


def itemsets_in(source: str) -> list[list[str]]:
    """Read a file with one itemset per line (`-`: standard input); blank lines are skipped."""
    itemsets = []
    for number, line in enumerate(_text(source).splitlines(), start=1):
        if line.strip():
            try:
                itemsets.append(itemset_from(line))
            except InvalidParameter as mistake:
                raise UnreadableInput(str(mistake), source=source, line=number) from None
    if not itemsets:
        raise UnreadableInput("expected one itemset per line, found none.", source=source)
    return itemsets


def _text(source: str) -> str:
    try:
        if source == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(source).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableInput("expected UTF-8 text with one itemset per line.", source=source) from None
    except FileNotFoundError:
        raise UnreadableInput("there is no such file. Check the path.", source=source) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=source) from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise UnreadableInput(f"cannot be read ({reason}).", source=source) from None
