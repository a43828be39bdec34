"""Lists of terms that people give by hand: a file with one term per line, or terms between commas."""

from __future__ import annotations

from pathlib import Path

from disjoin.errors import InvalidParameter, UnreadableInput, described

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
