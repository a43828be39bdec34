"""Lists of terms that people give by hand: a file with one term per line, terms between commas, or a whole domain.

A domain is the list of all terms that might occur. It may also be a public catalogue (a hierarchy), or the word `seen`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from disjoin.errors import InvalidParameter, UnreadableInput, described
from disjoin.model.differential_privacy import SEEN

if TYPE_CHECKING:
    from disjoin.files.sources import Source


_SUFFIXES = {".txt", ".csv", ".tsv", ".lst", ".list", ".dat"}


def terms_from(given: str, folder: Path = Path()) -> tuple[str, ...]:
    """Return the terms of a file (relative to `folder`), or those between the commas of `given`.

    What looks like a file but is none is an error, and so is a bare name that could be both: neither a misspelt nor a
    misunderstood name must leave terms unprotected.

    >>> terms_from("flu, hiv")
    ('flu', 'hiv')
    """
    path = file_named(given, folder)
    return terms_between_commas(given) if path is None else _lines(path)


def file_named(given: str, folder: Path = Path()) -> Path | None:
    """Return the file that is meant, None if it is terms; raises if it may be both, or there is no such file."""
    path = folder / given
    looks_like_file = "/" in given or "\\" in given or Path(given).suffix.lower() in _SUFFIXES
    if given and path.is_file():
        if not looks_like_file:
            raise InvalidParameter(
                f"{given!r} may be a term, and there is a file of that name. Write ./{given} for the terms in it, or "
                f"{given}, (with a comma) for the term."
            )
        return path
    if given and (path.is_dir() or looks_like_file):
        raise UnreadableInput("expected a file with one term per line, found none. Check the path.", source=given)
    return None


def terms_between_commas(given: str) -> tuple[str, ...]:
    """Return the terms between the commas of a text, without blanks around them.

    >>> terms_between_commas("flu, hiv,")
    ('flu', 'hiv')
    """
    terms = tuple(term.strip() for term in given.split(",") if term.strip())
    if not terms:
        raise InvalidParameter(
            f"expected terms between commas, or a file with one term per line, got {described(given)}."
        )
    return terms


def _lines(path: Path) -> tuple[str, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as failure:
        raise UnreadableInput("expected UTF-8 text with one term per line.", source=str(path)) from failure
    except OSError as failure:
        raise UnreadableInput(f"cannot be read: {failure.strerror}.", source=str(path)) from failure
    terms = tuple(line.strip() for line in lines if line.strip())
    if not terms:
        raise UnreadableInput("expected one term per line, found none.", source=str(path))
    return terms


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
    from disjoin.files.hierarchies import read_hierarchy
    from disjoin.files.reading import DEFAULT_MAX_BYTES
    from disjoin.files.release_hierarchies import SEPARATOR
    from disjoin.files.sources import open_source

    opened = open_source(path, DEFAULT_MAX_BYTES, if_empty=_NO_TERMS)
    lines = _lines_of(opened)
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


def _lines_of(opened: Source) -> list[tuple[int, str]]:
    lines = [(number, line.removeprefix("\ufeff").strip()) for number, line in opened.lines()]
    found = [(number, line) for number, line in lines if line]
    if not found:
        raise opened.error("expected one term per line, or a hierarchy, found blank lines only.")
    return found
