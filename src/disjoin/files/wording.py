"""Words for messages: names from a file made harmless and short, lists, numbers with their noun."""

from __future__ import annotations

from collections.abc import Iterable

from disjoin.escaping import legible

NO_PERMISSION = "no permission to read this. Ask its owner, or change its permissions."
LEAVE_OUT = "say --blank skip (leave blanks out) or --blank term (make them a term)"
LEAVE_ROW_OUT = "say --blank skip to leave out rows without an id"
_LONGEST_NAME = 60
_MOST_NAMES = 12


def quoted(name: object) -> str:
    """Return a name in quotes, harmless and shortened.

    >>> quoted("x" * 100) == "'" + "x" * 59 + "…'"
    True
    """
    return repr(_shortened(str(name)))


def listed(names: Iterable[object]) -> str:
    """Return names with commas between them, harmless and shortened, and only the first of very many.

    >>> listed(["tea", "", "milk"])
    "tea, '', milk"
    """
    every = [legible(_shortened(str(name))) or "''" for name in names]
    more = [f"and {len(every) - _MOST_NAMES:,} more"] if len(every) > _MOST_NAMES else []
    return ", ".join(every[:_MOST_NAMES] + more)


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def with_article(noun: str) -> str:
    """Return a noun behind its article.

    >>> with_article("arrow file"), with_article("parquet file")
    ('an arrow file', 'a parquet file')
    """
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
