"""The list of all terms that might occur, as people give it: a file, a public catalogue, terms, or the word `seen`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from disjoin.errors import InvalidParameter
from disjoin.files.hierarchies import read_hierarchy
from disjoin.files.reading import DEFAULT_MAX_BYTES
from disjoin.files.release_hierarchies import SEPARATOR
from disjoin.files.sources import Source, open_source
from disjoin.files.term_lists import file_named, terms_between_commas
from disjoin.model.differential_privacy import SEEN

_NO_TERMS = "expected one term per line, or a hierarchy, found an empty file."


def domain_from(given: Sequence[str], folder: Path = Path()) -> tuple[str, ...] | Literal["seen"]:
    """Return the terms of files (relative to `folder`) and between commas, or `seen` for the word alone.

    A file has one term per line; if all its lines have semicolons it is a hierarchy, and its leaves are the terms. A
    file that is called `seen` is `./seen`, and the term is `seen,`.

    >>> domain_from(["flu, hiv"]), domain_from(["seen"]), domain_from(["seen,"])
    (('flu', 'hiv'), 'seen', ('seen',))
    """
    if SEEN in given:
        if len(given) > 1:
            raise InvalidParameter(
                "the domain is either seen in the data or given, not both: leave out the word seen, or all other "
                "domains. Write ./seen for a file of that name, and seen, (with a comma) for the term."
            )
        return SEEN
    return tuple(term for value in given for term in _terms(value, folder))


def _terms(given: str, folder: Path) -> tuple[str, ...]:
    path = file_named(given, folder)
    return terms_between_commas(given) if path is None else _terms_in(path)


def _terms_in(path: Path) -> tuple[str, ...]:
    opened = open_source(path, DEFAULT_MAX_BYTES, if_empty=_NO_TERMS)
    lines = _lines(opened)
    separated = [number for number, line in lines if SEPARATOR in line]
    if not separated:
        return tuple(line for _, line in lines)
    if len(separated) < len(lines):
        raise opened.error(
            "expected one term per line, or a hierarchy with semicolons in every row (tea;drinks;*), found both. A "
            'term that has a semicolon in it can stand in a hierarchy, in double quotes: "tea; green";*',
            separated[0],
        )
    tree = read_hierarchy(path)
    return tuple(tree.names.slice(0, tree.n_leaves).to_pylist())


def _lines(opened: Source) -> list[tuple[int, str]]:
    lines = [(number, line.removeprefix("\ufeff").strip()) for number, line in opened.lines()]
    found = [(number, line) for number, line in lines if line]
    if not found:
        raise opened.error("expected one term per line, or a hierarchy, found blank lines only.")
    return found
