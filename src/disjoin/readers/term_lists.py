"""Term lists that options name; a domain lists all possible terms (a file, a hierarchy's leaves, or `seen`)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.model.differential_privacy import SEEN
from disjoin.text import NO_PERMISSION, quoted

_SUFFIXES = {".txt", ".csv", ".tsv", ".lst", ".list", ".dat"}


def terms_from(given: str, folder: Path = Path()) -> tuple[str, ...]:
    """Return the terms of a file (relative to `folder`), or the comma-separated ones of `given`.

    A missing file, or a name that may be a file or a term, is an error, so no misspelt name leaves terms unprotected.

    >>> terms_from("flu, hiv")
    ('flu', 'hiv')
    """
    path = file_named(given, folder)
    if path is None:
        return terms_between_commas(given)
    name = "./-" if str(path) == "-" else str(path)  # the file, not standard input
    terms = tuple(line.strip() for line in _text(name, "one term").splitlines() if line.strip())
    if not terms:
        raise UnreadableInput("expected one term per line, found none.", source=str(path))
    return terms


def file_named(given: str, folder: Path = Path()) -> Path | None:
    """Return the file that is meant, None if `given` is terms; raise if it may be both, or the file is missing."""
    path = folder / given
    looks_like_file = "/" in given or "\\" in given or Path(given).suffix.lower() in _SUFFIXES
    if given and path.is_file():
        if not looks_like_file:
            both = f"{given!r} may be a term, but there is a file of that name. Write ./{given} for the terms in it"
            raise InvalidParameter(f"{both}, or {given}, (with a comma) for the term.")
        return path
    if given and (path.is_dir() or looks_like_file):
        raise UnreadableInput("expected a file with one term per line, found none. Check the path.", source=given)
    return None


def terms_between_commas(given: str) -> tuple[str, ...]:
    """Return the comma-separated terms of a text, without blanks around them.

    >>> terms_between_commas("flu, hiv,")
    ('flu', 'hiv')
    """
    terms = tuple(term.strip() for term in given.split(",") if term.strip())
    if not terms:
        expected = "expected comma-separated terms, or a file with one term per line"
        raise InvalidParameter(f"{expected}, got {described(given)}.")
    return terms


_NO_TERMS = "expected one term per line, or a hierarchy, found an empty file."


def domain_from(given: Sequence[str], folder: Path = Path()) -> tuple[str, ...] | Literal["seen"]:
    """Return the terms of files (relative to `folder`), comma-separated terms, or `seen` for the word alone.

    A file has one term per line, or is a hierarchy, whose leaves are used; `./seen` is a file, `seen,` a term.

    >>> domain_from(["flu, hiv"]), domain_from(["seen"]), domain_from(["seen,"])
    (('flu', 'hiv'), 'seen', ('seen',))
    """
    if SEEN in given:
        if len(given) > 1:
            raise InvalidParameter(
                "the domain is either seen in the data or given, not both: remove the word seen, or all other "
                "domains. Write ./seen for a file of that name, and seen, (with a comma) for the term."
            )
        return SEEN
    terms: list[str] = []
    for value in given:
        path = file_named(value, folder)
        terms += terms_between_commas(value) if path is None else _terms_in(path)
    return tuple(terms)


def _terms_in(path: Path) -> tuple[str, ...]:
    from disjoin.parquet.hierarchies import SEPARATOR
    from disjoin.readers.hierarchies import read_hierarchy
    from disjoin.readers.read import DEFAULT_MAX_BYTES
    from disjoin.readers.sources import open_source

    opened = open_source(path, DEFAULT_MAX_BYTES, if_empty=_NO_TERMS)
    lines = [(number, line.removeprefix("\ufeff").strip()) for number, line in opened.lines()]
    lines = [(number, line) for number, line in lines if line]
    if not lines:
        raise opened.error("expected one term per line, or a hierarchy, found blank lines only.")
    separated = [number for number, line in lines if SEPARATOR in line]
    if not separated:
        return tuple(line for _, line in lines)
    if len(separated) < len(lines):
        expected = "expected one term per line, or a hierarchy with semicolons in every row (tea;drinks;*), found both."
        hint = 'In a hierarchy, a term with a semicolon needs double quotes: "tea; green";*'
        raise opened.error(f"{expected} {hint}", separated[0])
    tree = read_hierarchy(path)
    return tuple(tree.names.slice(0, tree.n_leaves).to_pylist())


# Itemsets as text: comma-separated terms, quoted if they have commas or quotes in them, as in basket files.

_FIELD = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",][^,]*|))\s*(,|$)', flags=re.DOTALL)
_PLAIN = re.compile(r'[^\s",](?:[^,\r\n]*[^\s,])?', flags=re.DOTALL)


def itemset_from(text: str) -> list[str]:
    """Return the terms of an itemset; blanks around them do not count, blanks in quotes do.

    >>> itemset_from('tea, "milk, 1 l" ,"a ""good"" wine"')
    ['tea', 'milk, 1 l', 'a "good" wine']
    """
    terms: list[str] = []
    position, more = 0, True
    while more:
        field = _FIELD.match(text, position)
        if field is None:
            raise InvalidParameter(
                f"expected comma-separated terms, got {quoted(text)}. "
                'Quote a term with a comma or a quote in it, and double the quotes inside it ("").'
            )
        term = field[2].strip() if field[1] is None else field[1].replace('""', '"')
        if not term:
            raise InvalidParameter(f"expected a term, found an empty field in {quoted(text)}. Remove the extra comma.")
        terms.append(term)
        position, more = field.end(), field[3] == ","
    return terms


def itemset_text(terms: Iterable[str]) -> str:
    """Return an itemset in the form that `itemset_from` reads.

    >>> itemset_text(["tea", "milk, 1 l"])
    'tea,"milk, 1 l"'
    """
    return ",".join(term if _PLAIN.fullmatch(term) else '"' + term.replace('"', '""') + '"' for term in terms)


def relatedness_in(source: str) -> dict[tuple[str, str], float]:
    """Read a table of two terms and how related they are, one pair per line; a first line with names is skipped."""
    found: dict[tuple[str, str], float] = {}
    for number, line, fields in _itemsets(source):
        try:
            weight = float(fields[2]) if len(fields) == 3 else -1.0
        except ValueError:
            weight = -1.0
        if 0 <= weight < float("inf"):
            found[fields[0], fields[1]] = weight
        elif number > 1 or len(fields) != 3:
            expected = "expected two terms and a number of at least 0, comma-separated"
            raise UnreadableInput(f"{expected}, found {quoted(line)}.", source=source, line=number)
    if not found:
        raise UnreadableInput("expected two terms and a number per line, found none.", source=source)
    return found


def itemsets_in(source: str) -> list[list[str]]:
    """Read a file with one itemset per line (`-`: standard input), without blank lines."""
    itemsets = [terms for _, _, terms in _itemsets(source)]
    if not itemsets:
        raise UnreadableInput("expected one itemset per line, found none.", source=source)
    return itemsets


def _itemsets(source: str) -> Iterator[tuple[int, str, list[str]]]:
    for number, line in enumerate(_text(source, "one itemset").splitlines(), start=1):
        if line.strip():
            try:
                yield number, line, itemset_from(line)
            except InvalidParameter as mistake:
                raise UnreadableInput(str(mistake), source=source, line=number) from None


def _text(source: str, expected: str) -> str:
    try:
        if source == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        return Path(source).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableInput(f"expected UTF-8 text with {expected} per line.", source=source) from None
    except FileNotFoundError:
        raise UnreadableInput("there is no such file. Check the path.", source=source) from None
    except PermissionError:
        raise UnreadableInput(NO_PERMISSION, source=source) from None
    except (OSError, ValueError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise UnreadableInput(f"cannot be read ({reason}).", source=source) from None
